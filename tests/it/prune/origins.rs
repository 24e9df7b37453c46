//! What a remnant descends from only its log tells: read to its end, or not known.

use std::fs;

use serde_json::json;
use sesstree::prune::execute::{dry_run, remove};
use sesstree::prune::report::{PruneReport, Step};

use super::remnants::remnant;
use super::{At, grace, id, lineage, old, plan, quiet, told, zero};
use crate::support::{TestStore, days_ago, now, set_age};

/// Makes a log one that cannot be read, whoever we are.
fn shut(store: &TestStore, name: &str) {
    let log = store.path(name).join("events.jsonl");
    fs::rename(&log, store.beside(&format!("log of {name}"))).unwrap();
    fs::create_dir(&log).unwrap();
    set_age(&store.path(name), days_ago(60));
}

#[test]
fn a_remnant_whose_log_cannot_be_read_stays_and_is_told() {
    let store = TestStore::new();
    store.add("q", "", 90);
    remnant(&store, "d", "q", 60);
    shut(&store, "d");
    let plan = dry_run(&zero(&store), plan(&store, old()), &quiet()).unwrap();
    let report = PruneReport::dry(&plan);
    let stays = "kept: damaged: it has no metadata, and its log cannot be read: it is a folder";
    assert_eq!(told(&report)["d"], stays);
    let warning = "1 damaged session may descend from what is removed";
    assert!(
        report
            .warnings
            .iter()
            .any(|told| told.to_string() == warning)
    );
}

#[test]
fn one_whose_log_cannot_be_read_any_more_keeps_all() {
    for named in ["q", ""] {
        let store = TestStore::new();
        store.add("q", "", 90);
        store.add("other", "", 90);
        remnant(&store, "d", named, 1);
        let plan = plan(&store, old()).confirm();
        let watch = At(|step: Step<'_>| {
            if step == Step::Locked {
                shut(&store, "d");
            }
        });
        let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
        let stays = "kept: a session that is new cannot be read and may descend from it: d";
        assert_eq!(told(&report)["other"], stays, "{named:?}");
        assert!(store.has("q") && store.has("other"));
    }
}

/// A fork copies its parent's log, and with it what that says of the parent's own parent.
#[test]
fn a_fork_of_a_fork_names_its_parent_behind_a_long_copy() {
    let store = TestStore::new();
    let fork = |parent: &str| json!({"parentSessionId": parent});
    let mut session = store
        .session("d")
        .event("session_fork", &fork("grandparent"));
    for _ in 0..10 {
        session = session.message("user", &"x".repeat(1 << 20));
    }
    session.event("session_fork", &fork("parent")).write();
    let parent = || lineage(&store).session(&id("d")).unwrap().parent.clone();
    fs::write(store.path("d/metadata.json"), "{").unwrap();
    assert_eq!(parent(), Some(id("parent")), "damaged");
    fs::remove_file(store.path("d/metadata.json")).unwrap();
    assert_eq!(parent(), Some(id("parent")), "a remnant");
    // Too long to be read in full: that may be anything.
    let log = fs::File::options()
        .write(true)
        .open(store.path("d/events.jsonl"))
        .unwrap();
    log.set_len(1 << 30).unwrap();
    assert_eq!(plan(&store, old()).damaged_without_parent(), 1);
}
