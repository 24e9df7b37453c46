//! One batch folder that a prune fills.

use std::fmt;
use std::io;

use rustix::fs::{AtFlags, RenameFlags};
use rustix::process::geteuid;

use super::{
    Anatomy, OURS, RECORD, Record, TRASH, list, make, not_movable, open_or_make, record, rename,
    stub,
};
use crate::prune::report::BatchId;
use crate::session::{Refusal, SessionId};
use crate::store::dir::{Dir, Entry, Identity};
use crate::store::lease::{ExclusiveLease, WriteLock};
use crate::text::SafeText;

/// A batch folder in the trash of a store, open.
#[derive(Debug)]
pub struct Bin {
    batch: BatchId,
    trash: Dir,
    folder: Dir,
}

impl Bin {
    /// Makes the batch's folder and writes its record into it. Nothing is left behind on
    /// failure but empty folders.
    pub(in crate::store) fn make(root: &Dir, record: &Record) -> Result<Self, Refusal> {
        let refused = |error: io::Error| not_movable(&error);
        let home = root.identity().map_err(refused)?.device;
        let ours = open_or_make(root, OURS).map_err(refused)?;
        let trash = open_or_make(&ours, TRASH).map_err(refused)?;
        for folder in [&ours, &trash] {
            check_home(folder, home).map_err(refused)?;
        }
        let batch = record.batch.clone();
        if trash.stat(batch.as_str()).is_ok() {
            let why = format!("the trash has a batch {batch} already");
            return Err(Refusal::NotMovable(SafeText::line(&why)));
        }
        let folder = make(&trash, batch.as_str()).map_err(refused)?;
        let bin = Self {
            batch,
            trash,
            folder,
        };
        match record::write(record, &bin.folder) {
            Ok(()) => Ok(bin),
            Err(error) => {
                bin.remove_if_empty();
                Err(not_movable(&error))
            }
        }
    }

    /// The batch's name.
    pub fn batch(&self) -> &BatchId {
        &self.batch
    }

    /// The folder, to look into.
    pub(in crate::store) fn folder(&self) -> &Dir {
        &self.folder
    }

    /// Moves a session's folder in, which nobody can open or write. It must be the very folder that
    /// `identity` tells, else it is put back.
    pub(in crate::store) fn take(
        &self,
        anatomy: &dyn Anatomy,
        root: &Dir,
        id: &SessionId,
        identity: Identity,
        _: (&ExclusiveLease, &WriteLock),
    ) -> Result<(), Refusal> {
        let name = id.as_str();
        match rename((root, name), (&self.folder, name), RenameFlags::NOREPLACE) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refusal::Gone),
            Err(error) => return Err(not_movable(&error)),
        }
        match self.folder.stat(name) {
            Ok(moved) if moved.identity == identity => Ok(()),
            _ => {
                self.give(anatomy, root, id)?;
                Err(Refusal::Changed)
            }
        }
    }

    /// Moves a session's folder back to where it was, also over what a late writer made there.
    pub(in crate::store) fn give(
        &self,
        anatomy: &dyn Anatomy,
        root: &Dir,
        id: &SessionId,
    ) -> Result<(), Refusal> {
        let name = id.as_str();
        let still_here = |why: &dyn fmt::Display| {
            let why = format!("it is in the trash, batch {}: {why}", self.batch);
            Refusal::NotMovable(SafeText::line(&why))
        };
        match rename((&self.folder, name), (root, name), RenameFlags::NOREPLACE) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let put = stub::exchange_in_batch(anatomy, &self.folder, root, name);
                put.map_err(|why| still_here(&why))
            }
            moved => moved.map_err(|error| still_here(&error)),
        }
    }

    /// Sees to it that the folder's entries are on the disk.
    pub(in crate::store) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.folder)?)
    }

    /// Removes the batch's folder if no session is in it any more; whether it is gone.
    pub fn remove_if_empty(&self) -> bool {
        remove_if_empty(&self.trash, &self.folder, &self.batch)
    }
}

/// Removes a batch's folder if nothing but its record is in it, written in full or not; whether it is
/// gone.
pub(super) fn remove_if_empty(trash: &Dir, folder: &Dir, batch: &BatchId) -> bool {
    let is_record = |entry: Entry| entry.name == RECORD || entry.name == record::TEMPORARY;
    let only_record = folder
        .entries()
        .is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(is_record)));
    if !only_record {
        return false;
    }
    // A failure leaves an empty batch, which no list shows.
    for name in [RECORD, record::TEMPORARY] {
        let _ = rustix::fs::unlinkat(folder, name, AtFlags::empty());
    }
    rustix::fs::unlinkat(trash, batch.as_str(), AtFlags::REMOVEDIR).is_ok()
}

/// Removes the folders of batches in which no session is: a killed run may leave one, which no list
/// shows.
pub(super) fn remove_empty(root: &Dir) {
    let ours = root.open_dir_here(OURS);
    let Ok(trash) = ours.and_then(|ours| ours.open_dir_here(TRASH)) else {
        return;
    };
    let (batches, _) = list::names(&trash).unwrap_or_default();
    for batch in batches {
        if let Ok(folder) = trash.open_dir_here(batch.as_str()) {
            remove_if_empty(&trash, &folder, &batch);
        }
    }
}

/// Our folders must be ours and on the store's own filesystem: there is no rename to another one.
pub(super) fn check_home(folder: &Dir, home: u64) -> io::Result<()> {
    if rustix::fs::fstat(folder)?.st_uid != geteuid().as_raw() {
        return Err(io::Error::other("the trash belongs to another user"));
    }
    if folder.identity()?.device != home {
        return Err(io::Error::other("the trash is on another filesystem"));
    }
    Ok(())
}

/// Whether a batch could be made, or taken away, as far as can be told without making anything.
pub(in crate::store) fn check(root: &Dir) -> io::Result<()> {
    let home = root.identity()?.device;
    writable(root)?;
    let mut at = None;
    for name in [OURS, TRASH] {
        let above: &Dir = at.as_ref().unwrap_or(root);
        let folder = match above.open_dir(name) {
            Ok(folder) => folder,
            Err(error) if error.is_missing() => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        check_home(&folder, home)?;
        writable(&folder)?;
        at = Some(folder);
    }
    Ok(())
}

/// Whether something can be moved into a folder, or the folder itself to another one.
pub(in crate::store) fn writable(folder: &Dir) -> io::Result<()> {
    use rustix::fs::{Access, accessat};
    let needed = Access::WRITE_OK | Access::EXEC_OK;
    Ok(accessat(folder, ".", needed, AtFlags::EACCESS)?)
}
