//! Pruning and the way back, on real files, beside other processes' locks.

mod cases;
mod delete;
mod faults;
mod forest;
mod holding;
mod many;
mod newcomers;
mod origins;
mod pins;
mod progress;
pub(crate) mod purge;
mod races;
mod record;
mod remnants;
mod stress;
#[cfg(target_os = "linux")]
mod traces;
mod trash;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;

use chrono::TimeDelta;
use sesstree::lineage::Lineage;
use sesstree::prune::execute::{dry_run, remove};
use sesstree::prune::plan::PrunePlan;
use sesstree::prune::policy::Policy;
use sesstree::prune::report::{Entry, Progress, PruneReport, Step, Watch};
use sesstree::session::{Seen, SessionId};
use sesstree::store::removals::Removals;
use sesstree::store::zero::Zero;
use sesstree::store::{Found, Store as _};

pub(crate) use crate::support::binary::Flock;
use crate::support::{TestStore, now};

pub(crate) fn id(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

pub(crate) fn zero(store: &TestStore) -> Zero {
    Zero::new(store.root())
}

/// The store on a system where nothing runs but us; what is removed is written down in `state`.
pub(crate) fn alone(store: &TestStore) -> Zero {
    let proc = store.beside("proc");
    fs::create_dir_all(proc.join(std::process::id().to_string())).unwrap();
    let removals = Removals::in_folder(Some(&store.beside("state")), now);
    zero(store).with_proc(proc).recorded(removals)
}

/// Everything older than 30 days.
pub(crate) fn old() -> Policy {
    Policy::all("30d".parse().unwrap(), now())
}

pub(crate) fn grace() -> TimeDelta {
    TimeDelta::days(7)
}

pub(crate) fn lineage(store: &TestStore) -> Lineage {
    let mut sessions = Vec::new();
    let mut found = |found| {
        if let Found::Session(session) = found {
            sessions.push(session);
        }
        ControlFlow::Continue(())
    };
    zero(store).scan(&Seen::new(), &mut found).unwrap();
    Lineage::new(sessions)
}

pub(crate) fn plan(store: &TestStore, policy: Policy) -> PrunePlan {
    PrunePlan::new(&lineage(store), policy)
}

/// Looks on, and does something to the store at some step.
pub(crate) struct At<F: Fn(Step<'_>)>(pub(crate) F);

impl<F: Fn(Step<'_>)> Watch for At<F> {
    fn progress(&self, _: Progress) {}

    fn stopped(&self) -> bool {
        false
    }

    fn reached(&self, step: Step<'_>) {
        (self.0)(step);
    }
}

/// Only looks on.
pub(crate) fn quiet() -> impl Watch {
    At(|_: Step<'_>| {})
}

/// Plans and removes, without a dry run before.
pub(crate) fn prune(store: &TestStore, policy: Policy) -> PruneReport {
    let plan = plan(store, policy).confirm();
    remove(&zero(store), plan, now(), grace(), &quiet()).unwrap()
}

/// What a report says of each session, in few words.
pub(crate) fn told(report: &PruneReport) -> BTreeMap<String, String> {
    let lists = [
        ("removed", &report.removed),
        ("kept", &report.kept),
        ("failed", &report.failed),
        ("gone", &report.gone),
        ("not reached", &report.not_reached),
    ];
    let entry = |word: &str, entry: &Entry| {
        let line = format!("{word}: {}", entry.reason);
        let line = line.trim_end_matches(": ").to_owned();
        (entry.session_id.to_string(), line)
    };
    let entries = lists
        .iter()
        .flat_map(|(word, entries)| entries.iter().map(move |e| entry(word, e)));
    entries.collect()
}

/// A store of its own for the dry run and for the removal, built alike; both must decide alike, the
/// dry run must change nothing, and what the removal keeps must be as it was.
pub(crate) fn both(
    policy: &Policy,
    build: impl Fn(&TestStore) -> Vec<Flock>,
) -> BTreeMap<String, String> {
    let dry = {
        let store = TestStore::new();
        let held = build(&store);
        let before = store.snapshot();
        let plan = dry_run(&zero(&store), plan(&store, policy.clone()), &quiet()).unwrap();
        assert_eq!(store.snapshot(), before, "a dry run changes nothing");
        drop(held);
        told(&PruneReport::dry(&plan))
    };
    let store = TestStore::new();
    let held = build(&store);
    let before = contents(&store);
    let real = told(&prune(&store, policy.clone()));
    let after = contents(&store);
    drop(held);
    assert_eq!(
        without_pids(&dry),
        without_pids(&real),
        "as the dry run said"
    );
    for (path, was) in &before {
        let top = path.components().next().unwrap().as_os_str();
        let said = top.to_str().and_then(|id| real.get(id));
        let went = said.is_some_and(|said| said.starts_with("removed"));
        match after.get(path) {
            Some(is) => assert_eq!(is, was, "{}", path.display()),
            None => assert!(went, "{} is gone", path.display()),
        }
        assert!(!went || !after.contains_key(path), "{}", path.display());
    }
    real
}

/// Every regular file below the sessions folder but our own: mode, mtime, inode and contents.
pub(crate) fn contents(store: &TestStore) -> BTreeMap<std::path::PathBuf, String> {
    let mut snapshot = store.snapshot();
    snapshot.retain(|path, line| {
        let file = line.starts_with("100");
        file && !path.starts_with(".sesstree")
    });
    for line in snapshot.values_mut() {
        let (head, tail) = line.split_once(" ctime ").unwrap();
        *line = format!("{head} {}", tail.split_once(' ').unwrap().1);
    }
    snapshot
}

fn without_pids(told: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let cut = |line: &str| line.split(" (").next().unwrap_or(line).to_owned();
    told.iter()
        .map(|(id, line)| (id.clone(), cut(line)))
        .collect()
}
