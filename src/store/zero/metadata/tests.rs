use proptest::prelude::*;

use super::*;

const SOUND: &str = r#"{
  "sessionId": "zero_1",
  "sessionKind": "fork",
  "title": "Fix \u003cthe\u003e login",
  "cwd": "/home/you/src/api",
  "modelId": "gpt-x",
  "parentSessionId": "zero_0",
  "goal": {"objective": "done", "status": "active", "tokensUsed": 3},
  "createdAt": "2026-08-06T10:10:00Z",
  "updatedAt": "2026-08-06T10:15:00Z",
  "eventCount": 4,
  "lastEventType": "message"
}
"#;

/// What is wrong with a text, as it is told.
fn wrong(text: &str) -> Option<String> {
    parse(text).1.map(|damage| damage.to_string())
}

#[test]
fn a_file_as_zero_writes_it() {
    let (metadata, damage) = parse(SOUND);
    assert!(damage.is_none());
    assert_eq!(metadata.session_id, "zero_1");
    assert_eq!(metadata.title, "Fix <the> login");
    assert_eq!(metadata.cwd, "/home/you/src/api");
    assert_eq!(metadata.model, "gpt-x");
    assert_eq!(metadata.kind(), SessionKind::Fork);
    assert_eq!(metadata.parent(), SessionId::parse("zero_0"));
    assert_eq!(metadata.events(), Some(4));
    let updated = metadata.updated_at().map(|at| at.timestamp());
    assert_eq!(updated, Some(1_786_011_300));
    assert!(
        matches!(metadata.cwd, Cow::Borrowed(_)),
        "nothing is copied"
    );
}

#[test]
fn what_zero_lists_is_listed() {
    for (text, title, events) in [
        (
            r#"{"title":"a","unknown":{"title":[1,{"title":2}]}}"#,
            "a",
            None,
        ),
        (r#"{"title":"a","title":"b"}"#, "b", None),
        (r#"{"TITLE":"a","eventcount":7}"#, "a", Some(7)),
        (r#"{"title":"a","Title":"b"}"#, "b", None),
        (
            r#"{"title":"a","title":null,"eventCount":3,"eventCount":null}"#,
            "a",
            Some(3),
        ),
        (r#"{"t\u0069tle":"a"}"#, "a", None),
        (r#"{"title":"\ud800"}"#, "\u{FFFD}", None),
        ("{\"title\":\"\u{FFFD}\"}", "\u{FFFD}", None),
        (r#"{"eventCount":-0}"#, "", Some(0)),
        (r#"{"goal":null}"#, "", None),
        (r#"{"goal":{"unknown":"x","Objective":null}}"#, "", None),
        ("null", "", None),
        ("{}", "", None),
        (" \r\n\t{ } \n", "", None),
    ] {
        let (metadata, damage) = parse(text);
        assert!(damage.is_none(), "{text}: {damage:?}");
        assert_eq!(metadata.title, title, "{text}");
        assert_eq!(metadata.events(), events, "{text}");
    }
    let (metadata, damage) = parse(r#"{"eventCount":-3}"#);
    assert!(damage.is_none());
    assert_eq!(metadata.events(), None);
}

#[test]
fn what_zero_skips_is_damaged() {
    for text in [
        "",
        "{",
        "[]",
        "1",
        "{} {}",
        "\u{FEFF}{}",
        "{\"title\":\"a\nb\"}",
        r#"{"title":"a""#,
        r#"{"title":3}"#,
        r#"{"title":["a"]}"#,
        r#"{"TITLE":{}}"#,
        r#"{"eventCount":3.0}"#,
        r#"{"eventCount":1e2}"#,
        r#"{"eventCount":"3"}"#,
        r#"{"eventCount":9223372036854775808}"#,
        r#"{"depth":true}"#,
        r#"{"specStatus":1}"#,
        r#"{"goal":"done"}"#,
        r#"{"goal":[]}"#,
        r#"{"goal":{"tokensUsed":1.5}}"#,
        r#"{"updatedAt":1785578400}"#,
    ] {
        assert!(wrong(text).is_some(), "{text}");
    }
    let told = wrong(r#"{"eventCount":3.0}"#);
    assert_eq!(
        told.as_deref(),
        Some("eventCount in its metadata is not an integer")
    );
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(
        wrong(&deep).as_deref(),
        Some("its metadata is nested too deep")
    );
}

#[test]
fn damage_leaves_the_rest_readable() {
    let (metadata, damage) = parse(r#"{"title":"a","eventCount":3.0,"parentSessionId":"p"}"#);
    assert!(damage.is_some());
    assert_eq!(metadata.title, "a");
    assert_eq!(metadata.parent(), SessionId::parse("p"));
    let (metadata, damage) = parse(r#"{"title":"a","parentSessionId":"p","cwd":"/ho"#);
    assert!(damage.is_some());
    assert_eq!(metadata.title, "a");
    assert_eq!(metadata.parent(), SessionId::parse("p"));
}

#[test]
fn a_parent_must_be_an_id() {
    for parent in ["", "../x", "a/b", " p", "p ", "-p", "é"] {
        let text = serde_json::json!({ "parentSessionId": parent }).to_string();
        assert_eq!(parse(&text).0.parent(), None, "{parent:?}");
        assert_eq!(parent_in(text.as_bytes()), None, "{parent:?}");
    }
}

#[test]
fn a_parent_is_made_out_in_broken_text() {
    for (text, parent) in [
        (&b"\"parentSessionId\": \"p\" and so on"[..], Some("p")),
        (b"\xEF\xBB\xBF{\"parentSessionId\":\"p\"}", Some("p")),
        (b"{\xFF\"ParentSessionID\" \n:\t\"p\"", Some("p")),
        (
            b"\"parentSessionId\":\"a\",\"parentSessionId\":\"b\"",
            Some("b"),
        ),
        (
            b"\"parentSessionId\":\"a\",\"parentSessionId\":null",
            Some("a"),
        ),
        (b"{\"parentSessionId\":\"zero_2026", None),
        (b"{\"grandparentSessionId\":\"p\"}", None),
        (b"{\"title\":\"\\\"parentSessionId\\\":\\\"p\\\"\"", None),
        (b"{\"parentSessionId\":", None),
        (b"", None),
    ] {
        let found = parent_in(text);
        let shown = String::from_utf8_lossy(text);
        assert_eq!(found.as_ref().map(SessionId::as_str), parent, "{shown}");
    }
}

#[test]
fn kinds_are_zeros() {
    for (word, resumable) in [
        ("", true),
        ("fork", true),
        ("child", false),
        ("side", false),
        ("spec-draft", false),
        ("spec-impl", false),
        ("Fork", false),
        ("new", false),
    ] {
        let text = serde_json::json!({ "sessionKind": word }).to_string();
        let kind = parse(&text).0.kind();
        assert_eq!(kind.word(), word);
        assert_eq!(kind.resumable(), resumable, "{word}");
    }
}

#[test]
fn long_texts_are_cut_between_characters() {
    assert_eq!(line("short", 10, Secrets::Hidden).as_str(), "short");
    assert_eq!(
        line("exactly 10", 10, Secrets::Hidden).as_str(),
        "exactly 10"
    );
    assert_eq!(
        line("more than 10", 10, Secrets::Hidden).as_str(),
        "more than…"
    );
    assert_eq!(line("漢字漢字漢字", 8, Secrets::Hidden).as_str(), "漢字漢…");
    assert_eq!(
        line(&"é".repeat(10), 10, Secrets::Hidden).as_str(),
        "é".repeat(10)
    );
    assert!(line(&"x".repeat(1 << 20), 1_000, Secrets::Hidden).width() <= 1_000);
}

/// Pieces of JSON and of Zero's words, in any order.
fn nearly_json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just(",".to_owned()),
        Just(":".to_owned()),
        Just("null".to_owned()),
        Just("\"goal\":{".to_owned()),
        Just("\"parentSessionId\":\"p\"".to_owned()),
        Just("\"eventCount\":3.0".to_owned()),
        Just("\"title\":\"\\ud800".to_owned()),
        "[\"\\\\a-z0-9 \\n]{0,6}",
        any::<String>(),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(text in nearly_json(), bytes: Vec<u8>) {
        let (metadata, _) = parse(&text);
        let _ = (metadata.kind(), metadata.parent(), metadata.updated_at(), metadata.events());
        let _ = parse(&String::from_utf8_lossy(&bytes));
        let _ = (parent_in(text.as_bytes()), parent_in(&bytes));
        let _ = line(&text, 20, Secrets::Hidden);
    }

    /// A file that serde_json takes, with every known field of its type, is never damaged.
    #[test]
    fn sound_files_are_sound(title: String, cwd: String, extra: String, events in 0..i64::MAX) {
        let text = serde_json::json!({
            "sessionId": "s", "title": title, "cwd": cwd, extra: {"title": 1}, "eventCount": events,
        })
        .to_string();
        let (metadata, damage) = parse(&text);
        prop_assert!(damage.is_none());
        prop_assert_eq!(&*metadata.title, title);
        prop_assert_eq!(&*metadata.cwd, cwd);
        prop_assert_eq!(metadata.events(), u64::try_from(events).ok());
    }

    /// Wherever a crash cut a file, its parent is either known or not in it.
    #[test]
    fn a_torn_file_keeps_its_parent(at in 0..SOUND.len()) {
        let torn = &SOUND[..at];
        let (metadata, _) = parse(torn);
        let parent = metadata.parent().or_else(|| parent_in(torn.as_bytes()));
        let named = torn.contains("\"zero_0\"");
        prop_assert_eq!(parent.is_some(), named);
    }
}
