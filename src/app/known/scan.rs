//! What a listing of the store makes of what is known.
//!
//! Invariant: a session that another scan finds as it was stays as it is; only who came, went, or has
//! another parent makes another forest.

use chrono::{DateTime, Utc};

use super::{AHEAD, Known};
use crate::app::msg::{Generation, ScanTrouble};
use crate::lineage::Lineage;
use crate::session::{Condition, Fault, Session, SessionId, Sighting};

/// Whether the store is being listed.
#[derive(Debug, Default)]
pub(super) enum Scan {
    #[default]
    Idle,
    /// For the first time: rows appear as they are found.
    First(Generation, Vec<Session>),
    /// Again: what is found takes the rows' place at the end.
    Again(Generation, Found),
}

/// What a scan has found so far.
#[derive(Debug, Default)]
pub(super) struct Found {
    sessions: Vec<Session>,
    /// As they were seen; whether they are pinned.
    same: Vec<(SessionId, bool)>,
    faults: Vec<Fault>,
}

/// What the end of a scan changed.
#[derive(Debug)]
pub(crate) enum Ended {
    /// Nothing: it was given up before.
    Stale,
    /// Nothing: it failed, and what was known stays.
    Kept,
    /// Nothing that rows are made of.
    Same,
    /// Sessions; those that were there have their old places.
    Renewed,
    /// The forest was replaced; this was the old one.
    Replaced(Box<Lineage>),
}

impl Known {
    /// Whether the store is being listed.
    pub(crate) fn scanning(&self) -> bool {
        !matches!(self.scan, Scan::Idle)
    }

    /// Whether it is being listed for the first time.
    pub(crate) fn first_scan(&self) -> bool {
        matches!(self.scan, Scan::First(..))
    }

    /// A scan begins. What need not be read again, if it is still like that.
    pub(crate) fn begin(&mut self, generation: Generation) -> Vec<(SessionId, Sighting)> {
        if self.lineage.is_empty() {
            self.faults.clear();
            self.scan = Scan::First(generation, Vec::new());
        } else {
            self.scan = Scan::Again(generation, Found::default());
        }
        // What is wrong with the others may be over without a trace in their metadata.
        let all = self.lineage.sessions().iter();
        let sound = all.filter(|session| session.condition == Condition::Sound);
        sound
            .map(|session| (session.id.clone(), session.seen))
            .collect()
    }

    /// Takes in what a scan found. `true`: the forest was rebuilt.
    pub(crate) fn found(
        &mut self,
        from: Generation,
        (sessions, same, faults): (Vec<Session>, Vec<(SessionId, bool)>, Vec<Fault>),
        now: DateTime<Utc>,
    ) -> bool {
        match &mut self.scan {
            Scan::First(generation, waiting) if *generation == from => {
                waiting.extend(sessions);
                self.faults.extend(faults);
                // Rebuilding at twice the size keeps the work of a long scan linear.
                if waiting.len() > self.lineage.len() {
                    return self.take_waiting(now);
                }
            }
            Scan::Again(generation, found) if *generation == from => {
                found.sessions.extend(sessions);
                found.same.extend(same);
                found.faults.extend(faults);
            }
            _ => {}
        }
        false
    }

    /// Shows what a first scan has found since the last rebuild. `true`: there was something.
    pub(crate) fn take_waiting(&mut self, now: DateTime<Utc>) -> bool {
        let Scan::First(_, waiting) = &mut self.scan else {
            return false;
        };
        if waiting.is_empty() {
            return false;
        }
        let waiting = std::mem::take(waiting);
        let mut sessions = std::mem::take(&mut self.lineage).into_sessions();
        sessions.extend(waiting);
        self.replace(sessions, now);
        true
    }

    /// A scan is over.
    pub(crate) fn ended(
        &mut self,
        from: Generation,
        outcome: Result<(), ScanTrouble>,
        now: DateTime<Utc>,
    ) -> Ended {
        match &mut self.scan {
            Scan::First(generation, _) if *generation == from => {
                self.take_waiting(now);
                self.scan = Scan::Idle;
                self.trouble = outcome.err();
                Ended::Renewed
            }
            Scan::Again(generation, found) if *generation == from => {
                let found = std::mem::take(found);
                self.scan = Scan::Idle;
                self.trouble = outcome.err();
                if self.trouble.is_some() {
                    return Ended::Kept;
                }
                self.faults = found.faults;
                self.found_again(found.sessions, found.same, now)
            }
            _ => Ended::Stale,
        }
    }

    /// All that is there now: what was read, and what is the same.
    fn found_again(
        &mut self,
        mut read: Vec<Session>,
        same: Vec<(SessionId, bool)>,
        now: DateTime<Utc>,
    ) -> Ended {
        // Sizes of what was not touched since it was measured are still right.
        for session in &mut read {
            let old = self.lineage.session(&session.id);
            let old = old.filter(|old| old.seen == session.seen);
            session.bytes = old.and_then(|old| old.bytes);
        }
        let mut there = vec![false; self.lineage.len()];
        let mut repinned = false;
        for (id, pinned) in same {
            if let Some(node) = self.lineage.find(&id) {
                there[node.index()] = true;
                repinned |= self.lineage.get(node).pinned != pinned;
                self.lineage.set_pinned(&id, pinned);
            }
        }
        let known = |session: &Session| self.lineage.find(&session.id);
        for node in read.iter().filter_map(known) {
            there[node.index()] = true;
        }
        let all = there.iter().all(|there| *there);
        if all && read.is_empty() && !repinned {
            return Ended::Same;
        }
        if all {
            return self.renewed(read, now);
        }
        let still = self.lineage.sessions().iter().zip(there);
        let still = still.filter(|(_, there)| *there);
        read.extend(still.map(|(session, _)| session.clone()));
        Ended::Replaced(Box::new(self.replace(read, now)))
    }

    /// Takes in sessions that were read again; those that are not known any more are passed over.
    pub(crate) fn rewritten(&mut self, mut sessions: Vec<Session>, now: DateTime<Utc>) -> Ended {
        sessions.retain(|session| self.lineage.find(&session.id).is_some());
        if sessions.is_empty() {
            return Ended::Same;
        }
        self.renewed(sessions, now)
    }

    /// Takes in sessions, in their old places if they have some and no other parent than before.
    fn renewed(&mut self, mut sessions: Vec<Session>, now: DateTime<Utc>) -> Ended {
        let fits = |session: &Session| {
            let old = self.lineage.session(&session.id);
            old.is_some_and(|old| old.parent == session.parent)
        };
        if !sessions.iter().all(fits) {
            // Of two with one id the first is taken.
            sessions.extend_from_slice(self.lineage.sessions());
            return Ended::Replaced(Box::new(self.replace(sessions, now)));
        }
        for session in sessions {
            self.lineage.renew(session);
        }
        self.lineage.believe_until(now + AHEAD);
        self.lineage.sort(self.sort, self.reversed);
        self.settle(now);
        Ended::Renewed
    }
}
