//! Reading whole files, in as few calls as can be.
//!
//! Must never read more of a file than its limit, nor wait for one that is none.

use std::ffi::{CStr, OsStr};
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;

#[cfg(target_os = "linux")]
use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::retry_on_intr;

use super::{Access, Dir, Extent, OpenError};
#[cfg(target_os = "linux")]
use super::{BELOW, Kind, QUIET, Stat};
use crate::session::Version;

/// A file that is read in one go, in bytes: Zero's metadata are a few hundred.
#[cfg(target_os = "linux")]
const SMALL: usize = 8 << 10;

impl Dir {
    /// Reads a regular file into `buffer`, which is emptied first, but never more than `limit` bytes of it.
    pub fn read_file(
        &self,
        name: impl AsRef<OsStr>,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Extent, OpenError> {
        Ok(self.read_version(name, limit, buffer)?.0)
    }

    /// The same, and which state of the file it was before it was read.
    pub fn read_version(
        &self,
        name: impl AsRef<OsStr>,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<(Extent, Version), OpenError> {
        let (file, seen) = self.open_seen(name, Access::Read)?;
        let extent = read_whole(&file, seen.len(), limit, buffer)?;
        Ok((extent, version_of(&seen)))
    }

    /// Reads a regular file in a folder of this one, both opened in one call: all of it, if it is no
    /// larger than `limit` bytes, and on this folder's filesystem, without a link on the way.
    /// `None`: it takes a closer look.
    #[cfg(target_os = "linux")]
    pub fn read_below(
        &self,
        path: &CStr,
        device: u64,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Option<Version> {
        let file = self.open_below(path)?;
        let seen = rustix::fs::fstat(&file).ok()?;
        let length = u64::try_from(seen.st_size).ok()?;
        let seen = Stat::from(&seen);
        if seen.kind != Kind::File || seen.identity.device != device {
            return None;
        }
        match read_whole(&file, length, limit, buffer) {
            Ok(Extent::Whole) => Some(seen.version),
            Ok(Extent::Cut) | Err(_) => None,
        }
    }

    /// The same of a small file, in as few calls as can be, and without telling its state. What has no
    /// beginning to be read from, as a FIFO, is not read.
    #[cfg(target_os = "linux")]
    pub fn read_small_below(&self, path: &CStr, buffer: &mut Vec<u8>) -> Option<()> {
        let file = self.open_below(path)?;
        buffer.clear();
        buffer.reserve(SMALL);
        let read = || rustix::io::pread(&file, rustix::buffer::spare_capacity(buffer), 0);
        let count = retry_on_intr(read).ok()?;
        // There may be more of it, or it may be growing.
        (1..SMALL).contains(&count).then_some(())
    }

    /// There is no such call elsewhere.
    #[cfg(not(target_os = "linux"))]
    pub fn read_small_below(&self, _: &CStr, _: &mut Vec<u8>) -> Option<()> {
        None
    }

    #[cfg(target_os = "linux")]
    fn open_below(&self, path: &CStr) -> Option<File> {
        let resolve = ResolveFlags::NO_XDEV | ResolveFlags::NO_SYMLINKS;
        let flags = OFlags::RDONLY | QUIET | BELOW;
        let opened = rustix::fs::openat2(self, path, flags, Mode::empty(), resolve);
        Some(File::from(opened.ok()?))
    }

    /// There is no such call elsewhere.
    #[cfg(not(target_os = "linux"))]
    pub fn read_below(&self, _: &CStr, _: u64, _: u64, _: &mut Vec<u8>) -> Option<Version> {
        None
    }
}

/// Reads a file of about `length` bytes into `buffer`, which is emptied first; never more than
/// `limit` bytes of it. One call is enough for a file whose length is as it was told.
fn read_whole(file: &File, length: u64, limit: u64, buffer: &mut Vec<u8>) -> io::Result<Extent> {
    let most = limit.saturating_add(1);
    let asked = usize::try_from(length.saturating_add(1).min(most)).unwrap_or(usize::MAX);
    buffer.clear();
    buffer.reserve(asked);
    let read = || rustix::io::read(file, rustix::buffer::spare_capacity(buffer));
    let count = retry_on_intr(read)?;
    if count == 0 || count as u64 != length {
        // It grew, shrank, or came in parts.
        file.take(most.saturating_sub(count as u64))
            .read_to_end(buffer)?;
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if buffer.len() <= limit {
        return Ok(Extent::Whole);
    }
    buffer.truncate(limit);
    Ok(Extent::Cut)
}

fn version_of(seen: &Metadata) -> Version {
    Version::new(seen.ino(), (seen.ctime(), seen.ctime_nsec()))
}
