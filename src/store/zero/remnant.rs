//! A folder without metadata: half removed by another program, or just being made. Its age tells.
//!
//! Must never: call old what was not looked at in full, follow a link, or recurse: the depth is
//! anybody's.

use std::ffi::OsString;
use std::io;
use std::rc::Rc;

use chrono::{DateTime, Utc};

use super::{LEASE, SESSION_LOCK};
use crate::store::dir::{Dir, Kind};

/// The most entries that are looked at; what has more in it is left alone.
const MOST: usize = 4_096;

/// When the folder, or anything in it, was last changed (mtime); `None`: it cannot be told.
pub(super) fn changed(folder: &Dir) -> Option<DateTime<Utc>> {
    let own = DateTime::from(folder.written_at().ok()?);
    Some(inside(folder).ok()?.map_or(own, |inside| inside.max(own)))
}

/// Whether nothing in it was changed after that; the folder's own time, and that of its locks' files,
/// are left out, since whoever locks it may have to make them.
pub(super) fn untouched_since(folder: &Dir, at: DateTime<Utc>) -> bool {
    inside(folder).is_ok_and(|newest| newest.is_none_or(|newest| newest <= at))
}

/// The newest time of all that is in it but the locks' files; `None`: there is nothing.
fn inside(folder: &Dir) -> io::Result<Option<DateTime<Utc>>> {
    let mut look = Look::default();
    let mut waiting = Vec::new();
    for (name, kind) in look.names(folder)? {
        if name == LEASE || name == SESSION_LOCK {
            continue;
        }
        look.at(folder, &name)?;
        if kind == Kind::Folder {
            waiting.push((None, name));
        }
    }
    // A folder waits with the one it is in; that one closes with the last of its folders.
    while let Some((parent, name)) = waiting.pop() {
        let parent: Option<Rc<Dir>> = parent;
        let below = Rc::new(parent.as_deref().unwrap_or(folder).open_dir_here(&name)?);
        drop(parent);
        for (name, kind) in look.names(&below)? {
            look.at(&below, &name)?;
            if kind == Kind::Folder {
                waiting.push((Some(Rc::clone(&below)), name));
            }
        }
    }
    Ok(look.newest)
}

#[derive(Default)]
struct Look {
    count: usize,
    newest: Option<DateTime<Utc>>,
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

    fn at(&mut self, folder: &Dir, name: &OsString) -> io::Result<()> {
        let written = DateTime::from(folder.stat(name)?.written_at);
        self.newest = self.newest.max(Some(written));
        Ok(())
    }
}
