//! The binary as a script runs it: output, JSON, exit codes, errors.

mod agents;
mod asking;
mod crash;
mod delete;
pub(crate) mod empty;
mod export;
#[cfg(target_os = "linux")]
mod filesystem;
mod filter;
mod log;
mod most;
mod rename;
mod search;
mod secrets;
mod settings;
mod trash;

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};

use chrono::{TimeDelta, Utc};
use serde_json::json;

use crate::support::TestStore;
use crate::support::binary::{Flock, ids, json, run, sesstree};

/// A session last active `days` ago by the real clock, which the binary uses.
fn add(store: &TestStore, id: &str, parent: &str, days: i64) {
    let at = Utc::now() - TimeDelta::days(days);
    let session = store.session(id).at(at).message("user", "hello");
    match parent {
        "" => session.write(),
        parent => session.parent(parent).write(),
    }
}

/// old (90 d) ← fork (60 d) ← new (1 d); alone (40 d); fresh (2 d).
fn forest() -> TestStore {
    let store = TestStore::new();
    add(&store, "old", "", 90);
    add(&store, "fork", "old", 60);
    add(&store, "new", "fork", 1);
    add(&store, "alone", "", 40);
    add(&store, "fresh", "", 2);
    store
}

#[test]
fn list_tells_every_session_with_its_marks() {
    let store = forest();
    let holder = Flock::shared(&store.path("fresh/lease.lock"));
    crate::support::make_folder(&store.path(".sesstree/pins"));
    crate::support::write_file(&store.path(".sesstree/pins/new"), b"");
    let before = store.snapshot();
    let list = json(&store, &["list"]);
    assert_eq!(store.snapshot(), before, "a listing changed the store");
    assert_eq!(list["schema"], 1);
    assert_eq!(
        ids(&list, "sessions", "id"),
        ["new", "fresh", "alone", "fork", "old"]
    );
    let find = |id: &str| {
        list["sessions"]
            .as_array()
            .unwrap()
            .iter()
            .find(|s| s["id"] == id)
            .unwrap()
    };
    assert_eq!(find("alone")["marks"], json!(["old"]));
    assert_eq!(find("old")["marks"], json!(["ancestor", "old"]));
    assert_eq!(find("fresh")["marks"], json!(["open"]));
    assert_eq!(find("fresh").get("pinned"), None);
    assert_eq!(find("new")["pinned"], true);
    assert_eq!(find("new")["marks"], json!(["pinned"]));
    assert_eq!(find("fresh")["open"]["state"], "open");
    assert_eq!(find("fresh")["open"]["pid"], holder.pid());
    assert_eq!(find("fresh")["open"]["process"], "flock");
    let fork = find("fork");
    assert_eq!(
        (&fork["agent"], &fork["kind"]),
        (&json!("zero"), &json!("fork"))
    );
    assert_eq!(fork["parentId"], "old");
    assert_eq!(fork["title"], "title of fork");
    assert_eq!(fork["cwd"], "/home/you/src/api");
    assert_eq!(fork["model"], "gpt-x");
    assert_eq!(fork["events"], 1);
    assert!(fork["bytes"].as_u64().unwrap() > 0);
    for absent in ["open", "fault"] {
        assert_eq!(fork.get(absent), None, "{absent} should be left out");
    }
    assert_eq!(
        json(&store, &["list", "--no-size"])["sessions"][0].get("bytes"),
        None
    );
}

#[test]
fn tree_goes_down_from_a_session_named_by_its_beginning() {
    let store = forest();
    let tree = json(&store, &["tree", "ol"]);
    assert_eq!(ids(&tree, "sessions", "id"), ["old", "fork", "new"]);
    let text = run(&store, &["tree", "ol"]).out;
    let titles = |line: &str| line[line.find("api").unwrap() + 3..].trim_end().to_owned();
    let titles: Vec<String> = text.lines().skip(1).map(titles).collect();
    let drawn = ["title of old", "╰─ title of fork", "   ╰─ title of new"];
    assert_eq!(
        titles,
        drawn.map(|title| format!("      {title}")),
        "{text}"
    );
    let ambiguous = run(&store, &["tree", "f"]);
    assert_eq!(ambiguous.code, 2);
    assert!(
        ambiguous.err.contains("fork") && ambiguous.err.contains("fresh"),
        "{}",
        ambiguous.err
    );
    assert_eq!(run(&store, &["tree", "nobody"]).code, 2);
}

#[test]
fn wrong_use_exits_2_says_why_and_removes_nothing() {
    let store = forest();
    let table: &[(&[&str], &str)] = &[
        (&["prune", "--yes"], "prune needs a cutoff"),
        (
            &["prune", "--yes", "--older-than", ""],
            "--older-than requires a value",
        ),
        (
            &["prune", "--yes", "--older-than="],
            "--older-than requires a value",
        ),
        (&["prune", "--yes", "--older-than"], "a value is required"),
        (
            &["prune", "--yes", "--older-than", "soon"],
            "invalid --older-than \"soon\": expected days like 30d or a duration like 720h",
        ),
        (
            &["prune", "--yes", "--older-than", "12h"],
            "in the last 24 hours",
        ),
        (
            &["prune", "--yes", "--older-than", "0d"],
            "invalid --older-than \"0d\"",
        ),
        (
            &["prune", "--yes", "--older-than", "0"],
            "invalid --older-than \"0\"",
        ),
        (
            &["prune", "--yes", "--older-than", "-5d"],
            "invalid --older-than \"-5d\"",
        ),
        (
            &["prune", "--yes", "--older-than=-720h"],
            "invalid --older-than \"-720h\"",
        ),
        (
            &["prune", "--yes", "--older-than", "36501d"],
            "more than 36500 days",
        ),
        (
            &["prune", "--yes", "--older-than", "99999999999999999999d"],
            "more than 36500 days",
        ),
        (
            &["prune", "--yes", "--older-than", "1\u{1b}[2Jd"],
            "invalid --older-than",
        ),
        (
            &["prune", "--older-than", "30d", "--yes", "old"],
            "unexpected argument",
        ),
        (&["prune", "--older-than", "30d"], "--yes"),
        (
            &["list", "--older-than", "30d"],
            "unexpected argument '--older-than'",
        ),
        (&["list", "--dry-run"], "unexpected argument '--dry-run'"),
        (&["list", "old"], "unexpected argument"),
        (&["old", "list"], "unexpected \"old\" before the command"),
        (
            &["old", "prune", "--older-than", "30d", "--yes"],
            "unexpected \"old\" before the command",
        ),
        (
            &["trash", "restore", "nothing"],
            "nothing in the trash is called",
        ),
        (&["--demo", "list"], "--demo opens the screen"),
    ];
    let before = store.snapshot();
    for (arguments, says) in table {
        let ran = run(&store, arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {}{}", ran.out, ran.err);
        assert!(
            ran.err.contains(says),
            "{arguments:?} should say {says:?}: {}",
            ran.err
        );
        assert!(
            !ran.err.contains('\u{1b}'),
            "{arguments:?} printed an escape"
        );
        assert_eq!(ran.out, "", "{arguments:?}");
    }
    assert_eq!(store.snapshot(), before);
}

#[test]
fn the_text_report_uses_the_references_words() {
    let store = forest();
    let _holder = Flock::shared(&store.path("alone/lease.lock"));
    add(&store, "other", "", 50);
    let dry = run(&store, &["prune", "--older-than", "30d", "--dry-run"]);
    assert_eq!(dry.code, 0, "{}", dry.err);
    assert!(
        dry.out
            .starts_with("Would remove 1 session last updated before "),
        "{}",
        dry.out
    );
    assert!(
        dry.out.contains("\nKept 3 old enough to remove:\n"),
        "{}",
        dry.out
    );
    assert!(
        dry.out.contains("open in another process (flock, pid "),
        "{}",
        dry.out
    );
    assert!(
        dry.out.ends_with("Dry run: nothing was removed.\n"),
        "{}",
        dry.out
    );
    let real = run(&store, &["prune", "--older-than", "30d", "--yes-most"]);
    assert_eq!(real.code, 0, "{}", real.err);
    assert!(
        real.out
            .starts_with("Removed 1 session last updated before "),
        "{}",
        real.out
    );
    let none = run(&store, &["prune", "--older-than", "30d", "--yes-most"]);
    assert!(
        none.out
            .starts_with("No sessions to remove: nothing last updated before "),
        "{}",
        none.out
    );
}

#[test]
fn what_was_pruned_is_listed_in_the_trash_and_comes_back() {
    let store = forest();
    let before = store.snapshot();
    let report = json(&store, &["prune", "--older-than", "30d", "--yes-most"]);
    assert_eq!(ids(&report, "removed", "sessionId"), ["alone"]);
    assert_eq!(report["dryRun"], false);
    let batch = report["batch"].as_str().unwrap();
    assert!(!store.path("alone").exists());
    let trash = json(&store, &["trash"]);
    assert_eq!(trash["schema"], 1);
    let listed = &trash["batches"][0];
    assert_eq!(listed["batch"], batch);
    assert_eq!(ids(listed, "sessions", "id"), ["alone"]);
    for key in ["at", "expiresAt", "bytes"] {
        assert!(!listed[key].is_null(), "{key}");
    }
    assert_eq!(json(&store, &["trash", "list"]), trash);
    let restored = run(&store, &["trash", "restore", batch]);
    assert_eq!(
        (restored.code, restored.out.as_str()),
        (0, "Restored 1 session.\n")
    );
    let after = store.snapshot();
    for (path, was) in before.iter().filter(|(path, _)| path.starts_with("alone")) {
        let without_ctime = |line: &str| line.split(" ctime ").next().unwrap().to_owned();
        assert_eq!(
            without_ctime(&after[path]),
            without_ctime(was),
            "{}",
            path.display()
        );
    }
    assert_eq!(run(&store, &["trash"]).out, "The trash is empty.\n");
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let store = TestStore::new();
    for number in 0..600 {
        add(&store, &format!("s{number}"), "", 1);
    }
    let mut child = sesstree(&store)
        .args(["list", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 10]).unwrap();
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn without_a_terminal_the_screen_says_so_in_a_line() {
    let store = forest();
    for arguments in [&[][..], &["filter"], &["--demo"]] {
        let mut command = sesstree(&store);
        if arguments == ["--demo"] {
            // It takes no root.
            command = Command::new(env!("CARGO_BIN_EXE_sesstree"));
            command.env_clear().stdin(Stdio::null());
        }
        let output = command.args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(
            err.starts_with("sesstree: the screen needs a terminal"),
            "{err}"
        );
        assert_eq!(err.lines().count(), 1, "{err}");
    }
}

#[test]
fn nobody_reading_the_errors_stops_nothing() {
    let store = forest();
    fs::write(store.path("a stray file"), "").unwrap();
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = sesstree(&store).arg("list").stderr(full).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
}

/// What is no session to us may be one to its agent, with ancestors.
#[test]
fn a_prune_tells_what_is_no_session() {
    let store = forest();
    fs::write(store.path("stray"), "").unwrap();
    for more in ["--dry-run", "--yes-most"] {
        let ran = run(&store, &["prune", "--older-than", "30d", more]);
        let says = "stray: not a session: it is a file";
        assert!(ran.err.contains(says), "{more}: {}", ran.err);
    }
}

#[test]
fn a_missing_root_is_said_and_not_created() {
    let store = TestStore::new();
    fs::remove_dir(store.root()).unwrap();
    let ran = run(&store, &["list"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("no sessions folder at"), "{}", ran.err);
    assert!(!store.root().exists());
}
