//! Pins: empty files `<root>/.sesstree/pins/<id>`. A pinned session is kept, with its ancestors.
//!
//! Must never: take a pin for missing that cannot be looked at, follow a link, make anything unless a
//! pin is asked for, or take away a pin that nobody asked to go.

use std::collections::HashSet;
use std::io;
use std::sync::OnceLock;

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::{OURS, open_or_make};
use crate::session::SessionId;
use crate::store::dir::{Dir, OpenError};

const PINS: &str = "pins";
/// Where the pins of a store are, below its root.
pub(in crate::store) const PLACE: &str = ".sesstree/pins";

/// The pins of a store, for asking about one after the other.
#[derive(Debug, Default)]
pub(in crate::store) struct Pins {
    /// Once there is one.
    folder: OnceLock<Dir>,
}

impl Pins {
    /// Every pinned id, of whatever kind the entry is; names that are no ids are passed over.
    pub(in crate::store) fn all(&self, root: &Dir) -> io::Result<HashSet<SessionId>> {
        let mut pins = HashSet::new();
        if let Some(folder) = self.folder(root)? {
            for entry in folder.entries()? {
                pins.extend(entry?.name.to_str().and_then(SessionId::parse));
            }
        }
        Ok(pins)
    }

    /// Whether a session is pinned now.
    pub(in crate::store) fn has(&self, root: &Dir, id: &SessionId) -> io::Result<bool> {
        let Some(folder) = self.folder(root)? else {
            return Ok(false);
        };
        match folder.stat(id.as_str()) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The folder; `None`: there is none yet.
    fn folder(&self, root: &Dir) -> io::Result<Option<&Dir>> {
        if let Some(folder) = self.folder.get() {
            return Ok(Some(folder));
        }
        let opened = root.open_dir(OURS).and_then(|ours| ours.open_dir(PINS));
        match opened {
            Ok(folder) => Ok(Some(self.folder.get_or_init(|| folder))),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Pins a session; one that is pinned stays so.
pub(in crate::store) fn pin(root: &Dir, id: &SessionId) -> io::Result<()> {
    let folder = open_or_make(&open_or_make(root, OURS)?, PINS)?;
    let flags = OFlags::WRONLY
        | OFlags::CREATE
        | OFlags::EXCL
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR;
    match retry_on_intr(|| rustix::fs::openat(&folder, id.as_str(), flags, mode)) {
        Ok(_) => Ok(rustix::fs::fsync(&folder)?),
        Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Takes a session's pin away; it may be gone already.
pub(in crate::store) fn unpin(root: &Dir, id: &SessionId) -> io::Result<()> {
    let opened = root.open_dir(OURS).and_then(|ours| ours.open_dir(PINS));
    let folder = match opened {
        Ok(folder) => folder,
        Err(error) if error.is_missing() => return Ok(()),
        Err(error) => return Err(OpenError::into(error)),
    };
    match rustix::fs::unlinkat(&folder, id.as_str(), AtFlags::empty()) {
        Ok(()) => Ok(rustix::fs::fsync(&folder)?),
        Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
