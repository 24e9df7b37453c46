//! Zero's store under our lock: what [`crate::prune`] and the trash need to know of it.
//!
//! Must never: change a store that belongs to another user, or go by a path once the root is open.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::geteuid;

use super::claim::{Claimed, Home, Waiting};
use super::files::MoreFiles;
use super::look::Looker;
use super::{LEASE, Zero, metadata, scan};
use crate::prune::report::{Doomed, Leftover, Shelved, Trashed, Watch, rfc3339};
use crate::session::{Agent, Condition, Holder, Place, Refusal, Session, SessionId, Sighting};
use crate::store::change::{Change, Claim, Closeness, Newcomer, Purpose};
use crate::store::dir::{Dir, Entry};
use crate::store::lease::{self, LockFile, SharedLease, StoreLock};
use crate::store::removals::{Note, Removals};
use crate::store::size;
use crate::store::trash::{self, Anatomy, Aside, Bin, Doom, Kin, Pins, Purge, Record};
use crate::store::{Found, openness};
use crate::text::SafeText;

/// The store, locked.
pub(super) struct Changing {
    path: PathBuf,
    /// Where the system tells of its processes.
    proc: PathBuf,
    removals: Removals,
    /// Before the lock, since fields are dropped in this order: the next who has the lock must not
    /// take the raised limit for the one to go back to.
    files: MoreFiles,
    lock: StoreLock,
    pins: Pins,
    doom: Doom,
    waiting: Waiting,
}

impl Changing {
    /// Locks a store, waiting a little for another sesstree; where locks work.
    pub(super) fn begin(zero: &Zero) -> Result<Self, Refusal> {
        let lock = own(zero)?;
        zero.allows(lock.root())?;
        Ok(Self {
            path: zero.root.clone(),
            proc: zero.proc.clone(),
            removals: zero.removals.clone(),
            files: MoreFiles::allow(),
            lock,
            pins: Pins::default(),
            doom: Doom::default(),
            waiting: Waiting::new(&zero.proc),
        })
    }

    pub(super) fn lock(&self) -> &StoreLock {
        &self.lock
    }
}

/// Locks a store that is our own.
fn own(zero: &Zero) -> Result<StoreLock, Refusal> {
    let lock = StoreLock::take(&zero.root, lease::STORE_PATIENCE)?;
    let owner = rustix::fs::fstat(lock.root()).map_err(|error| refused(&error.into()))?;
    if owner.st_uid != geteuid().as_raw() {
        return Err(refused(&io::Error::other("it belongs to another user")));
    }
    Ok(lock)
}

/// See [`crate::store::Store::pin`].
pub(super) fn pin(zero: &Zero, pins: &[(SessionId, bool)]) -> Result<(), Refusal> {
    let lock = own(zero)?;
    let root = lock.root();
    let pin = |id: &SessionId, pinned: bool| {
        let done = match pinned {
            true if lease::is_missing(root, id.as_str()) => return Err(Refusal::Gone),
            true => trash::pin(root, id),
            false => trash::unpin(root, id),
        };
        done.map_err(|error| Refusal::NotPinned(SafeText::line(&error.to_string())))
    };
    // One that cannot be done keeps none of the others from it.
    let mut failed = pins
        .iter()
        .filter_map(|(id, pinned)| Some((id, pin(id, *pinned).err()?)));
    let Some((id, refusal)) = failed.next() else {
        return Ok(());
    };
    let more = match failed.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    if pins.len() == 1 {
        return Err(refusal);
    }
    let why = match refusal {
        Refusal::NotPinned(why) => why.to_string(),
        refusal => refusal.to_string(),
    };
    let what = format!("{id}{more}: {why}");
    Err(Refusal::NotPinned(SafeText::line(&what)))
}

/// Where the pins of the store at `path` are, and why that does not tell.
pub(super) fn pins_unread(path: &Path, error: &io::Error) -> Refusal {
    let place = SafeText::path(&path.join(trash::PINS));
    Refusal::PinsUnread(place, SafeText::line(&error.to_string()))
}

impl Change for Changing {
    fn place(&self) -> Place {
        self.lock.place()
    }

    fn capacity(&self) -> usize {
        self.files.sessions()
    }

    fn removable(&self, purpose: Purpose) -> Result<(), Refusal> {
        match purpose {
            Purpose::Delete => trash::writable(self.lock.root())
                .map_err(|error| Refusal::NotDeleted(SafeText::line(&error.to_string()))),
            Purpose::Look | Purpose::Change => {
                trash::check(self.lock.root()).map_err(|error| trash::not_movable(&error))
            }
        }
    }

    fn purgeable(&self) -> Result<(), Refusal> {
        trash::check(self.lock.root()).map_err(|error| trash::not_purged(&error))
    }

    fn unseen(&self) -> Option<Vec<Holder>> {
        openness::unseen(&self.proc, self.lock.root(), LEASE, Agent::Zero.name())
    }

    fn pins(&self) -> Result<HashSet<SessionId>, Refusal> {
        let pins = self.pins.all(self.lock.root());
        pins.map_err(|error| pins_unread(&self.path, &error))
    }

    fn claim(&self, session: &Session, purpose: Purpose) -> Result<Box<dyn Claim + '_>, Refusal> {
        let home = Home {
            root: self.lock.root(),
            path: &self.path,
            device: self.lock.place().device,
            pins: &self.pins,
            doom: &self.doom,
        };
        let claimed = Claimed::take(home, session, purpose, &self.waiting)?;
        Ok(Box::new(claimed))
    }

    fn newcomers(
        &self,
        closeness: Closeness,
        known: &(dyn Fn(&SessionId) -> Option<Sighting> + Sync),
    ) -> Result<Vec<Newcomer>, Refusal> {
        let root = self.lock.root();
        let look = |looker: &mut Looker, entry: &Entry| {
            let id = entry.name.to_str().and_then(SessionId::parse)?;
            let known = known(&id);
            let by_name = known.is_some_and(|seen| seen.version.is_some());
            if closeness == Closeness::Names && by_name {
                return None;
            }
            let there = root.stat_below(id.as_str(), metadata::FILE);
            let there = there.ok().map(|seen| seen.version);
            // The same metadata names the same parent. Without any it may be there by now.
            if there.is_some() && known.is_some_and(|seen| seen.version == there) {
                return None;
            }
            match looker.look(root, &self.path, entry)? {
                Found::Session(session) => newcomer(session, known),
                Found::Same(..) | Found::Fault(_) => None,
            }
        };
        let mut newcomers = Vec::new();
        let mut found = |newcomer| {
            newcomers.push(newcomer);
            ControlFlow::Continue(())
        };
        scan::walk(root, &Looker::default, &look, &mut found).map_err(|error| refused(&error))?;
        // Which of several is named must not depend on which thread came first.
        newcomers.sort_unstable_by(|a: &Newcomer, b| a.id.cmp(&b.id));
        Ok(newcomers)
    }

    fn size_in(&self, aside: &Aside, id: &SessionId) -> io::Result<u64> {
        let (at, name) = aside.place(self.lock.root(), id);
        size::size(at, &name)
    }

    fn open_bin(&self, record: &Record) -> Result<Bin, Refusal> {
        Bin::make(self.lock.root(), record)
    }

    fn sync(&self, aside: &Aside) -> Result<(), Refusal> {
        // First where they are by now: a crash in between must not leave them nowhere.
        aside
            .sync()
            .and_then(|()| Ok(rustix::fs::fsync(self.lock.root())?))
            .map_err(|error| refused(&error))
    }

    fn note(&self, note: &Note<'_>) -> Result<(), SafeText> {
        self.removals.add(Agent::Zero, &self.path, note)
    }

    fn shelves(&self) -> Result<Vec<Shelved>, Refusal> {
        trash::shelves(self.lock.root(), &Folder).map_err(|error| refused(&error))
    }

    fn open_purge(&self) -> Result<Purge<'_>, Refusal> {
        Purge::open(self.lock.root(), &self.doom)
    }

    fn clear(&self, watch: &dyn Watch) -> Vec<Leftover> {
        trash::clear(self.lock.root(), &self.doom, watch)
    }

    fn doomed(&self) -> Result<Vec<Doomed>, Refusal> {
        trash::doomed(self.lock.root(), &Folder).map_err(|error| refused(&error))
    }

    fn doom(&self, doomed: &Doomed) {
        self.doom.add(doomed.file.clone());
    }

    fn bring_back(&self, doomed: &Doomed) -> Result<(), Refusal> {
        trash::bring_back(self.lock.root(), &Folder, &self.doom, doomed)
    }

    fn told(&self) -> Vec<SafeText> {
        self.doom.told()
    }
}

/// What cannot be read, or has no metadata, and was so already when it was `known` is no newcomer:
/// that was told.
fn newcomer(session: Session, known: Option<Sighting>) -> Option<Newcomer> {
    let Session {
        id, parent, seen, ..
    } = session;
    if matches!(session.condition, Condition::Remnant(_)) && known == Some(seen) {
        return None;
    }
    let unclear = matches!(session.condition, Condition::Damaged(_)) && known != Some(seen);
    (parent.is_some() || unclear).then_some(Newcomer { id, parent, seen })
}

fn refused(error: &io::Error) -> Refusal {
    Refusal::StoreRefused(SafeText::line(&error.to_string()))
}

/// What the trash must know of Zero's folders.
pub(super) struct Folder;

impl Anatomy for Folder {
    fn is_session(&self, folder: &Dir) -> io::Result<bool> {
        match folder.stat(metadata::FILE) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn describe(&self, at: &Dir, id: &SessionId) -> Trashed {
        let session = Looker::default().folder(at, id).ok().flatten();
        let remnant = |session: &Session| matches!(session.condition, Condition::Remnant(_));
        let remnant = session.as_ref().is_some_and(remnant);
        let (title, parent, updated_at) = session
            .map(|session| (session.title, session.parent, session.activity_at))
            .unwrap_or_default();
        Trashed {
            id: id.clone(),
            title,
            parent,
            bytes: size::size(at, id.as_str()).unwrap_or(0),
            updated_at: updated_at.map(rfc3339),
            remnant,
        }
    }

    fn kin_in(&self, at: &Dir, name: &str, id: &SessionId) -> Kin {
        let opened = at.open_dir(name).map_err(io::Error::from);
        let opened = opened.and_then(|folder| Ok((folder.identity()?, folder)));
        let session = opened.map(|(identity, folder)| {
            let folder = (&folder, identity);
            Looker::default().opened_as(at, name, id, folder)
        });
        let session = match session {
            Ok(Some(session)) => session,
            Ok(None) => return Kin::unclear(&"it is gone by now"),
            Err(error) => return Kin::unclear(&error),
        };
        let Session { parent, seen, .. } = session;
        let unclear = match session.condition {
            Condition::Damaged(why) if parent.is_none() => Some(why),
            _ => None,
        };
        Kin {
            parent,
            unclear,
            seen,
        }
    }

    fn check_free(&self, folder: &Dir) -> Result<(), Refusal> {
        match LockFile::new(LEASE).claim(folder, Purpose::Look) {
            Ok(_) => Ok(()),
            Err(lease::Denied::Held) => Err(Refusal::OpenOrLocked),
            Err(lease::Denied::Replaced) => Err(Refusal::Changed),
            Err(lease::Denied::Failed(error)) => {
                Err(Refusal::LeaseUnchecked(SafeText::line(&error.to_string())))
            }
        }
    }

    fn hold(&self, folder: &Dir) -> Result<Option<SharedLease>, Refusal> {
        // No agent prunes what has no metadata, and it is to be as it was.
        if lease::is_missing(folder, metadata::FILE) {
            return Ok(None);
        }
        match LockFile::new(LEASE).share(folder, lease::LEASE_PATIENCE) {
            Ok(lease) => Ok(Some(lease)),
            Err(lease::Denied::Held) => Err(Refusal::LockedByPrune),
            Err(lease::Denied::Failed(error)) if out_of_files(&error) => {
                let why = SafeText::line(&error.to_string());
                Err(Refusal::LeaseUnchecked(why))
            }
            // What we cannot lock another program's prune cannot lock either.
            Err(lease::Denied::Replaced | lease::Denied::Failed(_)) => Ok(None),
        }
    }
}

fn out_of_files(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::MFILE | Errno::NFILE))
}
