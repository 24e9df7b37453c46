//! Another program's prune, as Zero's own goes about it: the metadata first, under the lease (if it
//! knows of leases) and the write lock, then name by name what else there is, then the folder.
//! Uses nothing of the product.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use super::{is_at, open_or_make, rfc3339, write_lock};

/// How one goes about it.
pub(crate) struct Prune<'a> {
    pub(crate) root: &'a Path,
    /// Whether it asks for the lease.
    pub(crate) knows_leases: bool,
    /// Asked before each name that is unlinked, with the session's id before the first of it.
    pub(crate) before: &'a mut dyn FnMut(Option<&str>),
}

/// What came of asking for a lease.
enum Lease {
    Ours(#[expect(dead_code, reason = "held until it is dropped")] File),
    NotAsked,
    /// Somebody has it, or there is no such session.
    Refused,
}

impl Lease {
    fn is_free(&self) -> bool {
        !matches!(self, Self::Refused)
    }
}

/// A session as it was listed: its parent, its time.
type Listed = BTreeMap<String, (String, String)>;

impl Prune<'_> {
    /// Removes what was last active before `cutoff`; the ids of those whose metadata went.
    pub(crate) fn run(&mut self, cutoff: &str) -> io::Result<Vec<String>> {
        let all = list(self.root)?;
        let mut going: BTreeSet<&str> = BTreeSet::new();
        for (id, (_, updated_at)) in &all {
            if &**updated_at < cutoff && self.lease(id).is_ok_and(|lease| lease.is_free()) {
                going.insert(id);
            }
        }
        let candidates = going.clone();
        for id in all.keys().filter(|id| !candidates.contains(id.as_str())) {
            for ancestor in ancestors(&all, id) {
                going.remove(ancestor);
            }
        }
        let depth = |id: &str| ancestors(&all, id).len();
        let mut order: Vec<&str> = going.into_iter().collect();
        order.sort_by(|a, b| {
            depth(b)
                .cmp(&depth(a))
                .then_with(|| all[*a].1.cmp(&all[*b].1))
        });
        let mut kept = BTreeSet::new();
        let mut removed = Vec::new();
        for id in order {
            if !kept.contains(id) && self.one(id, cutoff)? {
                removed.push(id.to_owned());
            } else {
                kept.extend(ancestors(&all, id));
            }
        }
        Ok(removed)
    }

    /// The lease, not waited for.
    fn lease(&self, id: &str) -> io::Result<Lease> {
        if !self.knows_leases {
            return Ok(Lease::NotAsked);
        }
        let path = self.root.join(id).join("lease.lock");
        let Some((file, _)) = open_or_make(&path)? else {
            return Ok(Lease::Refused);
        };
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) if is_at(&file, &path) => Ok(Lease::Ours(file)),
            Ok(()) | Err(rustix::io::Errno::WOULDBLOCK) => Ok(Lease::Refused),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the session's metadata went.
    fn one(&mut self, id: &str, cutoff: &str) -> io::Result<bool> {
        let lease = self.lease(id)?;
        if !lease.is_free() {
            return Ok(false);
        }
        let folder = self.root.join(id);
        let Some(lock) = write_lock(&folder)? else {
            return Ok(false);
        };
        match metadata(&folder) {
            Some((_, updated_at)) if *updated_at < *cutoff => {}
            _ => return Ok(false),
        }
        (self.before)(Some(id));
        fs::remove_file(folder.join("metadata.json"))?;
        // Whoever removes by name may meet what somebody else removed or made meanwhile.
        let _ = self.rest(&folder);
        drop(lock);
        (self.before)(None);
        let _ = fs::remove_file(folder.join("session.lock"));
        drop(lease);
        (self.before)(None);
        let _ = fs::remove_dir(folder);
        Ok(true)
    }

    /// Everything in a folder but the write lock, which is held.
    fn rest(&mut self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_name() == "session.lock" {
                continue;
            }
            if entry.file_type()?.is_dir() {
                self.rest(&entry.path())?;
                (self.before)(None);
                fs::remove_dir(entry.path())?;
            } else {
                (self.before)(None);
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

/// The time before which something is old enough for a prune of 30 days.
pub(crate) fn cutoff() -> String {
    rfc3339(chrono::Utc::now() - chrono::TimeDelta::days(30))
}

fn list(root: &Path) -> io::Result<Listed> {
    let mut listed = Listed::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && let Some(seen) = metadata(&entry.path())
        {
            listed.insert(name, seen);
        }
    }
    Ok(listed)
}

/// The parent and the time of a session; `None`: there is none, or it was removed meanwhile.
fn metadata(folder: &Path) -> Option<(String, String)> {
    let text = match fs::read(folder.join("metadata.json")) {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        text => text.unwrap(),
    };
    let metadata: Value = serde_json::from_slice(&text).unwrap();
    let field = |name: &str| metadata[name].as_str().unwrap_or_default().to_owned();
    Some((field("parentSessionId"), field("updatedAt")))
}

/// Nearest first, as far as they are there.
fn ancestors<'a>(all: &'a Listed, id: &str) -> Vec<&'a str> {
    let mut line = Vec::new();
    let mut next = all.get(id);
    while let Some((parent, _)) = next {
        let Some((parent, seen)) = all.get_key_value(parent) else {
            break;
        };
        line.push(parent.as_str());
        next = Some(seen);
    }
    line
}
