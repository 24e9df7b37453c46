use super::*;
use crate::transcript::Message;

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
    let (mut reader, effect) = Reader::open(id, Screen::Tree, (40, 10), 1);
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
