//! One session's file, made into what it is.
//!
//! Must never read more of a long file than its beginning and its end, hold more than a part of it, or drop a
//! session because it could not be read: what is in doubt is told as damaged or undated, and so is kept.

use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use chrono::DateTime;

use super::event::Event;
use super::facts::{Facts, believed};
use super::files::{LINES, SIDECAR};
use crate::session::{
    Agent, Condition, Folder, Openness, Session, SessionId, SessionKind, Sighting,
};
use crate::store::dir::{Access, Dir, Extent, Identity, OpenError};
use crate::store::jsonl::{Lines, Part};
use crate::text::{SafeText, Secrets};

/// The longest title in columns; a prompt may stand for one.
const TITLE: usize = 1_000;
/// The largest sidecar that is read, in bytes.
const SIDECAR_MAX: u64 = 1 << 20;
/// A file of at most so many bytes is read whole.
const WHOLE: u64 = 1 << 20;

/// A session, and what else its file tells.
pub(super) struct Looked {
    pub(super) session: Session,
    /// Sessions that it started.
    pub(super) children: Vec<SessionId>,
    /// All of its events were seen.
    pub(super) whole: bool,
}

/// The session `id` in a folder of sessions; `None`: it is gone by now.
pub(super) fn look(
    at: &Dir,
    id: &SessionId,
    kind: SessionKind,
    secrets: Secrets,
) -> Option<Looked> {
    let name = format!("{id}{LINES}");
    let (file, seen) = match at.open_seen(&name, Access::Read) {
        Ok(opened) => opened,
        Err(error) if error.is_missing() => return None,
        Err(OpenError::NotRegular(what)) => {
            return Some(damaged(at, id, kind, &format!("its file is {what}")));
        }
        Err(OpenError::Io(error)) => return Some(damaged(at, id, kind, &error.to_string())),
    };
    let identity = Identity::from(&seen);
    let modified = nanoseconds(&seen);
    let mut fingerprint = DefaultHasher::new();
    (seen.len(), modified).hash(&mut fingerprint);
    let sighting = Sighting {
        device: identity.device,
        inode: identity.inode,
        metadata: fingerprint.finish(),
        version: at.stat(&name).ok().map(|seen| seen.version),
    };
    let told = modified.and_then(|modified| sidecar(at, id, seen.len(), modified));
    let read = told.map_or_else(|| gather(&file), |facts| Ok((facts, false)));
    let (facts, whole) = match read {
        Ok(read) => read,
        Err(error) => return Some(damaged(at, id, kind, &error.to_string())),
    };
    // What says nothing of its time is as old as its file.
    let written = || {
        let (seconds, rest) = (seen.mtime(), u32::try_from(seen.mtime_nsec()).ok()?);
        DateTime::from_timestamp(seconds, rest)
    };
    let latest = facts.latest.or_else(|| written().filter(|_| whole));
    let folder = facts.folder().filter(|path| !path.trim().is_empty());
    let rewound = facts.rewound_from.clone();
    let kind = match (&rewound, kind) {
        (Some(_), SessionKind::Main) => SessionKind::Fork,
        (_, kind) => kind,
    };
    let session = Session {
        title: SafeText::line_with(facts.name(), secrets).cut(TITLE),
        kind,
        cwd: folder.map(|path| Arc::new(Folder::with_secrets(Path::new(path), secrets))),
        parent: rewound,
        created_at: facts.began,
        activity_at: latest,
        condition: Condition::Sound,
        seen: sighting,
        ..unknown(id)
    };
    Some(Looked {
        session,
        children: facts.children,
        whole,
    })
}

fn nanoseconds(seen: &std::fs::Metadata) -> Option<u128> {
    let since = seen.modified().ok()?.duration_since(std::time::UNIX_EPOCH);
    Some(since.ok()?.as_nanos())
}

fn sidecar(at: &Dir, id: &SessionId, length: u64, modified: u128) -> Option<Facts> {
    let mut json = Vec::new();
    let read = at.read_file(format!("{id}{SIDECAR}"), SIDECAR_MAX, &mut json);
    match read {
        Ok(Extent::Whole) => believed(&json, id, length, modified),
        _ => None,
    }
}

/// What the events say, and whether all of them were asked. Lines that are none are passed over.
fn gather(file: &File) -> io::Result<(Facts, bool)> {
    let lines = Lines::of(file)?;
    let mut facts = Facts::default();
    if lines.size() <= WHOLE {
        let mut at = 0;
        while at < lines.size() {
            let part = lines.from(at)?;
            add(&mut facts, &part);
            // A part that does not lead on is the last one.
            if part.end <= at {
                break;
            }
            at = part.end;
        }
        return Ok((facts, true));
    }
    let head = lines.from(0)?;
    let tail = lines.before(lines.size())?;
    add(&mut facts, &head);
    // The latest time is near the end; of a beginning alone it could be far from true.
    facts.latest = None;
    add(&mut facts, &tail);
    Ok((facts, false))
}

fn add(facts: &mut Facts, part: &Part) {
    for line in part.lines() {
        if let Some(event) = Event::read(line.bytes) {
            facts.add(&event);
        }
    }
}

/// A session of which nothing can be made out.
fn damaged(at: &Dir, id: &SessionId, kind: SessionKind, why: &str) -> Looked {
    let seen = at.stat(format!("{id}{LINES}"));
    let seen = seen.map_or_else(
        |_| Sighting::default(),
        |seen| Sighting {
            device: seen.identity.device,
            inode: seen.identity.inode,
            metadata: 0,
            version: Some(seen.version),
        },
    );
    let session = Session {
        kind,
        condition: Condition::Damaged(SafeText::line(why)),
        seen,
        ..unknown(id)
    };
    Looked {
        session,
        children: Vec::new(),
        whole: true,
    }
}

fn unknown(id: &SessionId) -> Session {
    Session {
        agent: Agent::Magi,
        id: id.clone(),
        title: SafeText::default(),
        kind: SessionKind::Main,
        cwd: None,
        model: None,
        parent: None,
        created_at: None,
        activity_at: None,
        events: None,
        condition: Condition::Sound,
        bytes: None,
        open: Openness::default(),
        pinned: false,
        seen: Sighting::default(),
    }
}
