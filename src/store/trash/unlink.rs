//! Unlinking a folder with all that is in it, by descriptor.
//!
//! Must never: follow a link, enter another filesystem or whatever else is mounted in the folder,
//! recurse, or hold more than [`DEEPEST`] folders open, however deep the tree is.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, RenameFlags};
use rustix::io::Errno;

use super::rename;
use crate::store::dir::{Dir, Entry, Kind};
use crate::text::SafeText;

/// Folders in folders that are held open at a time. What lies deeper is moved up, to beside the
/// whole, and comes later.
const DEEPEST: usize = 32;
/// How often a folder is listed again that somebody still writes to.
const LISTINGS: u32 = 3;

/// Why a folder is not gone, or not all of it.
#[derive(Debug)]
pub(super) enum NotGone {
    /// It was stopped half way.
    Stopped,
    /// The first thing that could not be unlinked, and why.
    Failed(PathBuf, io::Error),
}

impl fmt::Display for NotGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("stopped half way"),
            Self::Failed(path, error) => {
                let error = SafeText::line(&error.to_string());
                write!(f, "{}: {error}", SafeText::path(path))
            }
        }
    }
}

/// Unlinks `name` in `home`, and all that is in it. `next` is asked before each thing that lies
/// in it directly, and may stop the work there: what is left can be unlinked another time.
pub(super) fn unlink(
    home: &Dir,
    name: &OsStr,
    kind: Kind,
    next: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(), NotGone> {
    let mut work = Work {
        home,
        name,
        moved_up: 0,
        waiting: vec![(name.to_owned(), kind)],
        failed: None,
    };
    while let Some((top, kind)) = work.waiting.pop() {
        if work.tree(&top, kind, next).is_break() {
            return Err(NotGone::Stopped);
        }
    }
    match work.failed {
        None => Ok(()),
        Some((path, error)) => Err(NotGone::Failed(path, error)),
    }
}

struct Work<'a> {
    home: &'a Dir,
    /// What is to go.
    name: &'a OsStr,
    /// The number of the last folder that was moved up.
    moved_up: u32,
    /// What in `home` is to go.
    waiting: Vec<(OsString, Kind)>,
    failed: Option<(PathBuf, io::Error)>,
}

/// A folder that is being emptied.
struct Open {
    name: OsString,
    dir: Dir,
    left: Vec<Entry>,
    listings: u32,
}

impl Open {
    fn new(name: &OsStr, dir: Dir) -> io::Result<Self> {
        let left = dir.entries()?.collect::<io::Result<_>>()?;
        Ok(Self {
            name: name.to_owned(),
            dir,
            left,
            listings: 1,
        })
    }
}

impl Work<'_> {
    /// Unlinks one folder of `home`, without those that are moved up.
    fn tree(
        &mut self,
        top: &OsStr,
        kind: Kind,
        next: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut stack = Vec::new();
        self.enter(&mut stack, top, kind);
        while let Some(open) = stack.last_mut() {
            let Some(entry) = open.left.pop() else {
                self.leave(&mut stack);
                continue;
            };
            if stack.len() == 1 {
                next()?;
            }
            self.enter(&mut stack, &entry.name, entry.kind);
        }
        ControlFlow::Continue(())
    }

    /// Opens a folder in the innermost one, or unlinks what is none.
    fn enter(&mut self, stack: &mut Vec<Open>, name: &OsStr, kind: Kind) {
        let at = stack.last().map_or(self.home, |open| &open.dir);
        let done = match kind {
            Kind::Folder if stack.len() < DEEPEST => {
                let opened = at.open_dir_here(name).map_err(io::Error::from);
                match opened.and_then(|dir| Open::new(name, dir)) {
                    Ok(open) => return stack.push(open),
                    Err(error) => Err(error),
                }
            }
            Kind::Folder => self.move_up(at, name),
            _ => rustix::fs::unlinkat(at, name, AtFlags::empty()).map_err(io::Error::from),
        };
        match done {
            Err(error) if error.kind() != io::ErrorKind::NotFound => self.fail(stack, name, error),
            _ => {}
        }
    }

    /// Removes the innermost folder, or lists it again if something new is in it.
    fn leave(&mut self, stack: &mut Vec<Open>) {
        let Some(mut open) = stack.pop() else { return };
        let at = stack.last().map_or(self.home, |open| &open.dir);
        let Err(errno) = rustix::fs::unlinkat(at, &open.name, AtFlags::REMOVEDIR) else {
            return;
        };
        let again = errno == Errno::NOTEMPTY && self.failed.is_none() && open.listings < LISTINGS;
        if again && let Ok(entries) = open.dir.entries() {
            open.left = entries.flatten().collect();
            open.listings += 1;
            stack.push(open);
        } else if errno != Errno::NOENT {
            self.fail(stack, &open.name, errno.into());
        }
    }

    /// Moves a folder that lies too deep to beside the whole, where it waits.
    fn move_up(&mut self, at: &Dir, name: &OsStr) -> io::Result<()> {
        loop {
            self.moved_up += 1;
            let mut up = self.name.to_owned();
            up.push(format!(".{}", self.moved_up));
            match rename((at, name), (self.home, &up), RenameFlags::NOREPLACE) {
                Ok(()) => {
                    self.waiting.push((up, Kind::Folder));
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Notes the first failure; the rest goes on, so that as much space as can be comes back.
    fn fail(&mut self, stack: &[Open], name: &OsStr, error: io::Error) {
        if self.failed.is_none() {
            let mut path: PathBuf = stack.iter().map(|open| Path::new(&open.name)).collect();
            path.push(name);
            self.failed = Some((path, error));
        }
    }
}

#[cfg(test)]
mod tests;
