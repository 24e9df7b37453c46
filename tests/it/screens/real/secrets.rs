//! `x` in the reader, and `--no-redact`: secrets are shown where that was asked for, and nowhere else.

use std::sync::Arc;

use sesstree::app::msg::{Effect, Msg};
use sesstree::store::zero::Zero;
use sesstree::text::{SafeText, Secrets};

use super::super::desk::Desk;
use super::{Real, open, sit_showing};
use crate::support::TestStore;

/// In parts, or those who look for tokens in repositories would find it.
fn token() -> String {
    ["ghp_", "aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"].concat()
}

/// A session with a token in its title, its folder and its log, and another beside it.
fn store() -> TestStore {
    let store = TestStore::new();
    let token = token();
    store
        .session("a")
        .field("title", format!("{token}\u{1b}[2J"))
        .field("cwd", format!("/src/{token}"))
        .message("user", &format!("take {token}\u{1b}]0;t\u{7} and go"))
        .write();
    let said = format!("with {token} too");
    store
        .session("b")
        .at(crate::support::days_ago(1))
        .message("user", &said)
        .write();
    store
}

#[test]
fn secrets_are_hidden_until_x_is_pressed_and_when_it_is_pressed_again() {
    let store = store();
    let mut desk = open(&store);
    desk.sees_not(&token());
    desk.press("<Tab>");
    desk.sees("take ghp_[redacted] and go");
    desk.sees_not("secrets shown");
    desk.press("x");
    desk.sees(&format!("take {} and go", token()));
    desk.sees("secrets shown: x hides them");
    desk.press("x");
    desk.sees("take ghp_[redacted] and go");
    desk.sees_not("secrets shown");
}

#[test]
fn only_this_one_session_is_shown_and_only_while_it_is_read() {
    let store = store();
    let mut desk = open(&store);
    desk.press("<Tab>x");
    desk.sees(&token());
    // The help is over the reader, which stays.
    desk.press("?<Esc>");
    desk.sees(&token());
    desk.press("<Esc>");
    desk.sees_not(&token());
    desk.press("<Tab>");
    desk.sees("ghp_[redacted]");
    desk.sees_not(&token());
    desk.press("<Esc>j<Tab>");
    desk.sees("with ghp_[redacted] too");
}

/// Whatever becomes of the answer, no secret stays on the screen behind a promise that it is hidden.
#[test]
fn what_is_hidden_goes_at_once() {
    let store = store();
    let mut desk: Desk<Real> = open(&store);
    desk.press("<Tab>x");
    desk.sees(&token());
    desk.keep_waiting(|effect| matches!(effect, Effect::Read { .. }));
    desk.press("x");
    desk.sees_not(&token());
    desk.sees_not("secrets shown");
    let Some(Effect::Read {
        generation,
        id,
        secrets,
        ..
    }) = desk.waiting.pop_front()
    else {
        panic!("nothing was asked");
    };
    assert_eq!(secrets, Secrets::Hidden);
    let page = Err(SafeText::line("torn"));
    desk.show(Msg::Read {
        generation,
        id,
        page,
    });
    desk.sees("no transcript: torn");
    desk.sees_not(&token());
}

#[test]
fn on_the_narrowest_screen_the_reader_says_that_secrets_are_shown() {
    let store = store();
    let mut desk = open(&store);
    desk.press("<Tab>x");
    for width in 40..=120 {
        desk.resize(width, 10);
        desk.sees("secrets shown");
    }
}

#[test]
fn without_redaction_titles_folders_and_logs_show_their_secrets() {
    let store = store();
    let zero = Zero::new(store.root()).with_secrets(Secrets::Shown);
    let mut desk = sit_showing(&store, Arc::new(zero), (200, 50), Secrets::Shown);
    desk.sees(&format!("▌    {} ", token()));
    desk.sees(&format!("/src/{}", token()));
    desk.sees(&format!("take {} and go", token()));
    desk.press("Y");
    let copied = format!("cd /src/{} && ", token());
    assert!(
        desk.asked(&format!("Copy(SafeText(\"{copied}")),
        "{:?}",
        desk.asked
    );
    desk.press("<Tab>");
    desk.sees("secrets shown: x hides them");
    desk.sees(&format!("take {} and go", token()));
    desk.press("x");
    desk.sees("take ghp_[redacted] and go");
}
