//! Every removal is written down, and what cannot be written down stops none.

use std::fs;
use std::path::PathBuf;

use sesstree::prune::execute::{dry_run, remove};
use sesstree::prune::expiry::Wanted;
use sesstree::prune::purge::{check, empty};
use sesstree::prune::report::{BatchId, Progress, Restore, Step, Watch};
use sesstree::store::Store as _;
use sesstree::store::removals::{Action, Log, Logged, Stage};

use super::faults::{Faulty, Trouble};
use super::purge::trash;
use super::{At, Flock, alone, grace, id, old, plan, quiet};
use crate::support::{TestStore, now};

fn folder(store: &TestStore) -> PathBuf {
    store.beside("state")
}

fn log(store: &TestStore) -> Vec<Logged> {
    let log = Log::read(&folder(store)).unwrap();
    assert_eq!(log.unreadable, 0);
    log.entries
}

fn ids(entry: &Logged) -> Vec<&str> {
    entry
        .sessions
        .iter()
        .map(|session| session.id.as_str())
        .collect()
}

#[test]
fn a_prune_a_restore_and_an_emptying_are_written_down() {
    let store = TestStore::new();
    for (name, parent) in [("a", ""), ("b", "a"), ("held", "")] {
        store.add(name, parent, 90);
    }
    let _holder = Flock::open(&store, "held");
    let zero = alone(&store);
    let checked = dry_run(&zero, plan(&store, old()), &quiet()).unwrap();
    let report = remove(&zero, checked.confirm(), now(), grace(), &quiet()).unwrap();
    assert_eq!(report.warnings, []);
    let batch = report.batch.unwrap();
    zero.restore(&Restore::Session(id("a")), &quiet()).unwrap();
    let trash = check(&zero, &Wanted::Batches([batch.clone()].into())).unwrap();
    let report = empty(&zero, &trash.confirm(), &quiet()).unwrap();
    assert_eq!((report.kept.len(), report.emptied.len()), (0, 1));
    let log = log(&store);
    let told: Vec<_> = log.iter().map(|entry| (entry.action, ids(entry))).collect();
    assert_eq!(
        told,
        [
            (Action::Purge, vec!["b"]),
            (Action::Restore, vec!["a"]),
            (Action::Trash, vec!["b", "a"]),
        ]
    );
    for entry in &log {
        assert_eq!(entry.stage, Stage::Outcome);
        assert_eq!(entry.batch.as_ref(), Some(&batch));
        assert_eq!(entry.store.as_str(), store.root().to_str().unwrap());
        assert_eq!(entry.time, "2026-11-01T12:00:00Z");
        let session = &entry.sessions[0];
        assert!(session.title.as_str().starts_with("title of "));
        assert!(session.bytes.is_some_and(|bytes| bytes > 0));
        assert!(
            session
                .updated_at
                .as_ref()
                .unwrap()
                .starts_with("2026-08-03")
        );
    }
    assert_eq!(log[2].policy.as_str(), "all older than 30d");
    let text = fs::read_to_string(folder(&store).join("removals.jsonl")).unwrap();
    assert!(!text.contains("hello"), "text of a transcript");
}

/// Before anything moves: who dies half way has said what he was about to do.
#[test]
fn the_intent_is_written_before_the_first_move() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let zero = alone(&store);
    let watch = At(|step: Step<'_>| {
        if matches!(step, Step::Rechecked(_)) {
            let log = log(&store);
            assert_eq!((log[0].stage, ids(&log[0])), (Stage::Intent, vec!["a"]));
        }
        if step == Step::BatchMoved {
            assert_eq!(log(&store)[0].stage, Stage::Intent);
        }
    });
    remove(&zero, plan(&store, old()).confirm(), now(), grace(), &watch).unwrap();
    assert_eq!(log(&store)[0].stage, Stage::Outcome);
}

#[test]
fn what_came_back_half_way_is_not_written_down_as_gone() {
    let store = TestStore::new();
    store.add("a", "", 90);
    store.add("b", "", 90);
    let watch = At(|step: Step<'_>| {
        if step == Step::BatchMoved {
            store.add("fork", "a", 0);
        }
    });
    let confirmed = plan(&store, old()).confirm();
    remove(&alone(&store), confirmed, now(), grace(), &watch).unwrap();
    assert_eq!(ids(&log(&store)[0]), ["b"]);
}

#[test]
fn a_look_writes_nothing() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let zero = alone(&store);
    dry_run(&zero, plan(&store, old()), &quiet()).unwrap();
    check(&zero, &Wanted::All).unwrap();
    assert!(!folder(&store).exists());
}

#[test]
fn a_record_that_cannot_be_written_is_told_and_stops_nothing() {
    let store = TestStore::new();
    store.add("a", "", 90);
    fs::write(folder(&store), "in the way").unwrap();
    let zero = alone(&store);
    let confirmed = plan(&store, old()).confirm();
    let report = remove(&zero, confirmed, now(), grace(), &quiet()).unwrap();
    assert_eq!(report.removed.len(), 1);
    let missing = "this is missing in the record of removals: ";
    assert_eq!(report.warnings.len(), 1, "once: {:?}", report.warnings);
    assert!(report.warnings[0].to_string().starts_with(missing));
    assert!(report.to_string().contains(&format!("Warning: {missing}")));
    let back = zero.restore(&Restore::Session(id("a")), &quiet()).unwrap();
    assert_eq!((back.restored.len(), back.warnings.len()), (1, 1));
    let confirmed = plan(&store, old()).confirm();
    remove(&zero, confirmed, now(), grace(), &quiet()).unwrap();
    let trash = check(&zero, &Wanted::All).unwrap().confirm();
    let report = empty(&zero, &trash, &quiet()).unwrap();
    assert_eq!((report.emptied.len(), report.warnings.len()), (1, 1));
}

/// A store with one batch in the trash: (the store, the batch).
fn with_batch() -> (TestStore, BatchId) {
    let store = TestStore::new();
    store.add("a", "", 90);
    let batch = trash(&store, &["a"]);
    (store, batch)
}

/// What the one entry of the record says of why nothing was done: (kept, failed).
fn why(store: &TestStore) -> (String, String) {
    let log = log(store);
    assert_eq!(log.len(), 1, "{log:?}");
    let entry = &log[0];
    assert_eq!((entry.action, entry.stage), (Action::Purge, Stage::Outcome));
    assert_eq!(entry.sessions, []);
    (entry.kept.to_string(), entry.failed.to_string())
}

/// Stops from the first question on.
struct Stopped;

impl Watch for Stopped {
    fn progress(&self, _: Progress) {}

    fn stopped(&self) -> bool {
        true
    }
}

#[test]
fn an_emptying_that_keeps_a_batch_after_all_says_why() {
    let (store, _) = with_batch();
    let zero = alone(&store);
    let confirmed = check(&zero, &Wanted::All).unwrap().confirm();
    let watch = At(|step: Step<'_>| {
        if step == Step::TrashTaken {
            store.add("late", "a", 0);
        }
    });
    empty(&zero, &confirmed, &watch).unwrap();
    let kept = "a is an ancestor of late, which is in the store";
    assert_eq!(why(&store), (kept.to_owned(), String::new()));

    let (store, batch) = with_batch();
    let zero = alone(&store);
    let confirmed = check(&zero, &Wanted::All).unwrap().confirm();
    let report = empty(&zero, &confirmed, &Stopped).unwrap();
    assert_eq!(report.not_reached, [batch]);
    assert_eq!(why(&store), ("stopped before it".to_owned(), String::new()));
}

#[test]
fn an_emptying_that_fails_says_how() {
    let (store, _) = with_batch();
    let zero = alone(&store);
    let confirmed = check(&zero, &Wanted::All).unwrap().confirm();
    let trouble = Trouble::Listing(2);
    let report = empty(&Faulty { zero, trouble }, &confirmed, &quiet()).unwrap();
    assert_eq!(report.failed.len(), 1);
    let (kept, failed) = why(&store);
    assert_eq!((kept.as_str(), &failed), ("", &report.failed[0].reason));
}
