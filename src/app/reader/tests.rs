use super::search::{Wanted, Way};
use super::*;
use crate::transcript::Message;
use crate::transcript::Window;

const SIZE: u64 = 10_000;

fn page(window: Window) -> Page {
    let (start, end) = match window {
        Window::Tail => (SIZE - 50, SIZE),
        Window::Before(offset) => (offset.saturating_sub(50), offset),
        Window::From(offset) => (offset, (offset + 50).min(SIZE)),
    };
    let messages = (start..end).map(|offset| Message {
        role: Role::Agent,
        at: None,
        body: SafeText::line(&offset.to_string()),
        offset,
    });
    Page {
        messages: messages.collect(),
        start,
        end,
        size: SIZE,
        ..Page::default()
    }
}

fn open() -> Reader {
    let id = SessionId::parse("a").unwrap();
    let (mut reader, effect) = Reader::open(id, Screen::Tree, None, (40, 10), Secrets::Hidden, 1);
    answer(&mut reader, Some(effect));
    reader
}

/// Answers requests until there are none.
fn answer(reader: &mut Reader, mut effect: Option<Effect>) {
    while let Some(Effect::Read {
        generation, window, ..
    }) = effect
    {
        assert!(reader.awaits(generation));
        reader.read(Ok(page(window)));
        effect = reader.more(generation + 1);
    }
}

#[test]
fn no_more_than_a_few_pages_are_kept() {
    let mut reader = open();
    for _ in 0..200 {
        let effect = reader.act(Action::Go(Step::PageUp), 1);
        answer(&mut reader, effect);
        assert!(reader.pages.len() <= PAGES);
    }
    assert_eq!(reader.lines[reader.top].text, "7990");
}

#[test]
fn what_is_drawn_stays_while_pages_come_and_go() {
    let mut reader = open();
    let mut expected = SIZE - 10;
    for step in [Step::PageUp, Step::PageDown].iter().cycle().take(80) {
        for _ in 0..37 {
            let effect = reader.act(Action::Go(*step), 1);
            answer(&mut reader, effect);
        }
        expected = match step {
            Step::PageUp => expected - 370,
            _ => (expected + 370).min(SIZE - 10),
        };
        assert_eq!(reader.lines[reader.top].text, expected.to_string());
    }
}

#[test]
fn a_log_that_does_not_lead_on_is_asked_once() {
    let mut reader = open();
    let mut asked = 0;
    let mut effect = reader.act(Action::Go(Step::PageUp), 1);
    for _ in 0..20 {
        let Some(Effect::Read { .. }) = effect else {
            break;
        };
        asked += 1;
        reader.read(Ok(Page {
            start: SIZE - 50,
            end: SIZE - 50,
            size: SIZE,
            ..Page::default()
        }));
        effect = reader.more(1);
    }
    assert!(asked <= 1, "{asked}");
}

/// A reader of a short log: a question, a long answer of a tool, and one that is short.
fn with_tools() -> Reader {
    let message = |role, body: &str, offset| Message {
        role,
        at: None,
        body: SafeText::block(body),
        offset,
    };
    let long: Vec<String> = (0..20).map(|line| format!("line {line}")).collect();
    let page = Page {
        messages: vec![
            message(Role::User, "where is it?", 0),
            message(Role::ToolResult, &long.join("\n"), 1),
            message(Role::ToolResult, "one\ntwo", 2),
            message(Role::Agent, "in line 7 of it", 3),
        ],
        start: 0,
        end: 4,
        size: 4,
        ..Page::default()
    };
    let id = SessionId::parse("a").unwrap();
    let (mut reader, _) = Reader::open(id, Screen::Tree, None, (40, 10), Secrets::Hidden, 1);
    reader.read(Ok(page));
    reader
}

fn texts(reader: &Reader) -> Vec<&str> {
    reader.lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn what_tools_answered_at_length_is_folded_until_it_is_opened() {
    let mut reader = with_tools();
    let folded = ["where is it?", "line 0", "one", "two", "in line 7 of it"];
    assert_eq!(texts(&reader), folded);
    assert_eq!(reader.lines[1].fold, Fold::Closed(19));
    reader.act(Action::Enter, 1);
    assert_eq!(reader.lines.len(), 24);
    assert_eq!(reader.lines[1].fold, Fold::Open);
    reader.act(Action::Enter, 1);
    assert_eq!(texts(&reader), folded);
    reader.act(Action::FoldAll, 1);
    assert_eq!(reader.lines.len(), 24);
    reader.act(Action::Enter, 1);
    assert_eq!(texts(&reader), folded);
}

#[test]
fn what_is_found_in_something_folded_is_unfolded() {
    let mut reader = with_tools();
    reader.find("LINE 12");
    assert_eq!(reader.search, Search::Nothing(Way::Later, Wanted::Needle));
    reader.find("line 12");
    assert_eq!(reader.lines[1].fold, Fold::Open);
    // As far down as there is something to show.
    assert_eq!(reader.lines[reader.top].text, "line 12");
    reader.find("line 7");
    assert_eq!(reader.search, Search::Idle, "the answer has it too");
    reader.act(Action::PreviousHit, 1);
    assert_eq!(reader.lines[reader.top].text, "line 7");
    reader.act(Action::PreviousHit, 1);
    assert_eq!(reader.search, Search::Nothing(Way::Earlier, Wanted::Needle));
}

#[test]
fn what_is_broken_between_lines_is_found() {
    let mut reader = with_tools();
    reader.resize((MARGIN + 6, 2));
    reader.find("where is");
    let line = &reader.lines[reader.top];
    assert_eq!((line.text.as_str(), line.part), ("where", 0));
}

#[test]
fn what_is_not_read_yet_is_looked_through() {
    let mut reader = open();
    reader.find("77");
    assert_eq!(reader.search, Search::Nothing(Way::Later, Wanted::Needle));
    for expected in ["9977", "9877", "9779"] {
        let effect = reader.act(Action::PreviousHit, 1);
        answer(&mut reader, effect);
        assert_eq!(reader.lines[reader.top].text, expected);
    }
}
