//! Which batches of the trash can be emptied, and why the others stay. Pure: no clock, no disk.
//!
//! Must never: let a batch go that was not asked for, one whose grace is not known to be over
//! when only expired ones were, one that an ancestor of a living session or of one that stays
//! in the trash lies in, or any at all while a part of the trash cannot be read.
//! A [`ConfirmedTrash`] comes only from [`TrashPlan::confirm`].

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt;

use chrono::{DateTime, Utc};

use super::report::{BatchId, Emptied, EmptyReport, KeptBatch, Shelved};
use super::warning::Warning;
use crate::session::{Place, Refusal, SessionId};
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
    /// How many cannot be read so far that it is known what they descend from. They keep nothing,
    /// which is told.
    pub unreadable: usize,
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
    let mut claims = Claims::new(shelves, living);
    for (at, fate) in fates.iter().enumerate() {
        if *fate != Some(Fate::Empty) {
            claims.stays(&shelves[at]);
        }
    }
    while let Some((session, of)) = claims.next() {
        for at in claims.batches(&session) {
            if fates[at] == Some(Fate::Empty) {
                let session = session.clone();
                let of = of.clone();
                fates[at] = Some(Fate::Keep(KeepBatch::Ancestor { session, of }));
                claims.stays(&shelves[at]);
            }
        }
    }
    fates
}

/// Walks from what stays to its ancestors. Two folders of one id count as one session here: it
/// cannot be told which of them is meant.
struct Claims<'a> {
    parents: HashMap<&'a SessionId, BTreeSet<&'a SessionId>>,
    batches: HashMap<&'a SessionId, Vec<usize>>,
    seen: HashSet<&'a SessionId>,
    queue: VecDeque<(&'a SessionId, Descendant)>,
}

impl<'a> Claims<'a> {
    fn new(shelves: &'a [Shelved], living: &'a [(SessionId, SessionId)]) -> Self {
        let mut parents: HashMap<_, BTreeSet<_>> = HashMap::new();
        let mut batches: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, shelved) in shelves.iter().enumerate() {
            for member in &shelved.members {
                parents
                    .entry(&member.id)
                    .or_default()
                    .extend(&member.parents);
                batches.entry(&member.id).or_default().push(at);
            }
        }
        let living: BTreeSet<_> = living.iter().map(|(id, parent)| (id, parent)).collect();
        let mut claims = Self {
            parents,
            batches,
            seen: HashSet::new(),
            queue: VecDeque::new(),
        };
        for &(id, parent) in &living {
            claims.parents.entry(id).or_default().insert(parent);
        }
        for (id, parent) in living {
            claims.claim(parent, id, Whereabouts::Store);
        }
        claims
    }

    fn claim(&mut self, parent: &'a SessionId, id: &SessionId, at: Whereabouts) {
        if self.seen.insert(parent) {
            let id = id.clone();
            self.queue.push_back((parent, Descendant { id, at }));
        }
    }

    /// All in a batch keeps its ancestors.
    fn stays(&mut self, shelved: &'a Shelved) {
        for member in &shelved.members {
            for parent in &member.parents {
                self.claim(parent, &member.id, Whereabouts::Trash);
            }
        }
    }

    /// The next ancestor of something that stays.
    fn next(&mut self) -> Option<(SessionId, Descendant)> {
        let (id, of) = self.queue.pop_front()?;
        for parent in self.parents.get(id).cloned().unwrap_or_default() {
            if self.seen.insert(parent) {
                self.queue.push_back((parent, of.clone()));
            }
        }
        Some((id.clone(), of))
    }

    /// The batches that a session is in.
    fn batches(&self, id: &SessionId) -> Vec<usize> {
        self.batches.get(id).cloned().unwrap_or_default()
    }
}

/// Trash to empty: every batch that was asked for, with what is to become of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrashPlan {
    place: Option<Place>,
    batches: Vec<(Shelved, Fate)>,
    unreadable: usize,
}

impl TrashPlan {
    /// Decides from what was seen under the lock of the store in `place`.
    pub fn new(place: Place, shelves: Vec<Shelved>, living: &Living, wanted: &Wanted) -> Self {
        let asked = |shelved: &Shelved| wanted.has(shelved).then_some(Fate::Empty);
        let fates = fates(&shelves, &living.children, asked);
        let batches = shelves.into_iter().zip(fates);
        Self {
            place: Some(place),
            unreadable: living.unreadable,
            batches: batches
                .filter_map(|(shelved, fate)| Some((shelved, fate?)))
                .collect(),
        }
    }

    /// Which sessions folder was looked at.
    pub fn place(&self) -> Option<Place> {
        self.place
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
        report.warn(self.unreadable);
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
