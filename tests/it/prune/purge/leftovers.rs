//! What a killed process did not come to unlink: never listed, never restored, finished by the
//! next one.

use std::fs;
use std::os::unix::fs::symlink;

use sesstree::prune::execute::dry_run;
use sesstree::prune::expiry::Wanted;
use sesstree::prune::purge::check;
use sesstree::prune::report::Restore;
use sesstree::session::Refusal;
use sesstree::store::Store as _;

use super::super::{id, lineage, old, plan, prune, quiet, zero};
use super::{emptied, trash};
use crate::support::TestStore;

const BATCH: &str = "20260101T000000Z-killed";
const EMPTY: &str = "20260101T000000Z-empty";
const UNWRITTEN: &str = "20260101T000000Z-unwritten";

/// A store with a session, another one in the trash, and what a killed process left.
fn store() -> TestStore {
    let store = TestStore::new();
    for name in ["half", "whole", "trashed"] {
        store.add(name, "", 90);
    }
    trash(&store, &["trashed"]);
    let purge = store.path(".sesstree/purge");
    fs::create_dir_all(purge.join(BATCH).join("in-it")).unwrap();
    fs::create_dir_all(purge.join(format!("{BATCH}.1/deep"))).unwrap();
    fs::write(purge.join("stray"), "").unwrap();
    fs::rename(store.path("half"), store.path(".sesstree-gone.half")).unwrap();
    fs::create_dir(store.path(".sesstree-gone.half.1")).unwrap();
    for (batch, record) in [(EMPTY, "batch.json"), (UNWRITTEN, "batch.json.tmp")] {
        let batch = store.path(".sesstree/trash").join(batch);
        fs::create_dir(&batch).unwrap();
        fs::write(batch.join(record), "{").unwrap();
    }
    store.add("living", "", 1);
    store
}

fn is_finished(store: &TestStore) -> bool {
    let left = fs::read_dir(store.path(".sesstree/purge")).unwrap().count();
    let names = [".sesstree-gone.half", ".sesstree-gone.half.1"];
    let trash = store.path(".sesstree/trash");
    let empty = [EMPTY, UNWRITTEN]
        .iter()
        .any(|name| trash.join(name).exists());
    left == 0 && !empty && names.iter().all(|name| !store.path(name).exists())
}

#[test]
fn it_is_in_no_list_and_cannot_come_back() {
    let store = store();
    let mut ids: Vec<String> = Vec::new();
    ids.extend(lineage(&store).sessions().iter().map(|s| s.id.to_string()));
    ids.sort();
    assert_eq!(ids, ["living", "whole"]);
    let (trash, faults) = zero(&store).trash().unwrap();
    assert_eq!((trash.len(), faults.len()), (1, 0));
    for name in ["half", "in-it"] {
        let what = Restore::Session(id(name));
        let refused = zero(&store).restore(&what, &quiet()).unwrap_err();
        assert_eq!(refused, Refusal::NotInTrash, "{name}");
    }
}

#[test]
fn a_look_leaves_it_as_it_is() {
    let store = store();
    let before = store.snapshot();
    dry_run(&zero(&store), plan(&store, old()), &quiet()).unwrap();
    check(&zero(&store), &Wanted::All).unwrap();
    zero(&store).trash().unwrap();
    assert_eq!(store.snapshot(), before);
}

#[test]
fn a_prune_and_an_emptying_finish_it() {
    let by_prune = |store: &TestStore| {
        assert_eq!(prune(store, old()).removed.len(), 1);
    };
    let by_emptying = |store: &TestStore| {
        assert_eq!(emptied(store, &Wanted::All, &quiet()).emptied.len(), 1);
    };
    let finishers: [&dyn Fn(&TestStore); 2] = [&by_prune, &by_emptying];
    for (number, finish) in finishers.into_iter().enumerate() {
        let store = store();
        finish(&store);
        assert!(is_finished(&store), "{number}");
        assert!(store.has("living"), "{number}");
    }
}

/// There may be gigabytes of it.
#[test]
fn a_restore_does_not_wait_for_it() {
    let store = store();
    let what = Restore::Session(id("trashed"));
    let report = zero(&store).restore(&what, &quiet()).unwrap();
    assert_eq!(report.restored, [id("trashed")]);
    for name in [".sesstree/purge", ".sesstree-gone.half"] {
        assert!(store.path(name).exists(), "{name}");
    }
    let left = fs::read_dir(store.path(".sesstree/purge")).unwrap().count();
    assert_eq!(left, 3);
    prune(&store, old());
    assert!(is_finished(&store));
}

#[test]
fn what_only_looks_like_it_is_left_alone() {
    let store = store();
    let outside = store.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("canary"), "alive").unwrap();
    symlink(&outside, store.path(".sesstree-gone.linked")).unwrap();
    fs::write(store.path(".sesstree-gone.file"), "").unwrap();
    for name in [
        ".sesstree-gone.",
        ".sesstree-gone.-x",
        ".sesstree-gone",
        ".other",
    ] {
        fs::create_dir(store.path(name)).unwrap();
    }
    symlink(&outside, store.path(".sesstree/purge/linked")).unwrap();
    prune(&store, old());
    for name in ["linked", "file", "", "-x"] {
        let path = store.path(&format!(".sesstree-gone.{name}"));
        assert!(path.symlink_metadata().is_ok(), "{name:?}");
    }
    assert!(store.path(".sesstree-gone").exists() && store.path(".other").exists());
    assert!(
        is_finished(&store),
        "a link among what is to go goes, and is not followed"
    );
    assert_eq!(fs::read_to_string(outside.join("canary")).unwrap(), "alive");
}
