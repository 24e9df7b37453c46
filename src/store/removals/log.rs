//! The record read back, as far as it can be read.
//!
//! Must never: fail over a bad line, or believe what a line says for more than showing it.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use chrono::{DateTime, Utc};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::{Action, FILE};
use crate::prune::report::{BatchId, rfc3339};
use crate::session::SessionId;
use crate::text::SafeText;

/// The most that is read, from the end, in bytes: some 250,000 sessions.
const MAX: u64 = 64 << 20;

/// How far a removal was when its line was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// About to begin; in a [`Log`]: its end was never written down.
    Intent,
    /// Over.
    Outcome,
}

/// What was removed or came back, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Log {
    /// What was done, and what was begun without an end.
    pub entries: Vec<Logged>,
    /// Lines that cannot be read.
    pub unreadable: usize,
}

/// One line of the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Logged {
    /// When; RFC 3339.
    pub time: String,
    /// What was done.
    pub action: Action,
    /// Whether it came to its end.
    pub stage: Stage,
    /// The sessions folder.
    pub store: SafeText,
    /// The batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchId>,
    /// What was asked for, in words.
    #[serde(skip_serializing_if = "SafeText::is_empty")]
    pub policy: SafeText,
    /// Why nothing was done after all.
    #[serde(skip_serializing_if = "SafeText::is_empty")]
    pub kept: SafeText,
    /// What went wrong, so that nothing was done.
    #[serde(skip_serializing_if = "SafeText::is_empty")]
    pub failed: SafeText,
    /// The sessions; of what never came to its end, all that it may have been done to.
    pub sessions: Vec<LoggedSession>,
}

/// One session in the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedSession {
    /// Its id.
    pub id: SessionId,
    /// Its title.
    #[serde(skip_serializing_if = "SafeText::is_empty")]
    pub title: SafeText,
    /// Bytes on disk; absent if they were not written down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Its activity, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

/// A line as it is read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    time: String,
    stage: Stage,
    action: String,
    #[serde(default)]
    store: String,
    #[serde(default)]
    batch: Option<String>,
    #[serde(default)]
    policy: String,
    #[serde(default)]
    kept: String,
    #[serde(default)]
    failed: String,
    #[serde(default)]
    ids: Vec<String>,
    #[serde(default)]
    sessions: Vec<Session>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session {
    id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    bytes: Option<u64>,
    #[serde(default)]
    updated_at: Option<String>,
}

impl Log {
    /// Reads the record in a folder; one that is not there is empty.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut text = Vec::new();
        let flags = OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let opened = OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits().cast_signed())
            .open(folder.join(FILE));
        let mut file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error),
        };
        let seen = file.metadata()?;
        if !seen.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        let skipped = seen.len().saturating_sub(MAX);
        file.seek(SeekFrom::Start(skipped))?;
        file.take(MAX).read_to_end(&mut text)?;
        let mut lines = text.split(|byte| *byte == b'\n');
        if skipped > 0 {
            // It is not known where that line began.
            lines.next();
        }
        Ok(Self::of(lines))
    }

    fn of<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut log = Self::default();
        for line in lines.filter(|line| !line.is_empty()) {
            let read = serde_json::from_slice(line).ok().and_then(Line::read);
            match read {
                Some(logged) => log.add(logged),
                None => log.unreadable += 1,
            }
        }
        log.entries.reverse();
        log
    }

    /// Adds a line; an outcome takes the place of its intent.
    fn add(&mut self, logged: Logged) {
        if logged.stage == Stage::Outcome {
            let begun = self.entries.iter().rposition(|begun| logged.ends(begun));
            begun.map(|at| self.entries.remove(at));
        }
        self.entries.push(logged);
    }
}

impl Logged {
    /// Bytes of all its sessions, as far as they are known.
    pub fn bytes(&self) -> u64 {
        let bytes = self.sessions.iter().filter_map(|session| session.bytes);
        bytes.fold(0, u64::saturating_add)
    }

    /// Whether this is how that ended.
    fn ends(&self, begun: &Self) -> bool {
        let about = |logged: &Self| (logged.action, logged.batch.clone(), logged.store.clone());
        if begun.stage != Stage::Intent || about(begun) != about(self) {
            return false;
        }
        let ids: HashSet<&SessionId> = begun.sessions.iter().map(|session| &session.id).collect();
        self.sessions
            .iter()
            .all(|session| ids.contains(&session.id))
    }
}

impl Line {
    fn read(self) -> Option<Logged> {
        let action = |action: &Action| action.word() == self.action;
        let ids = self.ids.iter().map(|id| SessionId::parse(id));
        let ids = ids.flatten().map(|id| LoggedSession {
            id,
            title: SafeText::default(),
            bytes: None,
            updated_at: None,
        });
        let sessions = self.sessions.into_iter().filter_map(|session| {
            Some(LoggedSession {
                id: SessionId::parse(&session.id)?,
                title: SafeText::line(&session.title),
                // A batch's record that was written before it was measured.
                bytes: session.bytes.filter(|bytes| *bytes > 0),
                updated_at: session.updated_at.as_deref().and_then(time),
            })
        });
        Some(Logged {
            time: time(&self.time)?,
            action: Action::ALL.into_iter().find(action)?,
            stage: self.stage,
            store: SafeText::line(&self.store),
            batch: self.batch.as_deref().and_then(BatchId::parse),
            policy: SafeText::line(&self.policy),
            kept: SafeText::line(&self.kept),
            failed: SafeText::line(&self.failed),
            sessions: ids.chain(sessions).collect(),
        })
    }
}

fn time(text: &str) -> Option<String> {
    let time = DateTime::parse_from_rfc3339(text).ok()?;
    Some(rfc3339(time.with_timezone(&Utc)))
}
