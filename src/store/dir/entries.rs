//! What is in a folder.
//!
//! Must never end early without saying so.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;

use super::{Dir, Kind};

/// A name in a folder.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: OsString,
    /// What it stood for when it was listed.
    pub kind: Kind,
    /// Its inode as the listing tells it. Some filesystems tell another one than a look at it does.
    pub inode: u64,
}

/// The names in a folder, read as they are asked for.
#[derive(Debug)]
pub struct Entries<'a> {
    dir: &'a Dir,
    list: rustix::fs::Dir,
}

impl<'a> Entries<'a> {
    /// Of a folder, from the beginning.
    pub(super) fn of(dir: &'a Dir) -> io::Result<Self> {
        let list = rustix::fs::Dir::read_from(dir)?;
        Ok(Self { dir, list })
    }
}

impl Iterator for Entries<'_> {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let entry = match self.list.next()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error.into())),
            };
            let bytes = entry.file_name().to_bytes();
            if matches!(bytes, b"." | b"..") {
                continue;
            }
            let name = OsStr::from_bytes(bytes).to_owned();
            let kind = match entry.file_type().into() {
                // Some filesystems leave the kind out of their listings.
                Kind::Unknown => self.dir.stat(&name).map_or(Kind::Unknown, |s| s.kind),
                kind => kind,
            };
            let inode = entry.ino();
            return Some(Ok(Entry { name, kind, inode }));
        }
    }
}
