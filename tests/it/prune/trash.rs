//! What was pruned lies in the trash, and comes back as it went.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sesstree::prune::execute::remove;
use sesstree::prune::report::{BatchId, Progress, Restore, RestoreReport, Watch};
use sesstree::session::Refusal;
use sesstree::store::Store as _;

use super::{contents, grace, id, old, plan, prune, quiet, zero};
use crate::support::binary::{Ran, few_files, unprivileged};
use crate::support::{TestStore, now};

fn restore(store: &TestStore, what: &Restore) -> RestoreReport {
    zero(store).restore(what, &quiet()).unwrap()
}

fn family(store: &TestStore) {
    store.add("a", "", 90);
    store.add("b", "a", 80);
    store.add("c", "b", 70);
    store.add("other", "", 60);
    fs::create_dir_all(store.path("c/checkpoints/blobs")).unwrap();
    crate::support::write_file(&store.path("c/checkpoints/blobs/0a"), b"blob");
}

fn batches(store: &TestStore) -> Vec<PathBuf> {
    let trash = store.path(".sesstree/trash");
    let entries = fs::read_dir(trash).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_batch_comes_back_as_it_went() {
    let store = TestStore::new();
    family(&store);
    let before = contents(&store);
    let report = prune(&store, old());
    assert_eq!(report.removed.len(), 4);
    assert_eq!(contents(&store).len(), 0);
    let report = restore(&store, &Restore::Batch(report.batch.unwrap()));
    assert_eq!(report.failed, []);
    let restored: Vec<&str> = report
        .restored
        .iter()
        .map(sesstree::session::SessionId::as_str)
        .collect();
    assert_eq!(restored, ["a", "b", "c", "other"]);
    assert_eq!(contents(&store), before);
    assert_eq!(
        batches(&store),
        Vec::<PathBuf>::new(),
        "the empty batch is gone"
    );
}

#[test]
fn the_trash_tells_what_is_in_it() {
    let store = TestStore::new();
    family(&store);
    let report = prune(&store, old());
    let batch = report.batch.unwrap();
    let (listed, faults) = zero(&store).trash().unwrap();
    assert_eq!(faults, []);
    let [listed] = &listed[..] else {
        panic!("{listed:?}")
    };
    assert_eq!(report.until, listed.expires_at);
    assert_eq!(listed.batch, batch);
    assert_eq!(listed.at, Some(now()));
    assert_eq!(listed.expires_at, Some(now() + grace()));
    let titles: Vec<&str> = listed.sessions.iter().map(|s| s.title.as_str()).collect();
    assert_eq!(titles[0], "title of a");
    assert_eq!(titles.len(), 4);
    assert_eq!(listed.sessions[1].parent, Some(id("a")));
    assert!(listed.bytes > 0);
}

#[test]
fn a_batch_without_its_record_is_listed_and_restored_all_the_same() {
    for record in [None, Some("{\"at\": 3"), Some("3"), Some("{}")] {
        let store = TestStore::new();
        family(&store);
        let before = contents(&store);
        let batch = prune(&store, old()).batch.unwrap();
        let file = store
            .path(".sesstree/trash")
            .join(batch.as_str())
            .join("batch.json");
        match record {
            None => fs::remove_file(file).unwrap(),
            Some(text) => fs::write(file, text).unwrap(),
        }
        let (listed, faults) = zero(&store).trash().unwrap();
        assert_eq!(
            faults.len(),
            usize::from(record != Some("{}")),
            "{record:?}"
        );
        assert_eq!(listed[0].sessions.len(), 4);
        assert_eq!(listed[0].sessions[1].title.as_str(), "title of b");
        assert_eq!(listed[0].at, Some(now()), "its name tells");
        assert_eq!(restore(&store, &Restore::Batch(batch)).failed, []);
        assert_eq!(contents(&store), before);
    }
}

#[test]
fn one_session_brings_its_trashed_ancestors_from_whatever_batch() {
    let store = TestStore::new();
    family(&store);
    let chosen = |name: &str| {
        sesstree::prune::policy::Policy::chosen([id(name)].into_iter().collect(), now())
    };
    for name in ["c", "b", "a", "other"] {
        let report = prune(&store, chosen(name));
        assert_eq!(report.removed.len(), 1, "{name}: {report:?}");
    }
    assert_eq!(zero(&store).trash().unwrap().0.len(), 4);
    let report = restore(&store, &Restore::Session(id("c")));
    let restored: Vec<&str> = report
        .restored
        .iter()
        .map(sesstree::session::SessionId::as_str)
        .collect();
    assert_eq!(restored, ["a", "b", "c"]);
    assert!(store.has("a") && store.has("b") && store.has("c") && !store.has("other"));
    assert_eq!(batches(&store).len(), 1);
}

#[test]
fn one_session_comes_alone_when_its_ancestors_live() {
    let store = TestStore::new();
    family(&store);
    let first = prune(&store, old());
    restore(&store, &Restore::Session(id("b")));
    let report = restore(&store, &Restore::Session(id("c")));
    assert_eq!(report.restored, [id("c")]);
    assert_eq!(batches(&store).len(), 1, "{:?}", first.batch);
}

#[test]
fn what_is_not_in_the_trash_is_said() {
    let store = TestStore::new();
    let what = Restore::Session(id("a"));
    let refused = zero(&store).restore(&what, &quiet()).unwrap_err();
    assert_eq!(refused, Refusal::NotInTrash);
    assert!(!store.path(".sesstree").exists(), "nothing is made");
    family(&store);
    prune(&store, old());
    let batch = BatchId::parse("20200101T000000Z-nosuch").unwrap();
    let refused = zero(&store).restore(&Restore::Batch(batch), &quiet());
    assert_eq!(refused.unwrap_err(), Refusal::NotInTrash);
}

#[test]
fn a_session_of_the_same_id_is_a_clash_and_nothing_is_replaced() {
    let store = TestStore::new();
    family(&store);
    let batch = prune(&store, old()).batch.unwrap();
    store.add("b", "a", 0);
    let living = contents(&store);
    let report = restore(&store, &Restore::Batch(batch.clone()));
    assert_eq!(report.restored, [id("a"), id("c"), id("other")]);
    assert_eq!(report.failed.len(), 1);
    assert_eq!(report.failed[0].id, id("b"));
    assert_eq!(report.failed[0].reason, Refusal::Clash.to_string());
    let after = contents(&store);
    for (path, line) in &living {
        assert_eq!(after.get(path), Some(line), "{}", path.display());
    }
    let (listed, _) = zero(&store).trash().unwrap();
    assert_eq!(listed[0].sessions.len(), 1, "the other one is still there");
}

#[test]
fn a_file_or_a_link_in_the_way_is_a_clash_too() {
    let store = TestStore::new();
    family(&store);
    let batch = prune(&store, old()).batch.unwrap();
    fs::write(store.path("a"), "a file").unwrap();
    std::os::unix::fs::symlink(store.beside("nowhere"), store.path("other")).unwrap();
    let report = restore(&store, &Restore::Batch(batch));
    assert_eq!(report.failed.len(), 2, "{report:?}");
    assert_eq!(fs::read_to_string(store.path("a")).unwrap(), "a file");
    assert!(!store.beside("nowhere").exists());
}

#[test]
fn a_late_writers_stub_makes_room_and_is_kept() {
    let store = TestStore::new();
    family(&store);
    let before = contents(&store);
    let batch = prune(&store, old()).batch.unwrap();
    let late = Path::new("c/checkpoints/blobs/late");
    crate::support::make_folder(store.root().join(late).parent().unwrap());
    crate::support::write_file(&store.root().join(late), b"late");
    let report = restore(&store, &Restore::Batch(batch.clone()));
    assert_eq!(report.failed, []);
    assert_eq!(contents(&store), before);
    let kept = store.path(".sesstree/trash").join(batch.as_str());
    let stub = kept.join(".stub-c/checkpoints/blobs/late");
    assert_eq!(fs::read(stub).unwrap(), b"late");
    let (listed, faults) = zero(&store).trash().unwrap();
    assert_eq!((listed.len(), faults.len()), (0, 0));
    // The same again: the second stub gets another name.
    let again = prune(&store, old()).batch.unwrap();
    crate::support::make_folder(&store.path("c"));
    assert_eq!(restore(&store, &Restore::Batch(again)).failed, []);
}

#[test]
fn a_restore_waits_its_turn() {
    let store = TestStore::new();
    family(&store);
    let batch = prune(&store, old()).batch.unwrap();
    let locked = zero(&store).change().unwrap();
    let what = Restore::Batch(batch);
    let refused = zero(&store).restore(&what, &quiet()).unwrap_err();
    assert_eq!(refused, Refusal::StoreBusy);
    drop(locked);
    assert_eq!(restore(&store, &what).restored.len(), 4);
}

#[test]
fn what_cannot_come_back_is_told_in_words_for_the_way_back() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let batch = prune(&store, old()).batch.unwrap();
    let folder = store.path(".sesstree/trash").join(batch.as_str()).join("a");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
    let mut restore = unprivileged(&store);
    let ran: Ran = restore
        .args(["trash", "restore", "a"])
        .output()
        .unwrap()
        .into();
    let says = "a stays in the trash: cannot be brought back: Permission denied (os error 13)";
    assert!(ran.out.contains(says), "{} {}", ran.out, ran.err);
    assert!(folder.exists());
}

/// Each waits, under its lease, until its children are back.
#[test]
fn many_parents_come_back_with_few_descriptors() {
    let store = TestStore::new();
    for number in 0..100 {
        store.add(&format!("a{number}"), "", 90);
        store.add(&format!("z{number}"), &format!("a{number}"), 80);
    }
    let batch = prune(&store, old()).batch.unwrap();
    let ran = few_files(&store, 64, &["trash", "restore", batch.as_str()]);
    assert_eq!(
        (&*ran.out, ran.code),
        ("Restored 200 sessions.\n", 0),
        "{}",
        ran.err
    );
}

/// Trouble after the moves does not hide what is back.
#[test]
fn trouble_at_the_end_is_told_beside_what_is_back() {
    struct TakeAway(PathBuf, std::cell::Cell<u32>);
    impl Watch for TakeAway {
        fn progress(&self, _: Progress) {}
        fn stopped(&self) -> bool {
            self.1.set(self.1.get() + 1);
            if self.1.get() == 3 {
                fs::rename(&self.0, self.0.with_extension("away")).unwrap();
            }
            self.1.get() >= 3
        }
    }
    let store = TestStore::new();
    family(&store);
    let batch = prune(&store, old()).batch.unwrap();
    let folder = store.path(".sesstree/trash").join(batch.as_str());
    let watch = TakeAway(folder, std::cell::Cell::new(0));
    let report = zero(&store).restore(&Restore::Batch(batch), &watch);
    let report = report.unwrap();
    assert_eq!(report.restored, [id("a"), id("b")]);
    assert_eq!((report.failed.len(), report.warnings.len()), (2, 1));
}

#[test]
fn links_in_the_trash_lead_nowhere() {
    let store = TestStore::new();
    family(&store);
    let canary = store.beside("canary");
    fs::create_dir(&canary).unwrap();
    crate::support::make_folder(&store.path(".sesstree"));
    std::os::unix::fs::symlink(&canary, store.path(".sesstree/trash")).unwrap();
    let before = store.snapshot();
    let plan = plan(&store, old()).confirm();
    let report = remove(&zero(&store), plan, now(), grace(), &quiet()).unwrap();
    assert_eq!(report.removed, []);
    assert!(
        report.kept[0]
            .reason
            .starts_with("cannot be moved to the trash")
    );
    assert_eq!(fs::read_dir(&canary).unwrap().count(), 0);
    assert_eq!(store.snapshot(), before);
}
