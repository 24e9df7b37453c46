//! One session of Zero's under its locks, to be checked and moved.
//!
//! Must never: lock or change a folder that is not the one that was seen, take a session without
//! metadata unless that was seen to have none, or wait for a writer. Whatever is in doubt is a refusal.
//!
//! The lease is tried first, then session.lock, then the metadata and the log are read again:
//! nobody can open or write the session between the last look and the rename. What remains is
//! a Zero without leases that has read the session and writes it later; it meets a folder that
//! is gone.

mod waiting;

use std::fs::Metadata;
use std::io;
use std::path::Path;

use chrono::{DateTime, Utc};

pub(super) use waiting::Waiting;

use super::change::{Folder, pins_unread};
use super::events::{LastEvent, last_event_time};
use super::look::Looker;
use super::{LEASE, LOG, SESSION_LOCK, metadata, remnant};
use crate::session::{Condition, Place, Refusal, Session, SessionId, Sighting};
use crate::store::change::{Claim, LogTime, Purpose};
use crate::store::dir::{Access, Dir, Identity, OpenError};
use crate::store::lease::{self, Denied, ExclusiveLease, LockFile, WriteLock};
use crate::store::size;
use crate::store::trash::{self, Aside, Doom, Pins};
use crate::text::SafeText;

/// The store that a session is in.
#[derive(Clone, Copy)]
pub(super) struct Home<'a> {
    pub(super) root: &'a Dir,
    /// Where the root is.
    pub(super) path: &'a Path,
    /// The root's filesystem.
    pub(super) device: u64,
    pub(super) pins: &'a Pins,
    pub(super) doom: &'a Doom,
}

/// A session that nobody can open.
pub(super) struct Claimed<'a> {
    home: Home<'a>,
    id: SessionId,
    seen: Sighting,
    activity_at: Option<DateTime<Utc>>,
    /// It has no metadata.
    remnant: bool,
    /// What a remnant was before we made anything in it.
    before: Option<remnant::Looked>,
    purpose: Purpose,
    folder: Dir,
    identity: Identity,
    lease_file: LockFile,
    write_file: LockFile,
    /// `None`: it has no lease's file, and a look makes none, nor has a full disk room for one.
    lease: Option<ExclusiveLease>,
    ready: Ready,
    /// When its log was read, at the last recheck.
    read_at: Option<DateTime<Utc>>,
}

/// Whether a session can be moved: only from a recheck that was not just a look until the move.
enum Ready {
    No,
    /// Nobody can write it.
    Locked(WriteLock),
    /// There is no room for the write lock's file; nor for anybody else's, when it was tried.
    NoRoom,
}

impl<'a> Claimed<'a> {
    /// Takes the session's lease, if its folder is the one that was seen.
    pub(super) fn take(
        home: Home<'a>,
        session: &Session,
        purpose: Purpose,
        waiting: &Waiting,
    ) -> Result<Self, Refusal> {
        let id = session.id.clone();
        let root = home.root;
        let folder = root.open_dir(id.as_str()).map_err(|error| match error {
            error if error.is_missing() => Refusal::Gone,
            OpenError::NotRegular(_) => Refusal::Changed,
            OpenError::Io(error) => unchecked(&error),
        })?;
        let identity = folder.identity().map_err(|error| unchecked(&error))?;
        if Place::from(identity) != session.seen.place() {
            return Err(Refusal::Changed);
        }
        let remnant = match session.condition {
            Condition::Remnant(None) => return Err(Refusal::Changed),
            Condition::Remnant(Some(_)) => true,
            _ => false,
        };
        match (remnant, lease::is_missing(&folder, metadata::FILE)) {
            (false, true) => return Err(Refusal::Gone),
            (true, false) => return Err(Refusal::Changed),
            _ => {}
        }
        if identity.device != home.device {
            let why = "its folder is on another filesystem";
            return Err(Refusal::NotMovable(SafeText::line(why)));
        }
        // Who moves a folder to another one writes in it too: to where `..` leads.
        trash::writable(&folder).map_err(|error| trash::not_movable(&error))?;
        let makes = remnant && purpose != Purpose::Look;
        let before = makes.then(|| remnant::look(&folder).ok()).flatten();
        let mut lease_file = LockFile::new(LEASE);
        let taken = waiting.claim(&mut lease_file, &folder, purpose);
        let lease = taken.map_err(|refusal| {
            if purpose != Purpose::Look && lease::is_missing(&folder, metadata::FILE) {
                lease_file.take_away(&folder, metadata::FILE);
                if !remnant {
                    remove_if_empty(root, &id, identity);
                }
            }
            or_gone(refusal, root, &id)
        })?;
        let claimed = Self {
            home,
            id,
            seen: session.seen,
            activity_at: session.activity_at,
            remnant,
            before,
            purpose,
            folder,
            identity,
            lease_file,
            write_file: LockFile::new(SESSION_LOCK),
            lease,
            ready: Ready::No,
            read_at: None,
        };
        if purpose == Purpose::Look {
            return Ok(claimed);
        }
        match claimed.still_there() {
            Ok(()) => Ok(claimed),
            Err(refusal) => {
                claimed.leave_nothing();
                Err(refusal)
            }
        }
    }

    /// Whether the folder is still at its place.
    fn in_place(&self) -> Result<(), Refusal> {
        match self.home.root.stat(self.id.as_str()) {
            Ok(seen) if seen.identity == self.identity => Ok(()),
            Ok(_) => Err(Refusal::Changed),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Refusal::Gone),
            Err(error) => Err(unchecked(&error)),
        }
    }

    /// Whether the folder is still at its place, with metadata.
    fn still_there(&self) -> Result<(), Refusal> {
        self.in_place()?;
        match (self.folder.stat(metadata::FILE), self.remnant) {
            (Ok(_), false) => Ok(()),
            (Ok(_), true) => Err(Refusal::Changed),
            (Err(error), remnant) if error.kind() == io::ErrorKind::NotFound => {
                remnant.then_some(()).ok_or(Refusal::Gone)
            }
            (Err(error), _) => Err(unchecked(&error)),
        }
    }

    /// Whether nobody made, before the folder was moved, a lock that there was no room for when we
    /// wanted it. Who failed to make it cannot be seen.
    fn unlocked(&self, write: Option<&WriteLock>) -> Result<(), Refusal> {
        if self.lease.is_none() && !lease::is_missing(&self.folder, LEASE) {
            return Err(Refusal::OpenOrLocked);
        }
        if write.is_none() && !lease::is_missing(&self.folder, SESSION_LOCK) {
            return Err(Refusal::Busy);
        }
        Ok(())
    }

    /// Another program is removing the session: our lock files would keep it from finishing.
    fn leave_nothing(&self) {
        if self.purpose == Purpose::Look || !lease::is_missing(&self.folder, metadata::FILE) {
            return;
        }
        self.write_file.take_away(&self.folder, metadata::FILE);
        self.lease_file.take_away(&self.folder, metadata::FILE);
        // A remnant goes only if it was asked for.
        if !self.remnant {
            remove_if_empty(self.home.root, &self.id, self.identity);
        }
    }

    /// Reads again what a prune relies on, under the write lock.
    fn compare(&mut self) -> Result<LogTime, Refusal> {
        self.in_place()?;
        let folder = (&self.folder, self.identity);
        let now = Looker::default()
            .opened(self.home.root, &self.id, folder)
            .ok_or(Refusal::Gone)?;
        if let (Condition::Damaged(why), None) = (&now.condition, now.seen.version) {
            // It may be as it was, but it did not open: too many files are open, say.
            self.still_there()?;
            return Err(Refusal::Unread(why.clone()));
        }
        if now.seen != self.seen {
            // Gone between the two looks, or another one.
            self.still_there()?;
            let later = now.activity_at > self.activity_at;
            return Err(if later {
                Refusal::Updated
            } else {
                Refusal::Changed
            });
        }
        match self.home.pins.has(self.home.root, &self.id) {
            Ok(false) => {}
            Ok(true) => return Err(Refusal::Pinned),
            Err(error) => return Err(pins_unread(self.home.path, &error)),
        }
        if self.remnant {
            return Ok(LogTime::Empty);
        }
        match self.folder.open_seen(LOG, Access::Read) {
            Ok((log, seen)) => {
                self.read_at = read_since(&seen);
                Ok(match last_event_time(&log, seen.len()) {
                    LastEvent::None => LogTime::Empty,
                    LastEvent::At(at) => LogTime::At(at),
                    LastEvent::Unknown(_) => LogTime::Unknown,
                })
            }
            Err(error) if error.is_missing() => Ok(LogTime::Empty),
            Err(_) => Ok(LogTime::Unknown),
        }
    }
}

impl Claim for Claimed<'_> {
    fn recheck(&mut self) -> Result<LogTime, Refusal> {
        self.ready = Ready::No;
        let locked = self.write_file.write(&self.folder, self.purpose);
        let write = locked.map_err(|denied| {
            let refusal = match denied {
                Denied::Held => Refusal::Busy,
                Denied::Replaced => Refusal::Changed,
                Denied::Failed(error) => Refusal::LockUnchecked(SafeText::line(&error.to_string())),
            };
            or_gone(refusal, self.home.root, &self.id)
        })?;
        let compared = self.compare();
        match compared {
            Ok(_) if self.purpose == Purpose::Look => {}
            Ok(_) => self.ready = write.map_or(Ready::NoRoom, Ready::Locked),
            Err(Refusal::Gone) => self.leave_nothing(),
            Err(_) => {}
        }
        compared
    }

    fn read_at(&self) -> Option<DateTime<Utc>> {
        self.read_at
    }

    fn measure(mut self: Box<Self>) -> io::Result<u64> {
        self.ready = Ready::No;
        self.lease = None;
        size::of(&mut self.folder, self.identity.device)
    }

    fn move_aside(&mut self, aside: &Aside) -> Result<(), Refusal> {
        let write = match std::mem::replace(&mut self.ready, Ready::No) {
            Ready::Locked(write) => Some(write),
            Ready::NoRoom => None,
            Ready::No => {
                let why = "it was not looked at again";
                return Err(Refusal::NotMovable(SafeText::line(why)));
            }
        };
        let locks = (self.lease.as_ref(), write.as_ref());
        let moved = aside.take(&Folder, self.home.root, &self.id, self.identity, locks);
        if moved == Err(Refusal::Gone) {
            self.leave_nothing();
        }
        moved?;
        aside.doom(&self.id, self.home.doom);
        self.unlocked(write.as_ref()).or_else(|refusal| {
            self.put_back(aside)?;
            Err(refusal)
        })
    }

    fn put_back(&mut self, aside: &Aside) -> Result<(), Refusal> {
        aside.give(&Folder, self.home.root, &self.id, self.home.doom)?;
        Ok(())
    }
}

impl Drop for Claimed<'_> {
    /// A remnant is left as it was: if it stays, so that its own program can finish removing it, if it
    /// was moved, because nobody can come to it any more.
    fn drop(&mut self) {
        if !self.remnant {
            return;
        }
        let taken = [&self.write_file, &self.lease_file]
            .map(|file| file.take_away(&self.folder, metadata::FILE));
        let Some(before) = self.before.as_ref().filter(|_| taken.contains(&true)) else {
            return;
        };
        // What somebody else changed in it meanwhile is to be seen by its time.
        let now = remnant::look(&self.folder);
        if now.is_ok_and(|now| now.fingerprint == before.fingerprint) {
            // Should it fail, it only looks younger than it is.
            let _ = self.folder.set_written_at(before.written_at);
        }
    }
}

/// When a file was last read; `None`: not since it was written.
fn read_since(seen: &Metadata) -> Option<DateTime<Utc>> {
    let (read, written) = (seen.accessed().ok()?, seen.modified().ok()?);
    (read > written).then(|| read.into())
}

/// Removes the folder of a session without metadata, if it is that very one and empty.
fn remove_if_empty(root: &Dir, id: &SessionId, identity: Identity) {
    let there = root.stat(id.as_str());
    if there.is_ok_and(|seen| seen.identity == identity) {
        lease::remove_if_empty(root, id.as_str());
    }
}

/// A lock fails for odd reasons when the whole folder has just been removed.
fn or_gone(refusal: Refusal, root: &Dir, id: &SessionId) -> Refusal {
    if lease::is_missing(root, id.as_str()) {
        Refusal::Gone
    } else {
        refusal
    }
}

fn unchecked(error: &io::Error) -> Refusal {
    Refusal::LeaseUnchecked(SafeText::line(&error.to_string()))
}
