//! `search`: what scripts and people get to see of it.

use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use serde_json::{Value, json as value};

use super::add;
use crate::support::binary::{ids, json, run, sesstree};
use crate::support::terminal::{Terminal, until};
use crate::support::{TestStore, days_ago};

/// old (90 d), its child (60 d) and new (1 d) each say the word, in different ways.
fn store() -> TestStore {
    let store = TestStore::new();
    let child = store.session("child").at(days_ago(60)).parent("old");
    let arguments = r#"{"command":"grep \"Login\" src"}"#;
    child
        .field("sessionKind", "child")
        .event(
            "tool_call",
            &value!({"name": "bash", "arguments": arguments}),
        )
        .write();
    let old = store.session("old").at(days_ago(90));
    (0..5)
        .fold(old, |old, n| {
            old.message("user", &format!("login {n}\nand more"))
        })
        .write();
    let new = store
        .session("new")
        .at(days_ago(1))
        .field("title", "Fix it");
    new.message("user", "hello")
        .message("assistant", "the login\u{1b}[31m page")
        .write();
    add(&store, "other", "", 5);
    store
}

#[test]
fn people_see_a_block_for_each_session_newest_first() {
    let store = store();
    let before = store.snapshot();
    let ran = run(&store, &["search", "login"]);
    assert_eq!(store.snapshot(), before, "a search changed the store");
    let expected = "\
new  AGE  Fix it  (1 match)
  agent   the login page

child  AGE  title of child  (child, 1 match)
  tool    bash command: grep \"Login\" src

old  AGE  title of old  (5 matches)
  you     login 0
  you     login 1
  you     login 2
  … 2 more
";
    let aged = |line: &str| match line.split_once("  ") {
        Some((id, rest)) if !id.is_empty() => {
            let (_, rest) = rest.split_once("  ").unwrap();
            format!("{id}  AGE  {rest}\n")
        }
        _ => format!("{line}\n"),
    };
    let told: String = ran.out.lines().map(aged).collect();
    assert_eq!(told, expected);
    assert_eq!((ran.code, &*ran.err), (0, ""));
}

#[test]
fn json_has_every_hit_with_its_place() {
    let store = store();
    let found = json(&store, &["search", "login", "page"]);
    assert_eq!(found["schema"], 1);
    assert_eq!(found["query"], "login page");
    assert_eq!(ids(&found, "sessions", "id"), ["new"]);
    let session = &found["sessions"][0];
    assert_eq!(
        (&session["agent"], &session["title"]),
        (&value!("zero"), &value!("Fix it"))
    );
    assert_eq!(
        (&session["matches"], session.get("kind")),
        (&value!(1), None)
    );
    let hit = &session["hits"][0];
    assert_eq!(
        (&hit["role"], &hit["text"]),
        (&value!("agent"), &value!("the login page"))
    );
    assert_eq!(hit["marks"], value!([[4, 9], [10, 14]]));
    let log = fs::read(store.path("new/events.jsonl")).unwrap();
    let offset = usize::try_from(hit["offset"].as_u64().unwrap()).unwrap();
    let line: Value = serde_json::from_slice(&log[offset..]).unwrap();
    assert_eq!(line["sequence"], 2);
    for (name, expected) in [
        ("searched", value!(4)),
        ("stopped", value!(false)),
        ("notSearched", value!([])),
        ("tooLong", value!(0)),
        ("unreadable", value!(0)),
        ("faults", value!([])),
    ] {
        assert_eq!(found[name], expected, "{name}");
    }
    assert_eq!(
        ids(&json(&store, &["search", "login"]), "sessions", "id"),
        ["new", "child", "old"]
    );
}

#[test]
fn nothing_found_is_said_and_no_failure() {
    let ran = run(&store(), &["search", "nowhere"]);
    assert_eq!((ran.code, &*ran.out), (0, ""));
    assert_eq!(ran.err, "sesstree: nothing found in 4 sessions\n");
}

#[test]
fn what_cannot_be_searched_for_is_wrong_use() {
    let store = store();
    for (terms, says) in [
        (
            &["/a(b/"][..],
            "invalid regular expression: unclosed group\n  /a(b/\n    ^\n",
        ),
        (&["/\u{1b}[31m(/"], "invalid regular expression: "),
        (&[""], "nothing to search for"),
        (&[], "required arguments were not provided"),
    ] {
        let ran = run(&store, &[&["search"], terms].concat());
        assert_eq!((ran.code, &*ran.out), (2, ""), "{terms:?}");
        assert!(ran.err.contains(says), "{terms:?}: {}", ran.err);
        assert!(!ran.err.contains('\u{1b}'), "{:?}", ran.err);
    }
}

#[test]
fn what_was_not_searched_is_told() {
    let store = store();
    symlink("new", store.path("linked")).unwrap();
    fs::remove_file(store.path("other/events.jsonl")).unwrap();
    symlink("../new/events.jsonl", store.path("other/events.jsonl")).unwrap();
    let lengthy = format!(
        "{{\"type\":\"error\",\"payload\":{{\"message\":\"{}\"}}}}\n",
        "x".repeat(1 << 20)
    );
    let log = [&*lengthy, "login nonsense\n", "{\"login"].concat();
    fs::write(store.path("child/events.jsonl"), log).unwrap();
    let ran = run(&store, &["search", "page"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.starts_with("new  "), "{}", ran.out);
    for says in [
        "linked was not searched: linked folder\n",
        "other was not searched: it is a link\n",
        "1 line longer than 1 MiB not searched\n",
    ] {
        assert!(ran.err.contains(says), "{}", ran.err);
    }
    let ran = run(&store, &["search", "login"]);
    assert!(
        ran.err.contains("1 line that might match cannot be read\n"),
        "{}",
        ran.err
    );
    let found = json(&store, &["search", "login"]);
    assert_eq!(ids(&found, "notSearched", "id"), ["linked", "other"]);
    assert_eq!(
        (&found["tooLong"], &found["unreadable"]),
        (&value!(1), &value!(1))
    );
    fs::remove_dir_all(store.path("other")).unwrap();
    let ran = run(&store, &["search", "page"]);
    assert_eq!(
        ran.code, 0,
        "a link is not read, and that is no failure: {}",
        ran.err
    );
}

#[test]
fn nothing_of_a_session_acts_on_the_terminal() {
    let store = TestStore::new();
    let evil =
        "\u{1b}]0;evil\u{7}needle\u{1b}[31m\u{9b}2J\u{0}\u{202e} sk-ant-api03-abcdefghij0123456789";
    let session = store.session("evil").field("title", evil);
    let arguments = value!({evil: evil}).to_string();
    session
        .message("user", evil)
        .message(evil, evil)
        .event("tool_call", &value!({"name": evil, "arguments": arguments}))
        .event(
            "tool_result",
            &value!({"name": evil, "status": evil, "output": evil}),
        )
        .write();
    for arguments in [&["search", "needle"][..], &["search", "needle", "--json"]] {
        let ran = run(&store, arguments);
        let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(
            ran.out.contains("needle") && !ran.out.contains(acts),
            "{:?}",
            ran.out
        );
        assert!(!ran.out.contains("abcdefghij"), "{}", ran.out);
        for escaped in ["\\u001b", "\\u0000", "\\u202e"] {
            assert!(!ran.out.contains(escaped), "{}", ran.out);
        }
    }
}

#[test]
fn colours_mark_what_was_found_on_a_terminal() {
    let store = store();
    let show = |no_color: &str| {
        let args = [
            OsString::from("--root"),
            store.root().into(),
            "search".into(),
            "page".into(),
        ];
        let env = [
            ("TERM", "xterm-256color".into()),
            ("HOME", store.home().into_os_string()),
            ("NO_COLOR", no_color.into()),
        ];
        let mut terminal = Terminal::start(env!("CARGO_BIN_EXE_sesstree"), args, &env);
        terminal.wait_for_text("the login page");
        assert_eq!(terminal.end().exit_code(), 0);
        String::from_utf8(terminal.raw()).unwrap()
    };
    let raw = show("");
    assert!(
        raw.contains("the login \u{1b}[1;31mpage\u{1b}[0m"),
        "{raw:?}"
    );
    assert!(!show("1").contains('\u{1b}'));
}

/// A session whose search takes long, since every line has to be understood.
fn long(store: &TestStore) {
    store
        .session("long")
        .at(days_ago(0))
        .message("user", "first 123456789x")
        .write();
    let log = fs::read_to_string(store.path("long/events.jsonl")).unwrap();
    fs::write(store.path("long/events.jsonl"), log.repeat(300_000)).unwrap();
}

fn start(store: &TestStore, arguments: &[&str]) -> std::process::Child {
    let mut command: Command = sesstree(store);
    command.args(arguments);
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_stops_it_and_what_was_found_is_whole() {
    let store = store();
    long(&store);
    let child = start(&store, &["search", "/^first|login/", "--json"]);
    // Before it listens to signals, one ends it; and then the others have to be searched.
    until("its ear for signals", || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
        caught & 1 << (Signal::INT.as_raw() - 1) != 0
    });
    thread::sleep(Duration::from_millis(300));
    rustix::process::kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["stopped"], true);
    assert_eq!(ids(&found, "sessions", "id")[0], "long");
    // The others are told although the first one was not done, if there was a thread for them.
    let searched = found["searched"].as_u64().unwrap();
    let alone = thread::available_parallelism().unwrap().get() == 1;
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(searched == 4 || alone, "{err}");
    let told = format!("stopped: {searched} of 5 sessions searched");
    assert!(err.contains(&told), "{err}");
}

#[test]
fn a_reader_that_leaves_early_ends_it() {
    let store = store();
    long(&store);
    for number in 0..2_000 {
        let session = store.session(&format!("s{number}")).at(days_ago(-1));
        session
            .message("user", &format!("first {}", "word ".repeat(50)))
            .write();
    }
    let mut child = start(&store, &["search", "first"]);
    child
        .stdout
        .take()
        .unwrap()
        .read_exact(&mut [0; 10])
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
