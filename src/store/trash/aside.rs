//! Where a removal moves what it removes.

use std::io;

use super::{Anatomy, Bin, Doom, gone};
use crate::prune::report::BatchId;
use crate::session::{Refusal, SessionId};
use crate::store::dir::{Dir, Identity};
use crate::store::lease::{ExclusiveLease, WriteLock};
use crate::text::SafeText;

/// Where sessions are moved to, each by one rename.
#[derive(Debug)]
pub enum Aside {
    /// A batch folder in the trash, from which they can come back.
    Trash(Bin),
    /// To where nothing comes back from, to be unlinked.
    Gone,
}

impl Aside {
    /// Moves a session's folder, which nobody can open or write. It must be the very folder that
    /// `identity` tells, else it is put back.
    pub(in crate::store) fn take(
        &self,
        anatomy: &dyn Anatomy,
        root: &Dir,
        id: &SessionId,
        identity: Identity,
        locks: (Option<&ExclusiveLease>, Option<&WriteLock>),
    ) -> Result<(), Refusal> {
        match (self, locks) {
            (Self::Trash(bin), (Some(lease), Some(write))) => {
                bin.take(anatomy, root, id, identity, (lease, write))
            }
            (Self::Trash(_), _) => {
                let why = "it is not locked";
                Err(Refusal::NotMovable(SafeText::line(why)))
            }
            (Self::Gone, _) => gone::take(anatomy, root, id, identity),
        }
    }

    /// Where a session's folder is by now, and under which name.
    pub(in crate::store) fn place<'a>(
        &'a self,
        root: &'a Dir,
        id: &SessionId,
    ) -> (&'a Dir, String) {
        match self {
            Self::Trash(bin) => (bin.folder(), id.to_string()),
            Self::Gone => (root, gone::name(id)),
        }
    }

    /// Moves a session's folder back to where it was, also over what a late writer made there.
    pub(in crate::store) fn give(
        &self,
        anatomy: &dyn Anatomy,
        root: &Dir,
        id: &SessionId,
        doom: &Doom,
    ) -> Result<(), Refusal> {
        match self {
            Self::Trash(bin) => bin.give(anatomy, root, id),
            Self::Gone => {
                // First: what finds no way back is not unlinked.
                doom.remove(&gone::name(id));
                if let Some(what) = gone::give(anatomy, root, id)? {
                    doom.tell(&what);
                }
                Ok(())
            }
        }
    }

    /// Notes that a session that was moved may be unlinked where it is.
    pub(in crate::store) fn doom(&self, id: &SessionId, doom: &Doom) {
        match self {
            Self::Trash(_) => {}
            Self::Gone => doom.add(gone::name(id)),
        }
    }

    /// Sees to it that what was moved is there on the disk; the root is the caller's.
    pub(in crate::store) fn sync(&self) -> io::Result<()> {
        match self {
            Self::Trash(bin) => bin.sync(),
            Self::Gone => Ok(()),
        }
    }

    /// The batch, unless nothing is in it: then its folder is removed.
    pub fn close(self) -> Option<BatchId> {
        match self {
            Self::Trash(bin) => (!bin.remove_if_empty()).then(|| bin.batch().clone()),
            Self::Gone => None,
        }
    }
}
