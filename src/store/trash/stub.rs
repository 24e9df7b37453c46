//! A session's way back to where a late writer made a folder meanwhile: Zero makes
//! `<id>/checkpoints/blobs` without a lock, whether or not the session is still there.
//!
//! Must never: replace a session, put anything but a session in the place of what is there (that may
//! be a session in the making), or throw away what the late writer made.

use std::fmt;
use std::io;

use rustix::fs::RenameFlags;

use super::{Anatomy, rename};
use crate::session::Refusal;
use crate::store::dir::Dir;

/// Why a session did not get its place back.
#[derive(Debug)]
pub(super) enum NotBack {
    /// A session is there, or what cannot be told not to be one; or it is none itself.
    Clash,
    /// The system says no.
    Failed(io::Error),
}

impl fmt::Display for NotBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clash => Refusal::Clash.fmt(f),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

/// Puts a session in the place of what is there, which must be a folder and no session; that is
/// then where the session was.
pub(super) fn exchange(
    anatomy: &dyn Anatomy,
    from: (&Dir, &str),
    to: (&Dir, &str),
) -> Result<(), NotBack> {
    let is_session = |(at, name): (&Dir, &str)| {
        let folder = at.open_dir(name);
        folder.map_or(true, |folder| anatomy.is_session(&folder).unwrap_or(true))
    };
    if is_session(to) || !is_session(from) {
        return Err(NotBack::Clash);
    }
    let exchange = || rename(from, to, RenameFlags::EXCHANGE).map_err(NotBack::Failed);
    exchange()?;
    if is_session(from) {
        // It became a session in the meantime.
        exchange()?;
        return Err(NotBack::Clash);
    }
    Ok(())
}

/// The same with a session of a batch, in its own name; what was in its place is kept in the batch
/// under a name that no list shows.
pub(super) fn exchange_in_batch(
    anatomy: &dyn Anatomy,
    lot: &Dir,
    root: &Dir,
    name: &str,
) -> Result<(), NotBack> {
    exchange(anatomy, (lot, name), (root, name))?;
    let names = (0u32..1000).map(|number| match number {
        0 => format!(".stub-{name}"),
        number => format!(".stub-{name}-{number}"),
    });
    for stub in names {
        match rename((lot, name), (lot, stub.as_str()), RenameFlags::NOREPLACE) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            // Should it fail the stub keeps its name, and the list tells of it.
            Ok(()) | Err(_) => break,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
