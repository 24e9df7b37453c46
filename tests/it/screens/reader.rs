//! Reading conversations.

use sesstree::app::msg::{Effect, Msg};
use sesstree::text::SafeText;
use sesstree::transcript::{Message, Page, Role, View, Window};

use super::data::{self, sample};
use super::desk::{Desk, Setup, desk};

const LOG: u64 = 4_000;

/// Where the log of [`quiet`] begins to have no messages of the user.
const QUIET: u64 = 1_000;

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

/// Answers one request, from a log in which the user says nothing from some message on.
fn answer_one(desk: &mut Desk, quiet_from: u64) {
    let Some(Effect::Read {
        generation,
        id,
        window,
        ..
    }) = desk.waiting.pop_front()
    else {
        panic!("nothing was asked for");
    };
    let mut page = log(window);
    for message in &mut page.messages {
        if message.offset >= quiet_from {
            message.role = Role::Agent;
        }
    }
    desk.show(Msg::Read {
        generation,
        id,
        page: Ok(page),
    });
}

fn answer_quietly(desk: &mut Desk, quiet_from: u64) {
    while !desk.waiting.is_empty() {
        answer_one(desk, quiet_from);
    }
}

/// The reader over a long log at its end, in which the user says nothing from some message on.
fn quiet(from: u64) -> Desk {
    let mut desk = desk();
    desk.keep_waiting(|effect| matches!(effect, Effect::Read { .. }));
    desk.press("j<Tab>");
    answer_quietly(&mut desk, from);
    desk.press("<PgUp><PgUp>");
    answer_quietly(&mut desk, from);
    desk
}

/// The lines of the conversation.
fn lines(desk: &Desk) -> Vec<String> {
    let text = desk.text();
    let lines = text.lines().filter(|line| line.contains("message "));
    let lines = lines.filter(|line| !line.contains("message of yours"));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_search_is_announced_and_keeps_the_place_until_it_finds_something() {
    let mut desk = quiet(QUIET);
    let before = lines(&desk);
    desk.press("[");
    for _ in 0..3 {
        answer_one(&mut desk, QUIET);
        desk.sees("looking for an earlier message of yours …");
        assert_eq!(lines(&desk), before);
        desk.press("[");
        assert_eq!(desk.waiting.len(), 1, "the same key means the same");
    }
    answer_quietly(&mut desk, QUIET);
    desk.sees("you     message 950");
    desk.sees_not("looking for");
    desk.press("]");
    answer_quietly(&mut desk, QUIET);
    desk.sees("no later message of yours");
    desk.sees("you     message 950");
}

#[test]
fn a_search_that_finds_nothing_keeps_the_place_and_says_so() {
    let mut desk = quiet(0);
    let before = lines(&desk);
    desk.press("[");
    answer_quietly(&mut desk, 0);
    desk.sees("no earlier message of yours");
    assert_eq!(lines(&desk), before);
    desk.press("k");
    desk.sees_not("no earlier message");
}

#[test]
fn any_other_key_stops_a_search_and_does_nothing_else() {
    for key in ["<Esc>", "j", "q", "]", "x", "?"] {
        let mut desk = quiet(0);
        let before = lines(&desk);
        desk.press("[");
        answer_one(&mut desk, 0);
        desk.press(key);
        desk.sees_not("looking for");
        assert_eq!(lines(&desk), before, "{key}");
        answer_one(&mut desk, 0);
        assert!(desk.waiting.is_empty(), "{key}: it goes on");
        assert_eq!(lines(&desk), before, "{key}");
    }
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
