//! magi-code's sessions: read, found, told apart and opened, and never changed.

mod open;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::support::binary::{Ran, SESSTREE, bounded};
use crate::support::snapshot;

/// A magi-code store in a temporary folder, which is the user's home.
struct Magi {
    home: tempfile::TempDir,
}

impl Magi {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join(".magi-code/sessions/subagents")).unwrap();
        fs::create_dir(home.path().join("work")).unwrap();
        Self { home }
    }

    fn root(&self) -> PathBuf {
        self.home.path().join(".magi-code/sessions")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// An event, `minutes` after ten.
    fn event(&self, id: &str, minutes: u32, kind: &str, payload: &Value) -> String {
        let cwd = self.home.path().join("work");
        let event = json!({
            "event_type": kind, "timestamp": format!("2026-11-01T10:{minutes:02}:00Z"),
            "session_id": id, "cwd": cwd, "payload": payload,
        });
        format!("{event}\n")
    }

    fn write(&self, name: &str, lines: &[String]) {
        fs::write(self.path(name), lines.concat()).unwrap();
    }

    /// A session with an input and an answer.
    fn add(&self, id: &str, input: &str) {
        let lines = [
            self.event(id, 0, "user_input", &json!({"text": input})),
            self.event(id, 1, "assistant_output", &json!({"text": "an answer"})),
        ];
        self.write(&format!("{id}.jsonl"), &lines);
    }

    fn command(&self) -> Command {
        let mut command = Command::new(SESSTREE);
        command.env_clear().env("HOME", self.home.path());
        command
            .args(["--agent", "magi"])
            .current_dir(self.home.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        bounded(self.command().args(arguments)).into()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat());
        serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {} {}", ran.out, ran.err))
    }

    /// What is listed of a session.
    fn listed(&self, id: &str) -> Value {
        let list = self.json(&["list"]);
        let sessions = list["sessions"].as_array().unwrap();
        let found = sessions.iter().find(|session| session["id"] == id);
        found.unwrap_or_else(|| panic!("no {id} in {list}")).clone()
    }
}

#[test]
fn a_session_is_told_by_its_events() {
    let magi = Magi::new();
    magi.add("plain", "fix the login");
    let named = [
        magi.event("named", 0, "user_input", &json!({"text": "x"})),
        magi.event(
            "named",
            5,
            "session_title",
            &json!({"title": "A good name"}),
        ),
        "not an event\n".to_owned(),
        magi.event("named", 3, "turn_status", &json!({"status": "complete"})),
        "{\"event_type\":\"torn".to_owned(),
    ];
    magi.write("named.jsonl", &named);
    let before = snapshot(&magi.root());
    let plain = magi.listed("plain");
    assert_eq!(plain["agent"], "magi");
    assert_eq!(plain["title"], "fix the login");
    assert_eq!(
        plain["cwd"],
        "~/work".replace('~', magi.home.path().to_str().unwrap())
    );
    assert_eq!(plain["createdAt"], "2026-11-01T10:00:00Z");
    assert_eq!(plain["activityAt"], "2026-11-01T10:01:00Z");
    assert!(plain["bytes"].as_u64().unwrap() > 0);
    let named = magi.listed("named");
    assert_eq!(named["title"], "A good name");
    assert_eq!(
        named["activityAt"], "2026-11-01T10:05:00Z",
        "the latest, not the last"
    );
    assert_eq!(snapshot(&magi.root()), before);
}

#[test]
fn a_sidecar_is_believed_only_of_the_file_as_it_is() {
    let magi = Magi::new();
    magi.add("s", "from the file");
    let seen = fs::metadata(magi.path("s.jsonl")).unwrap();
    let modified = seen
        .modified()
        .unwrap()
        .duration_since(SystemTime::UNIX_EPOCH);
    let sidecar = |length: u64, modified: u128| {
        let text = format!(
            r#"{{"schema_version":3,"session_id":"s","latest_activity_timestamp":"2026-11-02T00:00:00Z","latest_title":"from the sidecar","session_path":"/p","user_input_count":1,"jsonl_len":{length},"jsonl_modified_ns":{modified},"complete":true}}"#
        );
        fs::write(magi.path("s.metadata.json"), text).unwrap();
        magi.listed("s")["title"].as_str().unwrap().to_owned()
    };
    let modified = modified.unwrap().as_nanos();
    assert_eq!(sidecar(seen.len(), modified), "from the sidecar");
    assert_eq!(sidecar(seen.len() + 1, modified), "from the file");
    assert_eq!(sidecar(seen.len(), modified - 1), "from the file");
}

#[test]
fn the_lineage_is_that_of_rewinds_and_subagents() {
    let magi = Magi::new();
    let source = [
        magi.event("source", 0, "user_input", &json!({"text": "begin"})),
        magi.event(
            "source",
            1,
            "subagent_session",
            &json!({"session_id": "helper"}),
        ),
    ];
    magi.write("source.jsonl", &source);
    let copy = [
        magi.event("copy", 0, "user_input", &json!({"text": "begin"})),
        magi.event(
            "copy",
            2,
            "diagnostic",
            &json!({"rewind_source_session": "source"}),
        ),
    ];
    magi.write("copy.jsonl", &copy);
    // Too long to be read whole for a listing: who it started is in the midst of it.
    let filler = magi.event(
        "long",
        1,
        "assistant_output",
        &json!({"text": "x".repeat(900)}),
    );
    let mut long = vec![filler; 2_000];
    long[1_000] = magi.event(
        "long",
        1,
        "subagent_session",
        &json!({"session_id": "deep"}),
    );
    magi.write("long.jsonl", &long);
    for child in ["helper", "deep", "nobodys"] {
        let lines = [magi.event(child, 3, "user_input", &json!({"text": "look"}))];
        magi.write(&format!("subagents/{child}.jsonl"), &lines);
    }
    let told = |id: &str| {
        let session = magi.listed(id);
        let text = |field: &str| session[field].as_str().unwrap_or("").to_owned();
        (text("kind"), text("parentId"))
    };
    let pair = |kind: &str, parent: &str| (kind.to_owned(), parent.to_owned());
    assert_eq!(told("source"), pair("", ""));
    assert_eq!(told("copy"), pair("fork", "source"));
    assert_eq!(told("helper"), pair("child", "source"));
    assert_eq!(told("deep"), pair("child", "long"));
    assert_eq!(told("nobodys"), pair("child", ""));
    let tree = magi.run(&["tree", "source", "--no-size"]);
    assert_eq!(tree.out.lines().count(), 4, "{}", tree.out);
}

#[test]
fn what_is_no_session_is_told_and_nothing_else_stops() {
    let magi = Magi::new();
    magi.add("good", "x");
    magi.add("-dash", "x");
    fs::write(magi.path("a b.jsonl"), "x").unwrap();
    fs::write(magi.path("notes.txt"), "x").unwrap();
    fs::write(magi.path("event-id-sequence"), "9").unwrap();
    fs::create_dir(magi.path("folder.jsonl")).unwrap();
    symlink(magi.path("good.jsonl"), magi.path("link.jsonl")).unwrap();
    fs::write(magi.path("empty.jsonl"), "").unwrap();
    let list = magi.json(&["list"]);
    let ids: Vec<&str> = list["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    assert!(ids.contains(&"good") && ids.contains(&"empty"));
    let mut faults: Vec<String> = list["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| {
            fault["path"]
                .as_str()
                .unwrap()
                .rsplit('/')
                .next()
                .unwrap()
                .to_owned()
        })
        .collect();
    faults.sort_unstable();
    assert_eq!(
        faults,
        ["-dash.jsonl", "a b.jsonl", "folder.jsonl", "link.jsonl"]
    );
    // What says nothing of its time is as old as its file.
    assert!(magi.listed("empty")["activityAt"].is_string());
}

#[test]
fn sizes_count_all_that_belongs_to_a_session() {
    let magi = Magi::new();
    magi.add("s", "x");
    let alone = magi.listed("s")["bytes"].as_u64().unwrap();
    for name in [".history/s", "summaries", "../checkpoints/ledgers"] {
        fs::create_dir_all(magi.path(name)).unwrap();
    }
    let block = vec![b'x'; 4096];
    for name in [
        "s.metadata.json",
        "s.psm.ndjson",
        "s.psm.status.json",
        ".history/s/1.jsonl",
        "summaries/s.jsonl",
        "../checkpoints/ledgers/s.jsonl",
    ] {
        fs::write(magi.path(name), &block).unwrap();
    }
    assert_eq!(
        magi.listed("s")["bytes"].as_u64().unwrap(),
        alone + 6 * 4096
    );
}

#[test]
fn contents_are_searched_exported_and_counted() {
    let magi = Magi::new();
    let lines = [
        magi.event("s", 0, "user_input", &json!({"text": "where is the caf\u{e9}"})),
        magi.event("s", 1, "tool_call", &json!({"name": "bash", "arguments": {"command": "ls"}})),
        magi.event(
            "s",
            2,
            "tool_result",
            &json!({"call_id": "1", "result": {"tool_name": "bash", "success": true, "content": "a\nb"}}),
        ),
    ];
    magi.write("s.jsonl", &lines);
    let found = magi.run(&["search", "caf\u{e9}"]);
    assert!(
        found.out.contains("where is the caf\u{e9}"),
        "{}",
        found.out
    );
    assert_eq!(magi.run(&["search", "user_input"]).out, "");
    let text = magi.run(&["export", "s", "--format", "text"]).out;
    for part in ["where is the caf\u{e9}", "tool: bash", "command: ls"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let log = magi.run(&["export", "s", "--format", "jsonl"]).out;
    assert_eq!(log, lines.concat());
}

#[test]
fn nothing_is_changed_and_it_says_so() {
    let magi = Magi::new();
    magi.add("s", "x");
    let before = snapshot(magi.home.path());
    for command in [
        &["prune", "--older-than", "1d", "--yes-most"][..],
        &["prune", "--older-than", "1d", "--dry-run"],
        &["rename", "s", "y"],
    ] {
        let ran = magi.run(command);
        assert_eq!(ran.code, 1, "{command:?}: {}", ran.out);
        assert!(ran.err.contains("magi"), "{command:?}: {}", ran.err);
    }
    assert_eq!(snapshot(magi.home.path()), before);
}

#[test]
fn a_folder_is_recognised_by_what_is_in_it() {
    let magi = Magi::new();
    magi.add("s", "x");
    let mut command = Command::new(SESSTREE);
    command.env_clear().env("HOME", magi.home.path());
    command
        .arg("--root")
        .arg(magi.root())
        .args(["list", "--json"]);
    let ran: Ran = bounded(&mut command).into();
    assert!(ran.out.contains("\"agent\":\"magi\""), "{}", ran.out);
    let ran = magi.run(&["--agent", "emacs", "list"]);
    assert_eq!(ran.code, 2);
    let mut command = Command::new(SESSTREE);
    command.env_clear().env("HOME", magi.home.path());
    let ran: Ran = bounded(command.args(["--agent", "emacs", "list"])).into();
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("expected one of zero, magi"),
        "{}",
        ran.err
    );
}
