//! What is known of the store: its sessions, who holds what, and what a prune would make of it.
//!
//! Invariants: while a store is looked at again its rows stay; the outlook is always that of the
//! lineage beside it; a long scan costs no more than a few rebuilds.

mod scan;

use std::collections::HashMap;
use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};

use super::msg::ScanTrouble;
use crate::lineage::{Lineage, Node, Sort};
use crate::prune::plan::{self, Outlook};
use crate::prune::policy::{Age, Policy};
use crate::session::{Condition, Fault, Openness, Refusal, Session, SessionId};
pub(crate) use scan::Ended;
use scan::Scan;

/// Clocks differ a little: so far ahead of ours is now.
const AHEAD: TimeDelta = TimeDelta::minutes(1);

/// What is known of the store.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) lineage: Lineage,
    pub(crate) faults: Vec<Fault>,
    scan: Scan,
    /// Why the store could not be listed the last time.
    pub(crate) trouble: Option<ScanTrouble>,
    /// Why there is no prune of it where it is.
    pub(crate) refused: Option<Refusal>,
    pub(crate) sort: Sort,
    pub(crate) reversed: bool,
    /// What `p` starts from, and what the marks are about; none while the agent's setting is broken.
    pub(crate) cutoff: Option<Age>,
    pub(crate) totals: Totals,
    outlook: Vec<Outlook>,
    /// Sizes have come since the rows were ordered by them.
    unsorted: bool,
    judged_at: DateTime<Utc>,
    open: HashMap<SessionId, Openness>,
}

/// Sums over all sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) bytes: u64,
    /// Sessions whose size is not known yet.
    pub(crate) unmeasured: usize,
    pub(crate) open: usize,
}

impl Known {
    /// Nothing yet.
    pub(crate) fn new(cutoff: Option<Age>, now: DateTime<Utc>) -> Self {
        Self {
            cutoff,
            judged_at: now,
            ..Self::default()
        }
    }

    /// Every session with a sign of a holder.
    pub(crate) fn open(&self) -> impl Iterator<Item = &SessionId> {
        self.open.keys()
    }

    /// Notes who holds what.
    pub(crate) fn opened(&mut self, open: HashMap<SessionId, Openness>, now: DateTime<Utc>) {
        if open != self.open {
            self.open = open;
            self.settle(now);
        }
    }

    /// Notes who holds one session.
    pub(crate) fn open_again(&mut self, id: &SessionId, open: Openness, now: DateTime<Utc>) {
        let mut all = self.open.clone();
        all.remove(id);
        if open != Openness::NoSign {
            all.insert(id.clone(), open);
        }
        self.opened(all, now);
    }

    /// Notes sizes in bytes.
    pub(crate) fn sized(&mut self, sizes: Vec<(SessionId, u64)>) {
        for (id, bytes) in sizes {
            self.lineage.set_bytes(&id, bytes);
        }
        self.unsorted = self.sort == Sort::Size;
        self.count();
    }

    /// Notes what is pinned now, or no longer: `false`.
    pub(crate) fn pinned(&mut self, pins: &[(SessionId, bool)], now: DateTime<Utc>) {
        for (id, pinned) in pins {
            self.lineage.set_pinned(id, *pinned);
        }
        self.judge(now);
    }

    /// Orders the rows by what was measured since they were; `false`: there is no need.
    pub(crate) fn order_sizes(&mut self) -> bool {
        let unsorted = std::mem::take(&mut self.unsorted);
        if unsorted {
            self.lineage.sort(self.sort, self.reversed);
        }
        unsorted
    }

    /// Orders the rows anew.
    pub(crate) fn order(&mut self, sort: Sort, reversed: bool) {
        (self.sort, self.reversed) = (sort, reversed);
        self.lineage.sort(sort, reversed);
    }

    /// Judges by another cutoff from now on.
    pub(crate) fn cut(&mut self, cutoff: Age, now: DateTime<Utc>) {
        self.cutoff = Some(cutoff);
        self.judge(now);
    }

    /// Time goes by: sessions get old enough to go.
    pub(crate) fn passed(&mut self, now: DateTime<Utc>) {
        if now.signed_duration_since(self.judged_at) >= TimeDelta::minutes(1) {
            self.judge(now);
        }
    }

    /// The forest, or who holds what, is new.
    fn settle(&mut self, now: DateTime<Utc>) {
        self.lineage.set_open(&self.open);
        self.judge(now);
        self.count();
    }

    fn replace(&mut self, sessions: Vec<Session>, now: DateTime<Utc>) -> Lineage {
        let mut lineage = Lineage::unsorted(sessions);
        lineage.believe_until(now + AHEAD);
        lineage.sort(self.sort, self.reversed);
        let old = std::mem::replace(&mut self.lineage, lineage);
        self.settle(now);
        old
    }

    fn judge(&mut self, now: DateTime<Utc>) {
        self.judged_at = now;
        self.outlook = match self.cutoff {
            Some(age) => plan::outlook(&self.lineage, &Policy::all(age, now)),
            None => Vec::new(),
        };
    }

    fn count(&mut self) {
        let sessions = self.lineage.sessions();
        self.totals = Totals {
            bytes: sessions.iter().filter_map(|s| s.bytes).sum(),
            unmeasured: sessions.iter().filter(|s| s.bytes.is_none()).count(),
            open: sessions
                .iter()
                .filter(|s| s.open.holder().is_some())
                .count(),
        };
    }

    /// What a prune at the current cutoff would make of a session.
    pub(crate) fn outlook(&self, node: Node) -> Outlook {
        self.outlook.get(node.index()).copied().unwrap_or_default()
    }

    /// How many sessions, and bytes, a prune would take at `age`, as far as can be said without locks.
    pub(crate) fn would_go(&self, age: Age, now: DateTime<Utc>) -> (usize, u64) {
        let outlook = plan::outlook(&self.lineage, &Policy::all(age, now));
        let sessions = self.lineage.sessions().iter().zip(outlook);
        let going = sessions.filter(|(_, outlook)| *outlook == Outlook::Goes);
        going.fold((0, 0), |(count, sum), (session, _)| {
            (count + 1, sum + session.bytes.unwrap_or(0))
        })
    }

    /// What is wrong with a session's time.
    pub(crate) fn odd_time(&self, session: &Session) -> Option<OddTime> {
        match session.activity_at {
            None => Some(OddTime::Unreadable),
            Some(at) if at > self.judged_at + AHEAD => Some(OddTime::Future(at)),
            Some(_) => None,
        }
    }

    /// The mark of a session.
    pub(crate) fn mark(&self, node: Node) -> Mark {
        let session = self.lineage.get(node);
        match (&session.open, self.outlook(node)) {
            (Openness::Open(_), _) => Mark::Open,
            (Openness::Maybe, _) => Mark::MaybeOpen,
            _ if session.pinned => Mark::Pinned,
            (_, Outlook::Goes) => Mark::Goes,
            _ if session.condition != Condition::Sound => Mark::Damaged,
            _ if self.odd_time(session).is_some() => Mark::Damaged,
            (_, Outlook::Ancestor) => Mark::Ancestor,
            (_, Outlook::Stays) => Mark::None,
        }
    }
}

/// Why a session's time says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OddTime {
    Unreadable,
    Future(DateTime<Utc>),
}

impl fmt::Display for OddTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => f.write_str("its time cannot be read"),
            Self::Future(at) => write!(f, "its time cannot be right: {}", at.format("%Y-%m-%d")),
        }
    }
}

/// What is said of a session at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    None,
    Open,
    MaybeOpen,
    Ancestor,
    Goes,
    Pinned,
    Damaged,
}
