//! Who has what open, told from `/proc`.
//!
//! Must never: take a lock (an exclusive probe makes other processes' resumes fail), or decide
//! what may be removed. A line of `/proc/locks` is a hint only: its device is not the one that
//! files tell on btrfs, and an inherited lock names the process that took it, which may be gone.
//! Proof is a process with the lease's very file open. No hint proves nothing: the holder may be
//! in another pid namespace.
//!
//! The cost grows with the locks of the system, not with the sessions, unless a hint stays
//! unproven.

mod unseen;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

pub(crate) use unseen::unseen;

use super::dir::{Dir, Identity, Kind};
use crate::session::{Holder, Openness, SessionId};
use crate::text::SafeText;

/// Where Linux tells of its processes.
pub const PROC: &str = "/proc";

/// A shared lock, as `/proc/locks` tells it: somebody has something open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hint {
    pid: u32,
    /// Device and inode; the device is the filesystem's own.
    file: Identity,
}

/// A lease's file that a process has open.
struct Opened {
    /// The name of the folder it is in.
    folder: Option<SessionId>,
    file: Identity,
}

/// Every session of `root` with a sign of a holder of its lease, the file named `lease` in its
/// folder; `None`: this system does not tell.
pub(crate) fn look(proc: &Path, root: &Dir, lease: &str) -> Option<HashMap<SessionId, Openness>> {
    let hints = hints(proc)?;
    let mut found = HashMap::new();
    let mut unproven: HashSet<u64> = hints.iter().map(|hint| hint.file.inode).collect();
    let pids: HashSet<u32> = hints.iter().map(|hint| hint.pid).collect();
    for pid in pids {
        let of_pid = |file: Identity| {
            let same = |hint: &Hint| hint.pid == pid && hint.file.inode == file.inode;
            hints.iter().any(same)
        };
        for opened in opened(proc, pid, lease) {
            if !of_pid(opened.file) {
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
    if !left.is_empty() {
        trace(proc, root, lease, &left, &mut found);
    }
    Some(found)
}

/// A process that has this lease's file open and locked shared, if there is proof of one.
pub(crate) fn holder(proc: &Path, file: Identity, lease: &str) -> Option<Holder> {
    let hints = hints(proc)?;
    let about = hints.iter().filter(|hint| hint.file.inode == file.inode);
    let pids: Vec<u32> = about.map(|hint| hint.pid).collect();
    if pids.is_empty() {
        return None;
    }
    let has = |pid: &u32| opened(proc, *pid, lease).any(|opened| opened.file == file);
    // An inherited lock names a process that may be gone.
    let pid = pids.into_iter().chain(processes(proc)).find(has)?;
    Some(named(proc, pid))
}

/// Looks for the sessions and the holders of locks that no process owns up to.
fn trace(
    proc: &Path,
    root: &Dir,
    lease: &str,
    inodes: &HashSet<u64>,
    found: &mut HashMap<SessionId, Openness>,
) {
    let mut wanted: HashMap<Identity, SessionId> = HashMap::new();
    for entry in root.entries().into_iter().flatten().flatten() {
        let id = entry.name.to_str().and_then(SessionId::parse);
        let Some(id) = id.filter(|_| entry.kind == Kind::Folder) else {
            continue;
        };
        match lease_of(root, &id, lease) {
            Some(file) if inodes.contains(&file.inode) => wanted.insert(file, id),
            _ => continue,
        };
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

fn lease_of(root: &Dir, id: &SessionId, lease: &str) -> Option<Identity> {
    let folder = root.open_dir(id.as_str()).ok()?;
    Some(folder.stat(lease).ok()?.identity)
}

/// The shared flocks of the system.
fn hints(proc: &Path) -> Option<Vec<Hint>> {
    let locks = fs::read_to_string(proc.join("locks")).ok()?;
    Some(locks.lines().filter_map(hint).collect())
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
