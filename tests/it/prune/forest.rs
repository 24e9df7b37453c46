//! Random forests: what goes is what an independent count says.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sesstree::prune::execute::{dry_run, remove};
use sesstree::prune::report::{PruneReport, Step};
use sesstree::store::{Hold, Store as _};

use super::{At, grace, id, old, plan, quiet, zero};
use crate::support::{TestStore, now};

/// A session: index of its parent among those before it, days since its activity, held open.
fn forest() -> impl Strategy<Value = Vec<(Option<usize>, i64, bool)>> {
    let session = (
        any::<Option<prop::sample::Index>>(),
        25..36i64,
        prop::bool::weighted(0.1),
    );
    prop::collection::vec(session, 1..14).prop_map(|sessions| {
        let parented = sessions.into_iter().enumerate();
        parented
            .map(|(at, (parent, days, held))| {
                let parent = parent.filter(|_| at > 0).map(|parent| parent.index(at));
                (parent, days, held)
            })
            .collect()
    })
}

fn name(at: usize) -> String {
    format!("s{at}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dry_run_and_removal_are_the_independent_count(sessions in forest()) {
        let store = TestStore::new();
        let mut holds: Vec<Hold> = Vec::new();
        for (at, (parent, days, held)) in sessions.iter().enumerate() {
            store.add(&name(at), &parent.map(name).unwrap_or_default(), *days);
            if *held {
                holds.push(zero(&store).hold(&id(&name(at))).unwrap());
            }
        }
        // Strictly older, not held, and no ancestor of one that stays.
        let mut stays: BTreeSet<usize> = BTreeSet::new();
        for (at, (_, days, held)) in sessions.iter().enumerate() {
            if *days <= 30 || *held {
                let mut line = Some(at);
                while let Some(at) = line {
                    stays.insert(at);
                    line = sessions[at].0;
                }
            }
        }
        let expected: BTreeSet<String> =
            (0..sessions.len()).filter(|at| !stays.contains(at)).map(name).collect();

        let before = store.snapshot();
        let checked = dry_run(&zero(&store), plan(&store, old()), &quiet()).unwrap();
        prop_assert_eq!(store.snapshot(), before);
        let dry = PruneReport::dry(&checked);
        let ids = |report: &PruneReport| -> BTreeSet<String> {
            report.removed.iter().map(|entry| entry.session_id.to_string()).collect()
        };
        prop_assert_eq!(ids(&dry), expected.clone());

        let report = remove(&zero(&store), checked.confirm(), now(), grace(), &quiet()).unwrap();
        prop_assert_eq!(ids(&report), expected.clone());
        let kept = |report: &PruneReport| -> BTreeMap<String, String> {
            report.kept.iter().map(|e| (e.session_id.to_string(), e.reason.clone())).collect()
        };
        prop_assert_eq!(kept(&dry), kept(&report));
        for at in 0..sessions.len() {
            prop_assert_eq!(store.has(&name(at)), !expected.contains(&name(at)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Forks are made at any step by a program without leases; whatever they descend from
    /// is still there.
    #[test]
    fn a_fork_made_meanwhile_keeps_all_its_ancestors(
        sessions in forest(),
        forks in prop::collection::vec((any::<prop::sample::Index>(), 0..40usize), 1..4),
    ) {
        let store = TestStore::new();
        for (at, (parent, days, _)) in sessions.iter().enumerate() {
            store.add(&name(at), &parent.map(name).unwrap_or_default(), *days);
        }
        let step = Cell::new(0);
        let made = RefCell::new(Vec::new());
        let watch = At(|_: Step<'_>| {
            for (number, (parent, when)) in forks.iter().enumerate() {
                if *when == step.get() {
                    let parent = parent.index(sessions.len());
                    store.add(&format!("fork{number}"), &name(parent), 300);
                    made.borrow_mut().push(parent);
                }
            }
            step.set(step.get() + 1);
        });
        let plan = plan(&store, old()).confirm();
        let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
        prop_assert!(report.failed.is_empty());
        for parent in made.into_inner() {
            let mut line = Some(parent);
            while let Some(at) = line {
                prop_assert!(store.has(&name(at)), "{} of {:?}", at, sessions);
                line = sessions[at].0;
            }
        }
        let removed = report.removed.iter().map(|entry| entry.session_id.as_str());
        prop_assert!(removed.clone().all(|id| !store.has(id)));
    }
}
