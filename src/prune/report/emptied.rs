//! What emptying the trash did, or would do: data, JSON and text.

use std::fmt;

use bytesize::ByteSize;
use serde::{Serialize, Serializer};

use super::BatchId;
use super::leftover::{self, Leftover};
use crate::prune::expiry::KeepBatch;
use crate::prune::warning::Warning;

/// A batch that is gone for good, or would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Emptied {
    /// Its name.
    pub batch: BatchId,
    /// Sessions that were in it.
    pub sessions: usize,
    /// Bytes they took on disk.
    pub bytes: u64,
}

/// A batch that is still there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptBatch {
    /// Its name.
    pub batch: BatchId,
    /// Why it stays, or what went wrong.
    pub reason: String,
    /// The same for whoever can name sessions better than by their ids; `None`: there is no more
    /// to it than that text.
    #[serde(skip)]
    pub why: Option<KeepBatch>,
}

/// What emptying the trash did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EmptyReport {
    /// Version of this shape.
    pub schema: u32,
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// What went, or would go.
    pub emptied: Vec<Emptied>,
    /// What was asked for but stays, and why.
    pub kept: Vec<KeptBatch>,
    /// What went wrong, and how.
    pub failed: Vec<KeptBatch>,
    /// What stopped work did not come to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_reached: Vec<BatchId>,
    /// Bytes of what went, or would go.
    pub bytes: u64,
    /// What else is gone from the store and the trash but still on the disk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<Leftover>,
    /// What else is to be said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

impl EmptyReport {
    /// Version of the JSON shape.
    pub const SCHEMA: u32 = 1;

    /// Sessions that went, or would go.
    pub fn sessions(&self) -> usize {
        self.emptied.iter().map(|batch| batch.sessions).sum()
    }

    /// Whether there is nothing to tell of any batch.
    pub fn is_empty(&self) -> bool {
        self.emptied.is_empty()
            && self.kept.is_empty()
            && self.failed.is_empty()
            && self.not_reached.is_empty()
    }

    /// Whether something went wrong, or was not come to.
    pub fn is_failure(&self) -> bool {
        !self.failed.is_empty() || !self.not_reached.is_empty() || !self.unfinished.is_empty()
    }

    /// What went, or would go, in a few words: `2 batches, 14 sessions, 3.1 MiB`.
    pub fn total(&self) -> String {
        let batches = counted(self.emptied.len(), "batch", "batches");
        let sessions = counted(self.sessions(), "session", "sessions");
        format!("{batches}, {sessions}, {}", ByteSize::b(self.bytes))
    }
}

/// As a part of a prune's report.
pub(super) fn section<S: Serializer>(
    report: &EmptyReport,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Section<'a> {
        expired: &'a [Emptied],
        kept: &'a [KeptBatch],
        failed: &'a [KeptBatch],
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        not_reached: &'a [BatchId],
        bytes: u64,
    }
    let section = Section {
        expired: &report.emptied,
        kept: &report.kept,
        failed: &report.failed,
        not_reached: &report.not_reached,
        bytes: report.bytes,
    };
    section.serialize(serializer)
}

/// `1 session`, `2 sessions`.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The report as text.
impl fmt::Display for EmptyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.emptied.is_empty() {
            let verb = if self.dry_run {
                "Trash to empty"
            } else {
                "Emptied from the trash"
            };
            writeln!(f, "{verb} ({}):", self.total())?;
            for batch in &self.emptied {
                let sessions = counted(batch.sessions, "session", "sessions");
                let bytes = ByteSize::b(batch.bytes);
                writeln!(f, "  {}  {sessions}, {bytes}", batch.batch)?;
            }
        }
        let told = [
            ("Kept in the trash", &self.kept),
            ("Could not empty", &self.failed),
        ];
        for (head, batches) in told {
            if !batches.is_empty() {
                let count = counted(batches.len(), "batch", "batches");
                writeln!(f, "{head} {count}:")?;
                for kept in batches {
                    writeln!(f, "  {}  {}", kept.batch, kept.reason)?;
                }
            }
        }
        if !self.not_reached.is_empty() {
            let count = counted(self.not_reached.len(), "batch", "batches");
            writeln!(f, "Did not reach {count}, which can still be restored:")?;
            for batch in &self.not_reached {
                writeln!(f, "  {batch}")?;
            }
        }
        leftover::tell(f, &self.unfinished)?;
        for warning in &self.warnings {
            writeln!(f, "Warning: {warning}")?;
        }
        Ok(())
    }
}
