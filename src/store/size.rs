//! What a session takes on disk.
//!
//! Must never follow a link, leave the session's filesystem, or recurse: the depth is anybody's.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::rc::Rc;

use crate::store::dir::{Dir, Identity, Kind, OpenError, Stat};

/// Bytes allocated for the regular files in a session's folder, each counted once however many names it has.
/// A link in the place of the folder takes nothing. What vanishes meanwhile is passed over.
pub(in crate::store) fn size(at: &Dir, folder: &str) -> io::Result<u64> {
    let mut top = match at.open_dir(folder) {
        Err(OpenError::NotRegular(Kind::Link)) => return Ok(0),
        opened => opened?,
    };
    let device = top.identity()?.device;
    of(&mut top, device)
}

/// The same, of an open folder on that device.
pub(in crate::store) fn of(top: &mut Dir, device: u64) -> io::Result<u64> {
    let mut count = Count {
        device,
        seen: HashSet::new(),
        bytes: 0,
    };
    // A folder waits with the one it is in; that one closes with the last of its folders.
    let mut waiting: Vec<(Option<Rc<Dir>>, OsString)> = Vec::new();
    waiting.extend(count.files(top)?.into_iter().map(|name| (None, name)));
    while let Some((parent, name)) = waiting.pop() {
        let opened = parent.as_deref().unwrap_or(top).open_dir(&name);
        drop(parent);
        match opened {
            Ok(mut folder) if folder.identity()?.device == count.device => {
                let below = count.files(&mut folder)?.into_iter();
                let folder = Rc::new(folder);
                waiting.extend(below.map(|name| (Some(Rc::clone(&folder)), name)));
            }
            // Another filesystem, or no longer a folder.
            Ok(_) | Err(OpenError::NotRegular(_)) => {}
            Err(error) if error.is_missing() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(count.bytes)
}

struct Count {
    device: u64,
    /// Files of several names that have been counted.
    seen: HashSet<Identity>,
    bytes: u64,
}

impl Count {
    /// Counts the files in a folder; gives the names of the folders in it.
    fn files(&mut self, folder: &mut Dir) -> io::Result<Vec<OsString>> {
        let mut below = Vec::new();
        folder.each_entry(|folder, name, kind| {
            match kind {
                Kind::Folder => below.push(name.to_owned()),
                Kind::File => match folder.stat(name) {
                    Ok(seen) => self.file(&seen),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                },
                _ => {}
            }
            Ok(())
        })?;
        Ok(below)
    }

    fn file(&mut self, seen: &Stat) {
        let first = seen.links < 2 || self.seen.insert(seen.identity);
        if seen.kind == Kind::File && seen.identity.device == self.device && first {
            self.bytes = self.bytes.saturating_add(seen.allocated);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt as _, symlink};
    use std::path::{Path, PathBuf};

    use super::*;

    fn room() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let session = temp.path().join("one");
        fs::create_dir_all(session.join("checkpoints/blobs")).unwrap();
        (temp, session)
    }

    fn measured(temp: &tempfile::TempDir) -> io::Result<u64> {
        let root = Dir::open_root(temp.path()).unwrap();
        size(&root, "one")
    }

    fn allocated(path: &Path) -> u64 {
        fs::symlink_metadata(path).unwrap().blocks() * 512
    }

    #[test]
    fn every_file_counts_once_and_links_do_not() {
        let (temp, session) = room();
        fs::write(temp.path().join("outside"), vec![1; 100_000]).unwrap();
        fs::write(session.join("events.jsonl"), vec![1; 10_000]).unwrap();
        fs::write(session.join("checkpoints/blobs/b"), vec![1; 50_000]).unwrap();
        fs::hard_link(
            session.join("checkpoints/blobs/b"),
            session.join("checkpoints/blobs/same"),
        )
        .unwrap();
        symlink(temp.path().join("outside"), session.join("link")).unwrap();
        symlink(temp.path(), session.join("checkpoints/up")).unwrap();
        let files = allocated(&session.join("events.jsonl"))
            + allocated(&session.join("checkpoints/blobs/b"));
        assert_eq!(measured(&temp).unwrap(), files);
    }

    #[test]
    fn any_depth_is_measured() {
        let (temp, session) = room();
        let mut deep = session;
        for _ in 0..300 {
            deep.push("d");
            fs::create_dir_all(deep.join("also")).unwrap();
        }
        fs::write(deep.join("file"), vec![1; 5_000]).unwrap();
        assert_eq!(measured(&temp).unwrap(), allocated(&deep.join("file")));
    }

    #[test]
    fn a_sparse_file_takes_what_it_takes() {
        let (temp, session) = room();
        let file = fs::File::create(session.join("sparse")).unwrap();
        file.set_len(1 << 30).unwrap();
        assert_eq!(measured(&temp).unwrap(), allocated(&session.join("sparse")));
    }

    #[test]
    fn what_is_gone_says_so_and_a_link_takes_nothing() {
        let (temp, session) = room();
        fs::rename(&session, temp.path().join("two")).unwrap();
        assert_eq!(measured(&temp).unwrap_err().kind(), io::ErrorKind::NotFound);
        symlink("two", &session).unwrap();
        assert_eq!(measured(&temp).unwrap(), 0);
    }
}
