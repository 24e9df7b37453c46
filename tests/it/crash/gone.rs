//! A kill while something goes for good: it is whole, or in no list and taken away by the next run,
//! and it never goes before what descends from it, or unrecorded.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;

use rustix::process::Signal;

use super::{Deed, GOES, Killed, PRUNE, kill_everywhere, pruned, words};
use crate::support::TestStore;
use crate::support::apart::{Disk, apart};
use crate::support::binary::{run, sesstree};
use crate::support::strace::strace;
use crate::support::whole::{Places, Whole, batches, lists_show_all, undo_all};

pub(crate) const DELETE: [&str; 5] = ["prune", "--older-than", "30d", "--delete-now", "--yes-most"];
pub(crate) const EMPTY: [&str; 4] = ["trash", "empty", "--all", "--yes"];

const DEEDS: [Deed; 5] = [
    Deed {
        name: "delete-now",
        prepare: |_| words(&DELETE),
        options: &[],
        must: &["?renameat2", "?unlinkat", "?openat", "?write", "?fsync"],
        recovers,
    },
    Deed {
        name: "trash empty",
        prepare: |store| {
            pruned(store);
            words(&EMPTY)
        },
        options: &[],
        must: &["?renameat2", "?unlinkat", "?mkdirat", "?write", "?fsync"],
        recovers,
    },
    Deed {
        name: "prune that finishes a killed emptying",
        prepare: |store| {
            pruned(store);
            kill(store, &EMPTY);
            words(&PRUNE)
        },
        options: &[],
        must: &["?unlinkat"],
        recovers,
    },
    Deed {
        name: "emptying that finishes a killed one",
        prepare: |store| {
            pruned(store);
            kill(store, &EMPTY);
            words(&EMPTY)
        },
        options: &[],
        must: &["?unlinkat"],
        recovers,
    },
    Deed {
        name: "prune that finishes a killed delete-now",
        prepare: |store| {
            kill(store, &DELETE);
            words(&PRUNE)
        },
        options: &[],
        must: &["?unlinkat"],
        recovers,
    },
];

/// Kills it half way through its unlinking.
fn kill(store: &TestStore, arguments: &[&str]) {
    let option = ["-e", "inject=?unlinkat:signal=KILL:when=7"];
    let traced = strace(store, &option, &words(arguments));
    let signal = traced.status.signal();
    assert_eq!(signal, Some(Signal::KILL.as_raw()), "{}", traced.err);
    assert_ne!(remains(store), [""; 0], "killed too late");
}

/// What is neither a session nor in a list, but on the disk.
pub(crate) fn remains(store: &TestStore) -> Vec<String> {
    let names = |at: &str| -> Vec<String> {
        let entries = fs::read_dir(store.path(at)).into_iter().flatten();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string());
        names.map(Result::unwrap).collect()
    };
    let mut remains = names(".sesstree/purge");
    // What is whole still, but not in its place, is no session either.
    let session = |name: &String| store.has(name) && !name.starts_with('.');
    remains.extend(names("").into_iter().filter(|name| !session(name)));
    remains.extend(names(".sesstree"));
    let ours = [".sesstree", "trash", "purge"];
    remains.retain(|name| !ours.contains(&name.as_str()));
    remains
}

/// What is somewhere; what is nowhere went after all that descends from it, and is recorded.
fn check(store: &TestStore, whole: &Whole, told: &str) -> Places {
    let places = whole.check_but(store, &GOES, told);
    for (child, parent) in [("fork", "old"), ("leaf", "fork")] {
        let lost = places.have(child) && !places.have(parent);
        assert!(!lost, "{told}: {child} lost {parent}");
    }
    let record = store.beside("home/.local/state/sesstree/removals.jsonl");
    let record = fs::read_to_string(record).unwrap_or_default();
    for id in GOES.iter().filter(|id| !places.have(id)) {
        let id = format!("\"{id}\"");
        assert!(record.contains(&id), "{told}: {id} went unrecorded");
    }
    places
}

fn recovers(store: &TestStore, whole: &Whole, killed: &Killed) {
    let Killed { told, turn } = killed;
    let before = check(store, whole, told);
    lists_show_all(store, told);
    let next = if turn.is_multiple_of(2) {
        run(store, &PRUNE)
    } else {
        // Nothing in the trash is expired.
        run(store, &["trash", "empty", "--yes"])
    };
    assert_eq!(next.code, 0, "{told}: {}{}", next.out, next.err);
    assert_eq!(remains(store), [""; 0], "{told}: the next run left these");
    let after = check(store, whole, told);
    for id in GOES {
        assert_eq!(before.have(id), after.have(id), "{told}: {id}");
    }
    undo_all(store, told);
    let places = check(store, whole, told);
    assert!(places.in_trash.is_empty(), "{told}: {places:?}");
    let again = sesstree(store).args(PRUNE).output().unwrap();
    assert!(again.status.success(), "{told}: pruned again: {again:?}");
    let places = check(store, whole, told);
    let back: Vec<_> = GOES.into_iter().filter(|id| before.have(id)).collect();
    assert!(places.in_trash.iter().eq(back), "{told}: {places:?}");
    let emptied = run(store, &EMPTY);
    assert_eq!(emptied.code, 0, "{told}: {}", emptied.err);
    assert_eq!(batches(store).len(), 0, "{told}");
    assert_eq!(remains(store), [""; 0], "{told}");
}

#[test]
fn a_delete_now_killed_anywhere_leaves_each_session_whole_or_gone() {
    // Apart: it is refused while an agent runs that takes no lease, as other tests start some.
    apart(Disk::Plain, || {
        kill_everywhere(&DEEDS[0]);
    });
}

#[test]
fn an_emptying_killed_anywhere_leaves_each_session_whole_or_gone() {
    apart(Disk::Plain, || {
        kill_everywhere(&DEEDS[1]);
    });
}

#[test]
fn what_finishes_a_killed_emptying_may_be_killed_too() {
    apart(Disk::Plain, || {
        kill_everywhere(&DEEDS[2]);
        kill_everywhere(&DEEDS[3]);
    });
}

#[test]
fn what_finishes_a_killed_delete_now_may_be_killed_too() {
    apart(Disk::Plain, || {
        kill_everywhere(&DEEDS[4]);
    });
}
