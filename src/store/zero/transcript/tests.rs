use std::io::Write as _;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::transcript::{Message, Role};

/// A log, line by line.
#[derive(Default)]
struct Log(Vec<u8>);

impl Log {
    fn event(mut self, sequence: u64, kind: &str, payload: &Value) -> Self {
        // As Zero writes it: the payload comes last.
        let line = format!(
            "{{\"id\":\"a:{sequence}\",\"sessionId\":\"a\",\"sequence\":{sequence},\"type\":\"{kind}\",\
             \"createdAt\":\"2026-01-01T00:00:00Z\",\"payload\":{payload}}}\n"
        );
        self.0.extend(line.as_bytes());
        self
    }

    fn message(self, sequence: u64) -> Self {
        let content = sequence.to_string();
        self.event(
            sequence,
            "message",
            &json!({"role": "user", "content": content}),
        )
    }

    fn messages(self, sequences: std::ops::RangeInclusive<u64>) -> Self {
        sequences.fold(self, Self::message)
    }

    fn compaction(self, sequence: u64, listed: &[u64]) -> Self {
        let listed: Vec<_> = listed
            .iter()
            .map(|n| json!({"id": format!("a:{n}")}))
            .collect();
        let payload = json!({"summary": format!("S{sequence}"), "compactableEvents": listed});
        self.event(sequence, "session_compaction", &payload)
    }

    fn through(self, sequence: u64, through: u64) -> Self {
        let payload =
            json!({"summary": format!("S{sequence}"), "compactedThroughSequence": through});
        self.event(sequence, "session_compaction", &payload)
    }

    fn raw(mut self, text: &str) -> Self {
        self.0.extend(text.as_bytes());
        self
    }

    fn file(&self) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&self.0).unwrap();
        file
    }

    fn read(&self, view: View, window: Window) -> Page {
        read_page(&self.file(), view, window, Secrets::Hidden).unwrap()
    }
}

fn bodies(page: &Page) -> String {
    let bodies: Vec<_> = page.messages.iter().map(|m| m.body.as_str()).collect();
    bodies.join(" ")
}

/// What a log that fits into one part says.
#[track_caller]
fn check(log: &Log, continued: &str) {
    let page = log.read(View::Continued, Window::Tail);
    assert_eq!(bodies(&page), continued);
    assert!(!page.fell_back);
    assert_eq!((page.start, page.end), (0, page.size));
    assert_eq!(
        log.read(View::Continued, Window::From(0)).messages,
        page.messages
    );
}

#[test]
fn a_compaction_stands_for_what_it_lists() {
    let log = Log::default()
        .messages(1..=4)
        .compaction(5, &[1, 2])
        .message(6);
    check(&log, "S5 3 4 6");
    let raw = log.read(View::Raw, Window::Tail);
    assert_eq!(bodies(&raw), "1 2 3 4 S5 6");
    assert_eq!(raw.messages[4].role, Role::Compaction);
}

#[test]
fn it_stands_where_the_first_of_them_was() {
    check(
        &Log::default().messages(1..=4).compaction(5, &[3, 2]),
        "1 S5 4",
    );
    check(
        &Log::default().messages(1..=2).compaction(3, &[9, 2]),
        "1 S3",
    );
}

#[test]
fn an_empty_list_means_up_to_its_sequence() {
    check(
        &Log::default().messages(1..=4).through(5, 3).message(6),
        "S5 4 6",
    );
    check(&Log::default().messages(1..=2).through(3, 0), "S3 1 2");
}

#[test]
fn it_comes_first_when_none_of_them_is_there() {
    check(
        &Log::default()
            .messages(3..=4)
            .compaction(5, &[1, 2])
            .message(6),
        "S5 3 4 6",
    );
}

#[test]
fn only_the_last_compaction_counts() {
    let log = Log::default()
        .messages(1..=3)
        .compaction(4, &[1])
        .message(5);
    check(&log.compaction(6, &[2]), "1 S6 3 S4 5");
    let log = Log::default()
        .messages(1..=3)
        .compaction(4, &[1])
        .message(5);
    check(&log.compaction(6, &[1, 2, 4]), "S6 3 5");
}

#[test]
fn a_compaction_that_cannot_be_used_leaves_the_log_as_it_is() {
    let endless = format!("{{\"summary\":\"{}\"}}", "x".repeat(2 << 20));
    let endless: Value = serde_json::from_str(&endless).unwrap();
    for payload in [
        json!({}),
        json!({"summary": " "}),
        json!({"summary": 1}),
        json!({"summary": "S", "compactableEvents": "all"}),
        json!({"summary": "S", "compactableEvents": [1]}),
        json!({"summary": "S", "compactedThroughSequence": "all"}),
        json!([]),
        endless,
    ] {
        let log = Log::default().messages(1..=2).compaction(3, &[1]);
        let log = log.event(4, "session_compaction", &payload).message(5);
        let page = log.read(View::Continued, Window::From(0));
        assert!(page.fell_back, "{payload}");
        let raw = log.read(View::Raw, Window::From(0));
        assert!(!raw.fell_back);
        assert_eq!(page.messages, raw.messages);
        assert!(bodies(&page).starts_with("1 2 S3"));
    }
}

#[test]
fn text_that_only_speaks_of_compactions_is_none() {
    let content = json!({"role": "user", "content": "\"type\":\"session_compaction\""});
    let log = Log::default().message(1).event(2, "message", &content);
    check(&log, "1 \"type\":\"session_compaction\"");
}

#[test]
fn bad_lines_are_counted_and_a_torn_one_is_not() {
    let log = Log::default()
        .message(1)
        .raw("junk\n\n{\"type\":3}\n")
        .message(2);
    let endless = format!("{{\"type\":\"{}\"}}\n", "x".repeat(1 << 20));
    let log = log.raw(&endless).message(3);
    let whole = log.0.len() as u64;
    let log = log.raw("{\"id\":\"a:4\",\"ty");
    for view in [View::Raw, View::Continued] {
        let page = log.read(view, Window::Tail);
        assert_eq!((bodies(&page).as_str(), page.unreadable), ("3", 0));
        assert_eq!((page.end, page.size), (whole, whole));
        let before = log.read(view, Window::Before(page.start));
        assert_eq!((bodies(&before).as_str(), before.unreadable), ("1 2", 3));
        assert_eq!((before.start, before.end), (0, page.start));
    }
}

#[test]
fn an_empty_log_is_an_empty_page() {
    for window in [
        Window::Tail,
        Window::Before(9),
        Window::From(0),
        Window::From(9),
    ] {
        let page = Log::default().read(View::Continued, window);
        assert_eq!(
            (page.messages.len(), page.start, page.end, page.size),
            (0, 0, 0, 0)
        );
    }
}

/// All messages, page by page from the end and from the beginning.
fn paged(file: &File, view: View) -> [(Vec<Message>, usize); 2] {
    let mut page = read_page(file, view, Window::Tail, Secrets::Hidden).unwrap();
    assert_eq!(page.end, page.size);
    let (mut back, mut bad) = (page.messages, page.unreadable);
    while page.start > 0 {
        let next = read_page(file, view, Window::Before(page.start), Secrets::Hidden).unwrap();
        assert!(next.end == page.start && next.start < page.start);
        assert!(!next.messages.is_empty() || next.start == 0);
        back.splice(0..0, next.messages.clone());
        bad += next.unreadable;
        page = next;
    }
    let (mut forth, mut forth_bad, mut at) = (Vec::new(), 0, 0);
    while at < page.size {
        let next = read_page(file, view, Window::From(at), Secrets::Hidden).unwrap();
        assert!(next.start == at && next.end > at);
        forth.extend(next.messages);
        forth_bad += next.unreadable;
        at = next.end;
    }
    [(back, bad), (forth, forth_bad)]
}

/// The continued view by the definition, all at once.
fn by_definition(raw: &[Message], last: Option<(usize, &[usize])>) -> Vec<Message> {
    let Some((own, listed)) = last else {
        return raw.to_vec();
    };
    let kept = |index: &usize| *index != own && !listed.contains(index);
    let place = listed.iter().min().copied().unwrap_or(0);
    let before = (0..place).filter(kept).map(|index| raw[index].clone());
    let after = (place..raw.len())
        .filter(kept)
        .map(|index| raw[index].clone());
    before.chain([raw[own].clone()]).chain(after).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Pages fit together, wherever they are cut, and say what one look at the whole would.
    #[test]
    fn pages_say_what_the_whole_log_says(
        sizes in prop::collection::vec(prop_oneof![1_usize..200, 50_000_usize..400_000], 1..16),
        own in 0_usize..16,
        listed in prop::collection::vec(0_usize..16, 0..16),
    ) {
        let own = own.min(sizes.len());
        let listed: Vec<usize> = listed.into_iter().filter(|index| *index < own).collect();
        let mut log = Log::default();
        for (index, size) in sizes.iter().enumerate() {
            let sequence = index as u64;
            if index == own {
                let listed: Vec<u64> = listed.iter().map(|index| *index as u64).collect();
                log = log.compaction(sequence, &listed).raw("junk\n");
            } else {
                let content = json!({"role": "user", "content": "x".repeat(*size)});
                log = log.event(sequence, "message", &content);
            }
        }
        let file = log.file();
        let bad = usize::from(own < sizes.len());
        let [(raw, back_bad), (forth, forth_bad)] = paged(&file, View::Raw);
        prop_assert_eq!(raw.len(), sizes.len());
        prop_assert!(raw == forth && back_bad == bad && forth_bad == bad);
        let last = (own < sizes.len()).then_some((own, &*listed));
        let expected = by_definition(&raw, last);
        for (told, told_bad) in paged(&file, View::Continued) {
            prop_assert!(told == expected);
            prop_assert_eq!(told_bad, bad);
        }
    }
}

/// The tail of a log costs the same whatever comes before it.
#[test]
fn the_tail_of_a_huge_log_is_cheap() {
    let log = Log::default().messages(1..=3).compaction(4, &[1]);
    let file = log.file();
    let hole = 1 << 40;
    file.set_len(hole).unwrap();
    let tail = Log::default().raw("\n").messages(5..=7).0;
    std::os::unix::fs::FileExt::write_all_at(&file, &tail, hole).unwrap();
    let page = read_page(&file, View::Continued, Window::Tail, Secrets::Hidden).unwrap();
    assert_eq!(bodies(&page), "5 6 7");
    assert!(page.start > hole);
    let before = read_page(
        &file,
        View::Continued,
        Window::Before(page.start),
        Secrets::Hidden,
    )
    .unwrap();
    assert_eq!((before.messages.len(), before.unreadable), (0, 1));
    assert!(before.start > 0);
}

#[test]
fn a_log_is_read_from_its_folder_and_may_be_missing() {
    let root = tempfile::tempdir().unwrap();
    let id = SessionId::parse("a").unwrap();
    let read = || {
        let dir = Dir::open_root(root.path()).unwrap();
        super::read(&dir, &id, View::Continued, Window::Tail, Secrets::Hidden)
    };
    assert!(read().is_err());
    std::fs::create_dir(root.path().join("a")).unwrap();
    assert!(read().unwrap().messages.is_empty());
    let log = Log::default().messages(1..=2);
    std::fs::write(root.path().join("a/events.jsonl"), &log.0).unwrap();
    assert_eq!(bodies(&read().unwrap()), "1 2");
    std::fs::remove_file(root.path().join("a/events.jsonl")).unwrap();
    std::os::unix::fs::symlink("b", root.path().join("a/events.jsonl")).unwrap();
    assert!(read().is_err());
}
