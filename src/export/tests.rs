use std::fs;

use proptest::prelude::*;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};

use super::prose::{fenced, inline, prose};
use super::*;
use crate::session::SessionId;
use crate::store::zero::Zero;

/// A store with one session, whose log this is.
fn store(log: &[u8]) -> (tempfile::TempDir, Zero, Session) {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("a");
    fs::create_dir(&folder).unwrap();
    let metadata = json!({"sessionId": "a", "title": "# A <b>title</b>", "cwd": "/src/|x|",
        "parentSessionId": "p", "createdAt": "2026-01-01T00:00:00Z"});
    fs::write(folder.join("metadata.json"), metadata.to_string()).unwrap();
    fs::write(folder.join("events.jsonl"), log).unwrap();
    let zero = Zero::new(temp.path().to_owned());
    let session = zero.session(&SessionId::parse("a").unwrap()).unwrap();
    (temp, zero, session)
}

fn exported(log: &[u8], format: Format) -> (Vec<u8>, Missing) {
    let (_temp, store, session) = store(log);
    let mut out = Vec::new();
    let missing = export(&store, &session, format, Secrets::Hidden, &mut out, &|| {
        false
    })
    .unwrap();
    (out, missing)
}

fn written(log: &str, format: Format) -> String {
    String::from_utf8(exported(log.as_bytes(), format).0).unwrap()
}

fn event(kind: &str, payload: &Value) -> String {
    let at = "2026-01-01T00:00:00Z";
    format!(
        "{}\n",
        json!({"type": kind, "createdAt": at, "payload": payload})
    )
}

fn said(role: &str, content: &str) -> String {
    event("message", &json!({"role": role, "content": content}))
}

fn talk() -> String {
    let arguments = r#"{"command":"ls\ncat x","deep":{"count":[1,2]}}"#;
    said("user", "look at <this>:\n```sh\nls <x>\n```\nplease")
        + &event(
            "tool_call",
            &json!({"name": "bash", "arguments": arguments}),
        )
        + &event(
            "tool_result",
            &json!({"name": "bash", "status": "ok", "output": "a ```` b"}),
        )
        + &event("permission", &json!({"name": "bash", "decision": "allow"}))
        + &said("assistant", "# Done\nreally")
        + &event("error", &json!({"message": "no"}))
}

#[test]
fn markdown_reads_well() {
    let expected = "\
# \\# A \\<b\\>title\\</b\\>

| | |
|---|---|
| Session | a |
| Agent | zero |
| Parent | p |
| Folder | /src/\\|x\\| |
| Started | 2026-01-01 00:00:00 UTC |

## You · 2026-01-01 00:00:00 UTC

look at &lt;this>:

```sh
ls <x>
```

please

<details><summary>Tool: bash · 2026-01-01 00:00:00 UTC</summary>

```
command: ls
cat x
count: 1
2
```

</details>

<details><summary>Result: bash · ok · 2026-01-01 00:00:00 UTC</summary>

`````
a ```` b
`````

</details>

- 2026-01-01 00:00:00 UTC · permission · bash allow

## Agent · 2026-01-01 00:00:00 UTC

### Done
really

## Error · 2026-01-01 00:00:00 UTC

```
no
```
";
    assert_eq!(written(&talk(), Format::Markdown), expected);
}

#[test]
fn text_reads_well() {
    let expected = "\
# A <b>title</b>

Session      a
Agent        zero
Parent       p
Folder       /src/|x|
Started      2026-01-01 00:00:00 UTC

[2026-01-01 00:00:00 UTC] you
    look at <this>:
    ```sh
    ls <x>
    ```
    please

[2026-01-01 00:00:00 UTC] tool: bash
    command: ls
    cat x
    count: 1
    2

[2026-01-01 00:00:00 UTC] result: bash · ok
    a ```` b

[2026-01-01 00:00:00 UTC] permission · bash allow

[2026-01-01 00:00:00 UTC] agent
    # Done
    really

[2026-01-01 00:00:00 UTC] error
    no
";
    assert_eq!(written(&talk(), Format::Text), expected);
}

#[test]
fn jsonl_is_the_log_untouched() {
    let log = b"{\"type\":\"message\"}\n\x1b[31m not \xff json\n\n{\"torn";
    assert_eq!(
        exported(log, Format::Jsonl),
        (log.to_vec(), Missing::default())
    );
}

#[test]
fn nothing_is_cut_and_what_is_left_out_is_told() {
    let words = "word ".repeat(100_000);
    let too_long = "x".repeat(2 << 20);
    let log = [
        &*said("user", &words),
        "nonsense\n",
        &too_long,
        "\n{}\n",
        "{\"torn",
    ]
    .concat();
    for format in [Format::Markdown, Format::Text] {
        let (out, missing) = exported(log.as_bytes(), format);
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains(words.trim_end()), "{format:?}");
        assert_eq!((missing.unreadable, missing.too_long), (2, 1));
        let told = "2 unreadable lines and 1 line that is too long are left out";
        assert!(
            out.trim_end().trim_end_matches(']').ends_with(told),
            "{format:?}"
        );
    }
    assert_eq!(Missing::default().told(), None);
}

#[test]
fn no_text_is_written_that_is_not_safe() {
    let evil =
        "\u{1b}]0;evil\u{7}\u{1b}[31mred\u{9b}2J\u{0}\u{202e} sk-ant-api03-abcdefghij0123456789";
    let arguments = json!({evil: evil, "password": "hunter2hunter2"}).to_string();
    let log = said("user", evil)
        + &said(evil, evil)
        + &event("tool_call", &json!({"name": evil, "arguments": arguments}))
        + &event(
            "tool_result",
            &json!({"name": evil, "status": evil, "output": evil,
            "changedFiles": [evil]}),
        )
        + &event(evil, &json!({}))
        + &event("error", &json!({"message": evil}));
    for format in [Format::Markdown, Format::Text] {
        let out = written(&log, format);
        let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!out.contains(acts), "{out:?}");
        for secret in ["abcdefghij", "hunter2"] {
            assert!(!out.contains(secret), "{out}");
        }
    }
}

#[test]
fn it_stops_and_tells() {
    let (_temp, store, session) = store(talk().as_bytes());
    for format in [Format::Markdown, Format::Text, Format::Jsonl] {
        let mut out = Vec::new();
        let ended = export(&store, &session, format, Secrets::Hidden, &mut out, &|| {
            true
        });
        assert!(matches!(ended, Err(ExportError::Stopped)), "{format:?}");
    }
}

#[test]
fn a_session_without_a_log_has_its_front() {
    let (temp, store, session) = store(b"");
    fs::remove_file(temp.path().join("a/events.jsonl")).unwrap();
    let mut out = Vec::new();
    let missing = export(
        &store,
        &session,
        Format::Text,
        Secrets::Hidden,
        &mut out,
        &|| false,
    )
    .unwrap();
    assert_eq!(missing, Missing::default());
    assert!(
        String::from_utf8(out)
            .unwrap()
            .starts_with("# A <b>title</b>\n")
    );
}

fn events(markdown: &str) -> Vec<Event<'_>> {
    // Those are the beginning of a document elsewhere, not something in its middle.
    let front = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    Parser::new_ext(markdown, Options::all() - front).collect()
}

/// What a text shows, all its marks undone.
fn shows(markdown: &str) -> String {
    let events = Parser::new(markdown).filter_map(|event| match event {
        Event::Text(text) => Some(text.into_string()),
        _ => None,
    });
    events.collect()
}

const PIECES: &str = "(`|``|```|````|~~~|~~~~|<script>|</details>|<!--|-->|<a@b\\.c>|&lt;|!\\[x\\](\\(y\\))?|\\[x\\]: y|# |## |===|---|> |- |1\\. |    |\n|\n\n|\\\\|a|rust|\\||<\\?|<!\\[CDATA\\[|\\[\\^1\\]|\\[\\^1\\]: |\\$|\\+\\+\\+|:::|`<script>`|\n\\|---\\|---\\|\n|\\| a|`!\\[x\\]\\(y\\)){0,16}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_message_gets_out_of_its_place(text in PIECES) {
        let text = SafeText::block(&text);
        let document = format!("## You\n\n{}\n\n## Agent\n\nlast\n", prose(text.as_str()));
        let events = events(&document);
        let end = [
            Event::Start(Tag::Paragraph),
            Event::Text("last".into()),
            Event::End(TagEnd::Paragraph),
        ];
        prop_assert_eq!(&events[events.len() - 3..], &end, "{}", document);
        let mut ours = 0;
        for event in &events {
            let acts = matches!(event, Event::Html(_) | Event::InlineHtml(_)
                | Event::Start(Tag::Image { .. } | Tag::HtmlBlock));
            prop_assert!(!acts, "{:?} in {}", event, document);
        }
        // Headings of ours are not in anything, and of the second level.
        let mut depth = 0;
        for event in &events {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    ours += usize::from(depth == 0 && *level <= HeadingLevel::H2);
                    depth += 1;
                }
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
        }
        prop_assert_eq!(ours, 2, "{}", document);
    }

    #[test]
    fn a_line_shows_itself(text in "[a`*_{}\\[\\]<>#|!~&\\\\().:-]{1,20}") {
        let shown = shows(&format!("# {}", inline(&text)));
        prop_assert_eq!(shown, text);
    }

    #[test]
    fn code_shows_itself(code in "[a`~\n <>]{0,30}") {
        let markdown = format!("{}\n\nlast", fenced(&code, ""));
        prop_assert_eq!(shows(&markdown), format!("{code}\nlast"));
    }
}
