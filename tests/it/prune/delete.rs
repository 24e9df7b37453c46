//! Deleting at once, without the trash.

mod full_disk;
mod killed;
mod trashed;
mod unseen;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::Value;
use sesstree::prune::execute::{NotChecked, dry_run, remove};
use sesstree::prune::plan::{Disposal, PrunePlan};
use sesstree::prune::report::{PruneReport, Step, Watch};
use sesstree::store::removals::{Action, Log, Stage};
use sesstree::store::zero::Zero;

use super::{At, Flock, alone, contents, grace, old, plan, quiet, told};
use crate::support::binary::unprivileged;
use crate::support::{TestStore, now, skipped, snapshot};

fn for_good(store: &TestStore) -> PrunePlan {
    plan(store, old()).disposing(Disposal::Delete)
}

fn delete(store: &TestStore, watch: &dyn Watch) -> PruneReport {
    let zero = alone(store);
    let before = store.snapshot();
    dry_run(&zero, for_good(store), &quiet()).unwrap();
    assert_eq!(store.snapshot(), before, "a dry run changes nothing");
    remove(&zero, for_good(store).confirm(), now(), grace(), watch).unwrap()
}

/// The names in the sessions folder, all of them.
fn names(store: &TestStore) -> Vec<String> {
    let entries = fs::read_dir(store.root()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn what_is_deleted_is_gone_and_nothing_is_made() {
    let store = TestStore::new();
    for (name, parent, days) in [("a", "", 90), ("b", "a", 80), ("recent", "", 1)] {
        store.add(name, parent, days);
    }
    fs::remove_file(store.path("a/lease.lock")).unwrap();
    let report = delete(&store, &quiet());
    assert_eq!((report.removed.len(), &report.batch), (2, &None));
    assert_eq!(names(&store), ["recent"]);
    let text = report.to_string();
    assert!(
        text.ends_with("Deleted for good: there is no undo.\n"),
        "{text}"
    );
    assert_eq!(serde_json::to_value(&report).unwrap()["deleteNow"], true);
    let log = Log::read(&store.beside("state")).unwrap().entries;
    assert_eq!(log.len(), 1, "{log:?}");
    assert_eq!(
        (log[0].action, log[0].stage),
        (Action::Delete, Stage::Outcome)
    );
    assert_eq!((log[0].sessions.len(), &log[0].batch), (2, &None));
}

#[test]
fn it_keeps_what_a_move_to_the_trash_keeps() {
    let store = TestStore::new();
    for (name, parent, days) in [
        ("a", "", 90),
        ("b", "a", 80),
        ("c", "b", 1),
        ("d", "", 90),
        ("e", "d", 90),
    ] {
        store.add(name, parent, days);
    }
    let _holder = Flock::open(&store, "e");
    let before = contents(&store);
    let told = told(&delete(&store, &quiet()));
    assert!(told["e"].starts_with("kept: open or locked"), "{told:?}");
    assert_eq!(told["d"], "kept: ancestor of a session that stays: e");
    assert_eq!(told["a"], "kept: ancestor of a session that stays: c");
    assert_eq!(contents(&store), before);
    assert_eq!(names(&store), ["a", "b", "c", "d", "e"]);
}

#[test]
fn a_fork_born_meanwhile_brings_its_ancestors_back() {
    let store = TestStore::new();
    for (name, parent) in [("a", ""), ("b", "a"), ("other", "")] {
        store.add(name, parent, 90);
    }
    let before = contents(&store);
    let watch = At(|step: Step<'_>| {
        if step == Step::BatchMoved {
            assert_eq!(
                names(&store)
                    .iter()
                    .filter(|n| n.starts_with(".sesstree-gone."))
                    .count(),
                3
            );
            store.add("fork", "b", 0);
        }
    });
    let told = told(&delete(&store, &watch));
    assert_eq!(told["b"], "kept: parent of a session that is new: fork");
    assert_eq!(told["a"], "kept: ancestor of a session that stays: b");
    assert_eq!(told["other"], "removed");
    assert_eq!(names(&store), ["a", "b", "fork"]);
    let after = contents(&store);
    let back = before.iter().filter(|(path, _)| !path.starts_with("other"));
    for (path, line) in back {
        assert_eq!(&after[path], line, "{}", path.display());
    }
}

/// An agent without leases makes a folder of that name without asking.
#[test]
fn what_a_late_writer_made_makes_room_and_is_kept() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let before = contents(&store);
    let watch = At(|step: Step<'_>| {
        if step == Step::BatchMoved {
            fs::create_dir_all(store.path("a/checkpoints/blobs")).unwrap();
            fs::write(store.path("a/checkpoints/blobs/late"), "late").unwrap();
            store.add("fork", "a", 0);
        }
    });
    let report = delete(&store, &watch);
    let told = told(&report);
    assert_eq!(told["a"], "kept: parent of a session that is new: fork");
    assert_eq!(names(&store), [".sesstree-kept.a", "a", "fork"]);
    let says = "a is back; what another program made in its place meanwhile is in .sesstree-kept.a";
    assert!(
        report
            .warnings
            .iter()
            .any(|warning| warning.to_string() == says)
    );
    let after = contents(&store);
    assert!(
        before
            .iter()
            .all(|(path, line)| after.get(path) == Some(line))
    );
    let late = store.path(".sesstree-kept.a/checkpoints/blobs/late");
    assert_eq!(fs::read_to_string(late).unwrap(), "late");
    // The next run leaves it alone, too.
    super::prune(&store, old());
    assert!(store.path(".sesstree-kept.a").exists());
}

/// Nothing that may be wanted is ever unlinked because it found no way back.
#[test]
fn what_cannot_go_back_is_kept_aside_and_told() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let watch = At(|step: Step<'_>| {
        if step == Step::BatchMoved {
            store.add("a", "", 0);
            store.add("fork", "a", 0);
        }
    });
    let told = told(&delete(&store, &watch));
    let line = &told["a"];
    assert!(
        line.starts_with("failed: cannot be deleted: it is in .sesstree-kept.a: "),
        "{line}"
    );
    let log = Log::read(&store.beside("state")).unwrap().entries;
    assert_eq!(log[0].sessions, [], "it was not deleted");
    super::prune(&store, old());
    assert!(store.path(".sesstree-kept.a/metadata.json").exists());
    assert!(store.has("a") && store.has("fork"));
}

/// Not even that: then it stays where it is, and the next run does not unlink it either.
#[test]
fn what_finds_no_other_place_either_is_not_unlinked() {
    let store = TestStore::new();
    for name in ["a", "other"] {
        store.add(name, "", 90);
    }
    let watch = At(|step: Step<'_>| {
        if step == Step::BatchMoved {
            store.add("a", "", 0);
            store.add("fork", "a", 0);
            fs::create_dir(store.path(".sesstree-kept.a")).unwrap();
            for number in 1..1000 {
                fs::create_dir(store.path(&format!(".sesstree-kept.a.{number}"))).unwrap();
            }
        }
    });
    let report = delete(&store, &watch);
    let line = &told(&report)["a"];
    let says = "failed: cannot be deleted: it is in .sesstree-gone.a, from where you must move it";
    assert!(line.starts_with(says), "{line}");
    assert!(store.path(".sesstree-gone.a/metadata.json").exists());
    assert_eq!(told(&report)["other"], "removed");
    assert_eq!(report.unfinished, []);
    super::prune(&store, old());
    assert!(store.path(".sesstree-gone.a/metadata.json").exists());
}

#[test]
fn links_lead_nowhere() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let outside = store.beside("outside");
    fs::create_dir_all(outside.join("folder")).unwrap();
    fs::write(outside.join("folder/file"), "alive").unwrap();
    symlink(&outside, store.path("a/out")).unwrap();
    symlink(outside.join("folder/file"), store.path("a/file")).unwrap();
    symlink(store.path("b"), store.path("a/b")).unwrap();
    store.add("b", "", 1);
    let canaries = snapshot(&outside);
    assert_eq!(delete(&store, &quiet()).removed.len(), 1);
    assert_eq!(names(&store), ["b"]);
    assert_eq!(snapshot(&outside), canaries);
    assert!(store.has("b"));
}

#[test]
fn an_old_name_in_the_way_replaces_nothing() {
    let store = TestStore::new();
    store.add("a", "", 90);
    symlink("nowhere", store.path(".sesstree-gone.a")).unwrap();
    let told = told(&delete(&store, &quiet()));
    assert!(
        told["a"].starts_with("failed: cannot be deleted: "),
        "{told:?}"
    );
    assert!(store.has("a"));
}

#[test]
fn what_is_deleted_was_confirmed_as_that() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let moved = plan(&store, old());
    assert_eq!(moved.disposal(), Disposal::Trash);
    let report = remove(&alone(&store), moved.confirm(), now(), grace(), &quiet()).unwrap();
    assert!(report.batch.is_some() && !report.delete_now);
}

/// The reason is told of what was asked for: a deletion moves nothing to the trash, and neither does
/// emptying it.
#[test]
fn a_refusal_is_told_of_what_was_asked_for() {
    let denied = "Permission denied (os error 13)";
    for (spoilt, mode) in [
        ("a", "--dry-run"),
        ("a", "--yes"),
        ("", "--dry-run"),
        ("", "--yes"),
    ] {
        let store = TestStore::new();
        store.add("a", "", 900);
        fs::set_permissions(store.path(spoilt), fs::Permissions::from_mode(0o500)).unwrap();
        let mut prune = unprivileged(&store);
        prune.args(["--json", "prune", "--older-than", "30d", "--delete-now"]);
        let output = prune.arg(mode).output().unwrap();
        let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
            skipped(&format!("no deletion is possible here: {output:?}"));
            continue;
        };
        let says = format!("cannot be deleted: {denied}");
        assert_eq!(report["kept"][0]["reason"], says, "{spoilt:?} {mode}");
    }
    for mode in ["--dry-run", "--yes"] {
        let store = TestStore::new();
        store.add("a", "", 900);
        super::prune(&store, old());
        let trash = store.path(".sesstree/trash");
        fs::set_permissions(trash, fs::Permissions::from_mode(0o500)).unwrap();
        let mut empty = unprivileged(&store);
        empty.args(["--json", "trash", "empty", "--all", mode]);
        let report: Value = serde_json::from_slice(&empty.output().unwrap().stdout).unwrap();
        let says = format!("cannot be taken out of the trash: {denied}");
        assert_eq!(report["failed"][0]["reason"], says, "{mode}");
    }
}
