//! The trash of a store: `<root>/.sesstree/trash/<batch>/<id>`, beside a `batch.json` that
//! describes the batch. Where a folder lies is the truth, the record is only a story.
//!
//! Must never: replace something, leave a session in two places or half in one, follow a link, or
//! touch anything outside the store's root. One rename moves a session; it comes back as it went,
//! byte, mode and time. What goes for good is first taken, by one rename, to where no list looks
//! (`.sesstree/purge`, or `.sesstree-gone.<id>` in the root); only there is anything unlinked.
#![expect(
    clippy::disallowed_methods,
    reason = "the home of all renames, and of removing what the trash needs no more"
)]

mod aside;
mod bin;
mod doomed;
mod gone;
mod history;
mod list;
mod order;
mod pins;
mod purge;
mod record;
mod restore;
mod shelves;
mod stub;
mod unlink;

use std::ffi::OsStr;
use std::io;

use rustix::fs::{Mode, RenameFlags};

pub use aside::Aside;
pub use bin::Bin;
pub(in crate::store) use bin::{check, writable};
pub(in crate::store) use doomed::{Doom, bring_back, doomed};
pub(in crate::store) use list::list;
pub(in crate::store) use pins::{PLACE as PINS, Pins, pin, unpin};
pub use purge::Purge;
pub(in crate::store) use purge::{clear, not_purged};
pub use record::Record;
pub(in crate::store) use restore::restore;
pub(in crate::store) use shelves::shelves;

use super::dir::{Dir, OpenError, is_full};
use super::lease::SharedLease;
use crate::prune::report::Trashed;
use crate::session::{Refusal, SessionId, Sighting};
use crate::text::SafeText;

/// Our own folder in a store; no agent takes it for a session, since ids start with a letter or
/// digit.
pub const OURS: &str = ".sesstree";
const TRASH: &str = "trash";
/// Where batches are unlinked.
const PURGE: &str = "purge";
/// What the name of a session in the root begins with that is being unlinked.
const GONE: &str = ".sesstree-gone.";
/// What the name of something in the root begins with that is neither listed nor unlinked: a late
/// writer's folder that made room for its session, or a session that could not go back.
const KEPT: &str = ".sesstree-kept.";
const RECORD: &str = "batch.json";

/// What a session's own files tell of where it comes from.
#[derive(Debug, Default)]
pub(in crate::store) struct Kin {
    pub(in crate::store) parent: Option<SessionId>,
    /// Why the parent cannot be told.
    pub(in crate::store) unclear: Option<SafeText>,
    pub(in crate::store) seen: Sighting,
}

impl Kin {
    /// It cannot be read.
    pub(in crate::store) fn unclear(why: &dyn std::fmt::Display) -> Self {
        let unclear = Some(SafeText::line(&why.to_string()));
        Self {
            unclear,
            ..Self::default()
        }
    }
}

/// What only an agent's store knows of a folder that lies in the trash.
pub(in crate::store) trait Anatomy {
    /// Whether the folder is a whole session, and not just what a late writer made.
    fn is_session(&self, folder: &Dir) -> io::Result<bool>;

    /// What can be told of the session `id` in the folder `at`, from its own files.
    fn describe(&self, at: &Dir, id: &SessionId) -> Trashed;

    /// What the session `id` in the folder `at` is and descends from, as far as its own files tell.
    fn kin(&self, at: &Dir, id: &SessionId) -> Kin {
        self.kin_in(at, id.as_str(), id)
    }

    /// The same of one whose folder has another name.
    fn kin_in(&self, at: &Dir, name: &str, id: &SessionId) -> Kin;

    /// Whether nobody has it open, as far as its lease tells. Nothing is made.
    fn check_free(&self, folder: &Dir) -> Result<(), Refusal>;

    /// Holds it open; `None`: it cannot be, which keeps others from pruning it too, or nobody would
    /// prune it. That we have no descriptor left keeps nobody from it, and is an error.
    fn hold(&self, folder: &Dir) -> Result<Option<SharedLease>, Refusal>;
}

/// Opens a folder in another one, making it, for us alone, if it is missing.
fn open_or_make(at: &Dir, name: &str) -> io::Result<Dir> {
    match at.open_dir(name) {
        Ok(dir) => return Ok(dir),
        Err(error) if error.is_missing() => {}
        Err(error) => return Err(error.into()),
    }
    make(at, name)
}

/// Makes a folder, for us alone. What was in the way is told, or opened if it is a folder.
fn make(at: &Dir, name: &str) -> io::Result<Dir> {
    match rustix::fs::mkdirat(at, name, Mode::RWXU) {
        Ok(()) => rustix::fs::fsync(at)?,
        Err(rustix::io::Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    at.open_dir(name).map_err(OpenError::into)
}

/// Renames without replacing anything.
fn rename(
    from: (&Dir, impl AsRef<OsStr> + Copy),
    to: (&Dir, impl AsRef<OsStr> + Copy),
    flags: RenameFlags,
) -> io::Result<()> {
    let (old, new) = (from.1.as_ref(), to.1.as_ref());
    Ok(rustix::fs::renameat_with(from.0, old, to.0, new, flags)?)
}

/// A refusal to move something to the trash.
pub(in crate::store) fn not_movable(error: &io::Error) -> Refusal {
    let mut why = error.to_string();
    if is_full(error) {
        why.push_str(
            "; deleting at once (--delete-now) or emptying the trash needs hardly any room",
        );
    }
    Refusal::NotMovable(SafeText::line(&why))
}
