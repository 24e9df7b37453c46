//! Which filesystem a store is on, and whether locks are known to keep others out there.
//!
//! Must never: take a filesystem for one of those that is not named here. Over a network a lock may
//! count on one machine alone, and a session that is open on another would be removed.

use std::io;

use super::dir::Dir;
use crate::session::Refusal;
use crate::text::SafeText;

/// A filesystem's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filesystem {
    /// Its locks are known to work; its name.
    Known(&'static str),
    /// They are not, or nobody has tried; its name.
    Other(&'static str),
    /// Not even its name is known.
    Nameless(u64),
}

/// Whether a store may be changed where locks are not known to work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locks {
    /// Not there.
    #[default]
    Known,
    /// The user says that they do.
    Trusted,
}

impl Filesystem {
    /// By the number that Linux gives it in `statfs.f_type` (`linux/magic.h`).
    pub fn of_linux(number: u64) -> Self {
        match number {
            0xEF53 => Self::Known("ext4"),
            0x5846_5342 => Self::Known("xfs"),
            0x9123_683E => Self::Known("btrfs"),
            0x0102_1994 => Self::Known("tmpfs"),
            0x2FC1_2FC1 => Self::Known("zfs"),
            0xF2F5_2010 => Self::Known("f2fs"),
            0x4253_5041 => Self::Known("apfs"),
            0x794C_7630 => Self::Known("overlayfs"),
            0x6969 => Self::Other("NFS"),
            0xFF53_4D42 => Self::Other("CIFS"),
            0xFE53_4D42 | 0x517B => Self::Other("SMB"),
            0x0102_1997 => Self::Other("9p"),
            0x6573_5546 => Self::Other("FUSE or virtiofs"),
            0x00C3_6400 => Self::Other("Ceph"),
            0x5346_414F | 0x6B41_4653 => Self::Other("AFS"),
            0x0116_1970 => Self::Other("GFS2"),
            0x7461_636F => Self::Other("OCFS2"),
            0x4D44 => Self::Other("FAT"),
            0x2011_BAB0 => Self::Other("exFAT"),
            0x7366_746E | 0x5346_544E => Self::Other("NTFS"),
            0x482B => Self::Other("HFS+"),
            0x9660 => Self::Other("ISO 9660"),
            0x7371_7368 => Self::Other("squashfs"),
            0x8584_58F6 => Self::Other("ramfs"),
            0xCA45_1A4E => Self::Other("bcachefs"),
            0xF15F => Self::Other("eCryptfs"),
            number => Self::Nameless(number),
        }
    }

    /// By the name that macOS and the BSDs give it in `statfs.f_fstypename`.
    pub fn of_name(name: &[u8]) -> Self {
        match name {
            b"apfs" => Self::Known("apfs"),
            b"zfs" => Self::Known("zfs"),
            b"tmpfs" => Self::Known("tmpfs"),
            b"hfs" => Self::Other("HFS+"),
            b"nfs" => Self::Other("NFS"),
            b"smbfs" => Self::Other("SMB"),
            b"msdos" => Self::Other("FAT"),
            b"exfat" => Self::Other("exFAT"),
            b"macfuse" | b"osxfuse" | b"fusefs" => Self::Other("FUSE or virtiofs"),
            _ => Self::Nameless(0),
        }
    }

    /// The one that a folder is on.
    pub(super) fn of(folder: &Dir) -> io::Result<Self> {
        let seen = rustix::fs::fstatfs(folder)?;
        #[cfg(any(target_os = "linux", target_os = "android"))]
        return Ok(Self::of_linux(number(seen.f_type)));
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        {
            let name = seen.f_fstypename.iter().map(|c| c.cast_unsigned());
            let name: Vec<u8> = name.take_while(|byte| *byte != 0).collect();
            Ok(Self::of_name(&name))
        }
    }

    /// Whether sessions may be removed there, and brought back.
    pub fn allows(self, locks: Locks) -> Result<(), Refusal> {
        let name = match (self, locks) {
            (Self::Known(_), _) | (_, Locks::Trusted) => return Ok(()),
            (Self::Other(name), Locks::Known) => name.to_owned(),
            (Self::Nameless(number), Locks::Known) => {
                format!("a filesystem that is not known here ({number:#x})")
            }
        };
        Err(Refusal::Untrusted(SafeText::line(&name)))
    }
}

/// The number has 32 bits, whatever the width and the sign of the field.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[allow(
    clippy::cast_sign_loss,
    clippy::unnecessary_cast,
    clippy::cast_lossless,
    reason = "the type of the field differs from system to system"
)]
fn number(kind: rustix::fs::FsWord) -> u64 {
    (kind as u64) & 0xFFFF_FFFF
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_known_to_lock_are_trusted() {
        let known = [
            (0xEF53, "ext4"),
            (0x5846_5342, "xfs"),
            (0x9123_683E, "btrfs"),
            (0x0102_1994, "tmpfs"),
            (0x2FC1_2FC1, "zfs"),
            (0xF2F5_2010, "f2fs"),
            (0x4253_5041, "apfs"),
            (0x794C_7630, "overlayfs"),
        ];
        for (number, name) in known {
            let kind = Filesystem::of_linux(number);
            assert_eq!(kind, Filesystem::Known(name));
            assert_eq!(kind.allows(Locks::Known), Ok(()));
        }
        let others = [
            (0x6969, "NFS"),
            (0xFF53_4D42, "CIFS"),
            (0x0102_1997, "9p"),
            (0x6573_5546, "FUSE or virtiofs"),
            (0x4D44, "FAT"),
            (0x1234, "a filesystem that is not known here (0x1234)"),
            (0, "a filesystem that is not known here (0x0)"),
        ];
        for (number, name) in others {
            let kind = Filesystem::of_linux(number);
            let refused = kind.allows(Locks::Known).unwrap_err();
            assert_eq!(refused, Refusal::Untrusted(SafeText::line(name)));
            assert!(refused.to_string().contains("--trust-locks"), "{refused}");
            assert_eq!(kind.allows(Locks::Trusted), Ok(()));
        }
    }

    #[test]
    fn the_names_of_other_systems_are_no_more_trusted() {
        assert_eq!(Filesystem::of_name(b"apfs").allows(Locks::Known), Ok(()));
        for name in [&b"nfs"[..], b"smbfs", b"apfs2", b"", b"macfuse"] {
            assert!(Filesystem::of_name(name).allows(Locks::Known).is_err());
        }
    }
}
