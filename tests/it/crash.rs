//! A kill at every call that changes something, one kind of call at a time: each session is
//! wholly in its place or wholly in the trash, and the product itself finds its way on. Apart: an
//! agent may be looked for among all processes, so elsewhere the counts of calls would differ.

pub(crate) mod gone;
mod trace;

use std::fs;
use std::os::unix::process::ExitStatusExt as _;

use rustix::process::Signal;

use crate::support::apart::{Disk, apart};
use crate::support::binary::{bounded, ids, json, sesstree};
use crate::support::strace::{Traced, can_trace, strace};
use crate::support::whole::{Whole, batches, lists_show_all, undo_all};
use crate::support::{TestStore, make_folder, write_file};

/// Every call that may change a folder or make a change last; `?`: not every machine has it.
const CALLS: [&str; 13] = [
    "?rename",
    "?renameat",
    "?renameat2",
    "?unlink",
    "?unlinkat",
    "?rmdir",
    "?mkdir",
    "?mkdirat",
    "?openat",
    "?write",
    "?pwrite64",
    "?fsync",
    "?fdatasync",
];

/// More calls of one kind than any deed on the small store makes.
const ENOUGH: usize = 100;

pub(crate) const PRUNE: [&str; 4] = ["prune", "--older-than", "30d", "--yes-most"];

/// What goes from the small store.
pub(crate) const GOES: [&str; 4] = ["alone", "fork", "leaf", "old"];

/// `old` ← `fork` ← `leaf`, which has a checkpoint, and `alone`, which has no lock's files, are
/// old; `parent` is too, but `recent` descends from it.
pub(crate) fn small_store() -> TestStore {
    let store = TestStore::new();
    store.add_aged("old", "", 90);
    store.add_aged("fork", "old", 80);
    store.add_aged("leaf", "fork", 70);
    store.add_aged("alone", "", 60);
    store.add_aged("parent", "", 50);
    store.add_aged("recent", "parent", 1);
    make_folder(&store.path("leaf/checkpoints/blobs"));
    write_file(&store.path("leaf/checkpoints/blobs/0a"), b"blob");
    for lock in ["lease.lock", "session.lock"] {
        fs::remove_file(store.path("alone").join(lock)).unwrap();
    }
    store
}

/// Something the product does to the small store, to be killed.
struct Deed {
    name: &'static str,
    /// Does what comes before; gives the arguments.
    prepare: fn(&TestStore) -> Vec<String>,
    /// More options of strace's.
    options: &'static [&'static str],
    /// Calls that it must make; without them nothing is shown.
    must: &'static [&'static str],
    /// Lets the product pick up what was killed.
    recovers: fn(&TestStore, &Whole, &Killed),
}

/// Where a deed was killed.
struct Killed {
    told: String,
    /// Counts the kills of a kind: what may be done in either order afterwards goes by it.
    turn: usize,
}

pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Prunes the store; gives the arguments that bring the batch back.
pub(crate) fn pruned(store: &TestStore) -> Vec<String> {
    let report = json(store, &PRUNE);
    assert_eq!(ids(&report, "removed", "sessionId").len(), GOES.len());
    words(&["trash", "restore", report["batch"].as_str().unwrap()])
}

const DEEDS: [Deed; 4] = [
    Deed {
        name: "prune",
        prepare: |_| words(&PRUNE),
        options: &[],
        must: &["?renameat2", "?mkdirat", "?openat", "?write", "?fsync"],
        recovers,
    },
    Deed {
        name: "prune that is taken back",
        prepare: |_| words(&PRUNE),
        // Two make the log of removals last, four the batch's folder and record; after all moves
        // the root comes, and the eighth is the batch folder's.
        options: &["-e", "inject=fsync:error=EIO:when=8"],
        must: &["?renameat2", "?mkdirat", "?unlinkat", "?write"],
        recovers,
    },
    Deed {
        name: "restore",
        prepare: pruned,
        options: &[],
        must: &["?renameat2", "?unlinkat", "?write", "?fsync"],
        recovers,
    },
    Deed {
        name: "restore over a late writer's stub",
        prepare: |store| {
            let restore = pruned(store);
            make_folder(&store.path("leaf/checkpoints/blobs"));
            restore
        },
        options: &[],
        must: &["?renameat2", "?write", "?fsync"],
        recovers,
    },
];

impl Deed {
    /// Runs it with one more option on a store of its own, which is given back with what its
    /// sessions were.
    fn run(&self, option: &[&str]) -> (TestStore, Whole, Traced) {
        let store = small_store();
        let whole = Whole::of(&store);
        let arguments = (self.prepare)(&store);
        let options = [self.options, option].concat();
        let traced = strace(&store, &options, &arguments);
        (store, whole, traced)
    }

    /// The calls of one kind to be killed, counted from 1: of all that open something only
    /// those that may make it.
    fn points(&self, call: &str) -> Vec<usize> {
        if call != "?openat" {
            return (1..ENOUGH).collect();
        }
        let trace = format!("trace={call}");
        let (_, _, traced) = self.run(&["-e", &trace]);
        traced.check_one_thread();
        let opens = traced
            .calls
            .iter()
            .filter(|line| line.starts_with("openat"));
        let makes = opens
            .enumerate()
            .filter(|(_, line)| line.contains("O_CREAT"));
        makes.map(|(at, _)| at + 1).collect()
    }

    /// Kills it at every call of a kind; how many there were.
    fn kill_at_each(&self, call: &str) -> usize {
        let mut killed = 0;
        for when in self.points(call) {
            let kill = format!("inject={call}:signal=KILL:when={when}");
            let told = format!("{}, killed at {call} {when}", self.name);
            // What is opened below /proc gets less when others end, and the last one is missed then.
            let tries = if call == "?openat" { 5 } else { 1 };
            let mut runs = (0..tries).map(|_| self.run(&["-e", &kill]));
            let by_kill = Some(Signal::KILL.as_raw());
            let run = runs.find(|(_, _, traced)| traced.status.signal() == by_kill);
            let Some((store, whole, _)) = run else {
                assert!(call != "?openat", "{told}: it ended");
                return killed;
            };
            killed += 1;
            (self.recovers)(&store, &whole, &Killed { told, turn: when });
        }
        assert!(killed < ENOUGH - 1, "{}: {call} without end", self.name);
        killed
    }
}

/// What was killed is picked up by the product: it lists all, prunes and brings all back.
fn recovers(store: &TestStore, whole: &Whole, killed: &Killed) {
    let Killed { told, turn } = killed;
    whole.check(store, told);
    lists_show_all(store, told);
    // Either may come first.
    let prune_first = turn.is_multiple_of(2);
    if !prune_first {
        undo_all(store, told);
        whole.all_back(store, told);
    }
    let ran = bounded(sesstree(store).args(PRUNE));
    assert!(ran.status.success(), "{told}: pruned again: {ran:?}");
    let places = whole.check(store, told);
    assert!(places.in_trash.iter().eq(GOES), "{told}: {places:?}");
    if prune_first {
        undo_all(store, told);
        whole.all_back(store, told);
    }
    assert_eq!(gone::remains(store), [""; 0], "{told}: in no list");
}

fn kill_everywhere(deed: &Deed) {
    if !can_trace() {
        return;
    }
    let mut told = Vec::new();
    for call in CALLS {
        let points = deed.kill_at_each(call);
        let must = deed.must.contains(&call);
        assert!(points > 0 || !must, "{}: never came to {call}", deed.name);
        if points > 0 {
            told.push(format!("{points} {}", &call[1..]));
        }
    }
    println!("{}: killed at {}", deed.name, told.join(", "));
}

#[test]
fn a_prune_killed_anywhere_leaves_each_session_whole() {
    apart(Disk::Plain, || {
        kill_everywhere(&DEEDS[0]);
    });
}

#[test]
fn a_prune_killed_while_it_is_taken_back_leaves_each_session_whole() {
    apart(Disk::Plain, || {
        if !can_trace() {
            return;
        }
        let (store, whole, traced) = DEEDS[1].run(&[]);
        assert_eq!(traced.status.code(), Some(1), "{}", traced.err);
        whole.all_back(&store, "taken back");
        assert_eq!(batches(&store).len(), 0);
        kill_everywhere(&DEEDS[1]);
    });
}

#[test]
fn a_restore_killed_anywhere_leaves_each_session_whole() {
    apart(Disk::Plain, || {
        kill_everywhere(&DEEDS[2]);
        kill_everywhere(&DEEDS[3]);
    });
}
