//! Which batches of the trash can be emptied, and why the others stay. Pure: no clock, no disk.
//!
//! Must never: let a batch go that was not asked for, one whose grace is not known to be over
//! when only expired ones were, one that an ancestor of a living session or of one that stays
//! in the trash lies in, or any at all while a part of the trash cannot be read.
//! A [`ConfirmedTrash`] comes only from [`TrashPlan::confirm`].

mod claims;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use chrono::{DateTime, Utc};

pub(super) use claims::claimed;

use super::report::{BatchId, Emptied, EmptyReport, KeptBatch, Member, Shelved};
use super::warning::Warning;
use crate::session::{Place, Refusal, SessionId, Sighting};
use crate::text::SafeText;

/// Which batches are to be emptied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Those whose grace was over at this time. One that does not say when never is.
    Expired(DateTime<Utc>),
    /// These.
    Batches(BTreeSet<BatchId>),
    /// Every one.
    All,
}

impl Wanted {
    pub(super) fn has(&self, shelved: &Shelved) -> bool {
        match self {
            Self::Expired(now) => shelved.batch.expires_at.is_some_and(|at| at < *now),
            Self::Batches(names) => names.contains(&shelved.batch.batch),
            Self::All => true,
        }
    }
}

/// Where a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// In its place.
    Store,
    /// In the trash, in a batch that stays.
    Trash,
}

impl fmt::Display for Whereabouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Store => "in the store",
            Self::Trash => "in the trash",
        })
    }
}

/// A session that keeps its ancestors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descendant {
    /// Its id.
    pub id: SessionId,
    /// Where it is.
    pub at: Whereabouts,
}

/// Why a batch stays. Worded once, here and in [`Refusal`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeepBatch {
    /// A session in it is an ancestor of one that is not to go.
    Ancestor {
        /// The one in it.
        session: SessionId,
        /// The one that descends from it.
        of: Descendant,
    },
    /// A part of the trash cannot be read.
    Unclear(BatchId, SafeText),
    /// A session in the store cannot be read, and nobody was told so who said yes.
    Unread(SessionId),
    /// It is not what was shown.
    Changed,
    /// It is not there any more.
    Gone,
    /// The work was stopped before it.
    Stopped,
    /// The store refused.
    Refused(Refusal),
}

impl fmt::Display for KeepBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ancestor { session, of } => {
                write!(
                    f,
                    "{session} is an ancestor of {}, which is {}",
                    of.id, of.at
                )
            }
            Self::Unclear(batch, why) => write!(
                f,
                "what descends from it cannot be told: batch {batch}: {why}"
            ),
            Self::Unread(id) => {
                write!(f, "a session cannot be read and may descend from it: {id}")
            }
            Self::Changed => f.write_str("changed since it was shown"),
            Self::Gone => f.write_str("already gone"),
            Self::Stopped => f.write_str("stopped before it"),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

/// What is to become of a batch that is to be emptied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It goes, for good.
    Empty,
    /// It stays.
    Keep(KeepBatch),
}

/// The sessions in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Living {
    /// Those that descend from another one, and that one.
    pub children: Vec<(SessionId, SessionId)>,
    /// Those that cannot be read so far that it is known what they descend from. They keep nothing
    /// from going of which somebody was told so who said yes.
    pub unreadable: BTreeMap<SessionId, Sighting>,
}

/// What is to become of each batch: [`Fate::Keep`] and its reason for those that a session keeps
/// which stays, [`Fate::Empty`] for the rest of those that `asked` does not keep anyway; `None`:
/// not asked for. The reasons do not depend on the order of a listing.
pub(super) fn fates(
    shelves: &[Shelved],
    living: &[(SessionId, SessionId)],
    asked: impl Fn(&Shelved) -> Option<Fate>,
) -> Vec<Option<Fate>> {
    let mut fates: Vec<Option<Fate>> = shelves.iter().map(asked).collect();
    let unclear = shelves
        .iter()
        .find_map(|shelved| Some((shelved, shelved.unclear.clone()?)));
    if let Some((shelved, why)) = unclear {
        let keep = KeepBatch::Unclear(shelved.batch.batch.clone(), why);
        for fate in fates.iter_mut().filter(|f| **f == Some(Fate::Empty)) {
            *fate = Some(Fate::Keep(keep.clone()));
        }
        return fates;
    }
    let lots: Vec<&[Member]> = shelves.iter().map(|shelved| &*shelved.members).collect();
    let claimed = claimed(&lots, living, |at| fates[at] != Some(Fate::Empty));
    for (fate, claim) in fates.iter_mut().zip(claimed) {
        if let Some((session, of)) = claim {
            *fate = Some(Fate::Keep(KeepBatch::Ancestor { session, of }));
        }
    }
    fates
}

/// Trash to empty: every batch that was asked for, with what is to become of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrashPlan {
    place: Option<Place>,
    batches: Vec<(Shelved, Fate)>,
    /// As [`Living::unreadable`]; none if nobody is shown this.
    unreadable: BTreeMap<SessionId, Sighting>,
    warnings: Vec<Warning>,
}

impl TrashPlan {
    /// Decides from what was seen under the lock of the store in `place`.
    pub fn new(place: Place, shelves: Vec<Shelved>, living: &Living, wanted: &Wanted) -> Self {
        let asked = |shelved: &Shelved| wanted.has(shelved).then_some(Fate::Empty);
        let fates = fates(&shelves, &living.children, asked);
        let batches = shelves.into_iter().zip(fates);
        Self {
            place: Some(place),
            unreadable: living.unreadable.clone(),
            warnings: Vec::new(),
            batches: batches
                .filter_map(|(shelved, fate)| Some((shelved, fate?)))
                .collect(),
        }
    }

    /// Which sessions folder was looked at.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// Notes what else would be done.
    pub(super) fn warn(&mut self, warnings: Vec<Warning>) {
        self.warnings = warnings;
    }

    /// Every batch that was asked for, newest first.
    pub fn batches(&self) -> &[(Shelved, Fate)] {
        &self.batches
    }

    /// Those that would go.
    pub fn going(&self) -> impl Iterator<Item = &Shelved> {
        let batches = self.batches.iter();
        batches.filter_map(|(shelved, fate)| (*fate == Fate::Empty).then_some(shelved))
    }

    /// Keeps everything that would go.
    pub(super) fn keep_all(&mut self, refusal: &Refusal) {
        for (_, fate) in &mut self.batches {
            if *fate == Fate::Empty {
                *fate = Fate::Keep(KeepBatch::Refused(refusal.clone()));
            }
        }
    }

    /// The same, gone through with although nobody is shown it and asked: what cannot be read in the
    /// store keeps everything then.
    #[must_use]
    pub fn unasked(mut self) -> Self {
        if let Some(why) = self.kept_unasked() {
            for (_, fate) in self.batches.iter_mut().filter(|(_, f)| *f == Fate::Empty) {
                *fate = Fate::Keep(why.clone());
            }
        }
        self.unreadable.clear();
        self
    }

    /// Why what goes by this would stay if nobody was asked.
    pub fn kept_unasked(&self) -> Option<KeepBatch> {
        let id = self.unreadable.keys().next()?;
        let goes = self.going().next().is_some();
        goes.then(|| KeepBatch::Unread(id.clone()))
    }

    /// What in the store cannot be read, and could be when this was made or was not there: nobody
    /// knew that it may descend from what goes.
    pub(super) fn newly_unreadable(&self, now: &Living) -> Option<SessionId> {
        let mut unreadable = now.unreadable.iter();
        let new = unreadable.find(|(id, seen)| self.unreadable.get(id) != Some(seen));
        new.map(|(id, _)| id.clone())
    }

    /// What would be done.
    pub fn report(&self) -> EmptyReport {
        let mut report = EmptyReport {
            schema: EmptyReport::SCHEMA,
            dry_run: true,
            ..EmptyReport::default()
        };
        for (shelved, fate) in &self.batches {
            report.add(shelved, fate);
        }
        report.warn(self.unreadable.len());
        report.warnings.extend(self.warnings.iter().cloned());
        report
    }

    /// The user said yes to what this shows.
    #[must_use]
    pub fn confirm(self) -> ConfirmedTrash {
        ConfirmedTrash(self)
    }
}

impl EmptyReport {
    /// Tells of sessions in the store that may descend from what goes.
    pub(super) fn warn(&mut self, unreadable: usize) {
        if unreadable > 0 && !self.emptied.is_empty() {
            self.warnings
                .push(Warning::DamagedWithoutParent(unreadable));
        }
    }

    /// Adds what becomes of a batch.
    pub(super) fn add(&mut self, shelved: &Shelved, fate: &Fate) {
        let batch = shelved.batch.batch.clone();
        match fate {
            Fate::Empty => {
                self.bytes = self.bytes.saturating_add(shelved.batch.bytes);
                self.emptied.push(Emptied {
                    batch,
                    sessions: shelved.batch.sessions.len(),
                    bytes: shelved.batch.bytes,
                });
            }
            Fate::Keep(KeepBatch::Stopped) => self.not_reached.push(batch),
            Fate::Keep(reason) => {
                let list = match reason {
                    KeepBatch::Refused(_) => &mut self.failed,
                    _ => &mut self.kept,
                };
                list.push(KeptBatch {
                    batch,
                    reason: reason.to_string(),
                    why: Some(reason.clone()),
                });
            }
        }
    }
}

/// Batches that the user said yes to; the only ones that can be emptied.
#[derive(Debug)]
pub struct ConfirmedTrash(pub(super) TrashPlan);

#[cfg(test)]
mod tests;
