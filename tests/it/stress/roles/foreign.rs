//! Another program's prune in its processes: one that comes to its end, and one that is killed
//! on the way.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};

use super::{Dice, Scene};
use crate::stress::crew::another;
use crate::stress::round::Round;
use crate::stress::zero::prune::{Prune, cutoff};

/// Between two names that are unlinked.
const BRIEF: Duration = Duration::from_micros(300);

pub(super) fn pruner(scene: &mut Scene<'_>) {
    scene.moment(super::binary::LATER * 3);
    let round = scene.round;
    if round.foreign.killed_before.is_none() {
        let dice = &mut *scene.dice;
        let mut wait = |_: Option<&str>| std::thread::sleep(dice.moment(BRIEF));
        let mut prune = Prune {
            root: &round.root,
            knows_leases: round.foreign.knows_leases,
            before: &mut wait,
        };
        match prune.run(&cutoff()) {
            Ok(taken) => scene.report.taken = taken,
            Err(error) => scene.wrong(format!("the other prune: {error}")),
        }
        return;
    }
    let mut child = another(round);
    let status = child.stdout(Stdio::null()).status().unwrap();
    if status.signal() != Some(Signal::KILL.as_raw()) && !status.success() {
        scene.wrong(format!("the other prune: {status}"));
    }
    // What it was about to take when it was killed it may have taken or not.
    let journal = fs::read_to_string(round.mark("journal")).unwrap_or_default();
    scene.report.taken = journal.lines().map(str::to_owned).collect();
}

/// The same, in a process of its own that is killed before it unlinks so many names.
pub(in crate::stress) fn to_the_death(round: &Round) {
    let mut left = round.foreign.killed_before.unwrap_or(0);
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ (round.number + 1));
    let mut options = OpenOptions::new();
    let journal = options.create(true).append(true);
    let mut journal = journal.open(round.mark("journal")).unwrap();
    let mut before = |id: Option<&str>| {
        if let Some(id) = id {
            writeln!(journal, "{id}").unwrap();
        }
        if left == 0 {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
        left -= 1;
        std::thread::sleep(dice.moment(BRIEF));
    };
    let mut prune = Prune {
        root: &round.root,
        knows_leases: round.foreign.knows_leases,
        before: &mut before,
    };
    prune.run(&cutoff()).unwrap();
}
