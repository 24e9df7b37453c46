//! Every call fails at every place where it is made: nothing is lost, nothing held goes, nothing
//! goes that something descends from, and whoever asked is told. A dry run changes nothing.
//!
//! A call fails at each place with each error, but at some only where there are more than a few
//! places. `SESSTREE_FAULT_POINTS` says how often instead; `all`: always, for once and for good.

mod gone;
mod limits;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::crash::{PRUNE, pruned, small_store, words};
use crate::support::TestStore;
use crate::support::apart::{Disk, apart};
use crate::support::binary::{Flock, ids};
use crate::support::strace::{Traced, can_trace, strace};
use crate::support::whole::{Places, Whole, lists_show_all, undo_all};

/// Calls, and the errors they may well end with.
const FAULTS: [(&str, &[&str]); 14] = [
    ("flock", &["ENOLCK", "EIO", "EACCES", "EOPNOTSUPP"]),
    ("openat", &["EMFILE", "EIO", "EACCES", "ENOSPC"]),
    ("?open", &["EMFILE", "EACCES"]),
    (
        "?renameat2",
        &["EIO", "ENOSPC", "EACCES", "EXDEV", "EINVAL"],
    ),
    ("fsync", &["EIO", "ENOSPC"]),
    ("?unlinkat", &["EIO", "EACCES", "ENOSPC"]),
    ("getdents64", &["EIO", "EACCES"]),
    ("?mkdirat", &["ENOSPC", "EACCES", "EMLINK"]),
    ("?statx", &["EIO", "EACCES"]),
    ("?newfstatat", &["EIO", "EACCES"]),
    ("read", &["EIO"]),
    ("?pread64", &["EIO"]),
    ("write", &["ENOSPC", "EIO"]),
    ("fcntl", &["EMFILE"]),
];

const DRY: [&str; 4] = ["prune", "--older-than", "30d", "--dry-run"];
const POINTS: &str = "SESSTREE_FAULT_POINTS";
/// What is quick, where there are many.
const FEW_POINTS: usize = 12;
const MANY: usize = 12;

/// Who descends from whom in the store.
const PARENTS: [(&str, &str); 4] = [
    ("fork", "old"),
    ("leaf", "fork"),
    ("recent", "parent"),
    ("held", "holder"),
];

/// What may never go: somebody has one open, another is new, and both have a parent.
const STAYS: [&str; 4] = ["held", "holder", "recent", "parent"];

/// Something the product does while a call fails.
struct Deed {
    name: &'static str,
    prepare: fn(&TestStore) -> Vec<String>,
    /// What must hold afterwards, besides that nothing is lost.
    check: fn(&Run),
    /// Without the fault everything works again; what may be done in either order goes by a number.
    recovers: fn(&Run, usize),
}

const DEEDS: [Deed; 3] = [
    Deed {
        name: "dry run",
        prepare: |_| words(&DRY),
        check: dry_run_changed_nothing,
        recovers: Run::recovers,
    },
    Deed {
        name: "prune",
        prepare: |_| words(&PRUNE),
        check: prune_kept_what_must_stay,
        recovers: Run::recovers,
    },
    Deed {
        name: "restore",
        prepare: pruned,
        check: restore_told_what_it_did,
        recovers: Run::recovers,
    },
];

/// One run, and what was before.
struct Run {
    store: TestStore,
    /// Holds a session.
    _holder: Flock,
    before: BTreeMap<std::path::PathBuf, String>,
    whole: Whole,
    traced: Traced,
    told: String,
}

/// The small store, with a session that somebody has open under an old one.
fn store() -> (TestStore, Flock) {
    let store = small_store();
    store.add_aged("holder", "", 90);
    store.add_aged("held", "holder", 80);
    let holder = Flock::shared(&store.path("held/lease.lock"));
    (store, holder)
}

impl Deed {
    fn run(&self, options: &[&str], told: String) -> Run {
        let (store, holder) = store();
        let whole = Whole::of(&store);
        let mut arguments = (self.prepare)(&store);
        arguments.push("--json".to_owned());
        let before = store.snapshot();
        let traced = strace(&store, options, &arguments);
        Run {
            store,
            _holder: holder,
            before,
            whole,
            traced,
            told,
        }
    }

    /// The places at which each call is made to the store, or to tell something, counted from 1.
    fn places(&self) -> BTreeMap<String, Vec<usize>> {
        let calls: Vec<&str> = FAULTS.iter().map(|(call, _)| *call).collect();
        let trace = format!("trace={}", calls.join(","));
        let run = self.run(&["-e", &trace], format!("{}, undisturbed", self.name));
        run.traced.check_one_thread();
        assert!(run.traced.status.success(), "{}", run.traced.err);
        (self.check)(&run);
        let root = run.store.root();
        let root = root.to_str().unwrap();
        let mut made: BTreeMap<String, usize> = BTreeMap::new();
        let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for line in &run.traced.calls {
            let call = line.split('(').next().unwrap().to_owned();
            let count = made.entry(call.clone()).or_default();
            *count += 1;
            if line.contains(root) || call == "write" {
                places.entry(call).or_default().push(*count);
            }
        }
        places
    }

    /// Lets a call fail, each time at another place; how often with each error.
    fn fail_at_places<'a>(
        &self,
        call: &str,
        errors: &[&'a str],
        places: &[usize],
    ) -> BTreeMap<&'a str, usize> {
        let mut by_error = BTreeMap::new();
        let mut tried = 0;
        for (turn, (place, error, for_good)) in chosen(places, errors).into_iter().enumerate() {
            let when = if for_good { "+" } else { "" };
            let told = format!("{}, {call} {place}{when}: {error}", self.name);
            let trace = format!("trace={call}");
            let inject = format!("inject={call}:error={error}:when={place}{when}");
            let run = self.run(&["-e", &trace, "-e", &inject], told);
            run.ended_well();
            (self.check)(&run);
            (self.recovers)(&run, turn);
            *by_error.entry(error).or_default() += usize::from(run.traced.injected());
            tried += 1;
        }
        let failed: usize = by_error.values().sum();
        // Who holds what is looked for in /proc, where processes come and go, so counts may differ.
        let most = failed * 10 >= tried * 8 || failed + 1 >= tried;
        assert!(
            most,
            "{}: {call} failed {failed} of {tried} times",
            self.name
        );
        by_error
    }
}

/// Places, errors, and whether the call fails ever after: all of them, or where there are many
/// some that are spread over them.
fn chosen<'a>(places: &[usize], errors: &[&'a str]) -> Vec<(usize, &'a str, bool)> {
    let points = std::env::var(POINTS);
    let all = points.as_deref() == Ok("all");
    let each = |&place: &usize| errors.iter().map(move |&error| (place, error));
    let each: Vec<_> = places.iter().flat_map(each).collect();
    if all {
        let both = |(place, error)| [(place, error, false), (place, error, true)];
        return each.into_iter().flat_map(both).collect();
    }
    let few = if places.len() > MANY {
        FEW_POINTS
    } else {
        each.len()
    };
    let points = points.map_or(few, |points| points.parse().unwrap());
    // Each error at least once.
    let points = points.min(each.len()).max(errors.len());
    let spread = |turn: usize| {
        if points == each.len() {
            return each[turn];
        }
        let place = places[turn * places.len() / points];
        (place, errors[turn % errors.len()])
    };
    // Every third never gets well again.
    let forever = |turn: usize| turn % 3 == 2;
    (0..points)
        .map(|turn| (spread(turn).0, spread(turn).1, forever(turn)))
        .collect()
}

impl Run {
    /// No panic, no signal, no silence.
    fn ended_well(&self) {
        let Traced {
            status, out, err, ..
        } = &self.traced;
        let code = status.code();
        assert!(matches!(code, Some(0 | 1)), "{}: {status} {err}", self.told);
        let told = !out.is_empty() || err.starts_with("sesstree: ");
        // Whatever it cannot write, it cannot tell either.
        assert!(
            told || self.told.contains("write"),
            "{}: silence",
            self.told
        );
        assert!(!err.contains("panicked"), "{}: {err}", self.told);
    }

    /// What was told as JSON, if all of it was.
    fn report(&self) -> Option<Value> {
        serde_json::from_str(&self.traced.out).ok()
    }

    fn places(&self) -> Places {
        self.whole.check(&self.store, &self.told)
    }

    /// Nothing that is in the trash is missed by what is in place.
    fn parents_are_there(&self, places: &Places) {
        for (child, parent) in PARENTS {
            let lost = places.in_place.contains(child) && !places.in_place.contains(parent);
            assert!(!lost, "{}: {child} lost {parent}", self.told);
        }
    }

    /// Without the fault everything works again.
    fn recovers(&self, turn: usize) {
        if turn.is_multiple_of(2) {
            lists_show_all(&self.store, &self.told);
        }
        undo_all(&self.store, &self.told);
        self.whole.all_back(&self.store, &self.told);
    }
}

fn dry_run_changed_nothing(run: &Run) {
    assert_eq!(run.store.snapshot(), run.before, "{}", run.told);
}

fn prune_kept_what_must_stay(run: &Run) {
    let places = run.places();
    for id in STAYS {
        assert!(places.in_place.contains(id), "{}: {id} went", run.told);
    }
    run.parents_are_there(&places);
    let Some(report) = run.report() else {
        let silent = run.traced.out.is_empty() || run.told.contains("write");
        assert!(silent, "{}: {}", run.told, run.traced.out);
        assert!(!run.traced.status.success(), "{}: no report", run.told);
        return;
    };
    let went: BTreeSet<String> = ids(&report, "removed", "sessionId").into_iter().collect();
    let failed = ids(&report, "failed", "sessionId");
    let told = went.iter().chain(&failed);
    let untold: Vec<_> = places
        .in_trash
        .iter()
        .filter(|id| !told.clone().any(|t| t == *id))
        .collect();
    assert!(untold.is_empty(), "{}: went untold: {untold:?}", run.told);
    let back: Vec<_> = went.difference(&places.in_trash).collect();
    assert!(back.is_empty(), "{}: told as removed: {back:?}", run.told);
    for list in ["kept", "failed"] {
        for entry in report[list].as_array().unwrap() {
            let reason = entry["reason"].as_str().unwrap_or_default();
            assert!(
                !reason.is_empty(),
                "{}: {entry} stays for no reason",
                run.told
            );
        }
    }
    let finished = report.get("unfinished").is_none();
    // What could not be read while the store was listed is told, and no failure.
    let fault = format!("sesstree: {}/", run.store.root().display());
    let mut lines = run.traced.err.lines();
    assert_eq!(
        run.traced.status.success(),
        failed.is_empty() && finished && lines.all(|line| line.starts_with(&fault)),
        "{}: {report} {}",
        run.told,
        run.traced.err
    );
}

fn restore_told_what_it_did(run: &Run) {
    let places = run.places();
    let Some(report) = run.report() else {
        assert!(!run.traced.status.success(), "{}: no report", run.told);
        return;
    };
    let restored = report["restored"].as_array().unwrap();
    for id in restored {
        let there = places.in_place.contains(id.as_str().unwrap());
        assert!(there, "{}: told as restored: {id}", run.told);
    }
    let failed = report["failed"].as_array().unwrap();
    for entry in failed {
        let there = places.in_trash.contains(entry["id"].as_str().unwrap());
        assert!(there, "{}: told as failed: {entry}", run.told);
        let reason = entry["reason"].as_str().unwrap_or_default();
        assert!(!reason.is_empty(), "{}: {entry}", run.told);
    }
}

fn fail_everywhere(deed: &Deed) {
    if !can_trace() {
        return;
    }
    let mut told = Vec::new();
    let places = deed.places();
    for (call, errors) in FAULTS {
        let name = call.trim_start_matches('?');
        if let Some(places) = places.get(name) {
            let by_error = deed.fail_at_places(call, errors, places);
            let counts = by_error
                .iter()
                .map(|(error, count)| format!("{count} {error}"));
            let counts: Vec<_> = counts.collect();
            told.push(format!("{name} {}", counts.join(" ")));
        }
    }
    println!("{}: failed {}", deed.name, told.join(", "));
    assert!(told.len() > 6, "{}: too few calls failed", deed.name);
}

#[test]
fn a_dry_run_in_which_a_call_fails_changes_nothing() {
    apart(Disk::Plain, || {
        fail_everywhere(&DEEDS[0]);
    });
}

#[test]
fn a_prune_in_which_a_call_fails_loses_nothing() {
    apart(Disk::Plain, || {
        fail_everywhere(&DEEDS[1]);
    });
}

#[test]
fn a_restore_in_which_a_call_fails_loses_nothing() {
    apart(Disk::Plain, || {
        fail_everywhere(&DEEDS[2]);
    });
}
