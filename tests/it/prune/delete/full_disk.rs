//! A disk without room: the trash cannot be made, nothing is lost, and deleting at once works. On
//! a real filesystem, mounted where only the test sees it.

use std::io::Write as _;
use std::path::PathBuf;

use sesstree::prune::expiry::Wanted;
use sesstree::prune::purge;
use sesstree::session::SessionId;

use super::*;
use crate::support::apart::{Disk, apart};

const INODES: Disk = Disk::Tmpfs("nr_inodes=200");

/// A store with three old sessions, one of them without locks, as old agents leave them.
fn old_ones() -> TestStore {
    let store = TestStore::new();
    for (name, parent) in [("a", ""), ("b", "a"), ("old", "")] {
        store.add(name, parent, 90);
    }
    for lock in ["lease.lock", "session.lock"] {
        fs::remove_file(store.path("old").join(lock)).unwrap();
    }
    // What the tests themselves need later on.
    let _ = alone(&store);
    store
}

/// Takes every inode that is left.
fn no_inodes(store: &TestStore) -> PathBuf {
    let fill = store.beside("fill");
    fs::create_dir(&fill).unwrap();
    let mut number = 0;
    while fs::write(fill.join(number.to_string()), "").is_ok() {
        number += 1;
    }
    assert!(
        fs::create_dir(store.path("x")).is_err(),
        "the disk is not full"
    );
    fill
}

/// Takes every block that is left.
fn no_blocks(store: &TestStore) {
    let mut fill = fs::File::create(store.beside("fill")).unwrap();
    while fill.write(&[1; 4096]).is_ok_and(|written| written > 0) {}
    assert!(
        fs::write(store.beside("x"), [1; 100]).is_err(),
        "the disk is not full"
    );
    fs::remove_file(store.beside("x")).unwrap();
}

fn moved(store: &TestStore) -> PruneReport {
    let confirmed = plan(store, old()).confirm();
    remove(&alone(store), confirmed, now(), grace(), &quiet()).unwrap()
}

fn unrecorded(report: &PruneReport) -> bool {
    report
        .to_string()
        .contains("missing in the record of removals")
}

#[test]
fn on_a_disk_without_inodes() {
    apart(INODES, || {
        let store = old_ones();
        let fill = no_inodes(&store);
        let before = contents(&store);
        let report = moved(&store);
        assert_eq!(report.removed.len(), 0, "{report}");
        let after = contents(&store);
        assert!(
            before
                .iter()
                .all(|(path, line)| after.get(path) == Some(line))
        );
        assert!(told(&report)["b"].contains("--delete-now"), "{report}");
        assert!(
            told(&report)["old"].contains("its lease could not be checked"),
            "{report}"
        );
        let report = delete(&store, &quiet());
        assert_eq!(report.removed.len(), 3, "{report}");
        assert_eq!(names(&store), [] as [&str; 0]);
        assert!(!unrecorded(&report), "there was room for it then: {report}");
        fs::create_dir(store.path("room")).unwrap();
        drop(fill);
    });
}

#[test]
fn on_a_disk_without_blocks() {
    apart(Disk::Tmpfs("size=600k"), || {
        let store = old_ones();
        no_blocks(&store);
        let before = contents(&store);
        let report = moved(&store);
        assert_eq!(report.removed.len(), 0, "{report}");
        let after = contents(&store);
        assert!(
            before
                .iter()
                .all(|(path, line)| after.get(path) == Some(line))
        );
        assert!(told(&report)["b"].contains("--delete-now"), "{report}");
        assert!(unrecorded(&report), "{report}");
        let report = delete(&store, &quiet());
        assert_eq!(report.removed.len(), 3, "{report}");
        // A folder takes no block here.
        assert_eq!(names(&store), [".sesstree"]);
        assert!(!unrecorded(&report), "there was room for it then: {report}");
    });
}

#[test]
fn a_lock_made_meanwhile_keeps_its_session() {
    apart(INODES, || {
        for lock in ["lease.lock", "session.lock"] {
            let store = old_ones();
            let fill = no_inodes(&store);
            let watch = At(|step: Step<'_>| {
                if step == Step::Rechecked(&SessionId::parse("old").unwrap()) {
                    fs::remove_file(fill.join("0")).unwrap();
                    fs::write(store.path("old").join(lock), "").unwrap();
                }
            });
            let before = contents(&store);
            let told = told(&delete(&store, &watch));
            let reason = match lock {
                "lease.lock" => "kept: open or locked by another process",
                _ => "kept: busy: being written",
            };
            assert_eq!(told["old"], reason);
            assert_eq!((&told["a"][..], &told["b"][..]), ("removed", "removed"));
            assert_eq!(names(&store), ["old"]);
            let after = contents(&store);
            let stays = before.iter().filter(|(path, _)| path.starts_with("old"));
            assert!(
                stays
                    .into_iter()
                    .all(|(path, line)| after.get(path) == Some(line))
            );
        }
    });
}

#[test]
fn the_trash_is_emptied_on_a_full_disk() {
    apart(INODES, || {
        let store = old_ones();
        store.add("stays", "", 1);
        assert_eq!(moved(&store).removed.len(), 3);
        no_inodes(&store);
        let shown = purge::check(&alone(&store), &Wanted::All).unwrap();
        let report = purge::empty(&alone(&store), &shown.confirm(), &quiet()).unwrap();
        assert_eq!(
            (report.emptied.len(), report.failed.len()),
            (1, 0),
            "{report}"
        );
        assert_eq!(names(&store), [".sesstree", "stays"]);
        let left = fs::read_dir(store.path(".sesstree/trash")).unwrap().count();
        assert_eq!(left, 0);
        fs::create_dir(store.path("room")).unwrap();
    });
}
