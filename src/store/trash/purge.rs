//! Out of the trash for good: one rename takes a batch to where nothing is listed or restored,
//! then it is unlinked. What a killed process left there, the next one unlinks.
//!
//! Must never: take a batch that is not the one that was seen, or unlink anything that was not
//! first taken out of the trash, or out of the store, in one step.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::RenameFlags;

use super::unlink::{NotGone, unlink};
use super::{Doom, GONE, OURS, PURGE, bin, doomed, gone, list, open_or_make, rename};
use crate::prune::report::{BatchId, Leftover, Progress, Shelved, Watch};
use crate::session::Refusal;
use crate::store::dir::{Dir, Entry, Kind, is_full};
use crate::store::spread::{ALONE, spread};
use crate::text::SafeText;

/// The way out of the trash of a store.
#[derive(Debug)]
pub struct Purge<'a> {
    root: &'a Dir,
    trash: Dir,
    /// `None`: the disk is too full to make it; a batch is renamed into the root then, which
    /// takes no room.
    doomed: Option<Dir>,
    doom: &'a Doom,
}

impl<'a> Purge<'a> {
    /// Opens the trash, and makes the folder for what is to go.
    pub(in crate::store) fn open(root: &'a Dir, doom: &'a Doom) -> Result<Self, Refusal> {
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
            doom,
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
            Ok(moved) if shelved.place == moved.identity.into() => {
                self.doom.add(name);
                Ok(())
            }
            _ => {
                self.give(batch)?;
                Err(Refusal::Changed)
            }
        }
    }

    /// Takes that back; what finds no way back is not unlinked by this run.
    pub fn give(&self, batch: &BatchId) -> Result<(), Refusal> {
        let (at, name) = self.place(batch);
        self.doom.remove(&name);
        give(self.root, &self.trash, (at, &name), batch)
    }

    /// Sees to it that what was taken is gone from the trash on the disk too.
    pub fn sync(&self) -> Result<(), Refusal> {
        for folder in [&self.trash, self.doomed.as_ref().unwrap_or(self.root)] {
            rustix::fs::fsync(folder).map_err(|error| not_purged(&error.into()))?;
        }
        Ok(())
    }

    fn place(&self, batch: &BatchId) -> (&Dir, String) {
        match &self.doomed {
            Some(folder) => (folder, batch.to_string()),
            None => (self.root, format!("{GONE}{batch}")),
        }
    }
}

/// A refusal to take something out of the trash.
pub(in crate::store) fn not_purged(error: &io::Error) -> Refusal {
    Refusal::NotPurged(SafeText::line(&error.to_string()))
}

/// Moves a batch back to the trash, or to where nothing is unlinked.
pub(super) fn give(
    root: &Dir,
    trash: &Dir,
    from: (&Dir, &str),
    batch: &BatchId,
) -> Result<(), Refusal> {
    let back = rename(from, (trash, batch.as_str()), RenameFlags::NOREPLACE);
    back.map_err(|error| {
        // Left where it is, a later run would unlink it.
        let kept = gone::keep(root, from, batch.as_str());
        let place = kept.unwrap_or_else(|| format!("{OURS}/{PURGE}"));
        let why = format!("it is in {place} and does not go back: {error}");
        Refusal::NotPurged(SafeText::line(&why))
    })
}

/// Unlinks everything that was taken out of the trash or the store for good and may go, or has begun to.
pub(in crate::store) fn clear(root: &Dir, doom: &Doom, watch: &dyn Watch) -> Vec<Leftover> {
    let mut sweep = Sweep {
        doom,
        watch,
        progress: Progress::default(),
        leftovers: Vec::new(),
    };
    match doomed::purge_folder(root) {
        Ok(Some(folder)) => sweep.folder(&folder, |_| true),
        Ok(None) => {}
        Err(error) => sweep.fail(PURGE, &error.to_string()),
    }
    sweep.folder(root, doomed::is_gone);
    bin::remove_empty(root);
    sweep.leftovers
}

struct Sweep<'a> {
    doom: &'a Doom,
    watch: &'a dyn Watch,
    /// Counts what lies in what is to go.
    progress: Progress,
    leftovers: Vec<Leftover>,
}

impl Sweep<'_> {
    /// Unlinks what in a folder is there to be, and may.
    fn folder(&mut self, at: &Dir, is_there: impl Fn(&Entry) -> bool) {
        let entries = at
            .entries()
            .and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => return self.fail("what is to go", &error.to_string()),
        };
        entries.retain(|entry| {
            let name = entry.name.to_string_lossy();
            let begun = entry.kind != Kind::Folder || doomed::is_begun(&name);
            is_there(entry) && (begun || self.doom.has(&name))
        });
        // As little as can be is begun at a time: what is whole can go back after a kill.
        let share = if entries.len() < ALONE { 1 } else { ALONE };
        let mut entries = entries.into_iter();
        loop {
            let share: Vec<Entry> = entries.by_ref().take(share).collect();
            if share.is_empty() {
                return;
            }
            if self.watch.stopped() {
                for entry in share {
                    self.fail(&entry.name.to_string_lossy(), &NotGone::Stopped.to_string());
                }
                continue;
            }
            let share = self.begin(at, share);
            if let [one] = &share[..] {
                self.inside(at, one);
            }
            let jobs = share.iter().map(|entry| (at, entry));
            let failed = self.unlink(&jobs.collect::<Vec<_>>());
            for (entry, why) in share.iter().zip(failed) {
                if let Some(why) = why {
                    self.fail(&entry.name.to_string_lossy(), &why);
                }
            }
        }
    }

    /// Unlinks what lies in something: of a batch those are the sessions, many at a time. What fails is
    /// told when the whole is unlinked.
    fn inside(&mut self, at: &Dir, entry: &Entry) {
        let Ok(folder) = at.open_dir_here(&entry.name) else {
            return;
        };
        let entries = folder.entries().into_iter().flatten();
        let below: Vec<Entry> = entries.filter_map(Result::ok).collect();
        let jobs = below.iter().map(|entry| (&folder, entry));
        self.unlink(&jobs.collect::<Vec<_>>());
    }

    /// Unlinks each; why it is not gone, or not all of it.
    fn unlink(&mut self, jobs: &[(&Dir, &Entry)]) -> Vec<Option<String>> {
        if jobs.is_empty() {
            return Vec::new();
        }
        self.progress.total += jobs.len();
        let before = self.progress.done;
        let stopped = AtomicBool::new(self.watch.stopped());
        let work = |(at, entry): &(&Dir, &Entry)| {
            let mut next = || {
                if stopped.load(Ordering::Relaxed) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            if next().is_break() {
                return Some(NotGone::Stopped);
            }
            unlink(at, &entry.name, entry.kind, &mut next).err()
        };
        let go_on = |begun| {
            self.watch.progress(Progress {
                done: before + begun,
                ..self.progress
            });
            stopped.store(self.watch.stopped(), Ordering::Relaxed);
            // What is left tells that it was stopped.
            true
        };
        let failed = spread(jobs, work, go_on).unwrap_or_default();
        self.progress.done = before + jobs.len();
        let why = |failed: Option<NotGone>| failed.map(|why| why.to_string());
        failed.into_iter().map(why).collect()
    }

    /// Gives what is whole the name of what is not, on the disk too. What does not get it is left alone.
    fn begin(&mut self, at: &Dir, entries: Vec<Entry>) -> Vec<Entry> {
        let mut begun = Vec::with_capacity(entries.len());
        let mut renamed = false;
        for mut entry in entries {
            let name = entry.name.to_string_lossy().into_owned();
            if self.doom.has(&name) {
                match doomed::begin(at, &entry.name) {
                    Ok(new) => entry.name = new.into(),
                    Err(error) => {
                        self.fail(&name, &error.to_string());
                        continue;
                    }
                }
                self.doom.remove(&name);
                renamed = true;
            }
            begun.push(entry);
        }
        if renamed && let Err(error) = rustix::fs::fsync(at) {
            for entry in begun.drain(..) {
                self.fail(
                    &entry.name.to_string_lossy(),
                    &io::Error::from(error).to_string(),
                );
            }
        }
        begun
    }

    /// Told by the name of what it was.
    fn fail(&mut self, name: &str, why: &str) {
        self.leftovers
            .push(Leftover::new(doomed::called(name), why));
    }
}
