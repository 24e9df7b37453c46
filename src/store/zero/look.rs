//! One name in the root, made into what it is.
//!
//! Must never open a log unless the metadata is damaged or missing, never change anything, and never drop a
//! session because it could not be read: whatever is in doubt is told as damaged, and so is kept.

use std::borrow::Cow;
use std::ffi::CStr;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::Path;

use rustix::io::Errno;

use super::metadata::{self, Damage, Metadata};
use super::shared::Shared;
use super::{origin, remnant};
use crate::session::{Condition, Fault, Session, SessionId, Sighting};
use crate::store::Found;
use crate::store::dir::{Dir, Entry, Extent, Identity, Kind, OpenError};
use crate::text::{SafeText, Secrets};

/// Makes sessions of folders, one after the other; keeps what many of them share.
#[derive(Default)]
pub(super) struct Looker {
    buffer: Vec<u8>,
    path: Vec<u8>,
    shared: Shared,
    inodes: Inodes,
    /// What it makes is shown, and never compared with anything.
    showing: bool,
}

/// Whether a listing of the root tells the inodes that looks do; on some filesystems it does not.
#[derive(Clone, Copy, Default)]
enum Inodes {
    #[default]
    NotCompared,
    /// They are the same, and all of this device.
    Same(u64),
    Others,
}

/// How a folder was come by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It is in the root.
    Plain,
    /// A link in the root leads to it.
    Linked,
}

/// What was seen of a folder before its metadata is understood.
struct Seen<'a> {
    id: &'a SessionId,
    /// What the folder is called; only what is on its way out has another name than its id.
    name: &'a str,
    way: Way,
    /// `None`: it did not open.
    folder: Option<&'a Dir>,
    sighting: Sighting,
}

impl<'a> Seen<'a> {
    fn new(id: &'a SessionId, name: &'a str, way: Way) -> Self {
        Self {
            id,
            name,
            way,
            folder: None,
            sighting: Sighting::default(),
        }
    }
}

impl Looker {
    /// One that makes sessions which show their secrets or do not, as by default.
    pub(super) fn with_secrets(secrets: Secrets) -> Self {
        Self {
            shared: Shared::with_secrets(secrets),
            ..Self::default()
        }
    }

    /// The same, of which no prune takes a session: it looks at no state of the metadata.
    pub(super) fn showing(self) -> Self {
        Self {
            showing: true,
            ..self
        }
    }

    /// What a name in the root is; `None`: nothing to tell, or gone by now.
    pub(super) fn look(&mut self, root: &Dir, path: &Path, entry: &Entry) -> Option<Found> {
        if entry.name.as_encoded_bytes().starts_with(b".") {
            return None;
        }
        if let Some(session) = self.glance(root, entry) {
            return Some(Found::Session(session));
        }
        let no_session = |what: String| {
            Some(Found::Fault(Fault {
                path: path.join(&entry.name),
                what: SafeText::line(&format!("not a session: {what}")),
            }))
        };
        let id = entry.name.to_str().and_then(SessionId::parse);
        match (id, entry.kind) {
            (Some(id), Kind::Folder | Kind::Unknown) => match self.folder(root, &id) {
                Ok(session) => session.map(Found::Session),
                Err(kind) => no_session(format!("it is {kind}")),
            },
            (Some(id), Kind::Link) => match self.linked(root, &id) {
                Some(session) => Some(Found::Session(session)),
                None => no_session("it is a link that leads to none".to_owned()),
            },
            (None, Kind::Folder) => no_session("no session has a name like this".to_owned()),
            (_, kind) => no_session(format!("it is {kind}")),
        }
    }

    /// The session of a folder that is as nearly all are, in as few calls as can be; `None`: it takes
    /// a closer look.
    ///
    /// Should the folder be another one than was listed by now, it is not the one that was seen, and
    /// so no prune takes it.
    fn glance(&mut self, root: &Dir, entry: &Entry) -> Option<Session> {
        let device = self.device(root, entry)?;
        let id = entry.name.to_str().and_then(SessionId::parse)?;
        self.path.clear();
        for part in [id.as_str(), "/", metadata::FILE, "\0"] {
            self.path.extend_from_slice(part.as_bytes());
        }
        let path = CStr::from_bytes_with_nul(&self.path).ok()?;
        let version = if self.showing {
            root.read_small_below(path, &mut self.buffer)?;
            None
        } else {
            Some(root.read_below(path, device, metadata::MAX, &mut self.buffer)?)
        };
        let mut seen = Seen::new(&id, id.as_str(), Way::Plain);
        seen.sighting.device = device;
        seen.sighting.inode = entry.inode;
        seen.sighting.version = version;
        let session = self.read(seen);
        // What is damaged may have its parent in the log.
        (!matches!(session.condition, Condition::Damaged(_))).then_some(session)
    }

    /// The root's device, if listings of it tell the inodes that looks do.
    fn device(&mut self, root: &Dir, entry: &Entry) -> Option<u64> {
        if entry.kind != Kind::Folder {
            return None;
        }
        if let Inodes::NotCompared = self.inodes {
            let device = root.identity().ok()?.device;
            let there = root.stat(&entry.name).ok()?.identity;
            let inode = entry.inode;
            self.inodes = if there == (Identity { device, inode }) {
                Inodes::Same(device)
            } else {
                Inodes::Others
            };
        }
        match self.inodes {
            Inodes::Same(device) => Some(device),
            Inodes::NotCompared | Inodes::Others => None,
        }
    }

    /// The session of a folder, `None` if that is gone; an error if it is no folder.
    pub(super) fn folder(&mut self, root: &Dir, id: &SessionId) -> Result<Option<Session>, Kind> {
        let opened = match root.open_dir(id.as_ref() as &Path) {
            Ok(folder) => Ok(folder),
            Err(error) if error.is_missing() => return Ok(None),
            Err(OpenError::NotRegular(kind)) => return Err(kind),
            Err(OpenError::Io(error)) => Err(error),
        };
        Ok(self.session(root, id, Way::Plain, opened))
    }

    /// The session that a link leads to, if it leads to one. It is followed for this one look. What leads
    /// nowhere may do so only for now: a disk that is not mounted, say.
    fn linked(&mut self, root: &Dir, id: &SessionId) -> Option<Session> {
        let opened = root.open_linked_dir(id.as_ref() as &Path);
        let nowhere = opened.as_ref().err().and_then(Errno::from_io_error);
        if matches!(nowhere, Some(Errno::NOTDIR | Errno::LOOP)) {
            return None;
        }
        self.session(root, id, Way::Linked, opened)
    }

    /// The session in a folder; `None`: there is none, or it is gone by now.
    fn session(
        &mut self,
        root: &Dir,
        id: &SessionId,
        way: Way,
        opened: io::Result<Dir>,
    ) -> Option<Session> {
        let mut seen = Seen::new(id, id.as_str(), way);
        let opened = opened.and_then(|folder| Ok((folder.identity()?, folder)));
        match opened {
            Ok((identity, folder)) => self.within(root, seen, (&folder, identity)),
            Err(error) => {
                match root.stat(id.as_str()) {
                    Ok(there) => {
                        seen.sighting.device = there.identity.device;
                        seen.sighting.inode = there.identity.inode;
                    }
                    Err(gone) if gone.kind() == io::ErrorKind::NotFound => return None,
                    Err(_) => {}
                }
                Some(self.damaged(&seen, &Damage::Folder(error)))
            }
        }
    }

    /// The session in a folder of the root that is open already.
    pub(super) fn opened(
        &mut self,
        root: &Dir,
        id: &SessionId,
        folder: (&Dir, Identity),
    ) -> Option<Session> {
        self.opened_as(root, id.as_str(), id, folder)
    }

    /// The same of one whose folder has that name by now.
    pub(super) fn opened_as(
        &mut self,
        root: &Dir,
        name: &str,
        id: &SessionId,
        folder: (&Dir, Identity),
    ) -> Option<Session> {
        let seen = Seen::new(id, name, Way::Plain);
        self.within(root, seen, folder)
    }

    fn within<'a>(
        &mut self,
        root: &Dir,
        mut seen: Seen<'a>,
        (folder, identity): (&'a Dir, Identity),
    ) -> Option<Session> {
        seen.folder = Some(folder);
        seen.sighting.device = identity.device;
        seen.sighting.inode = identity.inode;
        let read = folder.read_version(metadata::FILE, metadata::MAX, &mut self.buffer);
        seen.sighting.version = match &read {
            Ok((_, version)) => Some(*version),
            Err(OpenError::NotRegular(_)) => {
                folder.stat(metadata::FILE).ok().map(|seen| seen.version)
            }
            // It may be readable at the next look, and name a parent.
            Err(OpenError::Io(_)) => None,
        };
        let damage = match read {
            Ok((Extent::Whole, _)) => return Some(self.read(seen)),
            Ok((Extent::Cut, _)) => Damage::TooLarge,
            Err(error) if error.is_missing() => return self.remnant(root, seen),
            Err(OpenError::NotRegular(kind)) => Damage::NotAFile(kind),
            Err(OpenError::Io(error)) => Damage::Unreadable(error),
        };
        Some(self.damaged(&seen, &damage))
    }

    /// The session whose metadata is in the buffer.
    fn read(&mut self, mut seen: Seen<'_>) -> Session {
        if !self.showing {
            seen.sighting.metadata = fingerprint(&self.buffer);
        }
        // Looking for what is no UTF-8 takes far longer than seeing that there is nothing.
        let text = match str::from_utf8(&self.buffer) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(&self.buffer),
        };
        let (metadata, damage) = metadata::parse(&text);
        let named = metadata.parent();
        let (condition, parent) = match &damage {
            Some(damage) => {
                let parent = named.or_else(|| parent_of(&seen, &self.buffer));
                (damaged(&seen, damage), parent)
            }
            None if seen.way == Way::Linked => (Condition::Linked, named),
            None if metadata.session_id == seen.id.as_str() => (Condition::Sound, named),
            None => (copy_of(self.shared.id(&metadata)), named),
        };
        Session {
            parent,
            condition,
            ..self.shared.session(seen.id, seen.sighting, &metadata)
        }
    }

    /// A folder without metadata, unless it is just being removed: then its name is gone too.
    fn remnant(&self, root: &Dir, mut seen: Seen<'_>) -> Option<Session> {
        let folder = seen.folder?;
        let looked = remnant::look(folder).ok();
        let parent = origin::parent_in_log(folder, seen.id);
        let there = root.stat(seen.name);
        let gone = there.is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if seen.way != Way::Plain || gone {
            return None;
        }
        let parent = match parent {
            Ok(parent) => parent,
            Err(error) => return Some(self.damaged(&seen, &Damage::Log(error))),
        };
        let mut hasher = DefaultHasher::new();
        (&parent, looked.as_ref().map(|looked| looked.fingerprint)).hash(&mut hasher);
        seen.sighting.metadata = hasher.finish();
        Some(Session {
            parent,
            condition: Condition::Remnant(looked.map(|looked| looked.changed)),
            ..unknown(&seen)
        })
    }

    /// A session of which at best the parent can be made out.
    fn damaged(&self, seen: &Seen<'_>, damage: &Damage) -> Session {
        let text = match damage {
            // The buffer has the beginning.
            Damage::TooLarge | Damage::Unreadable(_) => self.buffer.as_slice(),
            _ => &[],
        };
        Session {
            parent: parent_of(seen, text),
            condition: damaged(seen, damage),
            ..unknown(seen)
        }
    }
}

/// The hash of a metadata file's bytes that a [`Sighting`] keeps.
fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

fn parent_of(seen: &Seen<'_>, text: &[u8]) -> Option<SessionId> {
    // Of what is damaged that is not known either way.
    let in_log = || origin::parent_in_log(seen.folder?, seen.id).ok()?;
    metadata::parent_in(text).or_else(in_log)
}

fn damaged(seen: &Seen<'_>, damage: &Damage) -> Condition {
    let prefix = match seen.way {
        Way::Plain => "",
        Way::Linked => "linked folder; ",
    };
    Condition::Damaged(SafeText::line(&format!("{prefix}{damage}")))
}

fn copy_of(named: SafeText) -> Condition {
    Condition::Copy((!named.is_empty()).then_some(named))
}

/// What is known without any metadata.
fn unknown(seen: &Seen<'_>) -> Session {
    Shared::default().session(seen.id, seen.sighting, &Metadata::default())
}
