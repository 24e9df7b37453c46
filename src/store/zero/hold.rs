//! Holding a session open, as Zero does before it continues or forks one.
//!
//! Must never: make a folder, leave anything in one that is another user's or whose session is gone,
//! or call a session held that was moved or removed while its lease was taken.

use std::io;

use rustix::process::geteuid;

use super::{LEASE, metadata};
use crate::session::{Refusal, SessionId};
use crate::store::Hold;
use crate::store::dir::Dir;
use crate::store::lease::{Denied, LEASE_PATIENCE, LockFile};
use crate::text::SafeText;

/// Takes the session's lease, shared. A lease that cannot be taken does not stop anybody: no
/// prune can take it either.
pub(super) fn hold(root: &Dir, id: &SessionId) -> Result<Hold, Refusal> {
    for _ in 0..2 {
        if let Some(hold) = try_hold(root, id)? {
            return Ok(hold);
        }
    }
    Err(Refusal::RemovedWhileOpening)
}

/// `None`: the folder or the lease's file was replaced meanwhile.
fn try_hold(root: &Dir, id: &SessionId) -> Result<Option<Hold>, Refusal> {
    let unprotected = |error: io::Error| Hold::Unprotected(SafeText::line(&error.to_string()));
    let folder = match root.open_dir(id.as_str()) {
        Ok(folder) => folder,
        Err(error) if error.is_missing() => return Err(Refusal::Gone),
        Err(error) => return Ok(Some(unprotected(error.into()))),
    };
    let mut file = LockFile::new(LEASE);
    let hold = match own(&folder).and_then(|()| file.share(&folder, LEASE_PATIENCE)) {
        Ok(lease) => Some(Hold::Leased(lease)),
        Err(Denied::Failed(error)) => Some(unprotected(error)),
        Err(Denied::Replaced) => None,
        Err(Denied::Held) => {
            file.take_away(&folder, metadata::FILE);
            return Err(Refusal::LockedByPrune);
        }
    };
    // The file is unlinked before the lease is given back: who locks it later sees that it
    // is no longer there.
    file.take_away(&folder, metadata::FILE);
    if !is_at(root, id, &folder) {
        return Ok(None);
    }
    match folder.stat(metadata::FILE) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Refusal::RemovedWhileOpening),
        _ => Ok(hold),
    }
}

/// Another user's agent could not lock a lease's file that is ours, so none is made.
fn own(folder: &Dir) -> Result<(), Denied> {
    let owner = rustix::fs::fstat(folder).map_err(io::Error::from)?.st_uid;
    if owner == geteuid().as_raw() {
        return Ok(());
    }
    Err(io::Error::other("it belongs to another user").into())
}

/// Whether the store still has that folder under that id.
fn is_at(root: &Dir, id: &SessionId, folder: &Dir) -> bool {
    let here = root.stat(id.as_str()).map(|seen| seen.identity);
    here.is_ok_and(|here| folder.identity().is_ok_and(|folder| folder == here))
}
