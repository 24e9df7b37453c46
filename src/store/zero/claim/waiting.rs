//! Taking a lease that somebody else may have.
//!
//! Must never wait without a bound: neither for one lease, nor for all of a run.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{LEASE, unchecked};
use crate::session::Refusal;
use crate::store::change::Purpose;
use crate::store::dir::Dir;
use crate::store::lease::{
    Denied, ExclusiveLease, LEASE_PATIENCE, LockFile, PAUSE, STORE_PATIENCE,
};
use crate::store::openness::Holders;

/// What all claims of a run have in common that somebody else stands in the way of.
pub(in super::super) struct Waiting {
    holders: Holders,
    /// How long leases are waited for from now on, whoever has them.
    patience: Mutex<Duration>,
}

impl Waiting {
    /// For one run.
    pub(in super::super) fn new(proc: &Path) -> Self {
        Self {
            holders: Holders::new(proc, LEASE),
            patience: Mutex::new(STORE_PATIENCE),
        }
    }

    /// Takes the lease; who has it is told where that can be seen. A holder that cannot be seen may
    /// be somebody's dry run, which is over in no time: it is waited for, but in all not longer
    /// than there is patience for.
    pub(super) fn claim(
        &self,
        file: &mut LockFile,
        folder: &Dir,
        purpose: Purpose,
    ) -> Result<Option<ExclusiveLease>, Refusal> {
        let mut waited = Duration::ZERO;
        loop {
            match file.claim(folder, purpose) {
                Ok(lease) => return Ok(lease),
                Err(Denied::Held) => {}
                Err(Denied::Replaced) => return Err(Refusal::Changed),
                Err(Denied::Failed(error)) => return Err(unchecked(&error)),
            }
            let over = self.patience().is_zero() || waited >= LEASE_PATIENCE;
            if waited.is_zero() || over {
                let lease = folder.stat(LEASE).ok();
                let holder = lease.and_then(|lease| self.holders.find(lease.identity));
                if let Some(holder) = holder {
                    return Err(Refusal::Open(holder));
                }
            }
            if over {
                return Err(Refusal::OpenOrLocked);
            }
            waited += self.pause();
        }
    }

    /// Waits a moment; how long that was.
    fn pause(&self) -> Duration {
        let since = Instant::now();
        thread::sleep(PAUSE);
        // A busy machine sleeps longer than it was told to.
        let slept = since.elapsed();
        let mut left = self.patience();
        *left = left.saturating_sub(slept);
        slept
    }

    fn patience(&self) -> MutexGuard<'_, Duration> {
        self.patience.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
