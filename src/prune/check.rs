//! A second look at one candidate, under its locks: the dry run and the removal use this alike.
//!
//! Must never let a session pass that was active since, or of which that cannot be told.

use std::thread;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};

use super::plan::{Disposal, KeepReason, Verdict};
use super::policy::Policy;
use crate::session::{Refusal, Session};
use crate::store::change::{Change, Claim, LogTime, Purpose};

/// What a second look says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Looked {
    /// It can go.
    Fits,
    /// It is being written just now.
    Busy,
    /// It cannot go.
    Not(Verdict),
}

/// Looks at a session under its claim, which was `told` to be last changed then; if it fits it can be
/// moved afterwards.
pub(super) fn recheck(
    told: Option<DateTime<Utc>>,
    claim: &mut dyn Claim,
    cutoff: DateTime<Utc>,
) -> Looked {
    let log = match claim.recheck() {
        Ok(log) => log,
        Err(Refusal::Busy) => return Looked::Busy,
        Err(refusal) => return Looked::Not(verdict(refusal)),
    };
    match (told, log) {
        (None, _) | (_, LogTime::Unknown) => Looked::Not(Verdict::Keep(KeepReason::Undated)),
        (Some(told), LogTime::Empty) if told < cutoff => Looked::Fits,
        // The log is ahead of the metadata when its writer died between the two.
        (Some(told), LogTime::At(log)) if told.max(log) < cutoff => Looked::Fits,
        _ => Looked::Not(verdict(Refusal::Updated)),
    }
}

/// Claims a session; a refusal is told of what is to become of it, also if it is only looked at.
pub(super) fn claim<'a>(
    change: &'a dyn Change,
    session: &Session,
    purpose: Purpose,
    disposal: Disposal,
) -> Result<Box<dyn Claim + 'a>, Verdict> {
    change.claim(session, purpose).map_err(|refusal| {
        verdict(match (refusal, disposal) {
            (Refusal::NotMovable(why), Disposal::Delete) => Refusal::NotDeleted(why),
            (refusal, _) => refusal,
        })
    })
}

/// What a store is locked for to dispose of sessions in that way.
pub(super) fn purpose(disposal: Disposal) -> Purpose {
    match disposal {
        Disposal::Trash => Purpose::Change,
        Disposal::Delete => Purpose::Delete,
    }
}

/// Whether somebody may have read the session within a day: an agent that takes no lease, say.
pub(super) fn read_lately(claim: &dyn Claim, policy: &Policy) -> bool {
    let since = policy.now.checked_sub_signed(TimeDelta::days(1));
    claim
        .read_at()
        .zip(since)
        .is_some_and(|(at, since)| at > since)
}

/// What a store's refusal makes of a session.
pub(super) fn verdict(refusal: Refusal) -> Verdict {
    match refusal {
        Refusal::Gone => Verdict::Gone,
        refusal => Verdict::Keep(refusal.into()),
    }
}

/// How long a whole run waits for sessions that are being written.
#[derive(Debug)]
pub(super) struct Patience(Duration);

impl Patience {
    /// In all.
    const WHOLE: Duration = Duration::from_secs(2);
    const STEP: Duration = Duration::from_millis(10);

    pub(super) fn new() -> Self {
        Self(Self::WHOLE)
    }

    /// Waits a moment; `false`: there is no more time.
    fn wait(&mut self) -> bool {
        if self.0.is_zero() {
            return false;
        }
        let since = Instant::now();
        thread::sleep(Self::STEP.min(self.0));
        // A busy machine sleeps longer than it was told to.
        self.0 = self.0.saturating_sub(since.elapsed());
        true
    }

    /// Looks at a session until nobody writes it or there is no more time.
    pub(super) fn recheck(
        &mut self,
        told: Option<DateTime<Utc>>,
        claim: &mut dyn Claim,
        cutoff: DateTime<Utc>,
    ) -> Looked {
        loop {
            match recheck(told, claim, cutoff) {
                Looked::Busy if self.wait() => {}
                Looked::Busy => return Looked::Not(verdict(Refusal::Busy)),
                looked => return looked,
            }
        }
    }
}
