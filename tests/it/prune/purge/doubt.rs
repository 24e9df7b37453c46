//! What is not what was shown stays, any doubt keeps all, and nothing outside is touched.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use rustix::fs::{CWD, Mode};
use sesstree::prune::execute::remove;
use sesstree::prune::expiry::Wanted;
use sesstree::prune::plan::Disposal;
use sesstree::prune::purge::{check, empty};
use sesstree::prune::report::{BatchId, Restore, Step};
use sesstree::session::Refusal;
use sesstree::store::Store as _;

use super::super::faults::{Faulty, Trouble};
use super::super::{At, alone, grace, id, old, plan, quiet, zero};
use super::{batches, below, emptied, is_gone, kept, looked, trash};
use crate::support::{TestStore, now, write_file};

/// Only what was confirmed goes.
#[test]
fn what_is_no_longer_what_was_shown_stays() {
    let store = TestStore::new();
    for name in ["a", "b", "c", "d", "e"] {
        store.add(name, "", 90);
    }
    let replaced = trash(&store, &["a"]);
    let filled = trash(&store, &["b"]);
    let exchanged = trash(&store, &["c"]);
    let changed = trash(&store, &["e"]);
    let place = |batch: &BatchId| store.path(".sesstree/trash").join(batch.as_str());
    let confirmed = looked(&store, &Wanted::All).confirm();
    let unseen = trash(&store, &["d"]);
    fs::rename(place(&replaced), store.beside("aside")).unwrap();
    fs::create_dir(place(&replaced)).unwrap();
    fs::rename(store.beside("aside/a"), place(&replaced).join("a")).unwrap();
    store.add("more", "", 90);
    fs::rename(store.path("more"), place(&filled).join("more")).unwrap();
    store.add("c", "", 90);
    fs::rename(place(&exchanged).join("c"), store.beside("c")).unwrap();
    fs::rename(store.path("c"), place(&exchanged).join("c")).unwrap();
    fs::write(
        place(&changed).join("e/metadata.json"),
        "{\"sessionId\":\"e\"}",
    )
    .unwrap();
    let report = empty(&zero(&store), &confirmed, &quiet()).unwrap();
    assert_eq!(batches(&report), [] as [&str; 0], "{report:?}");
    assert_eq!(kept(&report), ["changed since it was shown"; 4]);
    let there = [
        (&replaced, "a"),
        (&filled, "b"),
        (&filled, "more"),
        (&exchanged, "c"),
        (&changed, "e"),
    ];
    for (batch, name) in there.into_iter().chain([(&unseen, "d")]) {
        assert!(
            place(batch).join(name).join("metadata.json").exists(),
            "{name}"
        );
    }
}

#[test]
fn what_was_restored_meanwhile_stays_restored_and_the_rest_goes() {
    let store = TestStore::new();
    for name in ["a", "b", "c"] {
        store.add(name, "", 90);
    }
    trash(&store, &["a", "b"]);
    let gone = trash(&store, &["c"]);
    let confirmed = looked(&store, &Wanted::All).confirm();
    for what in [Restore::Session(id("a")), Restore::Batch(gone)] {
        zero(&store).restore(&what, &quiet()).unwrap();
    }
    let report = empty(&zero(&store), &confirmed, &quiet()).unwrap();
    assert_eq!(report.emptied.len(), 1);
    assert_eq!(report.emptied[0].sessions, 1);
    assert_eq!(kept(&report), ["already gone"]);
    assert!(store.has("a") && store.has("c") && !store.has("b"));
    is_gone(&store);
}

#[test]
fn links_lead_nowhere_and_what_lies_outside_stays() {
    let store = TestStore::new();
    let outside = store.beside("outside");
    fs::create_dir_all(outside.join("folder")).unwrap();
    write_file(&outside.join("file"), b"alive");
    write_file(&outside.join("folder/file"), b"alive");
    store.add("a", "", 90);
    fs::create_dir_all(store.path("a/checkpoints/blobs")).unwrap();
    for at in ["a", "a/checkpoints", "a/checkpoints/blobs"] {
        symlink(outside.join("file"), store.path(at).join("to-file")).unwrap();
        symlink(outside.join("folder"), store.path(at).join("to-folder")).unwrap();
        symlink(store.root(), store.path(at).join("to-root")).unwrap();
        fs::hard_link(outside.join("file"), store.path(at).join("hard")).unwrap();
        let fifo = store.path(at).join("fifo");
        rustix::fs::mkfifoat(CWD, &fifo, Mode::RUSR | Mode::WUSR).unwrap();
    }
    let batch = trash(&store, &["a"]);
    let place = store.path(".sesstree/trash").join(batch.as_str());
    symlink(&outside, place.join("beside")).unwrap();
    symlink(&outside, place.join("linked-session")).unwrap();
    fs::rename(place.join("batch.json"), store.beside("batch.json")).unwrap();
    symlink(store.beside("batch.json"), place.join("batch.json")).unwrap();
    let mut canaries = crate::support::snapshot(&outside);
    // A name less takes the change time along.
    canaries.remove(&PathBuf::from("file"));
    assert_eq!(emptied(&store, &Wanted::All, &quiet()).emptied.len(), 1);
    is_gone(&store);
    assert!(store.beside("batch.json").exists());
    assert_eq!(fs::read(outside.join("file")).unwrap(), b"alive");
    let mut after = crate::support::snapshot(&outside);
    after.remove(&PathBuf::from("file"));
    assert_eq!(after, canaries);
}

#[test]
fn our_own_folders_may_not_be_links() {
    for name in [".sesstree/purge", ".sesstree/trash"] {
        let store = TestStore::new();
        store.add("a", "", 90);
        let batch = trash(&store, &["a"]);
        let canary = store.beside("canary");
        fs::create_dir(&canary).unwrap();
        if name == ".sesstree/trash" {
            fs::rename(store.path(name), canary.join("trash")).unwrap();
            symlink(canary.join("trash"), store.path(name)).unwrap();
            assert!(check(&zero(&store), &Wanted::All).is_err());
        } else {
            fs::create_dir(canary.join("file")).unwrap();
            symlink(&canary, store.path(name)).unwrap();
            let report = emptied(&store, &Wanted::All, &quiet());
            assert_eq!(
                (report.emptied.len(), report.failed.len()),
                (0, 1),
                "{report:?}"
            );
            assert!(canary.join("file").exists());
        }
        let a = store.path(".sesstree/trash").join(batch.as_str()).join("a");
        assert!(a.join("metadata.json").exists());
    }
}

#[test]
fn trouble_before_the_last_look_keeps_all() {
    let shelves = Trouble::Shelves;
    for trouble in [
        shelves,
        Trouble::Trash,
        Trouble::Listing(1),
        Trouble::Listing(2),
    ] {
        let store = TestStore::new();
        store.add("a", "", 90);
        trash(&store, &["a"]);
        let confirmed = looked(&store, &Wanted::All).confirm();
        let zero = zero(&store);
        let faulty = Faulty { zero, trouble };
        let report = empty(&faulty, &confirmed, &quiet()).unwrap();
        assert_eq!(
            (report.emptied.len(), report.failed.len()),
            (0, 1),
            "{report:?}"
        );
        assert_eq!(below(&store, "trash").len(), 1);
        zero_restores(&store, "a");
    }
}

/// Left where it is, the next run would unlink it.
#[test]
fn a_batch_that_finds_no_way_back_is_kept_aside_and_told() {
    let store = TestStore::new();
    for name in ["a", "b"] {
        store.add(name, "", 90);
    }
    let batch = trash(&store, &["a"]);
    let other = trash(&store, &["b"]);
    let place = store.path(".sesstree/trash").join(batch.as_str());
    let watch = At(|step: Step<'_>| {
        if step == Step::TrashTaken {
            fs::create_dir(&place).unwrap();
            fs::write(place.join("in-the-way"), "").unwrap();
            store.add("late", "a", 0);
        }
    });
    let report = emptied(&store, &Wanted::All, &watch);
    assert_eq!(batches(&report), [] as [&str; 0], "{report:?}");
    let aside = format!(".sesstree-kept.{batch}");
    let says = format!("cannot be taken out of the trash: it is in {aside} and does not go back: ");
    let failed = report.failed.iter().find(|kept| kept.batch == batch);
    let reason = &failed.unwrap().reason;
    assert!(reason.starts_with(&says), "{reason}");
    // The rest is back, and no later run unlinks what lies aside.
    let back = store.path(".sesstree/trash").join(other.as_str());
    assert!(back.join("b/metadata.json").exists());
    emptied(&store, &Wanted::All, &quiet());
    assert!(store.path(&aside).join("a/metadata.json").exists());
    assert!(store.has("late"));
}

/// Not even there: then what the same run deletes afterwards is unlinked, and not this.
#[test]
fn a_batch_that_finds_no_place_at_all_is_not_unlinked() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let batch = trash(&store, &["a"]);
    store.add("b", "", 90);
    let place = store.path(".sesstree/trash").join(batch.as_str());
    let plan = plan(&store, old()).disposing(Disposal::Delete);
    let plan = plan.with_trash(looked(&store, &Wanted::All)).confirm();
    let watch = At(|step: Step<'_>| {
        if step == Step::TrashTaken {
            fs::create_dir_all(place.join("in-the-way")).unwrap();
            store.add("late", "a", 0);
            fs::create_dir(store.path(&format!(".sesstree-kept.{batch}"))).unwrap();
            for number in 1..1000 {
                fs::create_dir(store.path(&format!(".sesstree-kept.{batch}.{number}"))).unwrap();
            }
        }
    });
    let report = remove(&alone(&store), plan, now(), grace(), &watch).unwrap();
    assert_eq!((report.removed.len(), report.trash.failed.len()), (1, 1));
    assert!(!store.path("b").exists());
    let stays = store.path(".sesstree/purge").join(batch.as_str());
    assert!(stays.join("a/metadata.json").exists());
    // No other run unlinks it either, as long as something descends from it.
    let warnings = emptied(&store, &Wanted::Batches([].into()), &quiet()).warnings;
    assert!(
        warnings[0].to_string().contains("a is an ancestor of late"),
        "{warnings:?}"
    );
    assert!(stays.join("a/metadata.json").exists());
}

fn zero_restores(store: &TestStore, name: &str) {
    zero(store)
        .restore(&Restore::Session(id(name)), &quiet())
        .unwrap();
    assert!(store.has(name));
}

#[test]
fn it_waits_its_turn_and_knows_its_root() {
    let store = TestStore::new();
    store.add("a", "", 90);
    trash(&store, &["a"]);
    let confirmed = looked(&store, &Wanted::All).confirm();
    let locked = zero(&store).change().unwrap();
    let refused = empty(&zero(&store), &confirmed, &quiet()).unwrap_err();
    assert_eq!(refused, Refusal::StoreBusy);
    drop(locked);
    fs::rename(store.root(), store.beside("before")).unwrap();
    fs::create_dir(store.root()).unwrap();
    fs::rename(store.beside("before/.sesstree"), store.path(".sesstree")).unwrap();
    let refused = empty(&zero(&store), &confirmed, &quiet()).unwrap_err();
    assert!(matches!(refused, Refusal::StoreRefused(_)), "{refused}");
    zero_restores(&store, "a");
}
