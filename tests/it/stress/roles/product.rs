//! The product, as its binary and once without, to look into it.

use std::cell::RefCell;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};
use serde_json::Value;
use sesstree::lineage::Lineage;
use sesstree::prune::execute::remove;
use sesstree::prune::plan::PrunePlan;
use sesstree::prune::policy::Policy;
use sesstree::prune::report::{Progress, Step, Watch};
use sesstree::session::Refusal;
use sesstree::store::zero::Zero;
use sesstree::store::{Found, Store as _};

use super::Scene;
use crate::stress::crew::{Meet, Moved, Round, clock};
use crate::support::binary::{SESSTREE, ids};

/// How much later than the others a process of ours may begin.
const LATER: Duration = Duration::from_millis(4);
/// How long the one that can be met waits for somebody.
const WAIT: Duration = Duration::from_millis(40);

/// Runs the binary; its report, or nothing if another sesstree kept it from making one.
fn run(scene: &mut Scene<'_>, arguments: &[&str]) -> Option<Value> {
    let home = scene.round.root.with_file_name("home");
    let output = Command::new(SESSTREE)
        .env_clear()
        .env("HOME", home)
        .arg("--root")
        .arg(&scene.round.root)
        .args(arguments)
        .arg("--json")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    let busy = Refusal::StoreBusy.to_string();
    if code == Some(1) && told.contains(&busy) {
        return None;
    }
    match serde_json::from_slice(&output.stdout) {
        Ok(report) if matches!(code, Some(0 | 1)) => Some(report),
        _ => {
            scene.wrong(format!("{arguments:?}: {code:?} {told}"));
            None
        }
    }
}

pub(super) fn pruner(scene: &mut Scene<'_>) {
    if scene.round.meet != Meet::Nowhere {
        // The other one is to be first, but not by far.
        scene.moment(LATER);
    }
    let Some(report) = run(scene, &["prune", "--older-than", "30d", "--yes-most"]) else {
        return;
    };
    scene.report.removed = ids(&report, "removed", "sessionId");
    let failed = ids(&report, "failed", "sessionId");
    if !failed.is_empty() {
        scene.wrong(format!("could not remove {report}"));
    }
}

pub(super) fn dry_run(scene: &mut Scene<'_>) {
    scene.moment(LATER);
    run(scene, &["prune", "--older-than", "30d", "--dry-run"]);
}

/// Brings a batch back that was there before.
pub(super) fn restorer(scene: &mut Scene<'_>) {
    scene.moment(LATER * 2);
    let trash = scene.round.root.join(".sesstree/trash");
    let Ok(batches) = fs::read_dir(trash) else {
        return;
    };
    let names = batches.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names: Vec<String> = names.collect();
    let at = scene.dice.below(names.len() as u64);
    let Some(name) = names.get(usize::try_from(at).unwrap_or(0)) else {
        return;
    };
    let home = scene.round.root.with_file_name("home");
    let output = Command::new(SESSTREE)
        .env_clear()
        .env("HOME", home)
        .arg("--root")
        .arg(&scene.round.root)
        .args(["trash", "restore", name, "--json"])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let clash = Refusal::Clash.to_string();
    match output.status.code() {
        Some(0 | 1) if !output.stdout.is_empty() => {
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            let restored = report["restored"].as_array().unwrap().iter();
            let restored = restored.map(|id| id.as_str().unwrap().to_owned());
            scene.report.restored = restored.collect();
            // A stub made in the very moment is in the way.
            for failed in report["failed"].as_array().unwrap() {
                if failed["reason"] != clash.as_str() {
                    scene.wrong(format!("could not restore {failed}"));
                }
            }
        }
        Some(1) if told.contains(&Refusal::StoreBusy.to_string()) => {}
        // Somebody else emptied the batch meanwhile, or it was empty.
        Some(1 | 2) if told.contains("in the trash") => {}
        code => scene.wrong(format!("restore of {name}: {code:?} {told}")),
    }
}

/// Looks into a removal and lets others meet it.
struct Open<'a> {
    round: &'a Round,
    limit: usize,
    moved: RefCell<Vec<Moved>>,
    batch: RefCell<Vec<String>>,
}

impl Open<'_> {
    fn meet(&self, by: &str) {
        let by = self.round.mark(by);
        let end = Instant::now() + WAIT;
        while !by.exists() && Instant::now() < end {
            thread::sleep(Duration::from_micros(200));
        }
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
        match step {
            Step::Claimed if self.round.meet == Meet::Claimed => self.meet("refused"),
            Step::Moved(id) => self.batch.borrow_mut().push(id.to_string()),
            Step::BatchMoved => {
                let ids = self.batch.take();
                let at = clock();
                let lines = ids.join("\n");
                self.moved.borrow_mut().push(Moved { ids, at });
                if self.round.meet == Meet::Moved {
                    let written = self.round.mark("writing");
                    fs::write(&written, lines).unwrap();
                    fs::rename(&written, self.round.mark("moved")).unwrap();
                    self.meet("forked");
                }
            }
            _ => {}
        }
    }
}

pub(super) fn open_pruner(scene: &mut Scene<'_>) {
    if scene.round.meet == Meet::Nowhere {
        scene.moment(LATER * 3);
    }
    let store = Zero::new(scene.round.root.clone());
    let policy = Policy::all("30d".parse().unwrap(), Utc::now());
    let plan = PrunePlan::new(&lineage(&scene.round.root), policy);
    // Whole batches as a rule, small ones now and then.
    let limit = match scene.dice.below(8) {
        0 => 1,
        1 => 3,
        _ => usize::MAX,
    };
    let watch = Open {
        round: scene.round,
        limit,
        moved: RefCell::default(),
        batch: RefCell::default(),
    };
    let report = remove(
        &store,
        plan.confirm(),
        Utc::now(),
        TimeDelta::days(7),
        &watch,
    );
    let moved = watch.moved.into_inner();
    match report {
        Ok(report) => {
            let removed = report.removed.iter();
            scene.report.removed = removed.map(|entry| entry.session_id.to_string()).collect();
            let was_moved = moved.iter().flat_map(|moved| moved.ids.clone());
            let removed = &scene.report.removed;
            scene.report.put_back = was_moved.filter(|id| !removed.contains(id)).collect();
            if !report.failed.is_empty() {
                scene.wrong(format!("could not remove {:?}", report.failed));
            }
        }
        Err(Refusal::StoreBusy) => {}
        Err(refusal) => scene.wrong(format!("prune: {refusal}")),
    }
    scene.report.moved = moved;
}

/// All sessions of a store, as the product sees them.
pub(in crate::stress) fn lineage(root: &Path) -> Lineage {
    let mut sessions = Vec::new();
    let scanned = Zero::new(root.to_owned()).scan(&mut |found| {
        if let Found::Session(session) = found {
            sessions.push(session);
        }
        ControlFlow::Continue(())
    });
    scanned.unwrap();
    Lineage::new(sessions)
}
