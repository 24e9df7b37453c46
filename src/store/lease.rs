//! The only lock calls: flock, which Zero and flock(1) use too.
//!
//! Must never: wait without a bound, make a folder, take a lock whose file is no longer the one
//! that its path leads to for one that counts, or unlink a lock's file in a folder that has its
//! record (a process may be about to lock that very file).
//!
//! Order, so that nobody waits in a circle: [`StoreLock`], then leases (children before
//! parents), then one [`WriteLock`] at a time. Locks of sessions are tried, not waited for.
#![expect(
    clippy::disallowed_methods,
    reason = "the home of all locks, and of unlinking their files"
)]

use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use fs4::{FileExt, TryLockError};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::Purpose;
use super::dir::{Access, Dir, Identity, OpenError, is_full};
use crate::session::{Place, Refusal};
use crate::text::SafeText;

/// How long another sesstree is waited for.
pub const STORE_PATIENCE: Duration = Duration::from_secs(2);
/// How long a lease is tried: somebody's dry run holds one for less than that.
pub const LEASE_PATIENCE: Duration = Duration::from_millis(100);
/// Time between two tries.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// A session's lease, shared: it is open here.
#[must_use]
#[derive(Debug)]
pub struct SharedLease {
    file: File,
}

impl SharedLease {
    /// Whether its file is the one of that name in the folder.
    pub(crate) fn is_at(&self, folder: &Dir, name: &str) -> io::Result<bool> {
        is_at(Identity::of(&self.file)?, folder, name)
    }
}

/// A session's lease, exclusive: nobody can open it.
#[must_use]
#[derive(Debug)]
pub struct ExclusiveLease {
    _file: File,
}

/// A session's write lock: nobody writes it.
#[must_use]
#[derive(Debug)]
pub struct WriteLock {
    _file: File,
}

/// Why a lock was not taken.
#[derive(Debug)]
pub(crate) enum Denied {
    /// Somebody has it.
    Held,
    /// Its file was replaced while it was being locked, twice.
    Replaced,
    /// Its file cannot be opened or locked.
    Failed(io::Error),
}

impl From<OpenError> for Denied {
    fn from(error: OpenError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<io::Error> for Denied {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

#[derive(Clone, Copy)]
enum Sharing {
    Shared,
    Exclusive,
}

/// A lock's file in a session's folder; remembers whether we made it.
#[derive(Debug)]
pub(crate) struct LockFile {
    name: &'static str,
    made: Option<Identity>,
}

impl LockFile {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, made: None }
    }

    /// Takes a lease shared, trying for at most `patience`; makes the file if it is missing.
    pub(crate) fn share(&mut self, at: &Dir, patience: Duration) -> Result<SharedLease, Denied> {
        let end = Instant::now() + patience;
        loop {
            match self.lock(at, Purpose::Change, Sharing::Shared) {
                Ok(Some(file)) => return Ok(SharedLease { file }),
                Ok(None) => return Err(io::Error::from(io::ErrorKind::NotFound).into()),
                Err(Denied::Held) if Instant::now() < end => thread::sleep(PAUSE),
                Err(denied) => return Err(denied),
            }
        }
    }

    /// Takes a lease exclusively, at once or not at all; `None`: there is none and none was
    /// to be made, or could be.
    pub(crate) fn claim(
        &mut self,
        at: &Dir,
        purpose: Purpose,
    ) -> Result<Option<ExclusiveLease>, Denied> {
        let file = self.lock(at, purpose, Sharing::Exclusive)?;
        Ok(file.map(|file| ExclusiveLease { _file: file }))
    }

    /// Takes a write lock, at once or not at all; `None`: there is none and none was to be made.
    pub(crate) fn write(
        &mut self,
        at: &Dir,
        purpose: Purpose,
    ) -> Result<Option<WriteLock>, Denied> {
        let file = self.lock(at, purpose, Sharing::Exclusive)?;
        Ok(file.map(|file| WriteLock { _file: file }))
    }

    /// Unlinks the file if we made it, it is still that one, and the folder has no `record` any
    /// more: what is left would stop another program from removing the folder. Whether it is gone.
    pub(crate) fn take_away(&self, at: &Dir, record: &str) -> bool {
        let ours = self.made.is_some() && self.made == at.stat(self.name).ok().map(|s| s.identity);
        // Should it fail, an empty file stays behind, which harms nobody.
        ours && is_missing(at, record)
            && rustix::fs::unlinkat(at, self.name, AtFlags::empty()).is_ok()
    }

    fn lock(
        &mut self,
        at: &Dir,
        purpose: Purpose,
        sharing: Sharing,
    ) -> Result<Option<File>, Denied> {
        for _ in 0..2 {
            let Some((file, identity)) = self.open(at, purpose)? else {
                return Ok(None);
            };
            let locked = match sharing {
                Sharing::Shared => FileExt::try_lock_shared(&file),
                Sharing::Exclusive => FileExt::try_lock(&file),
            };
            match locked {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(Denied::Held),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            if is_at(identity, at, self.name)? {
                return Ok(Some(file));
            }
        }
        Err(Denied::Replaced)
    }

    fn open(&mut self, at: &Dir, purpose: Purpose) -> Result<Option<(File, Identity)>, Denied> {
        let missing = match (there(at, self.name, Access::Write), purpose) {
            (Ok(file), _) => return Ok(Some(file)),
            (Err(error), _) if error.is_missing() => error,
            // flock does not care how a file was opened, and a look needs no more.
            (Err(OpenError::Io(error)), Purpose::Look)
                if error.kind() == io::ErrorKind::ReadOnlyFilesystem =>
            {
                return Ok(Some(there(at, self.name, Access::Read)?));
            }
            (Err(error), _) => return Err(error.into()),
        };
        match purpose {
            Purpose::Look => Ok(None),
            Purpose::Change => self.make(at, missing).map(Some),
            Purpose::Delete => match self.make(at, missing) {
                Err(Denied::Failed(error)) if is_full(&error) => Ok(None),
                made => made.map(Some),
            },
        }
    }

    /// Makes the file; another program may make it at the same time.
    fn make(&mut self, at: &Dir, missing: OpenError) -> Result<(File, Identity), Denied> {
        let flags = OFlags::RDWR
            | OFlags::CREATE
            | OFlags::EXCL
            | OFlags::NOFOLLOW
            | OFlags::NONBLOCK
            | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        match retry_on_intr(|| rustix::fs::openat(at, self.name, flags, mode)) {
            Ok(new) => {
                let file = File::from(new);
                let identity = Identity::of(&file)?;
                self.made = Some(identity);
                Ok((file, identity))
            }
            Err(Errno::EXIST) => Ok(there(at, self.name, Access::Write)?),
            // The folder itself was removed.
            Err(Errno::NOENT) => Err(missing.into()),
            Err(error) => Err(io::Error::from(error).into()),
        }
    }
}

fn there(at: &Dir, name: &str, access: Access) -> Result<(File, Identity), OpenError> {
    let (file, seen) = at.open_seen(name, access)?;
    Ok((file, Identity::from(&seen)))
}

/// Whether that name in the folder leads to this very file.
fn is_at(file: Identity, at: &Dir, name: &str) -> io::Result<bool> {
    match at.stat(name) {
        Ok(seen) => Ok(seen.identity == file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether there is certainly nothing of that name in the folder.
pub(crate) fn is_missing(at: &Dir, name: &str) -> bool {
    matches!(at.stat(name), Err(error) if error.kind() == io::ErrorKind::NotFound)
}

/// Removes a session's folder that another program has begun to remove, if nothing is in it any
/// more.
pub(crate) fn remove_if_empty(root: &Dir, name: &str) {
    // It fails when something is in it, which is just what is wanted.
    let _ = rustix::fs::unlinkat(root, name, AtFlags::REMOVEDIR);
}

/// The store is ours to change: every sesstree takes this first. Nothing but us looks at it,
/// and it needs no file.
#[must_use]
#[derive(Debug)]
pub(crate) struct StoreLock {
    root: Dir,
    place: Place,
    /// The same open file as `root`; the lock ends when both are closed.
    _locked: File,
}

impl StoreLock {
    /// Locks the sessions folder at `path`, waiting for at most `patience`.
    pub(crate) fn take(path: &Path, patience: Duration) -> Result<Self, Refusal> {
        let refused = |error: io::Error| Refusal::StoreRefused(SafeText::line(&error.to_string()));
        let root = Dir::open_root(path).map_err(refused)?;
        let locked = root
            .as_fd()
            .try_clone_to_owned()
            .map(File::from)
            .map_err(refused)?;
        let end = Instant::now() + patience;
        loop {
            match FileExt::try_lock(&locked) {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(Refusal::StoreBusy),
                Err(TryLockError::Error(error)) => return Err(refused(error)),
            }
        }
        let identity = root.identity().map_err(refused)?;
        let now_there = Dir::open_root(path).and_then(|dir| dir.identity());
        if now_there.map_err(refused)? != identity {
            let why = "the sessions folder was replaced";
            return Err(Refusal::StoreRefused(SafeText::line(why)));
        }
        Ok(Self {
            root,
            place: identity.into(),
            _locked: locked,
        })
    }

    /// The sessions folder.
    pub(crate) fn root(&self) -> &Dir {
        &self.root
    }

    /// Which one it is.
    pub(crate) fn place(&self) -> Place {
        self.place
    }
}

impl From<Identity> for Place {
    fn from(identity: Identity) -> Self {
        let Identity { device, inode } = identity;
        Self { device, inode }
    }
}
