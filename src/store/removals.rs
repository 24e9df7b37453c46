//! The record of removals: `removals.jsonl` in a folder of the user's own, one line for what is
//! about to be done and one for what was.
//!
//! Must never: decide anything, stop a removal, hold text of a transcript, or be changed but by
//! adding to its end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use rustix::fs::OFlags;
use serde::Serialize;

use crate::prune::report::{BatchId, Trashed, rfc3339};
use crate::session::{Agent, SessionId};
use crate::text::SafeText;

mod log;

pub use log::{Log, Logged, Stage};

/// The file's name.
const FILE: &str = "removals.jsonl";
/// Version of a line's shape.
const SCHEMA: u32 = 1;

/// What is done with sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// They go to the trash.
    Trash,
    /// They go for good, without the trash.
    Delete,
    /// They go from the trash for good.
    Purge,
    /// They come back from the trash.
    Restore,
}

impl Action {
    /// Every one.
    const ALL: [Self; 4] = [Self::Trash, Self::Delete, Self::Purge, Self::Restore];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Trash => "trash",
            Self::Delete => "delete",
            Self::Purge => "purge",
            Self::Restore => "restore",
        }
    }
}

/// Something to be written down.
#[derive(Clone, Debug)]
pub struct Note<'a> {
    /// What is done.
    pub action: Action,
    /// The batch of the trash that it is about.
    pub batch: Option<&'a BatchId>,
    /// What was asked for, in words; empty if that says nothing.
    pub policy: &'a str,
    /// Which sessions.
    pub what: What<'a>,
}

/// How far it is.
#[derive(Clone, Debug)]
pub enum What<'a> {
    /// It is about to be done, with no more than these.
    Intent(Vec<&'a SessionId>),
    /// It was done, with these.
    Outcome(Vec<&'a Trashed>),
    /// None of it was done, and that is why.
    Stays(Stays),
}

/// Why what was about to be done was not.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stays {
    /// It was decided so at the last look.
    Kept(String),
    /// Something went wrong.
    Failed(String),
}

/// Where removals are written down.
#[derive(Clone, Debug)]
pub struct Removals {
    place: Place,
    clock: fn() -> DateTime<Utc>,
}

#[derive(Clone, Debug)]
enum Place {
    /// Nobody wants to know.
    Off,
    /// It is not known where.
    Unknown,
    Folder(PathBuf),
}

impl Removals {
    /// Nowhere, and nobody misses it.
    pub fn off() -> Self {
        Self {
            place: Place::Off,
            clock: || DateTime::UNIX_EPOCH,
        }
    }

    /// In this folder, which is made when there is something to write; `None`: it is not known
    /// where, which is told each time.
    pub fn in_folder(folder: Option<&Path>, clock: fn() -> DateTime<Utc>) -> Self {
        let place = match folder {
            Some(folder) => Place::Folder(folder.to_owned()),
            None => Place::Unknown,
        };
        Self { place, clock }
    }

    /// Writes a note about the sessions folder `root` down, and sees to it that it is on the disk.
    pub(in crate::store) fn add(
        &self,
        agent: Agent,
        root: &Path,
        note: &Note<'_>,
    ) -> Result<(), SafeText> {
        let folder = match &self.place {
            Place::Off => return Ok(()),
            Place::Unknown => return Err(missing("neither XDG_STATE_HOME nor HOME is set")),
            Place::Folder(folder) => folder,
        };
        // It outlives the screen: whatever that was asked to show, there is no secret in here.
        let hidden = |session: &&Trashed| Trashed {
            title: session.title.without_secrets(),
            ..(*session).clone()
        };
        let (stage, ids, sessions, stays) = match &note.what {
            What::Intent(ids) => (Stage::Intent, Some(ids), None, None),
            What::Outcome(sessions) => {
                let sessions = sessions.iter().map(hidden).collect();
                (Stage::Outcome, None, Some(sessions), None)
            }
            What::Stays(stays) => (Stage::Outcome, None, None, Some(stays)),
        };
        let line = Line {
            schema: SCHEMA,
            time: rfc3339((self.clock)()),
            stage,
            action: note.action,
            agent,
            store: SafeText::path(root),
            batch: note.batch,
            policy: note.policy,
            ids,
            sessions,
            stays,
        };
        let written = serde_json::to_vec(&line)
            .map_err(io::Error::from)
            .and_then(|line| append(folder, line));
        written.map_err(|error| {
            let path = SafeText::path(&folder.join(FILE));
            missing(&format!("{path}: {error}"))
        })
    }
}

fn missing(why: &str) -> SafeText {
    SafeText::line(&format!("this is missing in the record of removals: {why}"))
}

/// A line as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    schema: u32,
    time: String,
    stage: Stage,
    action: Action,
    agent: Agent,
    store: SafeText,
    #[serde(skip_serializing_if = "Option::is_none")]
    batch: Option<&'a BatchId>,
    #[serde(skip_serializing_if = "str::is_empty")]
    policy: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ids: Option<&'a Vec<&'a SessionId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<Vec<Trashed>>,
    /// `"kept": "why"` or `"failed": "why"`.
    #[serde(flatten)]
    stays: Option<&'a Stays>,
}

/// Adds a line in one write, so that two processes do not mix theirs.
fn append(folder: &Path, mut line: Vec<u8>) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    // Somebody may have put a FIFO there; nobody waits for its other end.
    let flags = OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(flags.bits().cast_signed())
        .open(folder.join(FILE))?;
    let seen = file.metadata()?;
    if !seen.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    // A line that somebody could not write to its end must not swallow this one.
    let mut last = [b'\n'];
    if let Some(at) = seen.len().checked_sub(1) {
        file.read_exact_at(&mut last, at)?;
    }
    if last != *b"\n" {
        line.insert(0, b'\n');
    }
    line.push(b'\n');
    if file.write(&line)? < line.len() {
        return Err(io::ErrorKind::StorageFull.into());
    }
    file.sync_all()?;
    if seen.len() == 0 {
        // The name has to last, too.
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
