//! The product in a process of ours: to look into what it does, and to let others meet it there.

use std::cell::RefCell;
use std::fs;
use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};
use sesstree::lineage::Lineage;
use sesstree::prune::execute::remove;
use sesstree::prune::expiry::Wanted;
use sesstree::prune::plan::{Disposal, PrunePlan};
use sesstree::prune::policy::Policy;
use sesstree::prune::purge;
use sesstree::prune::report::{EmptyReport, Progress, Step, Watch};
use sesstree::session::{Refusal, Seen};
use sesstree::store::removals::Removals;
use sesstree::store::zero::Zero;
use sesstree::store::{Found, Store as _};

use super::Scene;
use super::binary::LATER;
use crate::stress::round::{Deletes, Doomed, Meet, Moved, Purged, Round, clock};

/// How long one that can be met waits for somebody.
const WAIT: Duration = Duration::from_millis(40);

/// Looks into a removal and lets others meet it.
struct Open<'a> {
    round: &'a Round,
    limit: usize,
    /// What leaves the trash, to be met there.
    doomed: Vec<String>,
    moved: RefCell<Vec<Moved>>,
    batch: RefCell<Vec<String>>,
}

impl<'a> Open<'a> {
    fn new(round: &'a Round) -> Self {
        Self {
            round,
            limit: usize::MAX,
            doomed: Vec::new(),
            moved: RefCell::default(),
            batch: RefCell::default(),
        }
    }

    fn meet(&self, by: &str) {
        let by = self.round.mark(by);
        let end = Instant::now() + WAIT;
        while !by.exists() && Instant::now() < end {
            thread::sleep(Duration::from_micros(200));
        }
    }

    /// What can be forked now, though it is gone.
    fn show(&self, ids: &[String]) {
        let written = self.round.mark("writing");
        fs::write(&written, ids.join("\n")).unwrap();
        fs::rename(&written, self.round.mark("moved")).unwrap();
        self.meet("forked");
    }
}

impl Watch for Open<'_> {
    fn progress(&self, _: Progress) {}

    fn stopped(&self) -> bool {
        false
    }

    fn batch_limit(&self) -> usize {
        self.limit
    }

    fn reached(&self, step: Step<'_>) {
        match (step, self.round.meet) {
            (Step::Claimed, Meet::Claimed) => self.meet("refused"),
            (Step::Moved(id), _) => self.batch.borrow_mut().push(id.to_string()),
            (Step::BatchMoved, meet) => {
                let ids = self.batch.take();
                if meet == Meet::Moved {
                    self.show(&ids);
                }
                // The second look is still to come.
                let at = clock();
                self.moved.borrow_mut().push(Moved { ids, at });
            }
            (Step::TrashTaken, Meet::Taken) if !self.doomed.is_empty() => {
                self.show(&self.doomed);
                let (ids, at) = (self.doomed.clone(), clock());
                self.moved.borrow_mut().push(Moved { ids, at });
            }
            _ => {}
        }
    }
}

/// The store, with the record where the binary keeps it.
fn store(round: &Round) -> Zero {
    let state = round.home().join(".local/state/sesstree");
    Zero::new(round.root.clone()).recorded(Removals::in_folder(Some(&state), Utc::now))
}

pub(super) fn pruner(scene: &mut Scene<'_>) {
    if scene.round.meet == Meet::Nowhere {
        scene.moment(LATER * 5);
    }
    let store = store(scene.round);
    let policy = Policy::all("30d".parse().unwrap(), Utc::now());
    let deletes = scene.round.deletes == Deletes::Open;
    let plan = PrunePlan::new(&lineage(&store), policy).disposing(if deletes {
        Disposal::Delete
    } else {
        Disposal::Trash
    });
    let mut watch = Open::new(scene.round);
    // Whole batches as a rule, small ones now and then.
    watch.limit = match scene.dice.below(8) {
        0 => 1,
        1 => 3,
        _ => usize::MAX,
    };
    let grace = TimeDelta::days(7);
    let report = remove(&store, plan.confirm(), Utc::now(), grace, &watch);
    let moved = watch.moved.into_inner();
    match report {
        Ok(report) => {
            let removed = report.removed.iter();
            let removed: Vec<String> = removed.map(|entry| entry.session_id.to_string()).collect();
            let was_moved = moved.iter().flat_map(|moved| moved.ids.clone());
            scene.report.put_back = was_moved.filter(|id| !removed.contains(id)).collect();
            scene.report.batch = report.batch.as_ref().map(ToString::to_string);
            if !report.failed.is_empty() || !report.unfinished.is_empty() {
                scene.wrong(format!("could not remove {report}"));
            }
            if deletes {
                for id in &removed {
                    let with_it = moved.iter().filter(|moved| moved.ids.contains(id));
                    scene.report.purged.push(Purged {
                        what: Doomed::Session(id.clone()),
                        after: with_it.map(|moved| moved.at).max().unwrap_or_default(),
                        expired: false,
                    });
                }
            }
            scene.report.removed = removed;
        }
        Err(Refusal::StoreBusy) => {}
        // Somebody's agent without a lease, which is none of the run.
        Err(Refusal::Unseen(_)) if deletes => {}
        Err(refusal) => scene.wrong(format!("prune: {refusal}")),
    }
    if !deletes {
        scene.report.moved = moved;
    }
}

/// Empties all of the trash. A fork of what is in it, made meanwhile, brings a batch back.
pub(super) fn purger(scene: &mut Scene<'_>) {
    let store = store(scene.round);
    let plan = match purge::check(&store, &Wanted::All) {
        Ok(plan) => plan,
        Err(Refusal::StoreBusy) => return,
        Err(refusal) => return scene.wrong(format!("trash: {refusal}")),
    };
    let mut watch = Open::new(scene.round);
    let going = plan.going().flat_map(|shelved| &shelved.batch.sessions);
    watch.doomed = going.map(|session| session.id.to_string()).collect();
    let begun = clock();
    match purge::empty(&store, &plan.confirm(), &watch) {
        Ok(report) => {
            let looked = watch.moved.take();
            let after = looked.first().map_or(begun, |moved| moved.at);
            tell(scene, &report, after);
        }
        Err(Refusal::StoreBusy) => {}
        Err(refusal) => scene.wrong(format!("trash: {refusal}")),
    }
}

fn tell(scene: &mut Scene<'_>, report: &EmptyReport, after: Duration) {
    for emptied in &report.emptied {
        scene.report.purged.push(Purged {
            what: Doomed::Batch(emptied.batch.to_string(), emptied.sessions as u64),
            after,
            expired: false,
        });
    }
    scene.report.kept_batches += report.kept.len() as u64;
    let back = report.kept.iter().map(|kept| kept.batch.to_string());
    scene.report.put_back.extend(back);
    if report.is_failure() || !report.warnings.is_empty() {
        scene.wrong(format!("could not empty {report:?}"));
    }
}

/// All sessions of a store, as the product sees them.
fn lineage(store: &Zero) -> Lineage {
    let mut sessions = Vec::new();
    let scanned = store.scan(&Seen::new(), &mut |found| {
        if let Found::Session(session) = found {
            sessions.push(session);
        }
        ControlFlow::Continue(())
    });
    scanned.unwrap();
    Lineage::new(sessions)
}
