//! A call fails while something goes for good: what went is told, what is not gone is whole, and
//! what descends from it never outlives it.

use serde_json::Value;

use super::{Deed, PARENTS, Run, STAYS, fail_everywhere};
use crate::crash::gone::{DELETE, EMPTY, remains};
use crate::crash::{GOES, PRUNE, pruned, words};
use crate::support::apart::{Disk, apart};
use crate::support::binary::{ids, run};
use crate::support::whole::{Places, lists_show_all, undo_all};

const DEEDS: [Deed; 2] = [
    Deed {
        name: "delete-now",
        prepare: |_| words(&DELETE),
        check: deleted_is_told,
        recovers,
    },
    Deed {
        name: "trash empty",
        prepare: |store| {
            pruned(store);
            words(&EMPTY)
        },
        check: emptied_is_told,
        recovers,
    },
];

/// What is somewhere; who stays is in its place, and nobody is there without what it descends from.
fn places(run: &Run) -> Places {
    let places = run.whole.check_but(&run.store, &GOES, &run.told);
    for id in STAYS {
        assert!(places.in_place.contains(id), "{}: {id} went", run.told);
    }
    for (child, parent) in PARENTS {
        let lost = places.have(child) && !places.have(parent);
        assert!(!lost, "{}: {child} lost {parent}", run.told);
    }
    places
}

/// What was told, unless nothing could be.
fn report(run: &Run) -> Option<Value> {
    let report = run.report();
    if report.is_none() {
        assert!(!run.traced.status.success(), "{}: no report", run.told);
    }
    report
}

fn deleted_is_told(run: &Run) {
    let places = places(run);
    let Some(report) = report(run) else {
        let untouched = GOES.iter().all(|id| places.have(id));
        assert!(untouched || run.told.contains("write"), "{}", run.told);
        return;
    };
    let removed = ids(&report, "removed", "sessionId");
    let failed = ids(&report, "failed", "sessionId");
    for id in GOES.map(str::to_owned) {
        let told = removed.contains(&id) || failed.contains(&id);
        assert!(places.have(&id) || told, "{}: {id} went untold", run.told);
        let both = places.have(&id) && removed.contains(&id);
        assert!(!both, "{}: {id} is told as removed", run.told);
    }
}

fn emptied_is_told(run: &Run) {
    let places = places(run);
    let Some(report) = report(run) else {
        return;
    };
    let emptied = ids(&report, "emptied", "batch");
    let failed = ids(&report, "failed", "batch");
    let gone = GOES.iter().filter(|id| !places.have(id)).count();
    let told = &run.told;
    assert!(matches!(gone, 0 | 4), "{told}: {gone} of the batch went");
    if gone > 0 {
        assert_eq!(emptied.len() + failed.len(), 1, "{told}: went untold");
    } else {
        assert_eq!(emptied.len(), 0, "{told}: told as emptied");
    }
}

fn recovers(run_: &Run, turn: usize) {
    let Run { store, told, .. } = run_;
    let before = places(run_);
    lists_show_all(store, told);
    let next = if turn.is_multiple_of(2) {
        run(store, &PRUNE)
    } else {
        run(store, &["trash", "empty", "--yes"])
    };
    assert_eq!(next.code, 0, "{told}: {}{}", next.out, next.err);
    assert_eq!(remains(store), [""; 0], "{told}: the next run left these");
    undo_all(store, told);
    let after = places(run_);
    assert!(after.in_trash.is_empty(), "{told}: {after:?}");
    for id in GOES {
        assert_eq!(before.have(id), after.have(id), "{told}: {id}");
    }
}

#[test]
fn a_delete_now_in_which_a_call_fails_tells_what_went() {
    // Apart: it is refused while an agent runs that takes no lease, as other tests start some.
    apart(Disk::Plain, || {
        fail_everywhere(&DEEDS[0]);
    });
}

#[test]
fn an_emptying_in_which_a_call_fails_tells_what_went() {
    apart(Disk::Plain, || {
        fail_everywhere(&DEEDS[1]);
    });
}
