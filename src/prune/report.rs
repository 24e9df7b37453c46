//! What a prune did, or in a dry run would do: data, JSON and text.
//!
//! The shape is Zero's own report (`zero sessions prune --json`) plus `schema`, `gone`,
//! `batch` and `notReached`; the text uses its words.

mod emptied;
mod leftover;
mod trash;

use std::fmt::{self, Write as _};

use bytesize::ByteSize;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

pub use emptied::{Emptied, EmptyReport, KeptBatch};
pub use leftover::Leftover;
pub(in crate::prune) use leftover::add as add_leftovers;
pub use trash::{
    BatchId, Doomed, Member, NotRestored, Restore, RestoreReport, Shelved, TrashBatch, Trashed,
};

use super::plan::{Candidate, Disposal, KeepReason, PrunePlan, Verdict};
use super::warning::Warning;
use crate::session::{Session, SessionId};
use crate::text::SafeText;

/// How far a long piece of work is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Sessions done.
    pub done: usize,
    /// Sessions in all.
    pub total: usize,
}

/// Looks on while something long is done, and may stop it.
pub trait Watch {
    /// How far it is.
    fn progress(&self, progress: Progress);
    /// Asked between sessions by a dry run or a restore, between batches by a removal.
    fn stopped(&self) -> bool;
    /// How many sessions a removal may move before it asks again whether to stop.
    fn batch_limit(&self) -> usize {
        usize::MAX
    }
    /// The work is at this point; tests change the store there.
    fn reached(&self, _: Step<'_>) {}
}

/// A point in a dry run or a removal between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// The store is locked, nothing else is.
    Locked,
    /// A dry run, or a removal of a batch, has all the leases it gets at a time.
    Claimed,
    /// A session was found to be as it was seen, and cannot be written.
    Rechecked(&'a SessionId),
    /// A session's folder was moved.
    Moved(&'a SessionId),
    /// All of a batch was moved; its leases are still ours.
    BatchMoved,
    /// The batches to be emptied are out of the trash; nothing of them is unlinked.
    TrashTaken,
}

/// One session in a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its id.
    pub session_id: SessionId,
    /// Its title.
    #[serde(skip_serializing_if = "SafeText::is_empty")]
    pub title: SafeText,
    /// Its kind's word.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Its activity, RFC 3339 in whole seconds; empty if it could not be read.
    pub updated_at: String,
    /// Bytes on disk.
    pub bytes: u64,
    /// Why it stays, or what went wrong; of what goes only that it is the rest of a session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What stays and descends from it, if that is the reason.
    #[serde(skip)]
    pub ancestor_of: Option<SessionId>,
    /// That it could not be checked is the reason.
    #[serde(skip)]
    pub unchecked: bool,
}

impl Entry {
    fn new(session: &Session, reason: String) -> Self {
        Self {
            session_id: session.id.clone(),
            title: session.title.clone(),
            kind: session.kind.word().to_owned(),
            updated_at: session.activity_at.map(rfc3339).unwrap_or_default(),
            bytes: session.bytes.unwrap_or(0),
            reason,
            ancestor_of: None,
            unchecked: false,
        }
    }
}

/// A time as reports and JSON write it: RFC 3339, UTC, whole seconds.
pub fn rfc3339(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// What a prune did, or would do. Sessions that are simply recent are not listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PruneReport {
    /// Version of this shape.
    pub schema: u32,
    /// Only what was active before this could go.
    pub cutoff: String,
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// Whether what goes is deleted at once, without the trash.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub delete_now: bool,
    /// Where the removed ones are in the trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchId>,
    /// Until when they are kept there for certain.
    #[serde(skip)]
    pub until: Option<DateTime<Utc>>,
    /// What went, or would go, in the order of removal.
    pub removed: Vec<Entry>,
    /// What is old but stays, and why.
    pub kept: Vec<Entry>,
    /// What went wrong, and how.
    pub failed: Vec<Entry>,
    /// What was gone already; no failure.
    pub gone: Vec<Entry>,
    /// What a stopped prune did not come to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_reached: Vec<Entry>,
    /// What became, or would become, of the expired batches in the trash.
    #[serde(
        skip_serializing_if = "EmptyReport::is_empty",
        serialize_with = "emptied::section"
    )]
    pub trash: EmptyReport,
    /// What is gone from the store and the trash but still on the disk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<Leftover>,
    /// What else is to be said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

impl PruneReport {
    /// Version of the JSON shape.
    pub const SCHEMA: u32 = 1;

    /// What a dry run says of a checked plan.
    pub fn dry(plan: &PrunePlan) -> Self {
        let mut report = Self::of(plan, true, None);
        report.add_trash(plan.trash().report());
        for candidate in plan.candidates() {
            report.add(candidate);
        }
        report
    }

    /// What became of a plan. What was to go and is not `moved`, by its place, was not reached.
    pub(in crate::prune) fn done(
        plan: &PrunePlan,
        batch: Option<BatchId>,
        moved: impl Fn(usize) -> bool,
    ) -> Self {
        let mut report = Self::of(plan, false, batch);
        for (at, candidate) in plan.candidates().iter().enumerate() {
            if *candidate.verdict() == Verdict::Remove && !moved(at) {
                let entry = Entry::new(&candidate.session, String::new());
                report.not_reached.push(entry);
            } else {
                report.add(candidate);
            }
        }
        report
    }

    /// Adds what became, or would become, of the trash.
    pub(in crate::prune) fn add_trash(&mut self, mut trash: EmptyReport) {
        for warning in trash.warnings.drain(..) {
            if self.warnings.iter().all(|known| warning.adds_to(known)) {
                self.warnings.retain(|known| !warning.replaces(known));
                self.warnings.push(warning);
            }
        }
        add_leftovers(&mut self.unfinished, std::mem::take(&mut trash.unfinished));
        self.trash = trash;
    }

    /// Whether something went wrong, or was not come to.
    pub fn is_failure(&self) -> bool {
        !self.failed.is_empty()
            || !self.not_reached.is_empty()
            || !self.unfinished.is_empty()
            || self.trash.is_failure()
    }

    fn of(plan: &PrunePlan, dry_run: bool, batch: Option<BatchId>) -> Self {
        Self {
            schema: Self::SCHEMA,
            cutoff: rfc3339(plan.policy().cutoff()),
            dry_run,
            delete_now: plan.disposal() == Disposal::Delete,
            batch,
            until: None,
            removed: Vec::new(),
            kept: Vec::new(),
            failed: Vec::new(),
            gone: Vec::new(),
            not_reached: Vec::new(),
            trash: EmptyReport::default(),
            unfinished: Vec::new(),
            warnings: plan.warnings().collect(),
        }
    }

    fn add(&mut self, candidate: &Candidate) {
        let (list, reason) = match candidate.verdict() {
            Verdict::Remove => {
                let note = candidate.finishes().unwrap_or_default();
                (&mut self.removed, note.to_owned())
            }
            Verdict::Keep(reason) => (&mut self.kept, reason.to_string()),
            Verdict::Gone => (&mut self.gone, "already gone".to_owned()),
            Verdict::Failed(why) => (&mut self.failed, why.to_string()),
        };
        let (ancestor_of, unchecked) = match candidate.verdict() {
            Verdict::Keep(KeepReason::AncestorOf(id)) => (Some(id.clone()), false),
            Verdict::Keep(reason) => (None, reason.unchecked()),
            _ => (None, false),
        };
        list.push(Entry {
            ancestor_of,
            unchecked,
            ..Entry::new(&candidate.session, reason)
        });
    }

    /// Measures what stays: that is no part of the work under the prune's locks.
    pub fn measure_kept(&mut self, size: impl Fn(&SessionId) -> Option<u64>) {
        let stays = self.kept.iter_mut().chain(&mut self.failed);
        for entry in stays.filter(|entry| entry.bytes == 0) {
            entry.bytes = size(&entry.session_id).unwrap_or(0);
        }
    }

    /// Bytes of what went, or would go.
    pub fn bytes(&self) -> u64 {
        self.removed.iter().map(|entry| entry.bytes).sum()
    }
}

/// The report as text, in Zero's words.
impl fmt::Display for PruneReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cutoff = &self.cutoff;
        let total = ByteSize::b(self.bytes());
        let verb = if self.dry_run {
            "Would remove"
        } else {
            "Removed"
        };
        match self.removed.len() {
            0 if self.failed.is_empty() && self.not_reached.is_empty() => writeln!(
                f,
                "No sessions to remove: nothing last updated before {cutoff} can go."
            )?,
            n => {
                let noun = if n == 1 { "session" } else { "sessions" };
                writeln!(
                    f,
                    "{verb} {n} {noun} last updated before {cutoff} ({total}):"
                )?;
            }
        }
        lines(f, &self.removed, |entry| match entry.title.as_str() {
            "" => &entry.reason,
            title => title,
        })?;
        let told = [
            ("Kept", "old enough to remove", &self.kept),
            ("Could not remove", "", &self.failed),
            ("Found", "already gone", &self.gone),
            ("Did not reach", "", &self.not_reached),
        ];
        for (head, tail, entries) in told {
            if !entries.is_empty() {
                let line = format!("{head} {} {tail}", entries.len());
                writeln!(f, "{}:", line.trim_end())?;
                lines(f, entries, |entry| &entry.reason)?;
            }
        }
        self.trash.fmt(f)?;
        leftover::tell(f, &self.unfinished)?;
        for warning in &self.warnings {
            writeln!(f, "Warning: {warning}")?;
        }
        if self.delete_now && !self.dry_run && !self.removed.is_empty() {
            writeln!(f, "Deleted for good: there is no undo.")?;
        } else if let Some(batch) = &self.batch {
            writeln!(f, "In the trash; to undo: sesstree trash restore {batch}")?;
        }
        Ok(())
    }
}

fn lines(
    f: &mut fmt::Formatter<'_>,
    entries: &[Entry],
    note: impl Fn(&Entry) -> &str,
) -> fmt::Result {
    for entry in entries {
        let day = entry.updated_at.get(..10).unwrap_or("undated   ");
        let mut line = String::new();
        write!(line, "  {}  {day}  {}", entry.session_id, note(entry))?;
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
