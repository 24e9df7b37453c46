//! What was taken out of the store or the trash for good and lies where it is unlinked. Before the first
//! thing of it is, it gets another name: what has that is finished without a question, what has not is
//! whole and can go back.
//!
//! Must never: call whole what is not, or let anything go because it could not be read.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::RenameFlags;

use super::{
    Anatomy, GONE, OURS, PURGE, TRASH, gone, not_purged, open_or_make, purge, rename, shelves,
};
use crate::prune::report::{BatchId, Doomed, Member};
use crate::session::{Refusal, SessionId};
use crate::store::dir::{Dir, Entry, Kind, OpenError};
use crate::text::SafeText;

/// What one run may unlink, by the names in the root or in `.sesstree/purge`: what it took there itself,
/// or found there with nothing that keeps it.
#[derive(Debug, Default)]
pub(in crate::store) struct Doom {
    names: Mutex<BTreeSet<String>>,
    told: Mutex<Vec<SafeText>>,
}

impl Doom {
    pub(in crate::store) fn add(&self, name: String) {
        locked(&self.names).insert(name);
    }

    pub(in crate::store) fn remove(&self, name: &str) {
        locked(&self.names).remove(name);
    }

    pub(super) fn has(&self, name: &str) -> bool {
        locked(&self.names).contains(name)
    }

    /// Notes what is to be said of something that was put out of the way.
    pub(in crate::store) fn tell(&self, what: &str) {
        locked(&self.told).push(SafeText::line(what));
    }

    /// What is to be said; it is said once.
    pub(in crate::store) fn told(&self) -> Vec<SafeText> {
        std::mem::take(&mut *locked(&self.told))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All that lies there.
pub(in crate::store) fn doomed(root: &Dir, anatomy: &dyn Anatomy) -> io::Result<Vec<Doomed>> {
    let mut all = Vec::new();
    if let Some(folder) = purge_folder(root)? {
        for entry in folder.entries()? {
            let entry = entry?;
            let name = entry.name.to_string_lossy();
            let batch = BatchId::parse(&name).filter(|_| entry.kind == Kind::Folder);
            all.push(match batch {
                Some(batch) => self::batch(&folder, &name, batch, anatomy),
                None => begun(&name),
            });
        }
    }
    for entry in root.entries()? {
        let entry = entry?;
        if !is_gone(&entry) {
            continue;
        }
        let name = entry.name.to_string_lossy();
        let whole = name.strip_prefix(GONE).and_then(SessionId::parse);
        all.push(match whole {
            Some(id) => gone_one(root, &name, &id, anatomy),
            None => begun(&name),
        });
    }
    all.sort_unstable_by(|a, b| a.file.cmp(&b.file));
    Ok(all)
}

/// Where batches are unlinked; `None`: it was not made yet. What is mounted in the way is not ours.
pub(super) fn purge_folder(root: &Dir) -> Result<Option<Dir>, OpenError> {
    let opened = root
        .open_dir_here(OURS)
        .and_then(|ours| ours.open_dir_here(PURGE));
    match opened {
        Ok(folder) => Ok(Some(folder)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether something in the root is a folder that was taken out of the store for good.
pub(super) fn is_gone(entry: &Entry) -> bool {
    let name = entry.name.to_str().and_then(|name| name.strip_prefix(GONE));
    let id = name.and_then(|name| name.split('.').next());
    entry.kind == Kind::Folder && id.and_then(SessionId::parse).is_some()
}

/// What a name was before it was to go: behind a full stop is a number.
pub(super) fn called(file: &str) -> &str {
    let name = file.strip_prefix(GONE).unwrap_or(file);
    name.split('.').next().unwrap_or(name)
}

/// Gives something a name that says that it is not whole any more.
pub(super) fn begin(at: &Dir, name: &OsStr) -> io::Result<String> {
    for number in 0u32..1000 {
        let begun = format!("{}.{number}", name.to_string_lossy());
        match rename((at, name), (at, &begun), RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(begun),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Whether a name says that.
pub(super) fn is_begun(name: &str) -> bool {
    name.strip_prefix(GONE).unwrap_or(name).contains('.')
}

fn begun(file: &str) -> Doomed {
    Doomed {
        name: called(file).to_owned(),
        file: file.to_owned(),
        ..Doomed::default()
    }
}

fn batch(at: &Dir, file: &str, batch: BatchId, anatomy: &dyn Anatomy) -> Doomed {
    let shelved = shelves::shelf(at, file, batch, anatomy);
    let held = at.open_dir(file).ok().and_then(|folder| {
        let members = shelved.members.iter();
        let mut held = members.filter_map(|member| held(&folder, member.id.as_str(), anatomy));
        held.next()
    });
    Doomed {
        whole: true,
        batch: Some(shelved.batch.batch),
        members: shelved.members,
        held,
        unclear: shelved.unclear,
        ..begun(file)
    }
}

/// A session in the root, or a batch for which there was no room elsewhere.
fn gone_one(root: &Dir, file: &str, id: &SessionId, anatomy: &dyn Anatomy) -> Doomed {
    let folder = root.open_dir(file).map_err(io::Error::from);
    let is_session = folder.and_then(|folder| anatomy.is_session(&folder));
    // Whether it has a record or not: that may be what cannot be read.
    if let Ok(false) = is_session
        && let Some(id) = BatchId::parse(id.as_str())
    {
        return batch(root, file, id, anatomy);
    }
    let kin = anatomy.kin_in(root, file, id);
    let lives = root.open_dir(id.as_str()).map_err(io::Error::from);
    let lives = lives.and_then(|folder| anatomy.is_session(&folder));
    let in_the_way = matches!((is_session, lives), (Ok(false), Ok(true)));
    let held = in_the_way.then(|| SafeText::line("it may be what another program made"));
    Doomed {
        whole: true,
        held: held.or_else(|| self::held(root, file, anatomy)),
        unclear: kin.unclear,
        members: vec![Member {
            id: id.clone(),
            seen: kin.seen,
            parents: kin.parent.into_iter().collect(),
        }],
        ..begun(file)
    }
}

/// Why a session cannot be told to be nobody's.
fn held(at: &Dir, name: &str, anatomy: &dyn Anatomy) -> Option<SafeText> {
    let folder = match at.open_dir(name) {
        Ok(folder) => folder,
        Err(error) => return Some(SafeText::line(&error.to_string())),
    };
    let refusal = anatomy.check_free(&folder).err()?;
    Some(SafeText::line(&refusal.to_string()))
}

/// Puts something whole back where it was, or where nothing is unlinked if that place is taken: an error
/// says where.
pub(in crate::store) fn bring_back(
    root: &Dir,
    anatomy: &dyn Anatomy,
    doom: &Doom,
    doomed: &Doomed,
) -> Result<(), Refusal> {
    doom.remove(&doomed.file);
    let failed = |error: io::Error| not_purged(&error);
    if let Some(batch) = &doomed.batch {
        let ours = root.open_dir(OURS).map_err(|error| failed(error.into()))?;
        let trash = open_or_make(&ours, TRASH).map_err(failed)?;
        let folder = purge_folder(root).map_err(|error| failed(error.into()))?;
        let in_root = doomed.file.starts_with(GONE);
        let at = folder.as_ref().filter(|_| !in_root).unwrap_or(root);
        purge::give(root, &trash, (at, &doomed.file), batch)?;
        rustix::fs::fsync(&trash).map_err(|error| failed(error.into()))?;
    } else if let Some(member) = doomed.members.first()
        && let Some(what) = gone::give(anatomy, root, &member.id)?
    {
        doom.tell(&what);
    }
    rustix::fs::fsync(root).map_err(|error| failed(error.into()))
}
