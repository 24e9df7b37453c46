//! A prune of more than half of all sessions needs more than a plain yes.

use std::ffi::OsString;
use std::fs;

use serde_json::json as value;

use super::{add, forest};
use crate::support::TestStore;
use crate::support::binary::{Flock, ids, json, run};
use crate::support::terminal::Terminal;

/// Three of five would go.
fn most() -> TestStore {
    let store = TestStore::new();
    for name in ["a", "b", "c"] {
        add(&store, name, "", 60);
    }
    for name in ["new1", "new2"] {
        add(&store, name, "", 1);
    }
    store
}

const AGE: [&str; 3] = ["prune", "--older-than", "30d"];

fn prune(more: &[&'static str]) -> Vec<&'static str> {
    [&AGE[..], more].concat()
}

#[test]
fn off_a_terminal_a_plain_yes_is_refused() {
    for more in [
        &["--yes"][..],
        &["--yes", "--json"],
        &["--yes", "--delete-now"],
    ] {
        let store = most();
        let before = store.snapshot();
        let ran = run(&store, &prune(more));
        assert_eq!((ran.code, &*ran.out), (2, ""), "{more:?}: {}", ran.err);
        let says = [
            "3 of 5 sessions would go, more than half; nothing was removed: say --yes-most",
            // The agent of somebody at work here, which has nothing to do with this.
            "runs without a lease here",
        ];
        assert!(
            says.iter().any(|says| ran.err.contains(says)),
            "{}",
            ran.err
        );
        assert_eq!(store.snapshot(), before, "{more:?}");
    }
}

#[test]
fn yes_most_means_yes() {
    for more in [&["--yes-most"][..], &["--yes", "--yes-most"]] {
        let store = most();
        let report = json(&store, &prune(more));
        assert_eq!(ids(&report, "removed", "sessionId").len(), 3);
        assert_eq!(report.get("warnings"), None);
        assert!(!store.has("a") && store.has("new1"));
    }
}

#[test]
fn up_to_half_a_plain_yes_does() {
    let store = forest();
    let report = json(&store, &prune(&["--yes"]));
    assert_eq!(ids(&report, "removed", "sessionId"), ["alone"]);
}

/// What the locks say counts, not what it looks like.
#[test]
fn what_is_open_counts_as_staying() {
    let store = most();
    let holder = Flock::shared(&store.path("a/lease.lock"));
    let report = json(&store, &prune(&["--yes"]));
    drop(holder);
    assert_eq!(ids(&report, "removed", "sessionId"), ["b", "c"]);
    assert!(store.has("a"));
}

#[test]
fn a_dry_run_tells_that_it_would_be_needed() {
    let store = most();
    let report = json(&store, &prune(&["--dry-run"]));
    let says = "3 of 5 sessions would go, more than half: off a terminal that needs --yes-most";
    assert_eq!(report["warnings"], value!([says]));
    let text = run(&store, &prune(&["--dry-run"]));
    assert!(text.out.contains(says), "{}", text.out);
    let half = json(&forest(), &prune(&["--dry-run"]));
    assert_eq!(half.get("warnings"), None);
}

#[test]
fn on_a_terminal_the_word_is_asked_for() {
    let env = |store: &TestStore| -> [(&str, OsString); 2] {
        [
            ("HOME", store.beside("home").into()),
            ("TERM", "xterm-256color".into()),
        ]
    };
    for (yes, answer, moves) in [
        (None, "prune\r", true),
        (Some("--yes"), "prune\r", true),
        (None, "y\r", false),
        (Some("--yes"), "yes\r", false),
        (None, "\r", false),
        (None, "prune all\r", false),
        (None, "\x04", false),
    ] {
        let store = most();
        fs::create_dir_all(store.beside("home")).unwrap();
        let root = store.root();
        let arguments = ["--root", root.to_str().unwrap()].into_iter().chain(AGE);
        let arguments: Vec<&str> = arguments.chain(yes).collect();
        let mut terminal = Terminal::start(env!("CARGO_BIN_EXE_sesstree"), arguments, &env(&store));
        terminal.wait_for_text("That is more than half of all 5. Type prune and Enter.");
        terminal.keys(answer);
        assert_eq!(terminal.end().exit_code(), u32::from(!moves), "{answer:?}");
        assert_eq!(store.has("a"), !moves, "{answer:?}");
    }
}
