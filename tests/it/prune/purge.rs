//! Emptying the trash: what goes for good, and what stays with its descendants.

mod doubt;
mod leftovers;
mod revived;
mod stopped;
mod unread;

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;

use chrono::TimeDelta;
use sesstree::prune::execute::remove;
use sesstree::prune::expiry::{TrashPlan, Wanted};
use sesstree::prune::policy::Policy;
use sesstree::prune::purge::{check, empty};
use sesstree::prune::report::{BatchId, EmptyReport, Restore, Step, Watch};
use sesstree::store::Store as _;

use super::{At, contents, grace, id, old, plan, prune, quiet, zero};
use crate::support::{TestStore, now, write_file};

/// When the grace of what is pruned now is over.
pub(super) fn expired() -> Wanted {
    Wanted::Expired(now() + grace() + TimeDelta::seconds(1))
}

fn looked(store: &TestStore, wanted: &Wanted) -> TrashPlan {
    check(&zero(store), wanted).unwrap()
}

fn emptied(store: &TestStore, wanted: &Wanted, watch: &dyn Watch) -> EmptyReport {
    let before = store.snapshot();
    let plan = looked(store, wanted);
    assert_eq!(store.snapshot(), before, "a look changes nothing");
    empty(&zero(store), &plan.confirm(), watch).unwrap()
}

/// Moves these to the trash, in a batch of their own.
pub(crate) fn trash(store: &TestStore, names: &[&str]) -> BatchId {
    let names = names.iter().map(|name| id(name)).collect();
    let report = prune(store, Policy::chosen(names, now()));
    assert_eq!(report.kept, [], "all went");
    report.batch.unwrap()
}

fn batches(report: &EmptyReport) -> Vec<&str> {
    let emptied = report.emptied.iter();
    emptied.map(|emptied| emptied.batch.as_str()).collect()
}

/// What stays and why; whatever failed is shown too.
fn kept(report: &EmptyReport) -> Vec<&str> {
    let kept = report.kept.iter().chain(&report.failed);
    kept.map(|kept| kept.reason.as_str()).collect()
}

/// What lies below our own folder.
fn below(store: &TestStore, folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(store.path(".sesstree").join(folder));
    let entries = entries.into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn is_gone(store: &TestStore) {
    assert_eq!(below(store, "trash"), [] as [PathBuf; 0]);
    assert_eq!(below(store, "purge"), [] as [PathBuf; 0]);
    assert_eq!(zero(store).trash().unwrap(), (vec![], vec![]));
}

#[test]
fn an_expired_batch_goes_for_good() {
    let store = TestStore::new();
    store.add("a", "", 90);
    store.add("b", "a", 80);
    store.add("stays", "", 1);
    fs::create_dir_all(store.path("b/checkpoints/blobs")).unwrap();
    write_file(&store.path("b/checkpoints/blobs/0a"), b"blob");
    let batch = trash(&store, &["a", "b"]);
    let living = contents(&store);
    let early = Wanted::Expired(now() + grace());
    assert_eq!(looked(&store, &early).batches(), [], "not yet");
    let report = emptied(&store, &expired(), &quiet());
    assert_eq!(batches(&report), [batch.as_str()]);
    assert_eq!((report.sessions(), kept(&report)), (2, vec![]));
    assert!(report.bytes > 0 && !report.dry_run);
    is_gone(&store);
    assert_eq!(contents(&store), living);
}

#[test]
fn a_batch_whose_record_cannot_be_read_never_expires() {
    let far = Wanted::Expired(now() + TimeDelta::days(36_500));
    for record in [
        None,
        Some("{\"expiresAt\": 3"),
        Some("{}"),
        Some("{\"expiresAt\":\"soon\"}"),
    ] {
        let store = TestStore::new();
        store.add("a", "", 90);
        let batch = trash(&store, &["a"]);
        let file = store
            .path(".sesstree/trash")
            .join(batch.as_str())
            .join("batch.json");
        match record {
            None => fs::remove_file(file).unwrap(),
            Some(text) => fs::write(file, text).unwrap(),
        }
        assert_eq!(looked(&store, &far).batches(), [], "{record:?}");
        let named = Wanted::Batches([batch].into());
        assert_eq!(emptied(&store, &named, &quiet()).emptied.len(), 1);
        is_gone(&store);
    }
}

#[test]
fn ancestors_of_the_living_stay_with_their_batches() {
    let store = TestStore::new();
    for (name, parent) in [
        ("a", ""),
        ("b", "a"),
        ("c", "b"),
        ("beside-b", ""),
        ("other", ""),
    ] {
        store.add(name, parent, 90);
    }
    let other = trash(&store, &["other"]);
    trash(&store, &["c"]);
    trash(&store, &["b", "beside-b"]);
    trash(&store, &["a"]);
    // Born late, by an agent that takes no lease.
    store.add("late", "c", 0);
    let before = contents(&store);
    for wanted in [expired(), Wanted::All] {
        let plan = looked(&store, &wanted);
        assert_eq!(
            plan.going().count(),
            usize::from(below(&store, "trash").len() == 4)
        );
        let report = emptied(&store, &wanted, &quiet());
        assert!(batches(&report).iter().all(|gone| *gone == other.as_str()));
        let mut reasons = kept(&report);
        reasons.sort_unstable();
        let all = ["a", "b", "c"]
            .map(|name| format!("{name} is an ancestor of late, which is in the store"));
        assert_eq!(reasons, all);
    }
    assert_eq!(below(&store, "trash").len(), 3);
    assert_eq!(contents(&store), before);
    zero(&store)
        .restore(&Restore::Session(id("c")), &quiet())
        .unwrap();
    assert!(["a", "b", "c"].iter().all(|name| store.has(name)));
}

#[test]
fn an_ancestor_of_what_stays_in_the_trash_stays_too() {
    let store = TestStore::new();
    store.add("a", "", 90);
    store.add("b", "a", 80);
    let child = trash(&store, &["b"]);
    let parent = trash(&store, &["a"]);
    let only = |batch: &BatchId| Wanted::Batches([batch.clone()].into());
    let report = emptied(&store, &only(&parent), &quiet());
    let keeps = "a is an ancestor of b, which is in the trash";
    assert_eq!(kept(&report), [keeps]);
    assert_eq!(below(&store, "trash").len(), 2);
    // What the session itself tells counts, whatever the record says.
    let record = store
        .path(".sesstree/trash")
        .join(child.as_str())
        .join("batch.json");
    let text = fs::read_to_string(&record).unwrap();
    let wrong = text.replace("\"parent\": \"a\"", "\"parent\": \"x\", \"bytes\": 5");
    assert!(wrong.contains("\"x\""), "{text}");
    fs::write(&record, wrong).unwrap();
    assert_eq!(kept(&emptied(&store, &only(&parent), &quiet())), [keeps]);
    assert_eq!(emptied(&store, &Wanted::All, &quiet()).emptied.len(), 2);
    is_gone(&store);
}

/// The listing before the yes may be of last week.
#[test]
fn what_is_born_after_the_look_keeps_its_ancestors() {
    for late in [Step::Locked, Step::TrashTaken] {
        let store = TestStore::new();
        store.add("a", "", 90);
        store.add("b", "", 90);
        trash(&store, &["a"]);
        let other = trash(&store, &["b"]);
        let before = store.snapshot();
        let times = Cell::new(0);
        let watch = At(|step: Step<'_>| {
            if step == late {
                times.set(times.get() + 1);
                store.add("late", "a", 0);
            }
        });
        let report = emptied(&store, &Wanted::All, &watch);
        assert_eq!(times.get(), 1, "{late:?}");
        assert_eq!(batches(&report), [other.as_str()], "{late:?}");
        assert_eq!(
            kept(&report),
            ["a is an ancestor of late, which is in the store"]
        );
        let after = store.snapshot();
        let whole = |path: &PathBuf| path.ends_with("a/metadata.json");
        let path = before.keys().find(|path| whole(path)).unwrap();
        assert_eq!(after[path], before[path], "{late:?}");
    }
}

#[test]
fn a_prune_empties_only_what_its_plan_shows() {
    let store = TestStore::new();
    store.add("gone", "", 90);
    let batch = trash(&store, &["gone"]);
    store.add("a", "", 90);
    let later = now() + TimeDelta::days(9);
    let unasked = plan(&store, old()).confirm();
    let report = remove(&zero(&store), unasked, later, grace(), &quiet()).unwrap();
    assert_eq!(report.removed.len(), 1);
    assert!(report.trash.is_empty());
    assert_eq!(below(&store, "trash").len(), 2, "nobody asked for it");
    store.add("b", "", 90);
    let asked = plan(&store, old()).with_trash(looked(&store, &expired()));
    assert_eq!(
        sesstree::prune::report::PruneReport::dry(&asked)
            .trash
            .emptied
            .len(),
        1
    );
    let report = remove(&zero(&store), asked.confirm(), later, grace(), &quiet()).unwrap();
    assert_eq!(report.removed.len(), 1);
    assert_eq!(batches(&report.trash), [batch.as_str()]);
    assert_eq!(below(&store, "trash").len(), 2, "the new ones are there");
}
