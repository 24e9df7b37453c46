use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;
use crate::store::zero::Zero;
use crate::transcript::Role;

mod agreement;

const LIMITS: Limits = Limits {
    hits: 10,
    columns: 40,
    secrets: Secrets::Hidden,
};

/// A store with one session for each log.
fn store(logs: &[&[u8]]) -> (tempfile::TempDir, Zero, Vec<SessionId>) {
    let temp = tempfile::tempdir().unwrap();
    let name = |number| SessionId::parse(&format!("s{number}")).unwrap();
    let ids: Vec<SessionId> = (0..logs.len()).map(name).collect();
    for (id, log) in ids.iter().zip(logs) {
        let folder = temp.path().join(id);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("events.jsonl"), log).unwrap();
    }
    let zero = Zero::new(temp.path().to_owned());
    (temp, zero, ids)
}

fn query(typed: &str) -> Query {
    Query::parse(typed).unwrap_or_else(|error| panic!("{typed}: {error}"))
}

/// The hits and the end of each session.
fn all(store: &dyn Store, ids: &[SessionId], typed: &str, limits: Limits) -> Vec<(Vec<Hit>, End)> {
    let mut found = vec![(Vec::new(), None); ids.len()];
    let mut tell = |batch: Vec<News>| {
        for news in batch {
            let (hits, end) = &mut found[news.session];
            assert_eq!(*end, None, "news behind the end");
            hits.extend(news.hits);
            *end = news.end;
        }
    };
    let whole = search(store, ids, &query(typed), limits, &|| false, &mut tell);
    assert!(whole);
    let found = found.into_iter();
    found.map(|(hits, end)| (hits, end.unwrap())).collect()
}

fn one(log: &[u8], typed: &str) -> (Vec<Hit>, End) {
    let (_temp, store, ids) = store(&[log]);
    all(&store, &ids, typed, LIMITS).remove(0)
}

fn event(kind: &str, payload: &Value) -> String {
    let at = "2026-01-01T00:00:00Z";
    let line = json!({"id": "idword:1", "sessionId": "idword", "sequence": 1, "type": kind,
        "createdAt": at, "payload": payload});
    format!("{line}\n")
}

fn said(content: &str) -> String {
    event("message", &json!({"role": "user", "content": content}))
}

/// The contexts, with what is marked between brackets.
fn shown(hits: &[Hit]) -> Vec<String> {
    let shown = |hit: &Hit| {
        let mut text = hit.context.to_string();
        for mark in hit.marks.iter().rev() {
            text.insert(mark.end, ']');
            text.insert(mark.start, '[');
        }
        text
    };
    hits.iter().map(shown).collect()
}

#[track_caller]
fn check(log: &str, typed: &str, expected: &[&str]) {
    let (hits, end) = one(log.as_bytes(), typed);
    assert_eq!(shown(&hits), expected, "{typed}");
    assert_eq!(end.count, expected.len() as u64, "{typed}");
}

#[test]
fn all_words_have_to_be_in_one_message() {
    let log = said("the Login page") + &said("page two") + &said("login\nand the page");
    check(&log, "login", &["the [Login] page", "[login]"]);
    check(&log, "page login", &["the [Login] [page]", "[login]"]);
    check(&log, "Login", &["the [Login] page"]);
    check(&log, "LOGIN", &[]);
    check(&log, "login three", &[]);
    check(&log, "/log.n$/", &["[login]"]);
    check(&log, "/n.and/", &[]);
    check(&log, "/login\\sAND/", &[]);
    check(&log, "/login\\sand/", &["[login]"]);
    check(
        &log,
        "/page|two/",
        &["the Login [page]", "[page] [two]", "and the [page]"],
    );
}

#[test]
fn a_hit_has_its_place_and_its_role() {
    let first = said("nothing");
    let log = first.clone() + &said("a needle");
    let (hits, _) = one(log.as_bytes(), "needle");
    assert_eq!(hits[0].offset, first.len() as u64);
    assert_eq!(hits[0].role, Role::User);
    assert_eq!(
        hits[0].at.unwrap().to_rfc3339(),
        "2026-01-01T00:00:00+00:00"
    );
    let (_temp, store, ids) = store(&[log.as_bytes()]);
    let window = crate::transcript::Window::From(hits[0].offset);
    let page = store
        .read(
            &ids[0],
            crate::transcript::View::Raw,
            window,
            Secrets::Hidden,
        )
        .unwrap();
    assert_eq!(page.messages[0].body.as_str(), "a needle");
}

#[test]
fn only_texts_are_searched() {
    let arguments = r#"{"command":"grep \"needle\" caf\u00e9","count":42}"#;
    let log = event(
        "tool_call",
        &json!({"id": "callid", "name": "bash", "arguments": arguments}),
    );
    check(
        &log,
        "\"needle\"",
        &["bash command: grep [\"needle\"] café"],
    );
    check(&log, "café", &["bash command: grep \"needle\" [café]"]);
    check(&log, "42", &["count: [42]"]);
    check(&log, "bash", &["[bash] command: grep \"needle\" café"]);
    for name in [
        "command",
        "arguments",
        "idword",
        "callid",
        "tool_call",
        "payload",
        "2026",
    ] {
        check(&log, name, &[]);
    }
    let payload = json!({"name": "edit", "status": "failed", "output": "done\twith it",
        "changedFiles": ["src/a.rs"], "displayPreview": "-old"});
    let log = event("tool_result", &payload);
    check(&log, "src/a", &["edit changed: [src/a].rs"]);
    check(&log, "/\\twith/", &["edit changed: src/a.rs"]);
    check(&log, "-old", &["edit changed: src/a.rs"]);
    check(&log, "failed", &[]);
    let log = event("session_fork", &json!({"parentSessionId": "needle"}))
        + &event("permission", &json!({"reason": "needle here"}))
        + &event("session_compaction", &json!({"summary": "the needle"}))
        + &event("error", &json!({"message": "no needle"}))
        + &event("future", &json!({"needle": "needle"}));
    check(
        &log,
        "needle",
        &["permission [needle] here", "the [needle]", "no [needle]"],
    );
}

#[test]
fn the_context_is_cut_around_what_was_found() {
    let log = said(&format!("{}needle{}", "a ".repeat(100), " b".repeat(100)));
    check(
        &log,
        "needle",
        &["… a a a a [needle] b b b b b b b b b b b …"],
    );
    // The name of an argument is not what was found.
    let arguments = json!({"path": "x", "pattern": "a path"}).to_string();
    let log = event(
        "tool_call",
        &json!({"name": "grep", "arguments": arguments}),
    );
    check(&log, "path", &["pattern: a [path]"]);
}

#[test]
fn secrets_are_found_and_not_shown() {
    let log = said("my key is sk-ant-api03-abcdefghij0123456789 really");
    check(&log, "abcdefghij", &["my key is sk-ant-[redacted] really"]);
    let log = said(&format!(
        "{}sk-ant-api03-abcdefghij0123456789",
        "x ".repeat(200)
    ));
    let (hits, _) = one(log.as_bytes(), "sk-ant-api03");
    assert!(!hits[0].context.as_str().contains("api03"), "{hits:?}");
}

#[test]
fn no_control_character_gets_through() {
    let log = said("\u{1b}]0;evil\u{7}\u{1b}[31mneedle\u{1b}[0m\u{202e} \u{0}");
    let (hits, _) = one(log.as_bytes(), "needle");
    assert!(
        !hits[0]
            .context
            .as_str()
            .contains(|c: char| c.is_control() || c == '\u{202e}')
    );
    assert_eq!(shown(&hits).len(), 1);
    assert!(shown(&hits)[0].contains("[needle]"), "{:?}", shown(&hits));
}

#[test]
fn what_cannot_be_read_is_counted() {
    let torn = &said("a needle in a torn line")[..90];
    let log = format!(
        "not json needle\n\n{}{{\"needle\": 1}}\nnothing\n{torn}",
        said("needle")
    );
    let (hits, end) = one(log.as_bytes(), "needle");
    assert_eq!((hits.len(), end.count, end.unreadable), (1, 1, 2));
    let whole = said("needle");
    let (hits, end) = one(whole.trim_end().as_bytes(), "needle");
    assert_eq!((hits.len(), end.unreadable), (1, 0), "without its end");
    let lengthy = said(&"needle ".repeat(200_000)) + &said("needle");
    let (hits, end) = one(lengthy.as_bytes(), "needle");
    assert_eq!((hits.len(), end.count, end.too_long), (1, 1, 1));
}

#[test]
fn hits_beyond_the_limit_are_counted() {
    let log = said("needle").repeat(25);
    let (hits, end) = one(log.as_bytes(), "needle");
    assert_eq!((hits.len(), end.count), (LIMITS.hits, 25));
    let offsets: Vec<u64> = hits.iter().map(|hit| hit.offset).collect();
    assert!(offsets.is_sorted());
}

#[test]
fn trouble_with_one_session_is_told_and_stops_no_other() {
    let logs: Vec<String> = (0..40).map(|n| said(&format!("needle {n}"))).collect();
    let logs: Vec<&[u8]> = logs.iter().map(String::as_bytes).collect();
    let (temp, store, mut ids) = store(&logs);
    let log = |id: &str| temp.path().join(id).join("events.jsonl");
    fs::remove_file(log("s3")).unwrap();
    std::os::unix::fs::symlink(log("s4"), log("s3")).unwrap();
    fs::remove_file(log("s5")).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(log("s5")).status();
    assert!(fifo.unwrap().success());
    fs::remove_dir_all(temp.path().join("s6")).unwrap();
    std::os::unix::fs::symlink("s7", temp.path().join("s6")).unwrap();
    fs::remove_file(log("s8")).unwrap();
    ids.push(SessionId::parse("gone").unwrap());
    let found = all(&store, &ids, "needle", LIMITS);
    let failed = |at: usize| found[at].1.failed.as_ref().map(SafeText::as_str);
    assert_eq!(failed(3), Some("it is a link"));
    assert_eq!(failed(5), Some("it is a FIFO"));
    assert_eq!(failed(6), Some("it is a link"));
    for (at, (hits, end)) in found.iter().enumerate() {
        let none = [3, 5, 6, 8, 40].contains(&at);
        assert_eq!(end.count, u64::from(!none), "{at}");
        assert_eq!(end.failed.is_some(), [3, 5, 6].contains(&at), "{at}");
        if !none {
            assert_eq!(shown(hits), [format!("[needle] {at}")]);
        }
    }
}

#[test]
fn it_stops_soon_whatever_the_log() {
    let (temp, store, ids) = store(&[b"", b"", b""]);
    // Lines that all have to be understood; one that never ends; and one that is full of hits.
    let log = |number: usize| temp.path().join(&ids[number]).join("events.jsonl");
    fs::write(log(0), said("a \\u006eeedle that is none").repeat(200_000)).unwrap();
    let endless = fs::File::create(log(1)).unwrap();
    endless.set_len(64 << 30).unwrap();
    fs::write(log(2), said(&"needle \n".repeat(100_000)).repeat(100)).unwrap();
    for only in 0..3 {
        let (stop, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
        let stopped = || {
            asked.fetch_add(1, Ordering::Relaxed);
            stop.load(Ordering::Relaxed)
        };
        let mut took = Duration::ZERO;
        thread::scope(|scope| {
            let searching = scope.spawn(|| {
                let limits = Limits {
                    hits: usize::MAX,
                    columns: 80,
                    secrets: Secrets::Hidden,
                };
                let ids = &ids[only..=only];
                search(&store, ids, &query("needle"), limits, &stopped, &mut |_| {})
            });
            thread::sleep(Duration::from_millis(150));
            assert!(!searching.is_finished(), "log {only} is too short to tell");
            let begun = Instant::now();
            stop.store(true, Ordering::Relaxed);
            assert!(!searching.join().unwrap(), "it was not searched whole");
            took = begun.elapsed();
        });
        assert!(asked.into_inner() > 1);
        // A hundred milliseconds are promised of a build that is optimised.
        assert!(took < Duration::from_millis(500), "log {only}: {took:?}");
    }
}

#[test]
fn what_cannot_be_searched_for_shows_where() {
    let place = |typed: &str| {
        let error = Query::parse(typed).unwrap_err();
        (
            error.to_string(),
            error.place.map(|at| typed[at].to_owned()),
        )
    };
    let told = |what: &str, at: &str| (what.to_owned(), Some(at.to_owned()));
    assert_eq!(place(" /a(b/"), told("unclosed group", "("));
    assert_eq!(place("/ä[z-a]/").1.as_deref(), Some("z-a"));
    assert_eq!(place("/\\p{Nope}/").1.as_deref(), Some("\\p{Nope}"));
    assert_eq!(
        place("/(\\w{900}){900}/"),
        ("it is too large".to_owned(), None)
    );
    for nothing in ["", "  "] {
        assert_eq!(place(nothing), ("nothing to search for".to_owned(), None));
    }
    for word in ["/", "//", "/usr/bin", "a/b/", "a(b", "\\"] {
        assert!(query(word).is_in(word), "{word}");
    }
}

#[test]
fn only_a_capital_letter_itself_makes_case_count() {
    for (typed, text, matches) in [
        ("/\\Wneedle\\S/", " NEEDLEx", true),
        ("/[A-B]needle/", "aneedle", false),
        ("/Needle/", "needle", false),
        ("/(?i)Needle/", "needle", true),
        ("éa", "ÉA", true),
        ("Éa", "éa", false),
        ("straße", "STRASSE", false),
        ("k", "\u{212A}", true),
        ("s", "\u{17F}", true),
    ] {
        assert_eq!(query(typed).is_in(text), matches, "{typed} in {text}");
    }
}
