//! Out of the trash for good: one rename takes a batch to where nothing is listed or restored,
//! then it is unlinked. What a killed process left there, the next one unlinks.
//!
//! Must never: take a batch that is not the one that was seen, or unlink anything that was not
//! first taken out of the trash, or out of the store, in one step.

use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;

use rustix::fs::RenameFlags;

use super::unlink::{NotGone, unlink};
use super::{GONE, OURS, PURGE, bin, gone, list, open_or_make, rename};
use crate::prune::report::{BatchId, Leftover, Progress, Shelved, Watch};
use crate::session::{Refusal, SessionId};
use crate::store::dir::{Dir, Kind, is_full};
use crate::text::SafeText;

/// The way out of the trash of a store.
#[derive(Debug)]
pub struct Purge<'a> {
    root: &'a Dir,
    trash: Dir,
    /// `None`: the disk is too full to make it; a batch is renamed into the root then, which
    /// takes no room.
    doomed: Option<Dir>,
}

impl<'a> Purge<'a> {
    /// Opens the trash, and makes the folder for what is to go.
    pub(in crate::store) fn open(root: &'a Dir) -> Result<Self, Refusal> {
        let home = root.identity().map_err(|error| not_purged(&error))?.device;
        let trash = list::open(root).map_err(|error| not_purged(&error.into()))?;
        let trash = trash.ok_or(Refusal::NotInTrash)?;
        bin::check_home(&trash, home).map_err(|error| not_purged(&error))?;
        let ours = root
            .open_dir(OURS)
            .map_err(|error| not_purged(&error.into()))?;
        let doomed = match open_or_make(&ours, PURGE) {
            Ok(folder) => {
                bin::check_home(&folder, home).map_err(|error| not_purged(&error))?;
                Some(folder)
            }
            Err(error) if is_full(&error) => None,
            Err(error) => return Err(not_purged(&error)),
        };
        Ok(Self {
            root,
            trash,
            doomed,
        })
    }

    /// Takes a batch out of the trash, if it is the one that was seen.
    pub fn take(&self, shelved: &Shelved) -> Result<(), Refusal> {
        let batch = &shelved.batch.batch;
        let (at, name) = self.place(batch);
        match rename(
            (&self.trash, batch.as_str()),
            (at, &name),
            RenameFlags::NOREPLACE,
        ) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refusal::Gone),
            Err(error) => return Err(not_purged(&error)),
        }
        match at.stat(&name) {
            Ok(moved) if shelved.place == moved.identity.into() => Ok(()),
            _ => {
                self.give(batch)?;
                Err(Refusal::Changed)
            }
        }
    }

    /// Takes that back.
    pub fn give(&self, batch: &BatchId) -> Result<(), Refusal> {
        let (at, name) = self.place(batch);
        let back = rename(
            (at, &name),
            (&self.trash, batch.as_str()),
            RenameFlags::NOREPLACE,
        );
        back.map_err(|error| {
            // Left where it is, the next run would unlink it.
            let from = (at, name.to_str().unwrap_or_default());
            let kept = gone::keep(self.root, from, batch.as_str());
            let place = kept.unwrap_or_else(|| format!("{OURS}/{PURGE}"));
            let why = format!("it is in {place} and does not go back: {error}");
            Refusal::NotPurged(SafeText::line(&why))
        })
    }

    /// Sees to it that what was taken is gone from the trash on the disk too.
    pub fn sync(&self) -> Result<(), Refusal> {
        for folder in [&self.trash, self.doomed.as_ref().unwrap_or(self.root)] {
            rustix::fs::fsync(folder).map_err(|error| not_purged(&error.into()))?;
        }
        Ok(())
    }

    fn place(&self, batch: &BatchId) -> (&Dir, OsString) {
        match &self.doomed {
            Some(folder) => (folder, batch.as_str().into()),
            None => (self.root, format!("{GONE}{batch}").into()),
        }
    }
}

/// A refusal to take something out of the trash.
pub(in crate::store) fn not_purged(error: &io::Error) -> Refusal {
    Refusal::NotPurged(SafeText::line(&error.to_string()))
}

/// Unlinks everything that was taken out of the trash or the store for good.
pub(in crate::store) fn clear(root: &Dir, watch: &dyn Watch) -> Vec<Leftover> {
    let mut sweep = Sweep {
        watch,
        progress: Progress::default(),
        leftovers: Vec::new(),
    };
    // What is mounted in the way is not ours to unlink.
    let purge = root
        .open_dir_here(OURS)
        .and_then(|ours| ours.open_dir_here(PURGE));
    match purge {
        Ok(folder) => sweep.folder(&folder, |_, _| true),
        Err(error) if error.is_missing() => {}
        Err(error) => sweep.fail(PURGE, &error.to_string()),
    }
    sweep.folder(root, is_gone);
    sweep.leftovers
}

/// Whether a name in the root is a folder that was taken out of the store for good.
fn is_gone(name: &str, kind: Kind) -> bool {
    let id = name
        .strip_prefix(GONE)
        .and_then(|name| name.split('.').next());
    kind == Kind::Folder && id.and_then(SessionId::parse).is_some()
}

struct Sweep<'a> {
    watch: &'a dyn Watch,
    /// Counts what lies in what is to go.
    progress: Progress,
    leftovers: Vec<Leftover>,
}

impl Sweep<'_> {
    /// Unlinks what in a folder is `doomed`, by its name and its kind.
    fn folder(&mut self, at: &Dir, doomed: impl Fn(&str, Kind) -> bool) {
        let entries = at
            .entries()
            .and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => return self.fail("what is to go", &error.to_string()),
        };
        entries.retain(|entry| doomed(&entry.name.to_string_lossy(), entry.kind));
        for entry in &entries {
            let folder = at.open_dir(&entry.name).ok();
            let count = folder.and_then(|folder| Some(folder.entries().ok()?.count()));
            self.progress.total += count.unwrap_or(0);
        }
        for entry in entries {
            let name = entry.name.to_string_lossy();
            let gone = match self.next() {
                ControlFlow::Continue(()) => {
                    let mut next = || {
                        self.progress.done += 1;
                        self.next()
                    };
                    unlink(at, &entry.name, entry.kind, &mut next)
                }
                ControlFlow::Break(()) => Err(NotGone::Stopped),
            };
            if let Err(why) = gone {
                self.fail(&name, &why.to_string());
            }
        }
    }

    fn next(&self) -> ControlFlow<()> {
        self.watch.progress(self.progress);
        if self.watch.stopped() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Told by the name of what it was: a part of it that lay deep has a number behind that.
    fn fail(&mut self, name: &str, why: &str) {
        let name = name.strip_prefix(GONE).unwrap_or(name);
        let name = name.split('.').next().unwrap_or(name);
        self.leftovers.push(Leftover::new(name, why));
    }
}
