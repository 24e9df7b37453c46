//! The second look at the sessions of a batch, from several threads, a little ahead of the moves.
//!
//! Must never hold more write locks at a time than [`AHEAD`] per thread and one, or change the order in
//! which sessions are moved: what comes of a look is told in the order of the claims.

use std::num::NonZero;
use std::sync::mpsc::sync_channel;
use std::thread;

use chrono::{DateTime, Utc};

use super::check::{self, Looked};
use crate::store::change::Claim;

/// Sessions that a thread looks at before the first of them is moved: writers wait for a millisecond.
const AHEAD: usize = 8;
/// More threads are slower than the moves anyway.
const THREADS: usize = 4;

/// A claimed session: its place in the plan, and when it was last changed as far as the plan knows.
pub(super) struct Claimed<'a> {
    pub(super) at: usize,
    pub(super) told: Option<DateTime<Utc>>,
    pub(super) claim: Box<dyn Claim + 'a>,
}

/// Looks at all of them, telling of each in their order.
pub(super) fn look_ahead<'a>(
    claims: Vec<Claimed<'a>>,
    cutoff: DateTime<Utc>,
    mut each: impl FnMut(Claimed<'a>, Looked),
) {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = threads.min(THREADS);
    let count = claims.len();
    let mut shares: Vec<Vec<Claimed<'a>>> = (0..threads).map(|_| Vec::new()).collect();
    for (nth, claimed) in claims.into_iter().enumerate() {
        shares[nth % threads].push(claimed);
    }
    thread::scope(|scope| {
        let look = |mut claimed: Claimed<'a>| {
            let looked = check::recheck(claimed.told, &mut *claimed.claim, cutoff);
            (claimed, looked)
        };
        let mut looking = Vec::new();
        for share in shares {
            let (tell, told) = sync_channel(AHEAD);
            // Nobody listens any more only if the moves broke off.
            let work = move || {
                share
                    .into_iter()
                    .map(look)
                    .try_for_each(|look| tell.send(look))
            };
            scope.spawn(work);
            looking.push(told);
        }
        for from in looking.iter().cycle().take(count) {
            // A thread that ends early has panicked, and so does the scope.
            let Ok((claimed, looked)) = from.recv() else {
                return;
            };
            each(claimed, looked);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::session::Refusal;
    use crate::store::change::LogTime;
    use crate::store::trash::Aside;

    /// Counts how many are locked at a time.
    struct Counted<'a>(&'a AtomicUsize, &'a AtomicUsize);

    impl Claim for Counted<'_> {
        fn recheck(&mut self) -> Result<LogTime, Refusal> {
            let now = self.0.fetch_add(1, Ordering::SeqCst) + 1;
            self.1.fetch_max(now, Ordering::SeqCst);
            Ok(LogTime::Empty)
        }

        fn read_at(&self) -> Option<DateTime<Utc>> {
            None
        }

        fn move_aside(&mut self, _: &Aside) -> Result<(), Refusal> {
            unreachable!("nothing is moved here")
        }

        fn put_back(&mut self, _: &Aside) -> Result<(), Refusal> {
            unreachable!("nothing was moved")
        }

        fn measure(self: Box<Self>) -> io::Result<u64> {
            unreachable!("nothing is measured here")
        }
    }

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn the_order_stays_and_few_are_locked_at_a_time() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let told = DateTime::from_timestamp(0, 0);
        let claims = (0..1_000).map(|at| Claimed {
            at,
            told,
            claim: Box::new(Counted(&now, &most)) as Box<dyn Claim>,
        });
        let order = Mutex::new(Vec::new());
        look_ahead(claims.collect(), Utc::now(), |claimed, looked| {
            assert_eq!(looked, Looked::Fits);
            order.lock().unwrap().push(claimed.at);
        });
        assert!(order.into_inner().unwrap().into_iter().eq(0..1_000));
        assert_eq!(now.into_inner(), 0);
        let most = most.into_inner();
        assert!(most <= THREADS * (AHEAD + 2) + 1, "{most}");
    }
}
