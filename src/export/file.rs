//! A transcript in a file of its own.
//!
//! Must never write over anything, whoever makes it at the same time: the file is made here, or nothing is
//! written.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::format::Format;
use super::{ExportError, Missing, export};
use crate::session::Session;
use crate::store::Store;
use crate::text::{SafeText, Secrets};

/// Why there is no whole file.
#[derive(Debug, Error)]
pub enum FileError {
    /// There is something of that name.
    #[error("{} exists and is left as it is", SafeText::path(.0))]
    Exists(PathBuf),
    /// It cannot be made.
    #[error("cannot make {}: {}", SafeText::path(.0), SafeText::line(&.1.to_string()))]
    NotMade(PathBuf, #[source] io::Error),
    /// It was made, but not all is in it.
    #[error("{}; {} is incomplete", .1, SafeText::path(.0))]
    Incomplete(PathBuf, #[source] ExportError),
}

/// Writes all that a session's log holds to a new file, which nobody else may read, as is the session.
pub fn export_to(
    path: &Path,
    store: &dyn Store,
    session: &Session,
    format: Format,
    secrets: Secrets,
    stopped: &dyn Fn() -> bool,
) -> Result<Missing, FileError> {
    let mut out = BufWriter::new(create(path)?);
    let done = export(store, session, format, secrets, &mut out, stopped);
    let done = done.and_then(|missing| out.flush().map(|()| missing).map_err(Into::into));
    done.map_err(|error| FileError::Incomplete(path.to_owned(), error))
}

fn create(path: &Path) -> Result<File, FileError> {
    let mut options = OpenOptions::new();
    let created = options.write(true).create_new(true).mode(0o600).open(path);
    created.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => FileError::Exists(path.to_owned()),
        _ => FileError::NotMade(path.to_owned(), error),
    })
}

/// Names that are tried in place of one that is taken.
const TRIES: u32 = 1_000;

/// A path like this one that leads to nothing: `name-2.md` for `name.md`; `None`: very many are taken.
pub fn free(path: &Path) -> Option<PathBuf> {
    let stem = path.file_stem()?.to_str()?;
    let extension = path.extension().and_then(|extension| extension.to_str());
    let extension = extension.map_or_else(String::new, |extension| format!(".{extension}"));
    let mut names = (2..TRIES).map(|n| path.with_file_name(format!("{stem}-{n}{extension}")));
    names.find(|path| path.symlink_metadata().is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_name_is_the_next_number() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.b.md");
        assert_eq!(free(&path), Some(dir.path().join("a.b-2.md")));
        std::os::unix::fs::symlink("nowhere", dir.path().join("a.b-2.md")).unwrap();
        assert_eq!(free(&path), Some(dir.path().join("a.b-3.md")));
        let bare = dir.path().join("a");
        assert_eq!(free(&bare), Some(dir.path().join("a-2")));
    }
}
