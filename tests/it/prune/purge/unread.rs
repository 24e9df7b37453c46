//! What cannot be read may descend from what is in the trash: only who was told so can say yes to that.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use sesstree::prune::execute::remove;
use sesstree::prune::expiry::Wanted;
use sesstree::prune::plan::Disposal;
use sesstree::prune::purge::{check, empty};
use sesstree::prune::report::{EmptyReport, Restore, Step};
use sesstree::store::Store as _;

use super::super::newcomers::unreadable;
use super::super::{At, alone, grace, old, plan, quiet, told, zero};
use super::{batches, emptied, is_gone, kept, looked, trash};
use crate::support::{TestStore, now};

fn stays(report: &EmptyReport, id: &str) {
    assert_eq!(batches(report), [""; 0], "{report:?}");
    let says = format!("a session cannot be read and may descend from it: {id}");
    assert_eq!(kept(report), [says.as_str(); 1]);
}

#[test]
fn one_that_appears_after_the_preview_keeps_all() {
    for late in [Step::Locked, Step::TrashTaken] {
        let store = TestStore::new();
        store.add("a", "", 90);
        let batch = trash(&store, &["a"]);
        unreadable(&store, "known");
        let watch = At(|step: Step<'_>| {
            if step == late {
                unreadable(&store, "new");
            }
        });
        stays(&emptied(&store, &Wanted::All, &watch), "new");
        let place = store.path(".sesstree/trash").join(batch.as_str());
        assert!(place.join("a/metadata.json").exists(), "{late:?}");
    }
}

#[test]
fn one_that_could_be_read_at_the_preview_keeps_all() {
    let store = TestStore::new();
    store.add("a", "", 90);
    trash(&store, &["a"]);
    store.add("b", "", 1);
    let confirmed = looked(&store, &Wanted::All).confirm();
    unreadable(&store, "b");
    stays(&empty(&zero(&store), &confirmed, &quiet()).unwrap(), "b");
    // So does another one in the place of one that could not.
    let confirmed = looked(&store, &Wanted::All).confirm();
    fs::rename(store.path("b"), store.beside("b")).unwrap();
    unreadable(&store, "b");
    stays(&empty(&zero(&store), &confirmed, &quiet()).unwrap(), "b");
}

#[test]
fn one_that_was_told_of_keeps_nothing() {
    let store = TestStore::new();
    store.add("a", "", 90);
    trash(&store, &["a"]);
    unreadable(&store, "known");
    let plan = looked(&store, &Wanted::All);
    let says = "1 damaged session may descend from what is removed";
    assert_eq!(plan.report().warnings[0].to_string(), says);
    let report = empty(&zero(&store), &plan.confirm(), &quiet()).unwrap();
    assert_eq!((report.emptied.len(), kept(&report)), (1, vec![]));
    is_gone(&store);
}

#[test]
fn one_in_the_trash_that_cannot_be_read_keeps_all() {
    let store = TestStore::new();
    store.add("a", "", 90);
    trash(&store, &["a"]);
    store.add("b", "", 90);
    let batch = trash(&store, &["b"]);
    let place = store.path(".sesstree/trash").join(batch.as_str());
    fs::write(place.join("b/metadata.json"), "{").unwrap();
    fs::remove_file(place.join("b/events.jsonl")).unwrap();
    let report = emptied(&store, &Wanted::All, &quiet());
    assert_eq!(batches(&report), [""; 0]);
    let says =
        format!("what descends from it cannot be told: batch {batch}: b in it cannot be read: ");
    assert!(
        kept(&report).iter().all(|why| why.starts_with(&says)),
        "{report:?}"
    );
    // What it descends from is known all the same if the record says so.
    let record = place.join("batch.json");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(
        &record,
        text.replace("\"title\"", "\"parent\": \"x\", \"title\""),
    )
    .unwrap();
    assert_eq!(emptied(&store, &Wanted::All, &quiet()).emptied.len(), 2);
}

/// Whatever lies in the trash may be, or lead to, a child of what is to go.
#[test]
fn what_is_no_batch_keeps_all_and_is_told() {
    type Stray = (&'static str, fn(&Path), &'static str);
    let strays: [Stray; 3] = [
        (
            "by-hand",
            |at| fs::create_dir(at).unwrap(),
            "no batch has a name like this",
        ),
        ("a.b", |at| symlink("/nowhere", at).unwrap(), "it is a link"),
        (
            "20260101T000000Z-link",
            |at| symlink("..", at).unwrap(),
            "it is a link",
        ),
    ];
    for (name, make, what) in strays {
        let store = TestStore::new();
        store.add("a", "", 90);
        store.add("b", "", 90);
        let batch = trash(&store, &["a"]);
        let confirmed = looked(&store, &Wanted::All).confirm();
        let place = store.path(".sesstree/trash");
        make(&place.join(name));
        let why = format!(
            "this store cannot be changed: what lies in {name} in its trash cannot be told: {what}"
        );
        let report = empty(&zero(&store), &confirmed, &quiet()).unwrap();
        assert_eq!((batches(&report).len(), kept(&report)), (0, vec![&*why]));
        let refused = check(&zero(&store), &Wanted::All).unwrap_err();
        assert_eq!(refused.to_string(), why);
        assert!(place.join(batch.as_str()).join("a/metadata.json").exists());
        // Nothing is deleted that it may descend from, and everybody is told.
        let plan = plan(&store, old()).disposing(Disposal::Delete).confirm();
        let report = remove(&alone(&store), plan, now(), grace(), &quiet()).unwrap();
        assert_eq!(told(&report)["b"], format!("kept: {why}"));
        let (listed, faults) = zero(&store).trash().unwrap();
        assert_eq!((listed.len(), faults.len()), (1, 1));
        assert_eq!(faults[0].path, place.join(name));
        // It keeps nobody from coming back.
        let back = zero(&store)
            .restore(&Restore::Batch(batch), &quiet())
            .unwrap();
        assert_eq!(back.restored.len(), 1);
    }
}

/// A remnant with a log that cannot be read is one, too.
#[test]
fn a_remnant_keeps_all_if_its_log_cannot_be_read() {
    let store = TestStore::new();
    store.add("a", "", 90);
    trash(&store, &["a"]);
    fs::create_dir_all(store.path("d/events.jsonl")).unwrap();
    let plan = looked(&store, &Wanted::All);
    let says = "1 damaged session may descend from what is removed";
    assert_eq!(plan.report().warnings[0].to_string(), says);
    stays(&plan.unasked().report(), "d");
}

#[test]
fn where_nobody_was_asked_any_keeps_all() {
    let store = TestStore::new();
    store.add("a", "", 90);
    trash(&store, &["a"]);
    let early = looked(&store, &Wanted::All).unasked().confirm();
    unreadable(&store, "b");
    stays(&empty(&zero(&store), &early, &quiet()).unwrap(), "b");
    let plan = looked(&store, &Wanted::All).unasked();
    stays(&plan.report(), "b");
    stays(
        &empty(&zero(&store), &plan.confirm(), &quiet()).unwrap(),
        "b",
    );
}
