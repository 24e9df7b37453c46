//! The rest of a session that another program has begun to remove: a prune may finish that.

mod back;

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use chrono::TimeDelta;
use serde_json::json;
use sesstree::prune::execute::{dry_run, remove};
use sesstree::prune::plan::Disposal;
use sesstree::prune::policy::Policy;
use sesstree::prune::report::{PruneReport, Restore, Step};
use sesstree::session::{Condition, Refusal};
use sesstree::store::Store as _;

use super::{At, Flock, alone, both, grace, id, lineage, old, plan, prune, quiet, told, zero};
use crate::support::{TestStore, days_ago, make_folder, now, set_age, set_time, write_file};

/// What is left of a session, unchanged for so many days.
pub(super) fn remnant(store: &TestStore, name: &str, parent: &str, days: i64) {
    let session = store.session(name).at(days_ago(days));
    match parent {
        "" => session.message("user", "hello").write(),
        parent => {
            let payload = json!({"parentSessionId": parent});
            session.event("session_fork", &payload).write();
        }
    }
    fs::remove_file(store.path(name).join("metadata.json")).unwrap();
    make_folder(&store.path(name).join("checkpoints/blobs"));
    write_file(&store.path(name).join("checkpoints/blobs/b1"), b"blob");
    set_age(&store.path(name), days_ago(days));
}

const FINISH: &str = "removed: finish removing: no metadata";

#[test]
fn only_one_older_than_a_day_and_the_cutoff_goes() {
    let told = both(&old(), |store| {
        remnant(store, "old", "", 60);
        remnant(store, "middle", "", 20);
        remnant(store, "young", "", 0);
        remnant(store, "ancient", "", 20_000);
        remnant(store, "future", "", -3);
        Vec::new()
    });
    assert_eq!(told["old"], FINISH);
    assert_eq!(told["young"], "kept: remnant: younger than a day");
    assert_eq!(
        told.get("middle"),
        None,
        "younger than the cutoff: {told:?}"
    );
    assert!(told["ancient"].starts_with("kept: its time cannot be right"));
    assert!(told["future"].starts_with("kept: its time cannot be right"));
}

#[test]
fn asked_for_by_name_a_day_is_enough() {
    let named = Policy::chosen(HashSet::from(["middle", "young"].map(id)), now());
    let told = both(&named, |store| {
        remnant(store, "middle", "", 2);
        remnant(store, "young", "", 0);
        Vec::new()
    });
    assert_eq!(told["middle"], FINISH);
    assert_eq!(told["young"], "kept: remnant: younger than a day");
}

/// However deep the newest of it is.
#[test]
fn one_young_file_anywhere_in_it_keeps_it() {
    for name in [
        "events.jsonl",
        "checkpoints",
        "checkpoints/blobs",
        "checkpoints/blobs/b1",
    ] {
        let told = both(&old(), |store| {
            remnant(store, "r", "", 60);
            let file = store.path("r").join(name);
            let at = now() - TimeDelta::hours(23);
            set_time(&file, at);
            Vec::new()
        });
        assert_eq!(told["r"], "kept: remnant: younger than a day", "{name}");
    }
}

#[test]
fn one_too_large_to_be_sure_of_stays() {
    let store = TestStore::new();
    remnant(&store, "r", "", 60);
    for number in 0..4_100 {
        write_file(
            &store.path("r/checkpoints/blobs").join(number.to_string()),
            b"",
        );
    }
    set_age(&store.path("r"), days_ago(60));
    let condition = lineage(&store).session(&id("r")).unwrap().condition.clone();
    assert_eq!(condition, Condition::Remnant(None));
    assert_eq!(
        told(&prune(&store, old()))["r"],
        "kept: remnant: no metadata"
    );
}

#[test]
fn both_locks_must_be_free() {
    type Hold = fn(&Path) -> Flock;
    let locks: [(Hold, &str, &str); 3] = [
        (Flock::shared, "lease.lock", "kept: open in another process"),
        (Flock::exclusive, "lease.lock", "kept: open"),
        (
            Flock::exclusive,
            "session.lock",
            "kept: busy: being written",
        ),
    ];
    for (hold, lock, says) in locks {
        let told = both(&old(), |store| {
            remnant(store, "r", "", 60);
            vec![hold(&store.path("r").join(lock))]
        });
        assert!(told["r"].starts_with(says), "{lock}: {told:?}");
    }
}

/// A remnant tells of its parent by its log at best.
#[test]
fn it_keeps_its_ancestors_and_is_kept_by_its_descendants() {
    let told = both(&old(), |store| {
        store.add("top", "", 90);
        remnant(store, "young", "top", 0);
        remnant(store, "old", "", 60);
        store.add("living", "old", 1);
        store.add("gone-too", "", 90);
        remnant(store, "last", "gone-too", 60);
        Vec::new()
    });
    assert_eq!(told["top"], "kept: ancestor of a session that stays: young");
    assert_eq!(
        told["old"],
        "kept: ancestor of a session that stays: living"
    );
    assert_eq!(told["last"], FINISH);
    assert_eq!(told["gone-too"], "removed");
}

/// Moves something old to a place in the store: what it is in tells of that at best.
fn put_in(store: &TestStore, name: &str, place: &str) {
    let file = store.beside(name);
    make_folder(file.parent().unwrap());
    write_file(&file, b"of somebody");
    let top = store.beside(name.split('/').next().unwrap());
    set_age(&top, days_ago(70));
    let times = fs::metadata(store.path(place).parent().unwrap()).unwrap();
    fs::rename(top, store.path(place)).unwrap();
    set_time(
        store.path(place).parent().unwrap(),
        times.modified().unwrap().into(),
    );
}

#[test]
fn what_changed_in_it_since_the_preview_keeps_it() {
    let changes: [fn(&TestStore); 7] = [
        |store| write_file(&store.path("r/metadata.json"), b"{\"sessionId\":\"r\"}"),
        |store| write_file(&store.path("r/checkpoints/blobs/b2"), b"new"),
        |store| write_file(&store.path("r/events.jsonl"), b"{}\n"),
        |store| {
            fs::rename(store.path("r"), store.beside("aside")).unwrap();
            remnant(store, "r", "", 60);
        },
        |store| put_in(store, "notes", "r/notes"),
        |store| put_in(store, "folder/notes", "r/checkpoints/folder"),
        |store| {
            // The same name and the same time.
            put_in(store, "b1", "r/checkpoints/blobs/b1");
            set_age(&store.path("r"), days_ago(60));
        },
    ];
    for (number, change) in changes.into_iter().enumerate() {
        for step in [Step::Locked, Step::Claimed] {
            if (number, step) == (3, Step::Claimed) {
                continue;
            }
            for with_locks in [true, false] {
                let store = TestStore::new();
                remnant(&store, "r", "", 60);
                if !with_locks {
                    fs::remove_file(store.path("r/lease.lock")).unwrap();
                    fs::remove_file(store.path("r/session.lock")).unwrap();
                    set_age(&store.path("r"), days_ago(60));
                }
                let checked = dry_run(&zero(&store), plan(&store, old()), &quiet()).unwrap();
                assert_eq!(checked.removals().count(), 1);
                let watch = At(|reached: Step<'_>| {
                    if reached == step {
                        change(&store);
                    }
                });
                let plan = checked.confirm();
                let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
                let what = format!("change {number} at {step:?}, locks: {with_locks}");
                assert_eq!(
                    told(&report)["r"],
                    "kept: changed since the preview",
                    "{what}"
                );
                assert!(store.path("r/events.jsonl").exists(), "{what}");
                // In a folder with metadata a lock's file is never unlinked.
                let lock = store.path("r/lease.lock").exists();
                assert!(lock == with_locks || number == 0 || number == 3, "{what}");
            }
        }
    }
}

/// Nobody else may find it changed by our having looked.
#[test]
fn one_without_lock_files_goes_and_one_that_stays_gets_none() {
    let bare = |store: &TestStore| {
        remnant(store, "r", "", 60);
        for lock in ["lease.lock", "session.lock"] {
            fs::remove_file(store.path("r").join(lock)).unwrap();
        }
        set_age(&store.path("r"), days_ago(60));
    };
    let told = both(&old(), |store| {
        bare(store);
        Vec::new()
    });
    assert_eq!(told["r"], FINISH);
    let store = TestStore::new();
    bare(&store);
    let plan = plan(&store, old()).confirm();
    let watch = At(|step: Step<'_>| {
        if step == Step::Claimed {
            assert!(store.path("r/lease.lock").exists());
            store.add("late", "r", 0);
        }
    });
    let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
    assert!(report.removed.is_empty(), "{report:?}");
    assert!(store.path("r/events.jsonl").exists());
    assert!(!store.path("r/lease.lock").exists());
}

#[test]
fn its_id_is_free_again_and_it_comes_back_as_it_was() {
    let store = TestStore::new();
    remnant(&store, "r", "", 60);
    let shut = fs::Permissions::from_mode(0o640);
    fs::set_permissions(store.path("r/checkpoints/blobs/b1"), shut).unwrap();
    let before = super::contents(&store);
    let report = prune(&store, old());
    assert_eq!(report.removed[0].reason, "finish removing: no metadata");
    assert!(
        report.to_string().contains("finish removing: no metadata"),
        "{report}"
    );
    assert!(!store.path("r").exists());
    let (batches, faults) = zero(&store).trash().unwrap();
    assert_eq!(faults, []);
    assert!(batches[0].sessions[0].remnant && batches[0].sessions[0].bytes > 0);
    // The id is used again: the two must never be mixed.
    for make in [(|store| store.add("r", "", 1)) as fn(&TestStore), |store| {
        make_folder(&store.path("r/checkpoints/blobs"));
    }] {
        make(&store);
        let there = store.snapshot();
        let back = zero(&store)
            .restore(&Restore::Session(id("r")), &quiet())
            .unwrap();
        assert_eq!(back.restored, []);
        assert_eq!(back.failed[0].reason, Refusal::Clash.to_string());
        assert_eq!(store.snapshot(), there);
        fs::remove_dir_all(store.path("r")).unwrap();
    }
    let back = zero(&store)
        .restore(&Restore::Session(id("r")), &quiet())
        .unwrap();
    assert_eq!(back.restored, [id("r")]);
    assert_eq!(super::contents(&store), before);
    let again = lineage(&store).session(&id("r")).unwrap().condition.clone();
    assert!(matches!(again, Condition::Remnant(Some(_))), "{again:?}");
}

/// A late writer's folder that is a day old is a remnant too; the session it was of must not be
/// lost behind it.
#[test]
fn the_session_itself_comes_before_what_a_late_writer_made_in_its_place() {
    let store = TestStore::new();
    store.add("s", "", 90);
    prune(&store, old());
    make_folder(&store.path("s/checkpoints/blobs"));
    set_age(&store.path("s"), days_ago(50));
    assert_eq!(told(&prune(&store, old()))["s"], FINISH);
    let back = zero(&store)
        .restore(&Restore::Session(id("s")), &quiet())
        .unwrap();
    assert_eq!(back.restored, [id("s")]);
    assert!(store.has("s"));
}

/// A session that appears in the place of one that is on its way is not taken for a late writer's.
#[test]
fn one_that_must_come_back_is_not_put_over_something_new() {
    let store = TestStore::new();
    remnant(&store, "r", "", 60);
    let plan = plan(&store, old()).confirm();
    let watch = At(|step: Step<'_>| {
        if step == Step::BatchMoved {
            make_folder(&store.path("r"));
            store.add("late", "r", 0);
        }
    });
    let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
    let why = &told(&report)["r"];
    assert!(why.contains("it is in the trash, batch "), "{why}");
    assert_eq!(fs::read_dir(store.path("r")).unwrap().count(), 0);
    assert!(report.batch.is_some());
}

#[test]
fn it_can_be_deleted_at_once() {
    let store = TestStore::new();
    remnant(&store, "r", "", 60);
    let plan = plan(&store, old()).disposing(Disposal::Delete);
    let report = remove(&alone(&store), plan.confirm(), now(), grace(), &quiet()).unwrap();
    assert_eq!(told(&report)["r"], FINISH);
    assert!(!store.path("r").exists());
    assert!(zero(&store).trash().unwrap().0.is_empty());
}

#[test]
fn a_dry_run_tells_of_it_and_leaves_it_alone() {
    let store = TestStore::new();
    remnant(&store, "r", "", 60);
    let before = store.snapshot();
    let plan = dry_run(&zero(&store), plan(&store, old()), &quiet()).unwrap();
    assert_eq!(store.snapshot(), before);
    let json = serde_json::to_value(PruneReport::dry(&plan)).unwrap();
    assert_eq!(json["removed"][0]["reason"], "finish removing: no metadata");
}
