//! Listing the root.
//!
//! Must never change anything, never wait on what is in the root, and never end early without
//! saying so: what a listing leaves out, a prune does not know to have ancestors.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::look::Looker;
use super::metadata;
use crate::session::{Fault, Seen, SessionId};
use crate::store::dir::{Dir, Entries, Entry, Kind};
use crate::store::trash::{PINS, Pins};
use crate::store::{Found, ScanError};
use crate::text::SafeText;

/// Names taken from the listing first. A store of no more is read without threads.
const FIRST: usize = 64;
/// Names taken at a time after that.
const BATCH: usize = 256;
/// More than there are processors: a store that is not in memory is waited for, and so many at once are
/// read in half the time of two. More than this gain little.
const WORKERS: usize = 8;

/// See [`crate::store::Store::scan`].
pub(super) fn scan(
    path: &Path,
    looker: &(impl Fn() -> Looker + Sync),
    seen: &Seen,
    found: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> Result<(), ScanError> {
    let unreadable = |error| ScanError::Unreadable(path.to_owned(), error);
    let root = Dir::open_root(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ScanError::Missing(path.to_owned()),
        _ => unreadable(error),
    })?;
    let pins = match Pins::default().all(&root) {
        Ok(pins) => pins,
        Err(error) => {
            if found(Found::Fault(pins_unread(path, &error))).is_break() {
                return Ok(());
            }
            HashSet::new()
        }
    };
    let look = |looker: &mut Looker, entry: &Entry| {
        let same = same(&root, seen, entry).map(|id| Found::Same(id, false));
        same.or_else(|| looker.look(&root, path, entry))
    };
    walk(&root, looker, &look, &mut |item| found(pinned(item, &pins))).map_err(unreadable)
}

/// Looks at every name in the root, of a large one from several threads; tells what is to be told of
/// them, in no order, on this one. Each thread looks with a looker of its own. Ends when it is told to, or with what stopped the listing.
pub(super) fn walk<T: Send>(
    root: &Dir,
    looker: &(impl Fn() -> Looker + Sync),
    look: &(impl Fn(&mut Looker, &Entry) -> Option<T> + Sync),
    found: &mut dyn FnMut(T) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut listing = Listing {
        entries: root.entries()?,
        error: None,
    };
    // Most stores end with the first names, and the screen has its rows sooner.
    let first = listing.batch(FIRST);
    let told = tell_of(&first, looker(), look, found);
    if told.is_continue() && first.len() == FIRST {
        return in_parallel(listing, looker, look, found);
    }
    listing.error.map_or(Ok(()), Err)
}

fn tell_of<T>(
    names: &[Entry],
    mut looker: Looker,
    look: &impl Fn(&mut Looker, &Entry) -> Option<T>,
    found: &mut dyn FnMut(T) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut looks = names.iter().filter_map(|entry| look(&mut looker, entry));
    looks.try_for_each(found)
}

/// The session of a folder, if both that and the metadata in it are as they were seen: one look, and
/// nothing is read. Where a listing tells other inodes than a look, none ever is.
fn same(root: &Dir, seen: &Seen, entry: &Entry) -> Option<SessionId> {
    if seen.is_empty() || entry.kind != Kind::Folder {
        return None;
    }
    let id = entry.name.to_str().and_then(SessionId::parse)?;
    let seen = seen.get(&id)?;
    let there = root.stat_below(&entry.name, metadata::FILE).ok()?;
    let now = (there.identity.device, entry.inode, Some(there.version));
    (now == (seen.device, seen.inode, seen.version)).then_some(id)
}

fn pinned(mut item: Found, pins: &HashSet<SessionId>) -> Found {
    match &mut item {
        Found::Session(session) => session.pinned = pins.contains(&session.id),
        Found::Same(id, pinned) => *pinned = pins.contains(id),
        Found::Fault(_) => {}
    }
    item
}

fn pins_unread(path: &Path, error: &io::Error) -> Fault {
    Fault {
        path: path.join(PINS),
        what: SafeText::line(&format!(
            "the pins cannot be read, so nothing is pruned: {error}"
        )),
    }
}

/// The names still to be looked at.
struct Listing<'a> {
    entries: Entries<'a>,
    /// What stopped it; nothing comes after.
    error: Option<io::Error>,
}

impl Listing<'_> {
    /// The next names, fewer than that only at the end.
    fn batch(&mut self, most: usize) -> Vec<Entry> {
        let mut batch = Vec::new();
        while self.error.is_none() && batch.len() < most {
            match self.entries.next() {
                Some(Ok(entry)) => batch.push(entry),
                Some(Err(error)) => self.error = Some(error),
                None => break,
            }
        }
        batch
    }
}

/// Looks at the rest of the names from several threads; tells from this one.
fn in_parallel<T: Send>(
    listing: Listing<'_>,
    looker: &(impl Fn() -> Looker + Sync),
    look: &(impl Fn(&mut Looker, &Entry) -> Option<T> + Sync),
    found: &mut dyn FnMut(T) -> ControlFlow<()>,
) -> io::Result<()> {
    let listing = Mutex::new(listing);
    let (tell, told) = sync_channel(WORKERS);
    let told = thread::scope(|scope| {
        for _ in 0..WORKERS {
            let (tell, listing) = (tell.clone(), &listing);
            let work = move || work(listing, looker(), look, &tell);
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        drop(tell);
        // A break drops the receiver, which ends each worker at its next batch.
        told.into_iter().flatten().try_for_each(&mut *found)?;
        // Nothing is left, unless there was no thread to be had.
        loop {
            let names = next(&listing);
            if names.is_empty() {
                return ControlFlow::Continue(());
            }
            tell_of(&names, looker(), look, found)?;
        }
    });
    let listing = listing.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (told, listing.error) {
        (ControlFlow::Continue(()), Some(error)) => Err(error),
        _ => Ok(()),
    }
}

fn next(listing: &Mutex<Listing<'_>>) -> Vec<Entry> {
    let mut listing = listing.lock().unwrap_or_else(PoisonError::into_inner);
    listing.batch(BATCH)
}

fn work<T>(
    listing: &Mutex<Listing<'_>>,
    mut looker: Looker,
    look: impl Fn(&mut Looker, &Entry) -> Option<T>,
    tell: &SyncSender<Vec<T>>,
) {
    loop {
        let names = next(listing);
        if names.is_empty() {
            return;
        }
        let looks = names.iter().filter_map(|entry| look(&mut looker, entry));
        if tell.send(looks.collect()).is_err() {
            return;
        }
    }
}
