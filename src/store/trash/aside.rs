//! Where a removal moves what it removes.

use std::io;

use super::{Bin, gone};
use crate::prune::report::BatchId;
use crate::session::{Refusal, SessionId};
use crate::store::dir::{Dir, Identity};

/// Where sessions are moved to, each by one rename.
#[derive(Debug)]
pub enum Aside {
    /// A batch folder in the trash, from which they can come back.
    Trash(Bin),
    /// To where nothing comes back from, to be unlinked.
    Gone,
}

impl Aside {
    /// Moves a session's folder. It must be the very folder that `identity` tells, else it is
    /// put back.
    pub(in crate::store) fn take(
        &self,
        root: &Dir,
        id: &SessionId,
        identity: Identity,
    ) -> Result<(), Refusal> {
        match self {
            Self::Trash(bin) => bin.take(root, id, identity),
            Self::Gone => gone::take(root, id, identity),
        }
    }

    /// Moves a session's folder back to where it was; `is_stub` knows what a late writer made.
    pub(in crate::store) fn give(
        &self,
        root: &Dir,
        id: &SessionId,
        is_stub: impl Fn(&Dir) -> bool,
    ) -> Result<(), Refusal> {
        match self {
            Self::Trash(bin) => bin.give(root, id),
            Self::Gone => gone::give(root, id, is_stub),
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
