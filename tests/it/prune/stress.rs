//! Holders and a prune that really meet: a held session is never removed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sesstree::prune::execute::remove;
use sesstree::prune::report::{Restore, Step};
use sesstree::session::Refusal;
use sesstree::store::{Hold, Store as _};

use super::{At, grace, id, old, plan, quiet, zero};
use crate::support::{TestStore, now};

const NAMES: [&str; 3] = ["a", "b", "c"];

#[derive(Debug, Default)]
struct Counts {
    granted: AtomicUsize,
    refused: AtomicUsize,
    gone: AtomicUsize,
    removed: AtomicUsize,
    kept: AtomicUsize,
    restored: AtomicUsize,
    rounds: AtomicUsize,
}

impl Counts {
    /// What must have happened for a run to prove anything.
    fn all(&self) -> [usize; 6] {
        let Self {
            granted,
            refused,
            gone,
            removed,
            kept,
            restored,
            rounds: _,
        } = self;
        [granted, refused, gone, removed, kept, restored].map(|count| count.load(Ordering::Relaxed))
    }

    /// Waits until a count is larger than it was, but not for ever: then it was the last round.
    fn wait_for_more(count: &AtomicUsize) {
        let was = count.load(Ordering::Relaxed);
        let end = Instant::now() + Duration::from_secs(1);
        while count.load(Ordering::Relaxed) == was && Instant::now() < end {
            std::thread::yield_now();
        }
    }
}

fn add(count: &AtomicUsize, more: usize) {
    count.fetch_add(more, Ordering::Relaxed);
}

fn one_more(count: &AtomicUsize) {
    add(count, 1);
}

/// Opens and closes sessions until the prunes are over.
fn holder(store: &TestStore, counts: &Counts, over: &AtomicBool, first: usize) {
    let mut turn = first;
    while !over.load(Ordering::Relaxed) {
        let name = NAMES[turn % NAMES.len()];
        turn += 1;
        match zero(store).hold(&id(name)) {
            Ok(Hold::Leased(lease)) => {
                assert!(store.has(name), "{name} is held and not there");
                if turn.is_multiple_of(97) {
                    // At least one whole prune comes by.
                    Counts::wait_for_more(&counts.rounds);
                    Counts::wait_for_more(&counts.rounds);
                }
                assert!(store.has(name), "{name} was taken while it was held");
                drop(lease);
                one_more(&counts.granted);
                std::thread::yield_now();
            }
            Err(Refusal::LockedByPrune) => one_more(&counts.refused),
            Err(Refusal::Gone | Refusal::RemovedWhileOpening) => one_more(&counts.gone),
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// Tells the holders that it is over, after a panic too.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn prune_and_restore(store: &TestStore, counts: &Counts, slowly: bool) {
    one_more(&counts.rounds);
    let plan = plan(store, old()).confirm();
    let watch = At(|step: Step<'_>| {
        // Long enough for somebody to meet the claim.
        if step == Step::Claimed && slowly {
            Counts::wait_for_more(&counts.refused);
        }
    });
    let report = remove(&zero(store), plan, now(), grace(), &watch).unwrap();
    let (failed, gone) = (report.failed.len(), report.gone.len());
    assert_eq!((failed, gone), (0, 0), "{report:?}");
    add(&counts.removed, report.removed.len());
    add(&counts.kept, report.kept.len());
    let Some(batch) = report.batch else { return };
    let what = Restore::Batch(batch);
    let report = zero(store).restore(&what, &quiet()).unwrap();
    assert_eq!(report.failed, []);
    add(&counts.restored, report.restored.len());
}

#[test]
fn a_held_session_is_never_removed() {
    let store = TestStore::new();
    for name in NAMES {
        store.add(name, "", 60);
    }
    let counts = Counts::default();
    let over = AtomicBool::new(false);
    let (store, counts, over) = (&store, &counts, &over);
    std::thread::scope(|scope| {
        for first in 0..2 {
            scope.spawn(move || holder(store, counts, over, first));
        }
        let _over = Over(over);
        for round in 0..200 {
            prune_and_restore(store, counts, round % 40 == 0);
        }
    });
    println!("{counts:?}");
    for count in counts.all() {
        assert!(count > 0, "never contended: {counts:?}");
    }
    assert!(NAMES.iter().all(|name| store.has(name)));
}

#[test]
fn more_sessions_than_a_batch_has_room_for() {
    let store = TestStore::new();
    for number in 0..1_100 {
        let parent = match number {
            0 => String::new(),
            number => format!("s{}", number - 1),
        };
        store.add(&format!("s{number}"), &parent, 60);
    }
    let plan = plan(&store, old()).confirm();
    let report = remove(&zero(&store), plan, now(), grace(), &quiet()).unwrap();
    assert_eq!(report.removed.len(), 1_100);
    assert_eq!(report.removed[0].session_id, id("s1099"));
    let what = Restore::Session(id("s1099"));
    let report = zero(&store).restore(&what, &quiet()).unwrap();
    assert_eq!(report.restored.len(), 1_100);
    assert_eq!(report.restored[0], id("s0"));
}
