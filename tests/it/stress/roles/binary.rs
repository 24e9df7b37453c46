//! The product's own binary.

use std::fs;
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::{Value, json};
use sesstree::session::Refusal;

use super::Scene;
use crate::stress::round::{Deletes, Doomed, Emptying, Meet, Purged, Round, clock};
use crate::support::binary::{SESSTREE, ids};

/// How much later than the others a process of ours may begin.
pub(super) const LATER: Duration = Duration::from_millis(4);

/// Runs it, with an environment of its own.
fn output(round: &Round, arguments: &[&str]) -> Output {
    let mut binary = Command::new(SESSTREE);
    binary.env_clear().env("HOME", round.home());
    binary.arg("--root").arg(&round.root).args(arguments);
    binary.arg("--json").output().unwrap()
}

/// Its report, or nothing if another sesstree kept it from making one, or for these reasons.
fn run(scene: &mut Scene<'_>, arguments: &[&str], excuses: &[&str]) -> Option<Value> {
    let output = output(scene.round, arguments);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    if matches!(code, Some(0 | 1)) && !output.stdout.is_empty() {
        match serde_json::from_slice(&output.stdout) {
            Ok(report) => return Some(report),
            Err(error) => scene.wrong(format!("{arguments:?}: {error}")),
        }
    }
    let busy = Refusal::StoreBusy.to_string();
    let fine = told.contains(&busy) || excuses.iter().any(|excuse| told.contains(excuse));
    if !matches!(code, Some(1 | 2)) || !fine {
        scene.wrong(format!("{arguments:?}: {code:?} {told}"));
    }
    None
}

pub(super) fn pruner(scene: &mut Scene<'_>) {
    // The one that can be met is to be first, but not by far; the agents are to be there already.
    scene.moment(match scene.round.meet {
        Meet::Nowhere => LATER * 3,
        _ => LATER,
    });
    let mut arguments = vec!["prune", "--older-than", "30d", "--yes-most"];
    let deletes = scene.round.deletes == Deletes::Binary;
    if deletes {
        arguments.push("--delete-now");
    }
    let after = clock();
    // Somebody's agent without a lease is none of the run.
    let Some(report) = run(scene, &arguments, &["runs without a lease here"]) else {
        return;
    };
    scene.report.removed = ids(&report, "removed", "sessionId");
    scene.report.batch = report["batch"].as_str().map(str::to_owned);
    if deletes {
        let removed = scene.report.removed.iter();
        let purged = removed.map(|id| Purged {
            what: Doomed::Session(id.clone()),
            after,
            expired: false,
        });
        scene.report.purged = purged.collect();
    }
    if report["trash"].is_object() {
        purged(scene, &report["trash"], "expired", after, true);
    }
    if report["failed"] != json!([]) || report["unfinished"].is_array() {
        scene.wrong(format!("could not remove {report}"));
    }
}

pub(super) fn dry_run(scene: &mut Scene<'_>) {
    scene.moment(LATER);
    let arguments = ["prune", "--older-than", "30d", "--dry-run"];
    if let Some(report) = run(scene, &arguments, &[])
        && report["dryRun"] != true
    {
        scene.wrong(format!("no dry run: {report}"));
    }
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
    let Some(name) = scene.dice.pick(&names) else {
        return;
    };
    // Somebody else may have emptied the batch meanwhile.
    let Some(report) = run(scene, &["trash", "restore", name], &["in the trash"]) else {
        return;
    };
    let restored = report["restored"].as_array().unwrap().iter();
    let restored = restored.map(|id| id.as_str().unwrap().to_owned());
    scene.report.restored = restored.collect();
    // A stub made in the very moment is in the way.
    let clash = Refusal::Clash.to_string();
    for failed in report["failed"].as_array().unwrap() {
        if failed["reason"] != clash.as_str() {
            scene.wrong(format!("could not restore {failed}"));
        }
    }
}

pub(super) fn purger(scene: &mut Scene<'_>) {
    let which: &[&str] = match &scene.round.emptying {
        Emptying::Nothing => return,
        Emptying::Expired => &["--expired"],
        Emptying::Batch(batch) => &[batch],
        Emptying::All => &["--all"],
    };
    let arguments = [&["trash", "empty", "--yes"], which].concat();
    scene.moment(LATER * 3);
    let after = clock();
    // Somebody may have restored the batch.
    if let Some(report) = run(scene, &arguments, &["no batch in the trash is called"]) {
        let expired = scene.round.emptying == Emptying::Expired;
        purged(scene, &report, "emptied", after, expired);
    }
}

/// Notes which batches went for good, by a report.
fn purged(scene: &mut Scene<'_>, report: &Value, list: &str, after: Duration, expired: bool) {
    for emptied in report[list].as_array().unwrap() {
        let batch = emptied["batch"].as_str().unwrap().to_owned();
        let sessions = emptied["sessions"].as_u64().unwrap();
        scene.report.purged.push(Purged {
            what: Doomed::Batch(batch, sessions),
            after,
            expired,
        });
    }
    scene.report.kept_batches += report["kept"].as_array().unwrap().len() as u64;
    if report["failed"] != json!([]) || report["unfinished"].is_array() {
        scene.wrong(format!("could not empty {report}"));
    }
}
