//! The order of calls: what must be on the disk before a lock is given back.

use super::{DEEDS, GOES, PRUNE, pruned, small_store, words};
use crate::support::binary::run;
use crate::support::strace::{Traced, can_trace, strace};

const TRACE: &str = "trace=openat,flock,fsync,close,?renameat2,?mkdirat,?unlinkat";

/// One call, as strace tells it: `name(argument, …) = result`.
#[derive(Clone, Copy)]
struct Call<'a>(&'a str);

impl<'a> Call<'a> {
    fn all(traced: &'a Traced) -> Vec<Self> {
        traced.check_one_thread();
        traced.calls.iter().map(|line| Self(line)).collect()
    }

    /// Whether it is this call, and went well.
    fn is(self, name: &str) -> bool {
        let call = self.0.strip_prefix(name);
        call.is_some_and(|rest| rest.starts_with('(')) && self.0.ends_with(" = 0")
    }

    /// Whether the path of its first descriptor ends so; a folder's path ends with a slash here.
    fn on(self, end: &str) -> bool {
        let path = self.0.split(['<', '>']).nth(1).unwrap_or_default();
        format!("{path}/").ends_with(end)
    }

    /// Whether it moves one of the sessions.
    fn moves(self) -> bool {
        let names = GOES.map(|id| format!("\"{id}\""));
        self.is("renameat2") && names.iter().any(|name| self.0.contains(name.as_str()))
    }
}

/// The place of the first call from some place on, which must be there.
fn find<'a>(calls: &[Call<'a>], from: usize, what: &str, is: impl Fn(Call<'a>) -> bool) -> usize {
    let found = calls[from..].iter().position(|call| is(*call));
    from + found.unwrap_or_else(|| {
        let calls: Vec<_> = calls.iter().map(|call| call.0).collect();
        panic!("no {what} after call {from} of\n{}", calls.join("\n"))
    })
}

#[test]
fn a_prune_makes_its_moves_last_before_it_gives_a_lease_back() {
    if !can_trace() {
        return;
    }
    let store = small_store();
    let traced = strace(&store, &["-e", TRACE], &words(&PRUNE));
    assert!(traced.status.success(), "{}", traced.err);
    let calls = Call::all(&traced);
    let moves = calls.iter().filter(|call| call.moves()).count();
    assert_eq!(moves, GOES.len());
    let first = find(&calls, 0, "move", Call::moves);
    let last = calls.iter().rposition(|call| call.moves()).unwrap();
    let lease_closed = |call: Call<'_>| call.is("close") && call.on("/lease.lock/");
    // A dry run of nothing comes before: the first lease closed after the first move.
    let released = find(&calls, first, "close of a lease", lease_closed);
    let root = find(&calls, last, "fsync of the root", |call| {
        call.is("fsync") && call.on("/sessions/")
    });
    let batch = calls[last].0.split(['<', '>']).nth(3).unwrap().to_owned();
    let bin = find(&calls, last, "fsync of the batch", |call| {
        call.is("fsync") && call.on(&format!("{batch}/"))
    });
    assert!(
        root < released && bin < released,
        "a lease was closed at {released}, before both were synced at {root} and {bin}"
    );
    assert!(
        bin < root,
        "a crash between the two would leave them nowhere"
    );
    let listed = find(&calls, last, "second look", |call| {
        call.0.starts_with("openat") && call.on("/sessions/") && call.0.contains("\".\"")
    });
    assert!(listed < root, "looked again before the leases were closed");
    // The batch's own folder and record come before anything is in it.
    let made = find(&calls, 0, "mkdirat of the batch", |call| {
        call.is("mkdirat") && call.on("/.sesstree/trash/")
    });
    let kept = find(&calls, made, "fsync of the trash", |call| {
        call.is("fsync") && call.on("/.sesstree/trash/")
    });
    let written = find(&calls, made, "fsync of the record", |call| {
        call.is("fsync") && call.on("/batch.json.tmp/")
    });
    let named = find(&calls, written, "rename of the record", |call| {
        call.is("renameat2") && call.0.contains("\"batch.json\"")
    });
    assert!(kept < first && named < first, "{kept}, {named}, {first}");
}

/// Each session goes under its own lease and write lock, children before their parents.
#[test]
fn each_move_is_made_under_both_locks() {
    if !can_trace() {
        return;
    }
    let store = small_store();
    let traced = strace(&store, &["-e", TRACE], &words(&PRUNE));
    let mut held: Vec<String> = Vec::new();
    let mut order = Vec::new();
    for call in Call::all(&traced) {
        // `name(descriptor<path`: a path alone may be open twice.
        let descriptor = call.0.split(['(', '>']).nth(1).unwrap_or_default();
        let number = descriptor.split('<').next().unwrap();
        if call.is("flock") && call.0.contains("LOCK_EX") {
            held.push(descriptor.to_owned());
        } else if call.is("close") {
            held.retain(|lock| lock.split('<').next() != Some(number));
        } else if call.moves() {
            let id = call.0.split('"').nth(1).unwrap();
            for lock in ["lease.lock", "session.lock"] {
                let lock = format!("/sessions/{id}/{lock}");
                assert!(
                    held.iter().any(|held| held.ends_with(&lock)),
                    "{lock}: {held:?}"
                );
            }
            let root = held.iter().any(|held| held.ends_with("/sessions"));
            assert!(root, "the store is not locked: {held:?}");
            order.push(id.to_owned());
        }
    }
    assert_eq!(order, ["leaf", "fork", "old", "alone"]);
}

#[test]
fn a_restore_makes_its_moves_last_before_it_removes_the_batch() {
    if !can_trace() {
        return;
    }
    let store = small_store();
    let restore = pruned(&store);
    let traced = strace(&store, &["-e", TRACE], &restore);
    assert!(traced.status.success(), "{}", traced.err);
    let calls = Call::all(&traced);
    assert_eq!(calls.iter().filter(|call| call.moves()).count(), GOES.len());
    let last = calls.iter().rposition(|call| call.moves()).unwrap();
    let root = find(&calls, last, "fsync of the root", |call| {
        call.is("fsync") && call.on("/sessions/")
    });
    let batch = format!("/{}/", restore[2]);
    let bin = find(&calls, last, "fsync of the batch", |call| {
        call.is("fsync") && call.on(&batch)
    });
    let removed = find(&calls, last, "removal of the batch", |call| {
        call.is("unlinkat")
    });
    assert!(root < removed && bin < removed, "{root}, {bin}, {removed}");
}

#[test]
fn no_rename_can_replace_anything() {
    if !can_trace() {
        return;
    }
    for deed in &DEEDS {
        let (_, _, traced) = deed.run(&["-e", "trace=?rename,?renameat,?renameat2"]);
        let renames = traced
            .calls
            .iter()
            .filter(|call| call.starts_with("rename"));
        let renames: Vec<_> = renames.collect();
        assert!(renames.len() >= GOES.len(), "{}: {renames:?}", deed.name);
        for rename in renames {
            let safe = ["RENAME_NOREPLACE", "RENAME_EXCHANGE"];
            let safe = safe.iter().any(|flag| rename.contains(flag));
            assert!(safe, "{}: {rename}", deed.name);
        }
    }
}

/// Killed it would be whole too, but nobody would be told what is back.
#[test]
fn a_restore_that_is_asked_to_stop_does_so_between_two_sessions_and_tells() {
    if !can_trace() {
        return;
    }
    let store = small_store();
    let restore = pruned(&store);
    let options = ["-e", "inject=?renameat2:signal=INT:when=2"];
    let traced = strace(&store, &options, &restore);
    assert_eq!(traced.status.code(), Some(1), "{}", traced.err);
    let told = [
        "Restored 2 sessions.",
        "stays in the trash: stopped before it",
    ];
    for told in told {
        assert!(traced.out.contains(told), "{told}: {}", traced.out);
    }
    let rest = run(&store, &restore);
    assert!(rest.out.contains("Restored 2 sessions."), "{}", rest.out);
}
