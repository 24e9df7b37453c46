//! What is in a folder.
//!
//! Must never end early without saying so.

use std::ffi::{OsStr, OsString};
use std::io;
#[cfg(target_os = "linux")]
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;

#[cfg(target_os = "linux")]
use rustix::fs::{RawDir, SeekFrom, seek};

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

/// Bytes of a listing that are asked for at a time.
#[cfg(target_os = "linux")]
const LISTED: usize = 4 << 10;

impl Dir {
    /// Calls for each name in this folder, as [`Dir::entries`] gives them, in fewer calls of the system:
    /// it is not opened anew to be listed, so nobody else may list it meanwhile.
    #[cfg(target_os = "linux")]
    pub fn each_entry(
        &mut self,
        mut each: impl FnMut(&Self, &OsStr, Kind) -> io::Result<()>,
    ) -> io::Result<()> {
        let dir = &*self;
        seek(dir, SeekFrom::Start(0))?;
        let mut listed = [MaybeUninit::uninit(); LISTED];
        let mut list = RawDir::new(dir, &mut listed);
        while let Some(entry) = list.next() {
            let entry = entry?;
            let bytes = entry.file_name().to_bytes();
            if matches!(bytes, b"." | b"..") {
                continue;
            }
            let name = OsStr::from_bytes(bytes);
            let kind = match entry.file_type().into() {
                Kind::Unknown => dir.stat(name).map_or(Kind::Unknown, |seen| seen.kind),
                kind => kind,
            };
            each(dir, name, kind)?;
        }
        Ok(())
    }

    /// There is no such call elsewhere.
    #[cfg(not(target_os = "linux"))]
    pub fn each_entry(
        &mut self,
        mut each: impl FnMut(&Self, &OsStr, Kind) -> io::Result<()>,
    ) -> io::Result<()> {
        for entry in self.entries()? {
            let entry = entry?;
            each(self, &entry.name, entry.kind)?;
        }
        Ok(())
    }
}
