//! Reading conversations.

use sesstree::app::msg::{Effect, Msg};
use sesstree::text::SafeText;
use sesstree::transcript::{Message, Page, Role, View, Window};

use super::data::{self, sample};
use super::desk::{Desk, Setup, desk};

const LOG: u64 = 4_000;

/// A log of 4,000 messages of one byte each; every hundredth is the user's.
fn log(window: Window) -> Page {
    let (start, end) = match window {
        Window::Tail => (LOG - 100, LOG),
        Window::Before(offset) => (offset.saturating_sub(100), offset),
        Window::From(offset) => (offset, (offset + 100).min(LOG)),
    };
    let messages = (start..end).map(|offset| Message {
        role: if offset % 100 == 50 {
            Role::User
        } else {
            Role::Agent
        },
        at: None,
        body: SafeText::block(&format!("message {offset}")),
        offset,
    });
    Page {
        messages: messages.collect(),
        start,
        end,
        size: LOG,
        unreadable: 0,
        fell_back: false,
    }
}

/// The reader over a long log.
fn long() -> Desk {
    let mut desk = desk();
    desk.keep_waiting(|effect| matches!(effect, Effect::Read { .. }));
    desk.press("j<Tab>");
    answer(&mut desk);
    desk
}

/// Answers what was asked of the log, and what that leads to.
fn answer(desk: &mut Desk) {
    while let Some(effect) = desk.waiting.pop_front() {
        let Effect::Read {
            generation,
            id,
            window,
            ..
        } = effect
        else {
            panic!("not a read");
        };
        desk.show(Msg::Read {
            generation,
            id,
            page: Ok(log(window)),
        });
    }
}

fn press(desk: &mut Desk, keys: &str) {
    desk.press(keys);
    answer(desk);
}

#[test]
fn tab_reads_and_escape_or_tab_goes_back() {
    let mut desk = desk();
    desk.press("<Tab>");
    insta::assert_snapshot!(desk.text());
    desk.press("<Tab>");
    desk.sees("Sessions · activity");
    desk.press("<Tab><Esc>");
    desk.sees("Sessions · activity");
}

#[test]
fn tab_shows_the_conversation_where_there_is_no_preview() {
    let mut desk = Setup::new(sample()).size(60, 15).sit();
    assert!(
        !desk.asked("Read"),
        "nothing is read for a preview that is hidden"
    );
    desk.press("<Tab>");
    insta::assert_snapshot!(desk.text());
}

#[test]
fn it_opens_at_the_end_and_loads_what_comes_before() {
    let mut desk = long();
    desk.sees("message 3999");
    for _ in 0..10 {
        press(&mut desk, "<PgUp>");
    }
    desk.sees("message 3700");
    desk.sees_not("message 3999");
}

#[test]
fn g_and_shift_g_go_to_the_ends_of_the_log() {
    let mut desk = long();
    press(&mut desk, "g");
    desk.sees("message 0 ");
    press(&mut desk, "G");
    desk.sees("message 3999");
    press(&mut desk, "k");
    desk.sees_not("message 3999");
    press(&mut desk, "j");
    desk.sees("message 3999");
}

#[test]
fn scrolling_through_all_of_it_passes_every_message_once() {
    let mut desk = long();
    press(&mut desk, "g");
    let mut seen = 0;
    for _ in 0..400 {
        let text = desk.text();
        let numbers = text.lines().filter_map(|line| {
            let (_, number) = line.split_once("message ")?;
            number.split_whitespace().next()?.parse::<u64>().ok()
        });
        for number in numbers.filter(|number| *number >= seen).collect::<Vec<_>>() {
            assert_eq!(number, seen);
            seen += 1;
        }
        if seen == LOG {
            return;
        }
        press(&mut desk, "<PgDn>");
    }
    panic!("only {seen} seen");
}

#[test]
fn brackets_go_to_the_users_messages_read_or_not() {
    let mut desk = long();
    press(&mut desk, "[");
    desk.sees("you     message 3950");
    for _ in 0..3 {
        press(&mut desk, "[");
    }
    desk.sees("you     message 3650");
    press(&mut desk, "]");
    desk.sees("you     message 3750");
    press(&mut desk, "g");
    for _ in 0..3 {
        press(&mut desk, "]");
    }
    desk.sees("you     message 250");
}

#[test]
fn w_switches_between_raw_and_continued() {
    let mut desk = desk();
    desk.press("<Tab>");
    desk.sees("as the agent would continue it");
    desk.press("w");
    desk.sees("every event");
    let raw = format!("view: {:?}", View::Raw);
    assert!(desk.asked.iter().any(|asked| asked.contains(&raw)));
    desk.press("w");
    desk.sees("as the agent would continue it");
}

#[test]
fn a_missing_log_says_so() {
    let mut desk = desk();
    desk.page = Err(SafeText::line("no such file"));
    desk.press("j");
    desk.sees("no transcript: no such file");
    desk.press("<Tab>");
    desk.sees("no transcript: no such file");
    desk.page = Ok(Page::default());
    desk.press("<Esc>j");
    desk.sees("no transcript");
}

#[test]
fn odd_logs_are_told() {
    let mut desk = desk();
    desk.page = Ok(Page {
        unreadable: 2,
        fell_back: true,
        ..data::page()
    });
    desk.press("<Tab>");
    desk.sees("every event: its summary cannot be used · 2 unreadable lines");
}

#[test]
fn a_late_answer_for_another_session_is_dropped() {
    let mut desk = desk();
    desk.keep_waiting(|effect| matches!(effect, Effect::Read { .. }));
    desk.press("jj");
    let first = desk.waiting.pop_front();
    let Some(Effect::Read { generation, id, .. }) = first else {
        panic!("nothing was read");
    };
    desk.show(Msg::Read {
        generation,
        id,
        page: Ok(log(Window::Tail)),
    });
    desk.sees_not("message 3999");
}

#[test]
fn a_resize_keeps_the_place() {
    let mut desk = long();
    press(&mut desk, "[[");
    desk.sees("you     message 3850");
    desk.resize(60, 15);
    answer(&mut desk);
    desk.sees("you     message 3850");
}
