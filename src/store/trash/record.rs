//! `batch.json`: what a batch folder says of itself.
//!
//! Must never be what decides: a record that is missing, torn or wrong costs titles, not sessions.

use std::fs::File;
use std::io::{self, Write as _};

use chrono::{DateTime, Utc};
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};

use super::{RECORD, rename};
use crate::prune::report::{BatchId, Trashed, rfc3339};
use crate::session::SessionId;
use crate::store::dir::{Dir, Extent};
use crate::text::SafeText;

/// Its name while it is written.
pub(super) const TEMPORARY: &str = "batch.json.tmp";
/// Version of the file's shape.
const SCHEMA: u32 = 1;
/// The largest file that is read, in bytes: some 400 for each of 100,000 sessions.
const MAX: u64 = 40 << 20;

/// What a prune is about to put into the trash.
#[derive(Clone, Debug)]
pub struct Record {
    /// The batch's name.
    pub batch: BatchId,
    /// When.
    pub at: DateTime<Utc>,
    /// Until when it is kept for certain.
    pub expires_at: DateTime<Utc>,
    /// What was asked for, in words.
    pub policy: String,
    /// All that was confirmed; not all of it may go.
    pub sessions: Vec<Trashed>,
}

/// The file, read leniently: a field that is missing or odd is none.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stored {
    #[serde(default)]
    schema: u32,
    #[serde(default)]
    at: String,
    #[serde(default)]
    expires_at: String,
    #[serde(default)]
    policy: String,
    #[serde(default)]
    sessions: Vec<StoredSession>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredSession {
    id: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    remnant: bool,
}

impl Stored {
    pub(super) fn at(&self) -> Option<DateTime<Utc>> {
        time(&self.at)
    }

    pub(super) fn expires_at(&self) -> Option<DateTime<Utc>> {
        time(&self.expires_at)
    }

    /// What it says of its sessions.
    pub(super) fn sessions(&self) -> impl Iterator<Item = Trashed> + '_ {
        self.sessions.iter().filter_map(|stored| {
            Some(Trashed {
                id: SessionId::parse(&stored.id)?,
                title: SafeText::line(&stored.title),
                parent: stored.parent.as_deref().and_then(SessionId::parse),
                bytes: stored.bytes.unwrap_or(0),
                updated_at: stored.updated_at.as_deref().and_then(time).map(rfc3339),
                remnant: stored.remnant,
            })
        })
    }
}

/// The file outlives the screen: whatever that was asked to show, there is no secret in here.
impl From<&Record> for Stored {
    fn from(record: &Record) -> Self {
        let sessions = record.sessions.iter().map(|session| StoredSession {
            id: session.id.as_str().to_owned(),
            title: session.title.without_secrets().as_str().to_owned(),
            parent: session.parent.as_ref().map(|id| id.as_str().to_owned()),
            bytes: (session.bytes > 0).then_some(session.bytes),
            updated_at: session.updated_at.clone(),
            remnant: session.remnant,
        });
        Self {
            schema: SCHEMA,
            at: rfc3339(record.at),
            expires_at: rfc3339(record.expires_at),
            policy: record.policy.clone(),
            sessions: sessions.collect(),
        }
    }
}

fn time(text: &str) -> Option<DateTime<Utc>> {
    let time = DateTime::parse_from_rfc3339(text).ok()?;
    Some(time.to_utc())
}

/// Writes the record of a batch into its folder, all of it or nothing.
pub(super) fn write(record: &Record, folder: &Dir) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(&Stored::from(record))?;
    text.push(b'\n');
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let made = rustix::fs::openat(folder, TEMPORARY, flags, Mode::RUSR | Mode::WUSR)?;
    let mut file = File::from(made);
    file.write_all(&text)?;
    file.sync_all()?;
    rename(
        (folder, TEMPORARY),
        (folder, RECORD),
        rustix::fs::RenameFlags::NOREPLACE,
    )
}

/// Reads the record of a batch from its folder.
pub(super) fn read(folder: &Dir) -> io::Result<Stored> {
    let mut text = Vec::new();
    match folder.read_file(RECORD, MAX, &mut text)? {
        Extent::Whole => Ok(serde_json::from_slice(&text)?),
        Extent::Cut => Err(io::Error::other("it is larger than 40 MiB")),
    }
}
