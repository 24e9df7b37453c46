//! `d` on what was chosen, and `u`: the way back.

use crossterm::event::{KeyModifiers, MouseEvent, MouseEventKind};
use sesstree::app::msg::{Effect, Msg};
use sesstree::session::{Refusal, SessionId};
use sesstree::text::SafeText;

use super::data::{id, session};
use super::desk::{Desk, Setup, desk};
use super::prune::{at_confirm, wide};

#[test]
fn d_prunes_this_one_after_a_yes() {
    let mut desk = desk();
    desk.press("/notes<Enter>d");
    desk.sees("1 chosen session");
    desk.press("cn");
    assert!(desk.has("notes"));
    desk.press("cy");
    assert!(!desk.has("notes"));
    assert_eq!(desk.sessions.len(), 8);
}

#[test]
fn d_prunes_the_selected() {
    let mut desk = desk();
    desk.press("/notes<Enter><Space><Esc>/scratch<Enter><Space><Esc>d");
    desk.sees("Would remove 2");
    desk.press("cy<Esc>");
    assert!(!desk.has("notes") && !desk.has("scratch"));
    desk.sees_not("selected ·");
}

#[test]
fn d_offers_the_subtree() {
    let mut desk = desk();
    desk.press("jjd");
    insta::assert_snapshot!(desk.text());
    desk.press("x<Enter>y");
    desk.sees("only this one");
    desk.press("t");
    desk.sees("ancestor of “with a view”, which stays");
    desk.press("<Esc>ds");
    desk.sees("Would remove 3");
    desk.press("<Esc>d<Esc>");
    desk.sees("Sessions · activity");
}

#[test]
fn d_keeps_what_was_active_within_a_day() {
    let mut desk = desk();
    desk.press("dt");
    desk.sees("Kept 1");
    desk.sees("active in the last 24 hours");
}

#[test]
fn after_a_prune_the_cursor_is_on_the_nearest_row() {
    let mut desk = Setup::new(wide()).sit();
    desk.press("/scratch<Enter><Esc>");
    assert!(desk.cursor().contains("scratch"));
    desk.press("p<Enter>cy<Esc>");
    assert!(desk.cursor().contains("damaged"), "{}", desk.text());
}

#[test]
fn u_shows_the_trash_and_enter_restores_a_batch() {
    let mut desk = at_confirm();
    desk.press("y<Esc>u");
    insta::assert_snapshot!(desk.text());
    desk.press("<Enter>");
    assert_eq!(desk.sessions.len(), 15);
    desk.press("u");
    desk.sees("the trash is empty");
    desk.press("<Esc>");
    desk.sees("Sessions · activity");
}

#[test]
fn the_cursor_goes_to_what_came_back() {
    let mut desk = at_confirm();
    desk.press("yu");
    desk.sees("3 sessions restored");
    let restored = "with a queue";
    assert!(desk.cursor().contains(restored), "{}", desk.text());
}

#[test]
fn a_restore_that_leaves_some_says_which() {
    use sesstree::prune::report::{NotRestored, RestoreReport};
    let mut desk = at_confirm();
    desk.keep_waiting(|effect| matches!(effect, Effect::Restore { .. }));
    desk.press("yu");
    desk.waiting.clear();
    let failed = |name: SessionId| NotRestored {
        id: name,
        reason: Refusal::Clash.to_string(),
    };
    desk.show(Msg::Restored(Ok(RestoreReport {
        schema: 1,
        restored: vec![id("notes")],
        failed: vec![failed(id("scratch"))],
        warnings: vec![SafeText::line("a crash now may undo it")],
    })));
    desk.sees("1 session restored, 1 still in the trash (u).");
    desk.sees("1: a session of this id is in the store already:");
    desk.sees("a crash now may undo it");
}

#[test]
fn a_restore_of_which_no_length_is_known_yet_has_no_bar() {
    let mut desk = desk();
    desk.press("/notes<Enter>dcy");
    desk.keep_waiting(|effect| matches!(effect, Effect::Restore { .. }));
    desk.press("u");
    desk.sees("preparing …");
    desk.sees_not("0 of 0");
    desk.release();
    assert!(desk.has("notes"));
}

/// Two batches in the trash: three of a prune by age, newer than one that was chosen.
fn two_batches() -> Desk {
    let mut sessions = wide();
    sessions.push(session("alone", "all alone", "", 24 * 33));
    let mut desk = Setup::new(sessions).sit();
    desk.press("/alone<Enter>dcy<Esc><Esc>p<Enter>cy<Esc>u");
    desk
}

#[test]
fn the_trash_is_one_list_of_batches_and_sessions() {
    let mut desk = two_batches();
    assert!(desk.cursor().contains("pruned 0s ago · 3 sessions"));
    desk.sees("kept at least until 8 Nov · “");
    desk.sees("Enter restores 3 sessions");
    for title in ["with a queue", "scratch", "notes on the build"] {
        desk.press("j");
        assert!(desk.cursor().contains(title), "{title}: {}", desk.text());
        desk.sees("Enter restores this one");
    }
    desk.press("j");
    assert!(desk.cursor().contains("1 session ·"));
    desk.press("h");
    assert!(desk.cursor().contains("3 sessions ·"));
    desk.press("lh<Right>");
    assert!(desk.cursor().contains("1 session ·"));
    desk.press("G");
    assert!(desk.cursor().contains("all alone"));
    desk.press("g");
    assert!(desk.cursor().contains("3 sessions ·"));
}

#[test]
fn a_long_trash_scrolls_with_keys_and_the_wheel() {
    let old = |i: i64| {
        session(
            &format!("old{i:02}"),
            &format!("title {i:02}"),
            "",
            2_400 + i,
        )
    };
    let mut sessions: Vec<_> = (0..40).map(old).collect();
    sessions.extend((0..50).map(|i| session(&format!("new{i}"), "of today", "", 1)));
    let mut desk = Setup::new(sessions).size(80, 24).sit();
    desk.press("p<Enter>cy<Esc>u");
    desk.sees_not("title 00");
    desk.press("G");
    assert!(desk.cursor().contains("title 00"), "{}", desk.text());
    desk.press("<PgUp><C-u>");
    desk.sees_not("title 00");
    desk.press("g");
    let wheel = MouseEvent {
        kind: MouseEventKind::ScrollDown,
        column: 9,
        row: 9,
        modifiers: KeyModifiers::NONE,
    };
    desk.show(Msg::Mouse(wheel));
    assert!(desk.cursor().contains("title 37"), "{}", desk.text());
}

#[test]
fn enter_on_a_session_restores_it_and_stays_in_the_trash() {
    let mut desk = two_batches();
    desk.press("jj<Enter>");
    assert!(
        desk.asked
            .iter()
            .any(|asked| asked.contains(r#"Session(SessionId("scratch"))"#))
    );
    assert!(desk.has("scratch") && !desk.has("notes") && !desk.has("pg-a"));
    desk.sees("1 session restored");
    desk.sees("2 sessions ·");
    assert!(
        desk.cursor().contains("notes on the build"),
        "{}",
        desk.text()
    );
}

#[test]
fn an_empty_trash_offers_nothing_to_restore() {
    let mut desk = desk();
    desk.press("u");
    desk.sees("the trash is empty");
    let line = desk.text().lines().last().unwrap().to_owned();
    assert_eq!(line, "? help  Esc back");
    desk.press("<Enter>jkGlh");
    assert!(!desk.asked("Restore"));
}
