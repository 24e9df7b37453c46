//! The one way to anything below a store's root: folder by folder, by descriptor.
//!
//! Must never: follow a link below the root, wait for the other end of a FIFO, hand out anything
//! but a regular file or a folder, or take a name that is more than one part of a path. What was
//! opened once stays that very folder, whatever its path leads to afterwards.

mod entries;
mod read;
mod stat;

use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::SystemTime;

#[cfg(target_os = "linux")]
use rustix::fs::ResolveFlags;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};
use thiserror::Error;

pub use entries::{Entries, Entry};
pub use stat::Stat;

/// What a name in a folder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Fifo,
    /// A Unix socket.
    Socket,
    /// A block or character device.
    Device,
    /// The system does not say.
    Unknown,
}

impl From<FileType> for Kind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice | FileType::BlockDevice => Self::Device,
            FileType::Unknown => Self::Unknown,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::File => "a file",
            Self::Folder => "a folder",
            Self::Link => "a link",
            Self::Fifo => "a FIFO",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Unknown => "neither a file nor a folder",
        })
    }
}

/// Which file or folder it is, under whatever name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The filesystem's device.
    pub device: u64,
    /// The inode in it.
    pub inode: u64,
}

impl Identity {
    /// Of something open.
    pub fn of(file: &File) -> io::Result<Self> {
        Ok(Self::from(&file.metadata()?))
    }
}

impl From<&Metadata> for Identity {
    fn from(seen: &Metadata) -> Self {
        Self {
            device: seen.dev(),
            inode: seen.ino(),
        }
    }
}

/// Why a name was not opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// It is something else than was asked for.
    #[error("it is {0}")]
    NotRegular(Kind),
    /// The system says no.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl OpenError {
    /// Whether there is nothing of that name.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Io(error) => error,
            OpenError::NotRegular(_) => Self::other(error.to_string()),
        }
    }
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading, without a trace in its access time where the system lets us.
    Read,
    /// Reading and writing (what a lock needs); the file must be there.
    Write,
}

/// How much of a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// The beginning: it is larger than the limit.
    Cut,
}

/// Access times tell whether an agent without leases has read a session, so our reads leave none.
#[cfg(any(target_os = "linux", target_os = "android"))]
const QUIET: OFlags = OFlags::NOATIME;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const QUIET: OFlags = OFlags::empty();

/// For everything below the root.
const BELOW: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOCTTY);

/// An open folder.
#[derive(Debug)]
pub struct Dir(File);

impl Dir {
    /// Opens a store's root. Links in the user's own path are followed; below it none ever is.
    pub fn open_root(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = || rustix::fs::open(path, flags, Mode::empty());
        Ok(Self(retry_on_intr(open)?.into()))
    }

    /// Opens a folder in this one.
    pub fn open_dir(&self, name: impl AsRef<OsStr>) -> Result<Self, OpenError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | QUIET | BELOW;
        let opened = self.open(name.as_ref(), flags, Kind::Folder)?;
        Ok(Self(opened.into()))
    }

    /// Opens a folder in this one, unless another filesystem, or another part of this one, is
    /// mounted there.
    pub fn open_dir_here(&self, name: impl AsRef<OsStr>) -> Result<Self, OpenError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | BELOW;
        let opened = Self(self.open_here(name.as_ref(), flags)?.into());
        let (there, here) = (opened.identity()?, self.identity()?);
        if there.device == here.device {
            Ok(opened)
        } else {
            Err(io::Error::from(Errno::XDEV).into())
        }
    }

    /// Where the kernel can tell, a mount is refused that has this folder's device too.
    #[cfg(target_os = "linux")]
    fn open_here(&self, name: &OsStr, flags: OFlags) -> Result<OwnedFd, OpenError> {
        let name = one_part(name)?;
        let resolve = ResolveFlags::NO_XDEV | ResolveFlags::NO_SYMLINKS;
        let open = || rustix::fs::openat2(self, name, flags, Mode::empty(), resolve);
        match retry_on_intr(open) {
            // Kernels before 5.6, and sandboxes that forbid the call.
            Err(Errno::NOSYS | Errno::PERM) => self.open(name, flags, Kind::Folder),
            opened => opened.map_err(|error| OpenError::Io(error.into())),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_here(&self, name: &OsStr, flags: OFlags) -> Result<OwnedFd, OpenError> {
        self.open(name, flags, Kind::Folder)
    }

    /// Opens the folder that a link in this one leads to. Only to learn what descends from what:
    /// nothing reached this way may ever be changed.
    pub fn open_linked_dir(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let name = one_part(name.as_ref())?;
        let open = || rustix::fs::openat(self, name, flags, Mode::empty());
        Ok(Self(retry_on_intr(open)?.into()))
    }

    /// Opens a regular file in this folder.
    pub fn open_file(&self, name: impl AsRef<OsStr>, access: Access) -> Result<File, OpenError> {
        Ok(self.open_seen(name, access)?.0)
    }

    /// The same, and what it was like when it was opened.
    pub fn open_seen(
        &self,
        name: impl AsRef<OsStr>,
        access: Access,
    ) -> Result<(File, Metadata), OpenError> {
        let flags = match access {
            Access::Read => OFlags::RDONLY | QUIET,
            Access::Write => OFlags::RDWR,
        };
        let file = File::from(self.open(name.as_ref(), flags | BELOW, Kind::File)?);
        // Not every other kind refuses to be opened: a FIFO opens, and so does a folder to read.
        let seen = file.metadata()?;
        match Kind::from(FileType::from_raw_mode(seen.mode())) {
            Kind::File => Ok((file, seen)),
            other => Err(OpenError::NotRegular(other)),
        }
    }

    /// What is in this folder, in no order, `.` and `..` left out. Each call lists from the beginning.
    pub fn entries(&self) -> io::Result<Entries<'_>> {
        Entries::of(self)
    }

    /// Looks at a name in this folder; a link is told as a link.
    pub fn stat(&self, name: impl AsRef<OsStr>) -> io::Result<Stat> {
        let name = one_part(name.as_ref())?;
        let seen = rustix::fs::statat(self, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Stat::from(&seen))
    }

    /// Looks at a name in a folder of this one, in one call. A link in the folder's place is followed:
    /// only to compare with what was seen before.
    pub fn stat_below(
        &self,
        folder: impl AsRef<OsStr>,
        name: impl AsRef<OsStr>,
    ) -> io::Result<Stat> {
        let path = Path::new(one_part(folder.as_ref())?).join(one_part(name.as_ref())?);
        let seen = rustix::fs::statat(self, path, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Stat::from(&seen))
    }

    /// Makes that time another one.
    pub fn set_written_at(&self, at: SystemTime) -> io::Result<()> {
        self.0.set_modified(at)
    }

    /// When something last appeared in this folder or vanished from it.
    pub fn written_at(&self) -> io::Result<SystemTime> {
        self.0.metadata()?.modified()
    }

    /// Which folder this is.
    pub fn identity(&self) -> io::Result<Identity> {
        Identity::of(&self.0)
    }

    fn open(&self, name: &OsStr, flags: OFlags, wanted: Kind) -> Result<OwnedFd, OpenError> {
        let name = one_part(name)?;
        let mode = Mode::RUSR | Mode::WUSR;
        let open = |flags| retry_on_intr(|| rustix::fs::openat(self, name, flags, mode));
        let opened = match open(flags) {
            // Only a file's owner may leave its access time alone.
            Err(Errno::PERM) if !QUIET.is_empty() && flags.contains(QUIET) => {
                open(flags.difference(QUIET))
            }
            opened => opened,
        };
        opened.map_err(|error| match error {
            Errno::NOENT => OpenError::Io(error.into()),
            // A link in the way, a socket and the like fail with errors that say little.
            _ => match self.stat(name) {
                Ok(seen) if seen.kind != wanted => OpenError::NotRegular(seen.kind),
                _ => OpenError::Io(error.into()),
            },
        })
    }
}

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Whether a disk, or what of it is ours to use, has no room left.
pub(crate) fn is_full(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::NOSPC | Errno::DQUOT))
}

/// Refuses whatever could lead elsewhere than to something in the folder itself.
fn one_part(name: &OsStr) -> io::Result<&OsStr> {
    let climbs = matches!(name.as_bytes(), b"" | b"." | b"..") || name.as_bytes().contains(&b'/');
    if climbs {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not the name of one file",
        ));
    }
    Ok(name)
}

#[cfg(test)]
mod tests;
