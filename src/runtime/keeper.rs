//! Keeps the one session that is held for a resume, and what will be run for it.
//!
//! Invariant: a hold that comes after it was let go of is given back at once; it never stays by accident.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::resume::MissingProgram;
use crate::session::SessionId;
use crate::store::Hold;

/// Stands for one request to hold; void once anything was let go of since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);

/// The held session, if any.
#[derive(Debug, Default)]
pub struct Keeper(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    number: u64,
    hold: Option<(SessionId, Hold)>,
    /// Where the agent's program is, as it was found last.
    program: Option<Result<PathBuf, MissingProgram>>,
}

impl Keeper {
    /// A ticket for a hold that is about to be taken.
    pub fn ticket(&self) -> Ticket {
        Ticket(self.lock().number)
    }

    /// Keeps a hold in place of the one before, unless its ticket is void.
    pub fn keep(&self, ticket: Ticket, id: SessionId, hold: Hold) {
        let mut kept = self.lock();
        if ticket.0 == kept.number {
            kept.hold = Some((id, hold));
        }
    }

    /// Notes where the agent's program is, or that it is missing. Not a session's matter: it
    /// outlives the hold.
    pub fn note_program(&self, found: Result<PathBuf, MissingProgram>) {
        self.lock().program = Some(found);
    }

    /// Where the agent's program was when it was looked for last; `None`: it never was.
    pub fn program(&self) -> Option<Result<PathBuf, MissingProgram>> {
        self.lock().program.clone()
    }

    /// Whether this session is under our lease.
    pub fn has_lease(&self, id: &SessionId) -> bool {
        matches!(&self.lock().hold, Some((held, Hold::Leased(_))) if held == id)
    }

    /// Lets go.
    pub fn let_go(&self) {
        let mut kept = self.lock();
        kept.number += 1;
        kept.hold = None;
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SafeText;

    #[test]
    fn a_hold_that_comes_too_late_is_not_kept() {
        let id = SessionId::parse("s1").unwrap();
        let hold = || Hold::Unprotected(SafeText::line("no locks here"));
        let keeper = Keeper::default();
        let early = keeper.ticket();
        keeper.let_go();
        keeper.keep(early, id.clone(), hold());
        assert!(keeper.lock().hold.is_none());
        keeper.keep(keeper.ticket(), id.clone(), hold());
        assert!(keeper.lock().hold.is_some());
        assert!(!keeper.has_lease(&id));
    }
}
