//! What Zero does to its store, from its description alone: holding, writing and forking sessions,
//! with leases and without. Uses nothing of the product.
//!
//! Paths are gone by as Zero goes by them, so a session can be moved between any two calls.

pub(super) mod prune;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use chrono::{TimeDelta, Utc};
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use crate::support::rfc3339;

/// What came of trying to hold a session.
pub(super) enum Held {
    Granted(Lease),
    /// A prune has it.
    Refused,
    /// There is no such folder.
    Gone,
    /// There is a folder without metadata.
    Stub,
}

/// A session held open; given back when dropped.
pub(super) struct Lease {
    _file: File,
    folder: PathBuf,
    inode: u64,
}

impl Lease {
    /// What is wrong, if the session is not where it was.
    pub(super) fn broken(&self) -> Option<String> {
        broken(&self.folder, self.inode)
    }
}

/// What is wrong with a session that is held and so must be in its place.
pub(super) fn broken(folder: &Path, inode: u64) -> Option<String> {
    let there = fs::symlink_metadata(folder).map(|seen| seen.ino());
    let metadata = fs::symlink_metadata(folder.join("metadata.json"));
    let fine = metadata.is_ok() && there.as_ref().is_ok_and(|there| *there == inode);
    (!fine).then(|| {
        let folder = folder.display();
        format!("held, but not there: {folder}: {there:?}, {metadata:?}")
    })
}

/// Takes the lease of a session as a Zero with leases does before it continues or forks it.
pub(super) fn hold(root: &Path, id: &str) -> io::Result<Held> {
    let folder = root.join(id);
    let path = folder.join("lease.lock");
    for _ in 0..2 {
        let Some((file, made)) = open_or_make(&path)? else {
            return Ok(Held::Gone);
        };
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Ok(Held::Refused),
            Err(error) => return Err(error.into()),
        }
        if !is_at(&file, &path) {
            continue;
        }
        if fs::symlink_metadata(folder.join("metadata.json")).is_ok() {
            // Held: should the folder be gone by now, that is what a prune must never do.
            let inode = fs::symlink_metadata(&folder).map_or(0, |seen| seen.ino());
            return Ok(Held::Granted(Lease {
                _file: file,
                folder,
                inode,
            }));
        }
        if made && is_at(&file, &path) {
            let _ = fs::remove_file(&path);
        }
        return Ok(Held::Stub);
    }
    Ok(Held::Gone)
}

/// The file, and whether it was made; `None`: there is no folder.
fn open_or_make(path: &Path) -> io::Result<Option<(File, bool)>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    loop {
        match options.open(path) {
            Ok(file) => return Ok(Some((file, false))),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        match options.clone().create_new(true).open(path) {
            Ok(file) => return Ok(Some((file, true))),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    let open = file.metadata().map(|seen| (seen.dev(), seen.ino()));
    let there = fs::symlink_metadata(path).map(|seen| (seen.dev(), seen.ino()));
    matches!((open, there), (Ok(open), Ok(there)) if open == there)
}

/// Takes the write lock, waiting for it; `None`: the session is gone.
fn write_lock(folder: &Path) -> io::Result<Option<File>> {
    let path = folder.join("session.lock");
    let Some((file, _)) = open_or_make(&path)? else {
        return Ok(None);
    };
    flock(&file, FlockOperation::LockExclusive)?;
    let there = is_at(&file, &path) && folder.join("metadata.json").exists();
    Ok(there.then_some(file))
}

/// Appends an event and rewrites the metadata, which stays as old as it was; how many events
/// there are now, `None`: the session is gone. An error: it went while it was locked.
pub(super) fn write(root: &Path, id: &str) -> io::Result<Option<u64>> {
    let folder = root.join(id);
    let Some(_lock) = write_lock(&folder)? else {
        return Ok(None);
    };
    let mut metadata: Value = serde_json::from_slice(&fs::read(folder.join("metadata.json"))?)?;
    let count = metadata["eventCount"].as_u64().unwrap_or(0) + 1;
    append(&folder, id, count)?;
    metadata["eventCount"] = count.into();
    metadata["updatedAt"] = old(count).into();
    replace_metadata(&folder, &metadata)?;
    Ok(Some(count))
}

/// How long ago a new session was active.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    /// Long enough for any prune.
    Old,
    /// Just now, as it would be.
    Young,
}

/// Makes a session that descends from `parent`; it is there, with its metadata, when this returns.
pub(super) fn fork(root: &Path, parent: &str, id: &str, age: Age) -> io::Result<()> {
    let folder = root.join(id);
    DirBuilder::new().mode(0o700).create(&folder)?;
    let lock = folder.join("session.lock");
    let Some((lock, _)) = open_or_make(&lock)? else {
        return Err(ErrorKind::NotFound.into());
    };
    flock(&lock, FlockOperation::LockExclusive)?;
    append(&folder, id, 1)?;
    let updated_at = match age {
        Age::Old => old(1),
        Age::Young => rfc3339(Utc::now()),
    };
    let metadata = json!({
        "sessionId": id, "sessionKind": "fork", "title": format!("fork of {parent}"),
        "parentSessionId": parent, "eventCount": 1, "createdAt": old(0),
        "updatedAt": updated_at,
    });
    replace_metadata(&folder, &metadata)
}

/// What a Zero that saved a checkpoint too late makes of a session that is gone, without a lock.
pub(super) fn late_stub(root: &Path, id: &str) -> io::Result<()> {
    fs::create_dir_all(root.join(id).join("checkpoints/blobs"))
}

fn append(folder: &Path, id: &str, sequence: u64) -> io::Result<()> {
    let event = json!({
        "id": format!("{id}:{sequence}"), "sessionId": id, "sequence": sequence,
        "type": "message", "createdAt": old(sequence),
        "payload": {"role": "user", "content": "hello"},
    });
    let mut options = OpenOptions::new();
    let mut log = options
        .append(true)
        .create(true)
        .mode(0o600)
        .open(folder.join("events.jsonl"))?;
    log.write_all(format!("{event}\n").as_bytes())
}

fn replace_metadata(folder: &Path, metadata: &Value) -> io::Result<()> {
    let temporary = folder.join(format!("metadata.json.tmp-{}", std::process::id()));
    let mut text = serde_json::to_vec_pretty(metadata)?;
    text.push(b'\n');
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&temporary)?;
    file.write_all(&text)?;
    drop(file);
    fs::rename(temporary, folder.join("metadata.json"))
}

/// A time that any prune of 30 days takes for old, later with every event.
fn old(sequence: u64) -> String {
    let seconds = i64::try_from(sequence).unwrap_or(0);
    rfc3339(Utc::now() - TimeDelta::days(60) + TimeDelta::seconds(seconds))
}
