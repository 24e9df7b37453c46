//! What is in the trash, as the disk has it.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::Path;

use chrono::{DateTime, NaiveDateTime, Utc};

use super::{Anatomy, OURS, TRASH, record};
use crate::prune::report::{BatchId, TrashBatch, Trashed};
use crate::session::{Fault, SessionId};
use crate::store::dir::{Dir, Kind, OpenError};
use crate::text::SafeText;

/// Every batch with a session in it, newest first; what cannot be read is told beside it.
pub(in crate::store) fn list(
    root: &Path,
    anatomy: &dyn Anatomy,
) -> io::Result<(Vec<TrashBatch>, Vec<Fault>)> {
    let mut faults = Vec::new();
    let mut batches = Vec::new();
    let Some(trash) = open(&Dir::open_root(root)?)? else {
        return Ok((batches, faults));
    };
    let place = root.join(OURS).join(TRASH);
    let (names, strays) = names(&trash)?;
    faults.extend(strays.into_iter().map(|(name, what)| Fault {
        path: place.join(name),
        what: SafeText::line(&format!(
            "not a batch of the trash, which is not emptied for it: {what}"
        )),
    }));
    for batch in names {
        let mut told = |what: String| {
            let path = place.join(batch.as_str());
            let what = SafeText::line(&what);
            faults.push(Fault { path, what });
        };
        let listed = trash
            .open_dir(batch.as_str())
            .map_err(io::Error::from)
            .and_then(|folder| {
                let found = sessions(&folder, anatomy)?;
                for (id, why) in &found.odd {
                    told(format!("{id} in it is no session: {why}"));
                }
                Ok(describe(&folder, &batch, anatomy, &found, &mut told))
            });
        match listed {
            Ok(listed) if listed.sessions.is_empty() => {}
            Ok(listed) => batches.push(listed),
            // The last of it was restored since the trash was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => told(format!("cannot be read: {error}")),
        }
    }
    Ok((batches, faults))
}

/// The trash of a store; `None`: it has none.
pub(super) fn open(root: &Dir) -> Result<Option<Dir>, OpenError> {
    let opened = root.open_dir(OURS).and_then(|ours| ours.open_dir(TRASH));
    match opened {
        Ok(trash) => Ok(Some(trash)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

/// A name in the trash, and what it is.
type Stray = (OsString, String);

/// The batches, newest first: their names begin with their time. Beside them what is none but may hold
/// sessions all the same, and what it is.
pub(super) fn names(trash: &Dir) -> io::Result<(Vec<BatchId>, Vec<Stray>)> {
    let mut names = Vec::new();
    let mut strays = Vec::new();
    for entry in trash.entries()? {
        let entry = entry?;
        let batch = entry.name.to_str().and_then(BatchId::parse);
        match (entry.kind, batch) {
            (Kind::Folder, Some(batch)) => names.push(batch),
            (Kind::Folder, None) => {
                strays.push((entry.name, "no batch has a name like this".into()));
            }
            (Kind::Link | Kind::Unknown, _) => {
                strays.push((entry.name, format!("it is {}", entry.kind)));
            }
            (Kind::File | Kind::Fifo | Kind::Socket | Kind::Device, _) => {}
        }
    }
    names.sort_unstable_by(|a, b| b.cmp(a));
    strays.sort_unstable();
    Ok((names, strays))
}

/// The sessions that lie in a batch's folder, by id, and what else looks like one.
pub(super) fn sessions(folder: &Dir, anatomy: &dyn Anatomy) -> io::Result<Found> {
    let mut found = Found::default();
    let mut bare = Vec::new();
    for entry in folder.entries()? {
        let entry = entry?;
        let id = entry.name.to_str().and_then(SessionId::parse);
        let may_be = matches!(entry.kind, Kind::Folder | Kind::Unknown);
        let Some(id) = id.filter(|_| may_be) else {
            continue;
        };
        let session = folder
            .open_dir(id.as_str())
            .map_err(io::Error::from)
            .and_then(|dir| anatomy.is_session(&dir));
        match session {
            Ok(true) => found.whole.push(id),
            // It was restored since it was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Ok(false) => bare.push(id),
            Err(error) => found.odd.push((id, Odd::Unreadable(error))),
        }
    }
    if !bare.is_empty() {
        // What a late writer made since the batch was has the name of a whole session that went.
        let record = record::read(folder).unwrap_or_default();
        let whole: HashSet<SessionId> = record
            .sessions()
            .filter(|session| !session.remnant)
            .map(|session| session.id)
            .collect();
        for id in bare {
            if whole.contains(&id) {
                found.odd.push((id, Odd::NoMetadata));
            } else {
                found.remnants.push(id);
            }
        }
    }
    found.whole.sort_unstable();
    found.remnants.sort_unstable();
    Ok(found)
}

/// What lies in a batch's folder.
#[derive(Default)]
pub(super) struct Found {
    /// Sessions.
    pub(super) whole: Vec<SessionId>,
    /// What had no metadata when it went, as far as the record tells.
    pub(super) remnants: Vec<SessionId>,
    /// Folders that are named like one but are none, and why.
    pub(super) odd: Vec<(SessionId, Odd)>,
}

/// Why a folder is no session.
pub(super) enum Odd {
    /// A late writer made it, or its session was.
    NoMetadata,
    /// It cannot be told whether it is one.
    Unreadable(io::Error),
}

impl fmt::Display for Odd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMetadata => f.write_str("it has no metadata"),
            Self::Unreadable(error) => error.fmt(f),
        }
    }
}

/// What is told of a batch, from its record and its sessions' own files.
pub(super) fn describe(
    folder: &Dir,
    batch: &BatchId,
    anatomy: &dyn Anatomy,
    found: &Found,
    told: &mut dyn FnMut(String),
) -> TrashBatch {
    let record = record::read(folder).unwrap_or_else(|error| {
        if !found.whole.is_empty() || !found.remnants.is_empty() {
            told(format!("its batch.json cannot be read: {error}"));
        }
        record::Stored::default()
    });
    let mut recorded: HashMap<SessionId, Trashed> = record
        .sessions()
        .map(|session| (session.id.clone(), session))
        .collect();
    let there = found.whole.iter().chain(&found.remnants);
    let sessions = there.map(|id| match recorded.remove(id) {
        Some(session) if session.bytes > 0 => session,
        recorded => {
            let own = anatomy.describe(folder, id);
            let parent = own.parent.or_else(|| recorded?.parent);
            Trashed { parent, ..own }
        }
    });
    let sessions: Vec<Trashed> = sessions.collect();
    TrashBatch {
        batch: batch.clone(),
        at: record.at().or_else(|| time_in(batch)),
        expires_at: record.expires_at(),
        bytes: sessions.iter().map(|session| session.bytes).sum(),
        sessions,
    }
}

/// The time that a batch's name begins with.
fn time_in(batch: &BatchId) -> Option<DateTime<Utc>> {
    let stamp = batch.as_str().split('-').next()?;
    let time = NaiveDateTime::parse_from_str(stamp, "%Y%m%dT%H%M%SZ").ok()?;
    Some(time.and_utc())
}
