//! The store changes while a prune is at it.

use std::cell::Cell;
use std::fs;
use std::sync::Barrier;

use sesstree::prune::execute::{NotChecked, dry_run, remove};
use sesstree::prune::report::{Progress, PruneReport, Step, Watch};
use sesstree::session::Refusal;
use sesstree::store::Store as _;

use super::{At, Flock, contents, grace, id, old, plan, quiet, told, zero};
use crate::support::{TestStore, days_ago, now};

/// Prunes dry and for real; at each run's `step` the store is changed once.
pub(super) fn changed_at(
    step: &dyn Fn(Step<'_>) -> bool,
    build: impl Fn(&TestStore),
    change: impl Fn(&TestStore),
    expected: &[(&str, &str)],
) {
    for real in [false, true] {
        let store = TestStore::new();
        build(&store);
        let plan = plan(&store, old());
        let done = Cell::new(false);
        let watch = At(|at: Step<'_>| {
            if step(at) && !done.replace(true) {
                change(&store);
            }
        });
        let report = if real {
            remove(&zero(&store), plan.confirm(), now(), grace(), &watch).unwrap()
        } else {
            PruneReport::dry(&dry_run(&zero(&store), plan, &watch).unwrap())
        };
        assert!(done.get(), "the step was reached");
        let told = told(&report);
        for (id, says) in expected {
            assert!(told[*id].starts_with(says), "real {real}, {id}: {told:?}");
            let went = real && *says == "removed";
            let gone = *says == "gone";
            assert_eq!(store.has(id), !went && !gone, "real {real}, {id}");
        }
        assert!(real || !store.path(".sesstree").exists());
    }
}

pub(super) fn locked(step: Step<'_>) -> bool {
    step == Step::Locked
}

pub(super) fn family(store: &TestStore) {
    store.add("a", "", 90);
    store.add("b", "a", 80);
    store.add("c", "b", 70);
}

#[test]
fn written_after_the_plan_stays_with_its_ancestors() {
    changed_at(
        &locked,
        family,
        |store| store.add("b", "a", 0),
        &[
            ("a", "kept: ancestor of a session that stays: b"),
            ("b", "kept: updated while pruning"),
            ("c", "removed"),
        ],
    );
}

#[test]
fn changed_but_not_written_after_the_plan_stays() {
    let change = |store: &TestStore| {
        let renamed = store.session("c").parent("b").at(days_ago(70));
        renamed.field("title", "another").write();
    };
    changed_at(
        &locked,
        family,
        change,
        &[("c", "kept: changed since the preview")],
    );
}

#[test]
fn another_folder_of_the_same_name_stays() {
    let change = |store: &TestStore| {
        fs::rename(store.path("c"), store.beside("c")).unwrap();
        store.add("c", "b", 70);
    };
    changed_at(
        &locked,
        family,
        change,
        &[
            ("c", "kept: changed since the preview"),
            ("b", "kept: ancestor of a session that stays: c"),
        ],
    );
}

#[test]
fn opened_after_the_plan_stays() {
    let holder = std::cell::RefCell::new(None);
    changed_at(
        &locked,
        family,
        |store| {
            holder.replace(None);
            holder.replace(Some(Flock::open(store, "b")));
        },
        &[
            ("a", "kept: ancestor of a session that stays: b"),
            ("b", "kept: open in another process"),
            ("c", "removed"),
        ],
    );
}

#[test]
fn forked_after_the_plan_keeps_the_parent_and_its_ancestors() {
    for fork_days in [0, 300] {
        changed_at(
            &locked,
            family,
            |store| store.add("fork", "b", fork_days),
            &[
                ("a", "kept: ancestor of a session that stays: b"),
                ("b", "kept: parent of a session that is new: fork"),
                ("c", "removed"),
            ],
        );
    }
}

#[test]
fn a_folder_that_becomes_a_fork_after_the_plan_keeps_the_parent() {
    let build = |store: &TestStore| {
        family(store);
        crate::support::make_folder(&store.path("fork"));
    };
    changed_at(
        &locked,
        build,
        |store| store.add("fork", "b", 0),
        &[("b", "kept: parent of a session that is new: fork")],
    );
}

#[test]
fn gone_after_the_plan_is_no_failure() {
    changed_at(
        &locked,
        family,
        |store| fs::remove_dir_all(store.path("c")).unwrap(),
        &[("a", "removed"), ("b", "removed"), ("c", "gone")],
    );
}

/// A session that Zero's prune has begun to remove: its metadata goes first.
#[test]
fn half_gone_is_gone_and_nothing_of_ours_stops_the_other_from_finishing() {
    let store = TestStore::new();
    family(&store);
    fs::remove_file(store.path("c/lease.lock")).unwrap();
    let plan = plan(&store, old()).confirm();
    let watch = At(|step: Step<'_>| {
        if step == Step::Claimed {
            assert!(store.path("c/lease.lock").exists());
            fs::remove_file(store.path("c/metadata.json")).unwrap();
            fs::remove_file(store.path("c/events.jsonl")).unwrap();
            fs::remove_file(store.path("c/session.lock")).unwrap();
        }
    });
    let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
    assert_eq!(told(&report)["c"], "gone: already gone");
    assert!(!store.path("c").exists(), "nothing is left of it");
}

#[test]
fn a_fork_made_while_the_batch_moves_brings_its_ancestors_back() {
    for when in ["b", "c"] {
        let store = TestStore::new();
        family(&store);
        store.add("other", "", 80);
        let before = contents(&store);
        let plan = plan(&store, old()).confirm();
        let watch = At(|step: Step<'_>| {
            if step == Step::Moved(&id(when)) {
                store.add("fork", "b", 0);
            }
        });
        let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
        let told = told(&report);
        assert_eq!(told["b"], "kept: parent of a session that is new: fork");
        assert_eq!(told["a"], "kept: ancestor of a session that stays: b");
        assert_eq!((&*told["c"], &*told["other"]), ("removed", "removed"));
        let after = contents(&store);
        for path in before
            .keys()
            .filter(|p| p.starts_with("a") || p.starts_with("b"))
        {
            assert_eq!(after.get(path), before.get(path), "{}", path.display());
        }
        assert!(!store.has("c") && !store.has("other"));
    }
}

#[test]
fn when_all_comes_back_no_batch_is_left() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let plan = plan(&store, old()).confirm();
    let watch = At(|step: Step<'_>| {
        if step == Step::BatchMoved {
            store.add("fork", "a", 0);
        }
    });
    let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
    assert_eq!(report.batch, None);
    assert!(store.has("a"));
    assert_eq!(
        fs::read_dir(store.path(".sesstree/trash")).unwrap().count(),
        0
    );
}

#[test]
fn written_under_the_claim_is_not_moved() {
    let store = TestStore::new();
    family(&store);
    let plan = plan(&store, old()).confirm();
    let watch = At(|step: Step<'_>| {
        if step == Step::Claimed {
            store.add("c", "b", 0);
        }
    });
    let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
    assert_eq!(told(&report)["c"], "kept: updated while pruning");
    assert_eq!(report.removed, []);
    assert!(store.has("a") && store.has("b") && store.has("c"));
}

#[test]
fn another_folder_put_in_place_under_the_claim_is_put_back() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let plan = plan(&store, old()).confirm();
    let watch = At(|step: Step<'_>| {
        if step == Step::Rechecked(&id("a")) {
            fs::rename(store.path("a"), store.beside("a")).unwrap();
            store.add("a", "", 1);
        }
    });
    let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
    assert_eq!(told(&report)["a"], "kept: changed since the preview");
    assert!(store.has("a") && store.beside("a").exists());
}

#[test]
fn another_root_than_the_previewed_one_is_refused() {
    let store = TestStore::new();
    family(&store);
    let plan = dry_run(&zero(&store), plan(&store, old()), &quiet()).unwrap();
    fs::rename(store.root(), store.beside("moved")).unwrap();
    fs::create_dir(store.root()).unwrap();
    for name in ["a", "b", "c"] {
        fs::rename(store.beside("moved").join(name), store.path(name)).unwrap();
    }
    let refused = remove(&zero(&store), plan.confirm(), now(), grace(), &quiet()).unwrap_err();
    assert!(matches!(refused, Refusal::StoreRefused(_)), "{refused}");
    assert!(store.has("a") && !store.path(".sesstree").exists());
}

#[test]
fn one_sesstree_at_a_time() {
    let store = TestStore::new();
    family(&store);
    let locked = zero(&store).change().unwrap();
    let plan_made = plan(&store, old());
    match dry_run(&zero(&store), plan_made.clone(), &quiet()) {
        Err(NotChecked::Refused(refusal)) => assert_eq!(refusal, Refusal::StoreBusy),
        other => panic!("{other:?}"),
    }
    let refused = remove(&zero(&store), plan_made.confirm(), now(), grace(), &quiet());
    assert_eq!(refused.unwrap_err(), Refusal::StoreBusy);
    drop(locked);
    let plan = plan(&store, old()).confirm();
    let report = remove(&zero(&store), plan, now(), grace(), &quiet()).unwrap();
    assert_eq!(report.removed.len(), 3);
}

#[test]
fn of_two_removals_at_once_each_session_goes_once() {
    let store = TestStore::new();
    for number in 0..40 {
        store.add(&format!("s{number}"), "", 60);
    }
    let start = Barrier::new(2);
    let reports: Vec<_> = std::thread::scope(|scope| {
        let removal = || {
            let plan = plan(&store, old()).confirm();
            start.wait();
            remove(&zero(&store), plan, now(), grace(), &quiet())
        };
        let both = [scope.spawn(removal), scope.spawn(removal)];
        both.map(|thread| thread.join().unwrap()).into()
    });
    let mut removed = 0;
    for report in reports {
        match report {
            Ok(report) => {
                removed += report.removed.len();
                assert_eq!(report.removed.len() + report.gone.len(), 40);
                assert!(report.kept.is_empty() && report.failed.is_empty());
            }
            Err(refusal) => assert_eq!(refusal, Refusal::StoreBusy),
        }
    }
    assert_eq!(removed, 40);
}

/// Small batches, stopped after the first.
struct StopAfterOne {
    asked: Cell<usize>,
}

impl Watch for StopAfterOne {
    fn progress(&self, _: Progress) {}

    fn stopped(&self) -> bool {
        self.asked.replace(self.asked.get() + 1) > 0
    }

    fn batch_limit(&self) -> usize {
        2
    }
}

#[test]
fn stopped_between_batches_the_rest_is_not_reached() {
    let store = TestStore::new();
    family(&store);
    store.add("d", "c", 60);
    let watch = StopAfterOne {
        asked: Cell::new(0),
    };
    let plan = plan(&store, old()).confirm();
    let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
    let told = told(&report);
    assert_eq!((&*told["d"], &*told["c"]), ("removed", "removed"));
    assert_eq!((&*told["b"], &*told["a"]), ("not reached", "not reached"));
    assert!(store.has("a") && store.has("b") && !store.has("c"));
    let watch = StopAfterOne {
        asked: Cell::new(1),
    };
    let stopped = dry_run(&zero(&store), super::plan(&store, old()), &watch);
    assert!(matches!(stopped, Err(NotChecked::Stopped)));
}

#[test]
fn a_batch_at_a_time_ends_as_all_at_once() {
    struct Ones;
    impl Watch for Ones {
        fn progress(&self, _: Progress) {}
        fn stopped(&self) -> bool {
            false
        }
        fn batch_limit(&self) -> usize {
            1
        }
    }
    let store = TestStore::new();
    family(&store);
    store.add("d", "b", 60);
    store.add("e", "", 60);
    let _open = Flock::open(&store, "d");
    let _busy = Flock::exclusive(&store.path("e/session.lock"));
    let plan = plan(&store, old()).confirm();
    let told = told(&remove(&zero(&store), plan, now(), grace(), &Ones).unwrap());
    assert_eq!(told["c"], "removed");
    assert!(told["d"].starts_with("kept: open in another process"));
    assert_eq!(told["b"], "kept: ancestor of a session that stays: d");
    assert_eq!(told["a"], "kept: ancestor of a session that stays: d");
    assert_eq!(told["e"], "kept: busy: being written");
}
