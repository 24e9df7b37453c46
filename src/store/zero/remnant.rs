//! A folder without metadata: half removed by another program, or just being made. Its age tells.
//!
//! Must never: call old what was not looked at in full, follow a link, or recurse: the depth is
//! anybody's.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::rc::Rc;
use std::time::SystemTime;

use chrono::{DateTime, Utc};

use super::{LEASE, SESSION_LOCK};
use crate::store::dir::{Dir, Kind};

/// The most entries that are looked at; what has more in it is left alone.
const MOST: usize = 4_096;

/// What a folder was when it was looked at in full.
pub(super) struct Looked {
    /// When it, or anything in it, was last changed (mtime).
    pub(super) changed: DateTime<Utc>,
    /// Of what is in it: every name, and which state of which file that leads to. The folder's own
    /// time, and its locks' files, are left out, since whoever locks it may have to make them.
    pub(super) fingerprint: u64,
    /// When something last appeared in the folder itself, or vanished from it.
    pub(super) written_at: SystemTime,
}

/// Looks at a folder and all that is in it, however deep.
pub(super) fn look(folder: &Dir) -> io::Result<Looked> {
    let written_at = folder.written_at()?;
    let mut look = Look {
        count: 0,
        newest: DateTime::from(written_at),
        fingerprint: 0,
    };
    let mut waiting = Vec::new();
    for (name, kind) in look.names(folder)? {
        if name == LEASE || name == SESSION_LOCK {
            continue;
        }
        look.at(folder, 0, &name)?;
        if kind == Kind::Folder {
            waiting.push((None, name));
        }
    }
    // A folder waits with the one it is in; that one closes with the last of its folders.
    while let Some((parent, name)) = waiting.pop() {
        let parent: Option<Rc<Dir>> = parent;
        let below = Rc::new(parent.as_deref().unwrap_or(folder).open_dir_here(&name)?);
        drop(parent);
        let inode = below.identity()?.inode;
        for (name, kind) in look.names(&below)? {
            look.at(&below, inode, &name)?;
            if kind == Kind::Folder {
                waiting.push((Some(Rc::clone(&below)), name));
            }
        }
    }
    Ok(Looked {
        changed: look.newest,
        fingerprint: look.fingerprint,
        written_at,
    })
}

struct Look {
    count: usize,
    newest: DateTime<Utc>,
    fingerprint: u64,
}

impl Look {
    fn names(&mut self, folder: &Dir) -> io::Result<Vec<(OsString, Kind)>> {
        let mut names = Vec::new();
        for entry in folder.entries()? {
            let entry = entry?;
            self.count += 1;
            if self.count > MOST {
                return Err(io::Error::other("too much is in it"));
            }
            names.push((entry.name, entry.kind));
        }
        Ok(names)
    }

    /// Notes what has that name in a folder, which is told by its inode.
    fn at(&mut self, folder: &Dir, inode: u64, name: &OsString) -> io::Result<()> {
        let seen = folder.stat(name)?;
        self.newest = self.newest.max(DateTime::from(seen.written_at));
        let mut hasher = DefaultHasher::new();
        (inode, name, seen.version).hash(&mut hasher);
        // A sum, since a listing has no order.
        self.fingerprint = self.fingerprint.wrapping_add(hasher.finish());
        Ok(())
    }
}
