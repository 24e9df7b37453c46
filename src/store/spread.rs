//! The same work on many things, from several threads.
//!
//! Must never let the answers depend on which thread came first.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Fewer are not worth a thread.
pub(crate) const ALONE: usize = 128;
/// More than there are processors, since most of the work is waiting for a disk.
const WORKERS: usize = 8;

/// The answers in the order of what is worked on. `go_on` is asked on this thread as often as it has
/// done one, with how many are begun; `None`: it said no.
pub(crate) fn spread<T: Sync, A: Send>(
    things: &[T],
    work: impl Fn(&T) -> A + Sync,
    mut go_on: impl FnMut(usize) -> bool,
) -> Option<Vec<A>> {
    let next = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let take = |answers: &mut Vec<(usize, A)>| {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let thing = things
            .get(at)
            .filter(|_| !stopped.load(Ordering::Relaxed))?;
        answers.push((at, work(thing)));
        Some(at + 1)
    };
    let others = match things.len() {
        ..ALONE => 0,
        _ => WORKERS - 1,
    };
    let mut answers = Vec::with_capacity(things.len());
    thread::scope(|scope| {
        let work = || {
            let mut answers = Vec::new();
            while take(&mut answers).is_some() {}
            answers
        };
        // Where there is no thread to be had, this one does it all.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (0..others).map_while(spawn).collect();
        while let Some(begun) = take(&mut answers) {
            if !go_on(begun) {
                stopped.store(true, Ordering::Relaxed);
            }
        }
        for other in others {
            answers.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
    });
    if stopped.into_inner() {
        return None;
    }
    answers.sort_unstable_by_key(|(at, _)| *at);
    Some(answers.into_iter().map(|(_, answer)| answer).collect())
}

/// Both answers, the first from a thread of its own where there is one to be had.
pub(crate) fn beside<A: Send, B>(one: impl Fn() -> A + Sync, other: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let spawned = thread::Builder::new().spawn_scoped(scope, &one);
        let other = other();
        let one = match spawned {
            Ok(running) => running.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => one(),
        };
        (one, other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_order_from_few_and_from_many() {
        for count in [0, 1, ALONE - 1, ALONE, 1_000] {
            let things: Vec<usize> = (0..count).collect();
            let mut asked = 0;
            let go_on = |begun| {
                asked += 1;
                begun <= count
            };
            let doubled = spread(&things, |thing| thing * 2, go_on);
            let expected: Vec<usize> = things.iter().map(|thing| thing * 2).collect();
            assert_eq!(doubled, Some(expected));
            assert!(asked <= count);
        }
    }

    #[test]
    fn no_ends_it_for_all() {
        let done = AtomicUsize::new(0);
        let work = |(): &()| done.fetch_add(1, Ordering::Relaxed);
        assert_eq!(spread(&[(); ALONE - 1], work, |_| false), None);
        assert_eq!(done.into_inner(), 1);
        let no = |()| spread(&[(); 100_000], |()| (), |_| false);
        assert!(no(()).is_none_or(|all| all.len() == 100_000));
    }
}
