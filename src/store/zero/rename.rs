//! Giving a session another title, as Zero writes its metadata.
//!
//! Must never: write where a prune or Zero is at work, change anything but the title (not even the
//! time of the last activity), or leave a metadata file that is not whole.
//!
//! In this order: the lease, shared, so that no prune takes the session meanwhile; `session.lock`,
//! so that no Zero writes; the text read under both. The new text is written beside the old one,
//! synced, and renamed over it.
#![expect(
    clippy::disallowed_methods,
    reason = "the one file of a store that is replaced, as its own agent does"
)]

use std::fs::File;
use std::io::{self, Write as _};
use std::thread;
use std::time::Instant;

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::hold::hold;
use super::retitle::retitle;
use super::{LEASE, SESSION_LOCK, Zero, metadata};
use crate::session::{Refusal, SessionId, Title};
use crate::store::dir::{Dir, Extent};
use crate::store::lease::{Denied, LockFile, PAUSE, STORE_PATIENCE, WriteLock};
use crate::store::{Hold, Purpose};
use crate::text::SafeText;

/// How many names are tried for what is written; a killed writer leaves one behind.
const NAMES: u32 = 100;

/// See [`crate::store::Store::rename`].
pub(super) fn rename(zero: &Zero, id: &SessionId, title: &Title) -> Result<(), Refusal> {
    let root = match Dir::open_root(&zero.root) {
        Ok(root) => root,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refusal::Gone),
        Err(error) => return Err(not_renamed(&error)),
    };
    zero.allows(&root)?;
    let lease = match hold(&root, id)? {
        Hold::Leased(lease) => lease,
        Hold::Unprotected(why) => return Err(Refusal::NotRenamed(why)),
    };
    let folder = root
        .open_dir(id.as_str())
        .map_err(|error| not_renamed(&error.into()))?;
    if !lease
        .is_at(&folder, LEASE)
        .map_err(|error| not_renamed(&error))?
    {
        return Err(Refusal::RemovedWhileOpening);
    }
    let _lock = lock(&folder)?;
    let mut bytes = Vec::new();
    let extent = folder.read_file(metadata::FILE, metadata::MAX, &mut bytes);
    match extent.map_err(|error| not_renamed(&error.into()))? {
        Extent::Whole => replace(&folder, &new_text(&bytes, title)?).map_err(|e| not_renamed(&e)),
        Extent::Cut => Err(damaged()),
    }
}

/// Waits a little for a Zero that writes.
fn lock(folder: &Dir) -> Result<WriteLock, Refusal> {
    let end = Instant::now() + STORE_PATIENCE;
    loop {
        match LockFile::new(SESSION_LOCK).write(folder, Purpose::Change) {
            Ok(Some(lock)) => return Ok(lock),
            Err(Denied::Held) if Instant::now() < end => thread::sleep(PAUSE),
            Err(Denied::Held) => return Err(Refusal::Busy),
            Ok(None) | Err(Denied::Replaced) => return Err(Refusal::RemovedWhileOpening),
            Err(Denied::Failed(error)) => return Err(not_renamed(&error)),
        }
    }
}

/// What the file is to say: Zero has to read it as it reads the old one, but for the title.
fn new_text(bytes: &[u8], title: &Title) -> Result<String, Refusal> {
    let old = std::str::from_utf8(bytes).map_err(|_| damaged())?;
    let new = retitle(old, title.as_str()).ok_or_else(damaged)?;
    let ((mut before, None), (after, None)) = (metadata::parse(old), metadata::parse(&new)) else {
        return Err(damaged());
    };
    before.title = title.as_str().into();
    if before != after || new.len() as u64 > metadata::MAX {
        return Err(damaged());
    }
    Ok(new)
}

/// Replaces the metadata, wholly or not at all.
fn replace(folder: &Dir, text: &str) -> io::Result<()> {
    let seen = rustix::fs::statat(folder, metadata::FILE, AtFlags::SYMLINK_NOFOLLOW)?;
    let mode = Mode::from_raw_mode(seen.st_mode) & (Mode::RWXU | Mode::RWXG | Mode::RWXO);
    let (mut file, name) = make(folder, mode)?;
    let written = file
        .write_all(text.as_bytes())
        // What the umask took is given back.
        .and_then(|()| Ok(rustix::fs::fchmod(&file, mode)?))
        .and_then(|()| file.sync_all())
        .and_then(|()| Ok(rustix::fs::renameat(folder, &name, folder, metadata::FILE)?));
    if written.is_err() {
        // What cannot be unlinked either is as harmless as what a killed Zero leaves.
        let _ = rustix::fs::unlinkat(folder, &name, AtFlags::empty());
    }
    written?;
    Ok(rustix::fs::fsync(folder)?)
}

/// Makes a file beside the metadata, named as Zero names its own.
fn make(folder: &Dir, mode: Mode) -> io::Result<(File, String)> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for number in 0..NAMES {
        let name = format!("{}.tmp-{}-{number}", metadata::FILE, std::process::id());
        match retry_on_intr(|| rustix::fs::openat(folder, name.as_str(), flags, mode)) {
            Ok(file) => return Ok((file.into(), name)),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Errno::EXIST.into())
}

fn damaged() -> Refusal {
    Refusal::NotRenamed(SafeText::line("its metadata is damaged"))
}

fn not_renamed(error: &io::Error) -> Refusal {
    Refusal::NotRenamed(SafeText::line(&error.to_string()))
}
