//! `export`: what is written, and what is never written over.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::json as value;

use super::add;
use crate::support::TestStore;
use crate::support::binary::{run, sesstree};
use crate::support::terminal::Terminal;

fn store() -> TestStore {
    let store = TestStore::new();
    let arguments = r#"{"command":"ls\ncat x"}"#;
    store
        .session("first")
        .message("user", "hello *you*")
        .event(
            "tool_call",
            &value!({"name": "bash", "arguments": arguments}),
        )
        .event(
            "tool_result",
            &value!({"name": "bash", "status": "ok", "output": "```\nx\n```"}),
        )
        .write();
    add(&store, "second", "first", 1);
    store
}

#[test]
fn every_format_goes_to_stdout() {
    let store = store();
    let before = store.snapshot();
    let markdown = run(&store, &["export", "fi"]);
    assert_eq!((markdown.code, &*markdown.err), (0, ""));
    for part in [
        "# title of first\n\n| | |\n|---|---|\n| Session | first |\n| Agent | zero |\n",
        "| Folder | /home/you/src/api |\n| Model | gpt-x |\n",
        "\n## You · 2026-11-01 12:00:00 UTC\n\nhello *you*\n",
        "<details><summary>Tool: bash · 2026-11-01 12:00:00 UTC</summary>\n\n```\ncommand: ls\ncat x\n```\n\n</details>",
        "````\n```\nx\n```\n````\n\n</details>\n",
    ] {
        assert!(markdown.out.contains(part), "{part}\n{}", markdown.out);
    }
    assert_eq!(
        run(&store, &["export", "first", "--format", "md"]).out,
        markdown.out
    );
    let text = run(&store, &["export", "first", "--format", "text"]);
    assert!(
        text.out
            .contains("] tool: bash\n    command: ls\n    cat x\n"),
        "{}",
        text.out
    );
    let log = fs::read_to_string(store.path("first/events.jsonl")).unwrap();
    assert_eq!(
        run(&store, &["export", "first", "--format", "jsonl"]).out,
        log
    );
    assert_eq!(store.snapshot(), before, "an export changed the store");
}

#[test]
fn a_file_is_made_and_never_written_over() {
    let store = store();
    let file = store.beside("out.md");
    let path = file.to_str().unwrap();
    let ran = run(&store, &["export", "first", "--output", path]);
    assert_eq!((ran.code, &*ran.out, &*ran.err), (0, "", ""));
    let made = fs::read_to_string(&file).unwrap();
    assert_eq!(made, run(&store, &["export", "first"]).out);
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let nowhere = store.beside("link.md");
    symlink(store.beside("target.md"), &nowhere).unwrap();
    for path in [path, nowhere.to_str().unwrap()] {
        for format in ["md", "text", "jsonl"] {
            let ran = run(
                &store,
                &["export", "second", "--format", format, "--output", path],
            );
            assert_eq!((ran.code, &*ran.out), (1, ""));
            assert!(
                ran.err.contains(path) && ran.err.contains("exists"),
                "{}",
                ran.err
            );
        }
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), made);
    assert!(!store.beside("target.md").exists());
    let ran = run(
        &store,
        &["export", "first", "--output", "/nonexistent/x.md"],
    );
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("cannot make /nonexistent/x.md: "),
        "{}",
        ran.err
    );
}

#[test]
fn a_full_disk_is_told() {
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = sesstree(&store())
        .args(["export", "first"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(
        err.starts_with("sesstree: cannot write the output: "),
        "{err}"
    );
}

#[test]
fn wrong_use_says_why() {
    let store = store();
    for (arguments, says) in [
        (&["export"][..], "required arguments"),
        (&["export", "nobody"], "no session \"nobody\""),
        (
            &["export", "first", "--format", "pdf"],
            "invalid value 'pdf'",
        ),
    ] {
        let ran = run(&store, arguments);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{arguments:?}");
        assert!(ran.err.contains(says), "{}", ran.err);
    }
}

#[test]
fn what_cannot_be_read_is_told() {
    let store = store();
    let log = fs::read_to_string(store.path("first/events.jsonl")).unwrap();
    fs::write(
        store.path("first/events.jsonl"),
        format!("nonsense\n{log}{{\"torn"),
    )
    .unwrap();
    let ran = run(&store, &["export", "first"]);
    assert_eq!(
        (ran.code, &*ran.err),
        (0, "sesstree: 1 unreadable line is left out\n")
    );
    assert!(
        ran.out
            .ends_with("\n---\n\n1 unreadable line is left out\n"),
        "{}",
        ran.out
    );
    fs::remove_file(store.path("first/events.jsonl")).unwrap();
    symlink("../second/events.jsonl", store.path("first/events.jsonl")).unwrap();
    for format in ["md", "text", "jsonl"] {
        let ran = run(&store, &["export", "first", "--format", format]);
        assert_eq!((ran.code, &*ran.out), (1, ""), "{format}");
        let says = "first is not exported whole: its log cannot be read: it is a link\n";
        assert!(ran.err.contains(says), "{}", ran.err);
    }
}

#[test]
fn nothing_of_a_session_acts_on_the_terminal() {
    let store = TestStore::new();
    let evil =
        "\u{1b}]0;evil\u{7}needle\u{1b}[31m\u{9b}2J\u{0}\u{202e} sk-ant-api03-abcdefghij0123456789";
    store
        .session("evil")
        .field("title", evil)
        .field("cwd", format!("/{evil}"))
        .field("modelId", evil)
        .message("user", evil)
        .message(evil, evil)
        .event(
            "tool_result",
            &value!({"name": evil, "status": evil, "output": evil}),
        )
        .write();
    for format in ["md", "text"] {
        let ran = run(&store, &["export", "evil", "--format", format]);
        let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(
            ran.out.contains("needle") && !ran.out.contains(acts),
            "{:?}",
            ran.out
        );
        assert!(!ran.out.contains("abcdefghij"), "{}", ran.out);
    }
    let root = store.root();
    let args = [
        "--root",
        root.to_str().unwrap(),
        "export",
        "evil",
        "--format",
        "jsonl",
    ];
    let env = [
        ("TERM", OsString::from("xterm")),
        ("HOME", store.home().into_os_string()),
    ];
    let mut terminal = Terminal::start(env!("CARGO_BIN_EXE_sesstree"), args, &env);
    assert_eq!(terminal.end().exit_code(), 2);
    terminal.wait_for_text("could act on a terminal: name a file with --output FILE");
    assert!(!terminal.text().contains("needle"));
}
