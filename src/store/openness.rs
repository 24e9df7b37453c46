//! Who has what open, told from `/proc`.
//!
//! Must never: take a lock (an exclusive probe makes other processes' resumes fail), or decide
//! what may be removed. A line of `/proc/locks` is a hint only: its device is not the one that
//! files tell on btrfs, and an inherited lock names the process that took it, which may be gone.
//! Proof is a process with the lease's very file open. No hint proves nothing: the holder may be
//! in another pid namespace, or its line was passed over while the list changed.
//!
//! The cost grows with the locks of the system, not with the sessions: whose a lock is that no
//! process owns up to is looked for among all sessions, but once.

mod holders;
mod unseen;

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

pub(crate) use holders::Holders;
pub(crate) use unseen::unseen;

use super::dir::{Dir, Identity, Kind};
use crate::session::{Holder, Openness, SessionId};
use crate::text::SafeText;

/// Where Linux tells of its processes.
pub const PROC: &str = "/proc";

/// A shared lock, as `/proc/locks` tells it: somebody has something open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Hint {
    pid: u32,
    /// Device and inode; the device is the filesystem's own.
    file: Identity,
}

/// Whose the locks are that no process owned up to, as far as it was looked for. Void for a root
/// that has changed: there may be a session more in it.
#[derive(Debug, Default)]
pub(crate) struct Traced {
    root: Option<Stamp>,
    /// By the lock's inode; `None`: no session's.
    locks: HashMap<u64, Option<SessionId>>,
}

/// What changes with what is in a folder.
type Stamp = (Identity, [i64; 4]);

impl Traced {
    /// Forgets what may not be true any more: all of it, or what is not locked any more, as such an
    /// inode may come back as another file's.
    fn renew(&mut self, root: &Dir, locked: &HashSet<u64>) {
        let now = stamp(root).ok();
        if now.is_none() || now != self.root {
            self.locks.clear();
            self.root = now;
        }
        self.locks.retain(|inode, _| locked.contains(inode));
    }
}

/// A lease's file that a process has open.
struct Opened {
    /// The name of the folder it is in.
    folder: Option<SessionId>,
    file: Identity,
}

/// Every session of `root` with a sign of a holder of its lease, the file named `lease` in its
/// folder; `None`: this system does not tell. What had to be looked for is remembered in `traced`.
pub(crate) fn look(
    proc: &Path,
    root: &Dir,
    lease: &str,
    traced: &mut Traced,
) -> Option<HashMap<SessionId, Openness>> {
    let hints = hints(proc)?;
    let mut found = HashMap::new();
    let mut unproven: HashSet<u64> = hints.iter().map(|hint| hint.file.inode).collect();
    let pids: HashSet<u32> = hints.iter().map(|hint| hint.pid).collect();
    for pid in pids {
        let of_pid = |inode: u64| {
            let same = |hint: &Hint| hint.pid == pid && hint.file.inode == inode;
            hints.iter().any(same)
        };
        for opened in opened(proc, pid, lease) {
            if !of_pid(opened.file.inode) {
                continue;
            }
            unproven.remove(&opened.file.inode);
            let id = opened.folder.filter(|id| {
                let there = lease_of(root, id, lease);
                there == Some(opened.file)
            });
            if let Some(id) = id {
                found.insert(id, Openness::Open(named(proc, pid)));
            }
        }
        if unproven.iter().any(|inode| of_pid(*inode)) {
            for inode in others(proc, pid, lease) {
                unproven.remove(&inode);
            }
        }
    }
    let here = root.identity().ok()?.device;
    let telling = devices_tell(root);
    let possible = |hint: &&Hint| !telling || hint.file.device == here;
    let left: HashSet<u64> = hints
        .iter()
        .filter(possible)
        .map(|hint| hint.file.inode)
        .filter(|inode| unproven.contains(inode))
        .collect();
    traced.renew(root, &left);
    if !left.is_empty() {
        trace(proc, root, lease, &left, traced, &mut found);
    }
    Some(found)
}

/// Looks for the sessions and the holders of locks that no process owns up to.
fn trace(
    proc: &Path,
    root: &Dir,
    lease: &str,
    inodes: &HashSet<u64>,
    traced: &mut Traced,
    found: &mut HashMap<SessionId, Openness>,
) {
    if inodes.iter().any(|inode| !traced.locks.contains_key(inode)) {
        traced.locks = inodes.iter().map(|inode| (*inode, None)).collect();
        for entry in root.entries().into_iter().flatten().flatten() {
            let id = entry.name.to_str().and_then(SessionId::parse);
            let Some(id) = id.filter(|_| entry.kind == Kind::Folder) else {
                continue;
            };
            if let Some(file) = lease_of(root, &id, lease)
                && let Some(of) = traced.locks.get_mut(&file.inode)
            {
                *of = Some(id);
            }
        }
    }
    let mut wanted: HashMap<Identity, SessionId> = HashMap::new();
    for (inode, id) in &traced.locks {
        let Some(id) = id else { continue };
        if let Some(file) = lease_of(root, id, lease).filter(|file| file.inode == *inode) {
            wanted.insert(file, id.clone());
        }
    }
    if wanted.is_empty() {
        return;
    }
    for pid in processes(proc) {
        for opened in opened(proc, pid, lease) {
            if let Some(id) = wanted.remove(&opened.file) {
                found.insert(id, Openness::Open(named(proc, pid)));
            }
        }
    }
    for id in wanted.into_values() {
        found.entry(id).or_insert(Openness::Maybe);
    }
}

fn stamp(root: &Dir) -> io::Result<Stamp> {
    let at = File::from(root.as_fd().try_clone_to_owned()?).metadata()?;
    let identity = Identity {
        device: at.dev(),
        inode: at.ino(),
    };
    let times = [at.mtime(), at.mtime_nsec(), at.ctime(), at.ctime_nsec()];
    Ok((identity, times))
}

fn lease_of(root: &Dir, id: &SessionId, lease: &str) -> Option<Identity> {
    let folder = root.open_dir(id.as_str()).ok()?;
    Some(folder.stat(lease).ok()?.identity)
}

/// The shared flocks of the system.
fn hints(proc: &Path) -> Option<HashSet<Hint>> {
    hints_in(|| File::open(proc.join("locks"))).ok()
}

/// How often a list of locks is read that does not come in one read.
const READINGS: u32 = 3;
/// For one read, in bytes. The kernel gives out a page at a time, however much is asked for.
const ROOM: usize = 64 << 10;

/// Only what comes in one read is of one moment: in between the kernel remembers how many locks it
/// told, so it passes over one for each that was let go meanwhile. Read again it may pass over
/// others, but hardly over the same.
fn hints_in<R: io::Read>(open: impl Fn() -> io::Result<R>) -> io::Result<HashSet<Hint>> {
    let mut hints = HashSet::new();
    let mut buffer = vec![0; ROOM];
    for _ in 0..READINGS {
        let mut list = open()?;
        let mut text = Vec::new();
        let mut reads = 0;
        loop {
            match list.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    text.extend_from_slice(&buffer[..count]);
                    reads += 1;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let text = String::from_utf8_lossy(&text);
        hints.extend(text.lines().filter_map(hint));
        if reads <= 1 {
            break;
        }
    }
    Ok(hints)
}

/// `1: FLOCK  ADVISORY  READ 4242 fe:00:131 0 EOF`. Exclusive ones (`WRITE`) are prunes, lines
/// with `->` only wait.
fn hint(line: &str) -> Option<Hint> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    let mut next = || fields.next();
    let (kind, _, mode, pid, file) = (next()?, next()?, next()?, next()?, next()?);
    if (kind, mode) != ("FLOCK", "READ") {
        return None;
    }
    let mut parts = file.split(':');
    let mut hex = || u32::from_str_radix(parts.next()?, 16).ok();
    let device = rustix::fs::makedev(hex()?, hex()?);
    Some(Hint {
        // A process of another namespace has none here.
        pid: pid.parse().unwrap_or(0),
        file: Identity {
            device,
            inode: parts.next()?.parse().ok()?,
        },
    })
}

/// Every process that can be seen.
fn processes(proc: &Path) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(proc).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The files of that name a process has open; none if we may not look.
fn opened(proc: &Path, pid: u32, lease: &str) -> impl Iterator<Item = Opened> {
    let descriptors = fs::read_dir(proc.join(pid.to_string()).join("fd"));
    let entries = descriptors.into_iter().flatten().flatten();
    entries.filter_map(move |entry| {
        let link = entry.path();
        let path = fs::read_link(&link).ok()?;
        // Only then is the file itself looked at: one on a server that does not answer would block.
        path.file_name().filter(|name| *name == lease)?;
        let folder = path.parent()?.file_name()?.to_str();
        let file = fs::metadata(&link).ok()?;
        Some(Opened {
            folder: folder.and_then(SessionId::parse),
            file: Identity {
                device: file.dev(),
                inode: file.ino(),
            },
        })
    })
}

/// The inodes of what a process has open under other names, as far as the kernel tells them (since
/// Linux 5.14): a lock on one of those is no session's. No file is looked at for that.
fn others(proc: &Path, pid: u32, lease: &str) -> Vec<u64> {
    let process = proc.join(pid.to_string());
    let descriptors = fs::read_dir(process.join("fd"));
    let names = descriptors.into_iter().flatten().flatten();
    let others = names.filter(|entry| {
        let path = fs::read_link(entry.path());
        path.is_ok_and(|path| path.file_name().is_some_and(|name| name != lease))
    });
    let inode = |entry: fs::DirEntry| {
        let told = fs::read_to_string(process.join("fdinfo").join(entry.file_name())).ok()?;
        let inode = told.lines().find_map(|line| line.strip_prefix("ino:"))?;
        inode.trim().parse().ok()
    };
    others.filter_map(inode).collect()
}

fn named(proc: &Path, pid: u32) -> Holder {
    let name = fs::read_to_string(proc.join(pid.to_string()).join("comm"));
    Holder {
        pid,
        process: SafeText::line(name.unwrap_or_default().trim_end()),
    }
}

/// Whether the device of a line in `/proc/locks` is the one that the filesystem's files tell.
#[cfg(target_os = "linux")]
fn devices_tell(root: &Dir) -> bool {
    const BTRFS: u64 = 0x9123_683e;
    #[allow(
        clippy::cast_sign_loss,
        clippy::unnecessary_cast,
        reason = "the width of the field differs from system to system"
    )]
    rustix::fs::fstatfs(root).is_ok_and(|fs| fs.f_type as u64 != BTRFS)
}

#[cfg(not(target_os = "linux"))]
fn devices_tell(_root: &Dir) -> bool {
    false
}

#[cfg(test)]
mod tests;
