//! What is in the trash, and what became of it: data, JSON and text.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::session::{Place, SessionId, Sighting};
use crate::text::SafeText;

/// Name of a batch in the trash: safe as a file name and as text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct BatchId(String);

impl BatchId {
    /// `None` if `name` cannot be a batch's: letters, digits, `-`, at most 64, a digit first.
    pub fn parse(name: &str) -> Option<Self> {
        let fits = name.len() <= 64
            && name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        fits.then(|| Self(name.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// One session in the trash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trashed {
    /// Its id.
    pub id: SessionId,
    /// Its title.
    #[serde(skip_serializing_if = "SafeText::is_empty")]
    pub title: SafeText,
    /// The session it descends from.
    #[serde(skip)]
    pub parent: Option<SessionId>,
    /// Bytes on disk.
    pub bytes: u64,
    /// Its activity, RFC 3339; absent if it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// It had no metadata when it went: the rest of a session that another program had begun to remove.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub remnant: bool,
}

impl Trashed {
    /// One of which nothing but its id is known.
    pub fn unknown(id: &SessionId) -> Self {
        Self {
            id: id.clone(),
            title: SafeText::default(),
            parent: None,
            bytes: 0,
            updated_at: None,
            remnant: false,
        }
    }
}

/// What one prune put into the trash and is still there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TrashBatch {
    /// Its name.
    pub batch: BatchId,
    /// When it was made; absent if that cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<DateTime<Utc>>,
    /// Until when it is kept for certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
    /// Bytes on disk.
    pub bytes: u64,
    /// What is in it, by id.
    pub sessions: Vec<Trashed>,
}

/// What to bring back from the trash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restore {
    /// All of a batch.
    Batch(BatchId),
    /// One session, from the newest batch that has it, with its ancestors that are in the trash.
    Session(SessionId),
}

/// What a restore did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreReport {
    /// Version of this shape.
    pub schema: u32,
    /// What is back in the store, ancestors first.
    pub restored: Vec<SessionId>,
    /// What is still in the trash, and why.
    pub failed: Vec<NotRestored>,
    /// What else is to be said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<SafeText>,
}

/// One session that could not be brought back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NotRestored {
    /// Its id.
    pub id: SessionId,
    /// Why.
    pub reason: String,
}

/// A batch as it was seen under the store's lock: what decides whether it can be emptied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shelved {
    /// What is told of it.
    pub batch: TrashBatch,
    /// Which folder it is.
    pub place: Place,
    /// Everything in it that is named like a session, by id.
    pub members: Vec<Member>,
    /// What of it cannot be read; nobody knows then what descends from what.
    pub unclear: Option<SafeText>,
}

/// What was taken out of the store or the trash for good, and is not unlinked yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doomed {
    /// The session's id, or the batch's name.
    pub name: String,
    /// What it is called where it lies.
    pub file: String,
    /// Whether nothing of it is unlinked.
    pub whole: bool,
    /// The batch that it is, if it is one.
    pub batch: Option<BatchId>,
    /// What in it is named like a session, or it alone, if it is whole.
    pub members: Vec<Member>,
    /// Why it cannot go, whatever descends from it: somebody holds it.
    pub held: Option<SafeText>,
    /// What of it cannot be read; nobody knows then what descends from what.
    pub unclear: Option<SafeText>,
}

/// A folder in a batch that is named like a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its id.
    pub id: SessionId,
    /// What was seen of it.
    pub seen: Sighting,
    /// What it descends from: as its own files tell, and as the batch's record does.
    pub parents: Vec<SessionId>,
}
