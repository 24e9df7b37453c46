//! A session's way back to where a late writer made a folder meanwhile: Zero makes
//! `<id>/checkpoints/blobs` without a lock, whether or not the session is still there.
//!
//! Must never: replace a session, put anything but a session in the place of what is there (that may
//! be a session in the making), or throw away what the late writer made.

use std::io;

use rustix::fs::RenameFlags;

use super::{Anatomy, rename};
use crate::session::Refusal;
use crate::store::dir::Dir;

/// Puts a session of a batch in the place of what is there, which is kept in the batch under a
/// name that no list shows. What is there must be a folder and no session; `refusal` words an error.
pub(super) fn exchange(
    anatomy: &dyn Anatomy,
    lot: &Dir,
    root: &Dir,
    name: &str,
    refusal: fn(&io::Error) -> Refusal,
) -> Result<(), Refusal> {
    // What cannot be told not to be a session counts as one.
    let is_session = |at: &Dir| {
        let folder = at.open_dir(name);
        folder.map_or(true, |folder| anatomy.is_session(&folder).unwrap_or(true))
    };
    if is_session(root) || !is_session(lot) {
        return Err(Refusal::Clash);
    }
    let exchange = || rename((lot, name), (root, name), RenameFlags::EXCHANGE);
    exchange().map_err(|error| refusal(&error))?;
    if is_session(lot) {
        // It became a session in the meantime.
        exchange().map_err(|error| refusal(&error))?;
        return Err(Refusal::Clash);
    }
    let names = (0u32..1000).map(|number| match number {
        0 => format!(".stub-{name}"),
        number => format!(".stub-{name}-{number}"),
    });
    for stub in names {
        match rename((lot, name), (lot, &stub), RenameFlags::NOREPLACE) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            // Should it fail the stub keeps its name, and the list tells of it.
            Ok(()) | Err(_) => break,
        }
    }
    Ok(())
}
