//! `prune --delete-now`.

use std::time::{Duration, Instant};

use super::empty::in_terminal;
use super::forest;
use crate::support::binary::{Ran, ids, json, run};
use crate::support::{TestStore, skipped};

/// Runs it once no agent is there that takes no lease: other tests start some, for a moment.
/// `None`, loudly, where somebody's own agent stays.
fn delete(store: &TestStore, more: &[&str]) -> Option<Ran> {
    let arguments = [&["prune", "--older-than", "30d", "--delete-now"], more].concat();
    let deadline = Instant::now() + Duration::from_secs(15);
    loop {
        let ran = run(store, &arguments);
        if !ran.err.contains("runs without a lease here") {
            return Some(ran);
        }
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert!(store.has("alone"), "refused, and yet done");
        if Instant::now() > deadline {
            skipped(&format!("an agent without a lease is running: {}", ran.err));
            return None;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn it_deletes_what_the_trash_would_get() {
    let store = forest();
    let before = store.snapshot();
    let Some(dry) = delete(&store, &["--dry-run"]) else {
        return;
    };
    assert_eq!(dry.code, 0, "{}", dry.err);
    assert!(
        dry.out.starts_with("Would remove 1 session "),
        "{}",
        dry.out
    );
    assert_eq!(store.snapshot(), before);
    let Some(real) = delete(&store, &["--yes", "--json"]) else {
        return;
    };
    let report: serde_json::Value = serde_json::from_str(&real.out).unwrap();
    assert_eq!(ids(&report, "removed", "sessionId"), ["alone"]);
    assert_eq!(report["deleteNow"], true);
    assert_eq!(report.get("batch"), None);
    assert!(!store.path("alone").exists() && !store.path(".sesstree").exists());
    assert!(
        ["old", "fork", "new", "fresh"]
            .iter()
            .all(|id| store.has(id))
    );
    let log = json(&store, &["trash", "log"]);
    assert_eq!(log["entries"][0]["action"], "delete");
    assert_eq!(ids(&log["entries"][0], "sessions", "id"), ["alone"]);
}

#[test]
fn it_wants_a_yes_like_any_prune() {
    let store = forest();
    let ran = run(&store, &["prune", "--older-than", "30d", "--delete-now"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("off a terminal say --yes"), "{}", ran.err);
    let prune = ["prune", "--older-than", "30d", "--delete-now"];
    let question = [
        "Delete 1 session",
        "for good, which cannot be undone? [y/N]",
    ];
    for _ in 0..100 {
        let mut terminal = in_terminal(&store, &prune);
        let asked = std::cell::Cell::new(false);
        terminal.wait_for("a question or a refusal", |screen| {
            let text = screen.contents();
            asked.set(question.iter().all(|part| text.contains(part)));
            asked.get() || text.contains("runs without a lease here")
        });
        terminal.keys("n\r");
        terminal.end();
        assert!(store.has("alone"));
        if asked.get() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    skipped("an agent without a lease is running");
}
