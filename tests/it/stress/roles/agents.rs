//! Processes that use sessions.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::MetadataExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use sesstree::session::{Refusal, SessionId};
use sesstree::store::zero::Zero;
use sesstree::store::{Hold, Store as _};

use super::Scene;
use crate::stress::round::{Birth, Meet, Pace, clock};
use crate::stress::zero::{self, Age, Held, Lease};

/// Between two looks at something.
const BRIEF: Duration = Duration::from_micros(600);
/// How long after its parent was looked at a fork is there, at most.
const LATE: Duration = Duration::from_millis(4);

/// Opens and closes sessions; in some rounds it keeps one until the end.
pub(super) fn holder(scene: &mut Scene<'_>) {
    let keeps = matches!(scene.round.number % 10, 1 | 4 | 6);
    while scene.inbox.goes_on() {
        let id = scene.pick();
        let store = Zero::new(scene.round.root.clone());
        match store.hold(&SessionId::parse(&id).unwrap()) {
            Ok(Hold::Leased(lease)) => {
                scene.report.granted += 1;
                let folder = scene.round.root.join(&id);
                let inode = fs::symlink_metadata(&folder).map_or(0, |seen| seen.ino());
                stay(scene, &id, keeps, || zero::broken(&folder, inode));
                drop(lease);
            }
            Err(Refusal::LockedByPrune) => scene.report.refused += 1,
            Err(Refusal::Gone | Refusal::RemovedWhileOpening) => scene.report.gone += 1,
            other => scene.wrong(format!("hold of {id}: {other:?}")),
        }
        scene.pause();
    }
}

/// Keeps a session for a while and looks whether it is still there, all the time.
fn stay(scene: &mut Scene<'_>, id: &str, until_over: bool, broken: impl Fn() -> Option<String>) {
    let mut looks = 1 + scene.dice.below(4);
    let between = match scene.round.pace {
        Pace::Eager => BRIEF / 4,
        Pace::Calm => BRIEF * 2,
    };
    loop {
        if let Some(what) = broken() {
            return scene.lost(id, what);
        }
        looks -= u64::from(!until_over);
        if looks == 0 || !scene.inbox.goes_on() {
            break;
        }
        scene.linger(between);
    }
    if let Some(what) = broken() {
        scene.lost(id, what);
    }
}

/// flock(1) as a holder that knows nothing of us: once, since it is a process for each hold.
pub(super) fn flock(scene: &mut Scene<'_>) {
    scene.report.tried_hot += 1;
    let folder = scene.round.root.join(&scene.round.hot);
    let lease = folder.join("lease.lock");
    let mut child = Command::new("flock")
        .args(["-s", "-n"])
        .arg(&lease)
        .args(["-c", "echo held; exec cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("flock(1) of util-linux, which CI installs");
    let mut line = String::new();
    let out = child.stdout.as_mut().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    let inode = fs::symlink_metadata(&folder).map_or(0, |seen| seen.ino());
    let there = folder.join("metadata.json").exists();
    if line == "held\n" && there && has_open(child.id(), &lease) {
        scene.report.granted += 1;
        let keeps = matches!(scene.round.number % 10, 2 | 3);
        let hot = &scene.round.hot;
        stay(scene, hot, keeps, || zero::broken(&folder, inode));
    } else if line == "held\n" || !lease.exists() {
        scene.report.gone += 1;
    } else {
        scene.report.refused += 1;
    }
    drop(child.stdin.take());
    child.wait().unwrap();
    while scene.inbox.goes_on() {
        scene.pause();
    }
}

/// Whether a process has the very file open that is at this path.
fn has_open(pid: u32, path: &std::path::Path) -> bool {
    let Ok(there) = fs::symlink_metadata(path).map(|seen| (seen.dev(), seen.ino())) else {
        return false;
    };
    let open = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let mut open = open.filter_map(|entry| fs::metadata(entry.ok()?.path()).ok());
    open.any(|seen| (seen.dev(), seen.ino()) == there)
}

/// Holds, writes and lets go.
pub(super) fn writer(scene: &mut Scene<'_>) {
    while scene.inbox.goes_on() {
        let id = scene.pick();
        if let Some(lease) = hold(scene, &id) {
            write(scene, &id);
            stay(scene, &id, false, || lease.broken());
        }
        scene.pause();
    }
}

/// What became of a hold is counted; `None`: it is not held.
fn hold(scene: &mut Scene<'_>, id: &str) -> Option<Lease> {
    match zero::hold(&scene.round.root, id) {
        Ok(Held::Granted(lease)) => {
            scene.report.granted += 1;
            return Some(lease);
        }
        Ok(Held::Refused) => {
            scene.report.refused += 1;
            // Whoever wants to know that somebody was refused.
            let _ = fs::write(scene.round.mark("refused"), "");
        }
        Ok(Held::Gone | Held::Stub) => scene.report.gone += 1,
        Err(error) => scene.wrong(format!("hold of {id}: {error}")),
    }
    None
}

fn write(scene: &mut Scene<'_>, id: &str) {
    match zero::write(&scene.round.root, id) {
        Ok(Some(count)) => {
            let wrote = scene.report.wrote.entry(id.to_owned()).or_default();
            *wrote = count.max(*wrote);
        }
        Ok(None) => scene.report.gone += 1,
        Err(error) => scene.wrong(format!("{id} went while it was being written: {error}")),
    }
}

/// Writes without a lease; what it finds gone it sometimes leaves a stub of.
pub(super) fn bare_writer(scene: &mut Scene<'_>) {
    while scene.inbox.goes_on() {
        let id = scene.pick();
        let there = scene.round.root.join(&id).exists();
        if there {
            write(scene, &id);
        } else if scene.dice.below(100) == 0 {
            scene.report.stubs.push(id.clone());
            // A restore may be in the way.
            let _ = zero::late_stub(&scene.round.root, &id);
        }
        scene.pause();
    }
}

fn fork(scene: &mut Scene<'_>, parent: &str, age: Age) {
    let number = scene.round.number;
    let id = format!(
        "f{number}-{}-{}",
        std::process::id(),
        scene.report.born.len()
    );
    match zero::fork(&scene.round.root, parent, &id, age) {
        Ok(()) => scene.report.born.push(Birth {
            id,
            parent: parent.to_owned(),
            at: clock(),
            young: age == Age::Young,
        }),
        Err(error) => scene.wrong(format!("fork of {parent}: {error}")),
    }
}

/// Holds the parent until the fork is there. One that is gone altogether may have children too.
pub(super) fn forker(scene: &mut Scene<'_>) {
    while scene.inbox.goes_on() {
        let parent = scene.pick();
        let lease = hold(scene, &parent);
        let gone = !scene.round.root.join(&parent).exists();
        if (lease.is_some() || gone) && scene.forks() {
            scene.moment(BRIEF);
            fork(scene, &parent, Age::Old);
        }
        if let Some(what) = lease.and_then(|lease| lease.broken()) {
            scene.lost(&parent, what);
        }
        scene.pause();
    }
}

/// Looks whether the parent is there, and makes the fork some time later.
pub(super) fn bare_forker(scene: &mut Scene<'_>) {
    let is_there = |scene: &Scene<'_>, id: &str| {
        let folder = scene.round.root.join(id);
        folder.join("metadata.json").exists()
    };
    // It has read these sessions, and forks the first that goes, now and then.
    let mut read = vec![scene.round.hot.clone()];
    read.extend((0..3).filter_map(|_| scene.dice.pick(&scene.round.others).cloned()));
    read.retain(|id| is_there(scene, id));
    let mut too_late = scene.dice.below(2) == 0;
    let mut meets = matches!(scene.round.meet, Meet::Moved | Meet::Taken);
    while scene.inbox.goes_on() {
        if meets {
            meets = !fork_what_was_moved(scene);
        }
        let went = read.iter().find(|id| too_late && !is_there(scene, id));
        if let Some(went) = went {
            too_late = false;
            // Before the second look, or after it.
            let most = [LATE, LATE * 8][usize::from(scene.dice.below(2) == 0)];
            scene.linger(most);
            fork(scene, went, Age::Young);
        }
        let parent = scene.pick();
        // It looks more often than it forks.
        let now = scene.dice.below(20) == 0 && scene.forks();
        if now && is_there(scene, &parent) {
            scene.moment(LATE);
            fork(scene, &parent, Age::Old);
        }
        scene.linger(BRIEF);
    }
}

/// Forks a session that a process that can be met has just moved, or taken out of the trash, if it
/// is at that point.
fn fork_what_was_moved(scene: &mut Scene<'_>) -> bool {
    let Ok(moved) = fs::read_to_string(scene.round.mark("moved")) else {
        return false;
    };
    let hot = moved.lines().find(|id| *id == scene.round.hot);
    if let Some(parent) = hot.or(moved.lines().next()) {
        fork(scene, parent, Age::Old);
    }
    let _ = fs::write(scene.round.mark("forked"), "");
    true
}
