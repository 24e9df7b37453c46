//! A look at a name.

use std::time::{Duration, SystemTime};

use rustix::fs::FileType;

use super::{Identity, Kind};
use crate::session::Version;

/// A look at a name, without following it.
#[derive(Clone, Copy, Debug)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// Which one it is.
    pub identity: Identity,
    /// Bytes it takes on disk.
    pub allocated: u64,
    /// Names it has.
    pub links: u64,
    /// In which state it is.
    pub version: Version,
    /// When it was last written (mtime).
    pub written_at: SystemTime,
}

#[allow(
    clippy::unnecessary_cast,
    clippy::cast_possible_wrap,
    reason = "the widths of these fields differ from system to system"
)]
fn version(seen: &rustix::fs::Stat) -> Version {
    let changed = (seen.st_ctime as i64, seen.st_ctime_nsec as i64);
    Version::new(seen.st_ino as u64, changed)
}

/// A time before 1970 is told as 1970.
#[allow(
    clippy::unnecessary_cast,
    clippy::cast_lossless,
    clippy::cast_possible_wrap,
    reason = "the widths of these fields differ from system to system"
)]
fn written_at(seen: &rustix::fs::Stat) -> SystemTime {
    let seconds = u64::try_from(seen.st_mtime as i64).unwrap_or(0);
    let nanos = u32::try_from(seen.st_mtime_nsec as i64).unwrap_or(0);
    SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos)
}

impl From<&rustix::fs::Stat> for Stat {
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_sign_loss,
        clippy::cast_lossless,
        reason = "the widths of these fields differ from system to system"
    )]
    fn from(seen: &rustix::fs::Stat) -> Self {
        Self {
            kind: FileType::from_raw_mode(seen.st_mode).into(),
            identity: Identity {
                device: seen.st_dev as u64,
                inode: seen.st_ino as u64,
            },
            // POSIX counts blocks of 512 bytes, whatever the filesystem's own are.
            allocated: (seen.st_blocks as u64).saturating_mul(512),
            links: seen.st_nlink as u64,
            version: version(seen),
            written_at: written_at(seen),
        }
    }
}
