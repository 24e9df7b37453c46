use std::io::Write as _;

use super::*;

fn log(text: &str) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

fn event(at: &str) -> String {
    format!(
        "{{\"id\":\"a:1\",\"sequence\":1,\"type\":\"message\",\"createdAt\":\"{at}\",\"payload\":{{}}}}\n"
    )
}

fn time(text: &str) -> LastEvent {
    LastEvent::At(text.parse().unwrap())
}

fn last(text: &str) -> LastEvent {
    last_event_time(&log(text), text.len() as u64)
}

#[test]
fn the_last_complete_event_tells_the_time() {
    let (early, late) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    let (one, two) = (event(early), event(late));
    for (text, told) in [
        (format!("{one}{two}"), time(late)),
        (format!("{one}{two}{{\"id\":\"a:3\",\"ty"), time(late)),
        (format!("{one}{}", two.trim_end()), time(late)),
        (format!("{one}{two}\n\n"), time(late)),
        (String::new(), LastEvent::None),
        ("\n\n".to_owned(), LastEvent::None),
        ("{\"type\":".to_owned(), LastEvent::None),
    ] {
        assert_eq!(last(&text), told, "{text}");
    }
}

/// Whether one read shows it or not makes no difference.
#[test]
fn the_last_event_may_be_of_any_length() {
    let at = "2026-01-02T00:00:00Z";
    let before = event("2026-01-01T00:00:00Z");
    for length in GLANCE - 200..GLANCE + 200 {
        let start = format!("{{\"type\":\"message\",\"createdAt\":\"{at}\",\"payload\":\"");
        let fill = "x".repeat(length - start.len() - 3);
        let line = format!("{start}{fill}\"}}\n");
        assert_eq!(line.len(), length);
        for text in [line.clone(), format!("{before}{line}")] {
            assert_eq!(last(&text), time(at), "{length}");
        }
    }
}

/// In doubt the answer is that it is not known, never an earlier time.
#[test]
fn an_uncertain_time_is_unknown() {
    let one = event("2026-01-01T00:00:00Z");
    let long = format!(
        "{{\"type\":\"message\",\"payload\":\"{}\"}}\n",
        "x".repeat(2 << 20)
    );
    let junk = "junk\n".repeat(2 << 20);
    for text in [
        format!("{one}{}", event("yesterday")),
        format!("{one}{long}"),
        "junk\n".to_owned(),
        format!("{one}not json\n\n"),
        format!("{one}{junk}"),
    ] {
        let last = last(&text);
        assert!(matches!(last, LastEvent::Unknown(_)), "{last:?}");
    }
}

#[test]
fn fields_are_found_as_zero_finds_them() {
    let line = "{\"ID\":\"a:1\",\"type\":\"x\",\"type\":\"message\",\"sequence\":null,\
                \"createdAt\":\"2026-01-01T00:00:00Z\",\"payload\":{\"content\":\"\\ud800\"},\"new\":[1]}";
    let event = Event::read(line).unwrap();
    assert_eq!(
        (&*event.id, &*event.kind, event.sequence),
        ("a:1", "message", 0)
    );
    assert_eq!(
        Fields::read(event.payload).unwrap().text("content"),
        "\u{fffd}"
    );
    for bad in [
        "{}",
        "null",
        "[]",
        "{\"type\":1}",
        "{\"type\":\"a\"",
        "\u{feff}{\"type\":\"a\"}",
    ] {
        assert!(Event::read(bad).is_none(), "{bad}");
    }
}
