//! Out of the store for good, without the trash: one rename inside the root, to a name that no list
//! shows. A full disk has room for it unless the root's own blocks are full to the last entry. Unlinked like a batch that leaves the trash.
//!
//! Must never: replace something, or lose what a late writer made where the session was.

use std::io;

use rustix::fs::RenameFlags;

use super::stub::NotBack;
use super::{Anatomy, GONE, KEPT, rename, stub};
use crate::session::{Refusal, SessionId};
use crate::store::dir::{Dir, Identity, is_full};
use crate::text::SafeText;

/// The name of a session's folder that is to be unlinked.
pub(super) fn name(id: &SessionId) -> String {
    format!("{GONE}{id}")
}

/// Renames a session's folder. It must be the very folder that `identity` tells, else it is
/// renamed back.
pub(super) fn take(
    anatomy: &dyn Anatomy,
    root: &Dir,
    id: &SessionId,
    identity: Identity,
) -> Result<(), Refusal> {
    let gone = name(id);
    match rename((root, id.as_str()), (root, &gone), RenameFlags::NOREPLACE) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refusal::Gone),
        Err(error) if is_full(&error) => {
            let why =
                "the sessions folder has no room for one more name; free a little space first";
            return Err(not_deleted(&format!("{error}: {why}")));
        }
        Err(error) => return Err(not_deleted(&error.to_string())),
    }
    match root.stat(&gone) {
        Ok(moved) if moved.identity == identity => Ok(()),
        _ => {
            give(anatomy, root, id)?;
            Err(Refusal::Changed)
        }
    }
}

/// Renames a session's folder back, also over what a late writer made in its place; says where that is
/// then. What does not find its place is kept where nothing is unlinked.
pub(super) fn give(
    anatomy: &dyn Anatomy,
    root: &Dir,
    id: &SessionId,
) -> Result<Option<String>, Refusal> {
    let gone = name(id);
    let (from, to) = ((root, gone.as_str()), (root, id.as_str()));
    let back = match rename(from, to, RenameFlags::NOREPLACE) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            stub::exchange(anatomy, from, to).map(|()| {
                let place = keep(root, from, id.as_str()).unwrap_or_else(|| gone.clone());
                let what = "what another program made in its place meanwhile";
                Some(format!("{id} is back; {what} is in {place}"))
            })
        }
        moved => moved.map(|()| None).map_err(NotBack::Failed),
    };
    back.map_err(|why| {
        let place = keep(root, from, id.as_str()).unwrap_or_else(|| {
            format!("{gone}, from where you must move it before the next prune unlinks it")
        });
        not_deleted(&format!("it is in {place}: {why}"))
    })
}

/// Renames to where nothing is listed and nothing unlinked; the new name in the root.
pub(super) fn keep(root: &Dir, from: (&Dir, &str), name: &str) -> Option<String> {
    for number in 0u32..1000 {
        let kept = match number {
            0 => format!("{KEPT}{name}"),
            number => format!("{KEPT}{name}.{number}"),
        };
        match rename(from, (root, &kept), RenameFlags::NOREPLACE) {
            Ok(()) => return Some(kept),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(_) => return None,
        }
    }
    None
}

fn not_deleted(why: &str) -> Refusal {
    Refusal::NotDeleted(SafeText::line(why))
}
