//! What is written down of a restore. The batches' own records tell titles and sizes: they are gone
//! when the last session is back.
//!
//! Must never keep a session from coming back.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::record;
use crate::prune::report::{BatchId, Trashed};
use crate::session::SessionId;
use crate::store::dir::Dir;
use crate::store::removals::{Action, Note, What};
use crate::text::SafeText;

/// Writes a note down.
pub(in crate::store) type Write<'a> = &'a dyn Fn(&Note<'_>) -> Result<(), SafeText>;

/// One restore.
pub(super) struct History<'a> {
    write: Write<'a>,
    batches: BTreeMap<&'a BatchId, Vec<Trashed>>,
}

impl<'a> History<'a> {
    /// Of these sessions, each from a batch.
    pub(super) fn new(
        trash: &Dir,
        sessions: impl Iterator<Item = (&'a BatchId, &'a SessionId)>,
        write: Write<'a>,
    ) -> Self {
        let mut wanted: BTreeMap<&BatchId, Vec<&SessionId>> = BTreeMap::new();
        for (batch, id) in sessions {
            wanted.entry(batch).or_default().push(id);
        }
        let batches = wanted
            .into_iter()
            .map(|(batch, ids)| (batch, told(trash, batch, &ids)))
            .collect();
        Self { write, batches }
    }

    /// All of it is about to come back.
    pub(super) fn intent(&self) -> Result<(), SafeText> {
        self.note(|sessions| What::Intent(sessions.iter().map(|told| &told.id).collect()))
    }

    /// This is what came back.
    pub(super) fn outcome(&self, restored: &[SessionId]) -> Result<(), SafeText> {
        let restored: HashSet<&SessionId> = restored.iter().collect();
        let back = |told: &&Trashed| restored.contains(&told.id);
        self.note(|sessions| What::Outcome(sessions.iter().filter(back).collect()))
    }

    fn note(&self, what: impl Fn(&[Trashed]) -> What<'_>) -> Result<(), SafeText> {
        let notes = self.batches.iter().map(|(batch, sessions)| {
            (self.write)(&Note {
                action: Action::Restore,
                batch: Some(batch),
                policy: "",
                what: what(sessions),
            })
        });
        // Each is tried, whatever became of the one before.
        notes.fold(Ok(()), Result::and)
    }
}

/// What a batch's record tells of its sessions; their ids where it tells nothing.
fn told(trash: &Dir, batch: &BatchId, ids: &[&SessionId]) -> Vec<Trashed> {
    let record = trash
        .open_dir(batch.as_str())
        .ok()
        .and_then(|folder| record::read(&folder).ok())
        .unwrap_or_default();
    let mut known: HashMap<SessionId, Trashed> = record
        .sessions()
        .map(|session| (session.id.clone(), session))
        .collect();
    let told = |id: &&SessionId| known.remove(*id).unwrap_or_else(|| Trashed::unknown(id));
    ids.iter().map(told).collect()
}
