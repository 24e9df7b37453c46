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

/// Names taken from the listing at a time. A store of no more is read without threads.
const BATCH: usize = 256;
/// More threads than this only queue up for the disk.
const MAX_WORKERS: usize = 8;

/// See [`crate::store::Store::scan`].
pub(super) fn scan(
    path: &Path,
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
    let found = &mut |item| found(pinned(item, &pins));
    let store = Place {
        root: &root,
        path,
        seen,
    };
    let mut listing = Listing {
        entries: root.entries().map_err(unreadable)?,
        error: None,
    };
    // The first names are read here: most stores end with them, and the screen has its rows sooner.
    let first = listing.batch();
    let mut looker = Looker::default();
    for entry in &first {
        let look = store.look(entry, &mut looker);
        if look.is_some_and(|item| found(item).is_break()) {
            return Ok(());
        }
    }
    if first.len() == BATCH {
        listing = in_parallel(store, listing, found);
    }
    listing.error.map_or(Ok(()), |error| Err(unreadable(error)))
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

/// The root, what it is called, and what was seen in it before.
#[derive(Clone, Copy)]
struct Place<'a> {
    root: &'a Dir,
    path: &'a Path,
    seen: &'a Seen,
}

impl Place<'_> {
    fn look(self, entry: &Entry, looker: &mut Looker) -> Option<Found> {
        let same = self.same(entry).map(|id| Found::Same(id, false));
        same.or_else(|| looker.look(self.root, self.path, entry))
    }

    /// The session of a folder, if both that and the metadata in it are as they were seen: one look,
    /// and nothing is read. Where a listing tells other inodes than a look, none ever is.
    fn same(self, entry: &Entry) -> Option<SessionId> {
        if self.seen.is_empty() || entry.kind != Kind::Folder {
            return None;
        }
        let id = entry.name.to_str().and_then(SessionId::parse)?;
        let seen = self.seen.get(&id)?;
        let there = self.root.stat_below(&entry.name, metadata::FILE).ok()?;
        let now = (there.identity.device, entry.inode, Some(there.version));
        (now == (seen.device, seen.inode, seen.version)).then_some(id)
    }
}

/// The names still to be looked at.
struct Listing<'a> {
    entries: Entries<'a>,
    /// What stopped it; nothing comes after.
    error: Option<io::Error>,
}

impl Listing<'_> {
    /// The next names, fewer than [`BATCH`] only at the end.
    fn batch(&mut self) -> Vec<Entry> {
        let mut batch = Vec::new();
        while self.error.is_none() && batch.len() < BATCH {
            match self.entries.next() {
                Some(Ok(entry)) => batch.push(entry),
                Some(Err(error)) => self.error = Some(error),
                None => break,
            }
        }
        batch
    }
}

/// Looks at the rest of the names from several threads; tells from this one. Gives the listing back.
fn in_parallel<'a>(
    store: Place<'_>,
    listing: Listing<'a>,
    found: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> Listing<'a> {
    let workers = thread::available_parallelism().map_or(1, |count| count.get().min(MAX_WORKERS));
    let listing = Mutex::new(listing);
    let (tell, told) = sync_channel(workers);
    thread::scope(|scope| {
        for _ in 0..workers {
            let (tell, listing) = (tell.clone(), &listing);
            scope.spawn(move || work(store, listing, &tell));
        }
        drop(tell);
        // A break drops the receiver, which ends each worker at its next batch.
        for item in told.into_iter().flatten() {
            if found(item).is_break() {
                break;
            }
        }
    });
    listing.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn work(store: Place<'_>, listing: &Mutex<Listing<'_>>, tell: &SyncSender<Vec<Found>>) {
    let mut looker = Looker::default();
    loop {
        let names = listing
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .batch();
        if names.is_empty() {
            return;
        }
        let looks = names
            .iter()
            .filter_map(|entry| store.look(entry, &mut looker));
        if tell.send(looks.collect()).is_err() {
            return;
        }
    }
}
