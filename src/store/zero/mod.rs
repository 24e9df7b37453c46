//! Zero's store: a folder per session, in one root.
//!
//! Must never trust what the files say about where things are: a session's folder is its name.
//! Formats and rules are those of Gitlawb's Zero.

mod change;
mod claim;
mod compaction;
mod events;
mod files;
mod hold;
mod json;
mod look;
mod messages;
mod metadata;
mod origin;
mod remnant;
mod rename;
mod retitle;
mod said;
mod scan;
mod shared;
mod time;
mod transcript;
mod usage;

use std::collections::HashMap;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::change::Change;
use super::dir::{Access, Dir};
use super::filesystem::{Filesystem, Locks};
use super::log::Said;
use super::openness::Traced;
use super::removals::{Note, Removals};
use super::{Found, Hold, ScanError, Store, openness, size, trash};
use crate::prune::report::{Restore, RestoreReport, TrashBatch, Watch};
use crate::session::{Agent, Fault, Openness, Refusal, Seen, Session, SessionId, Title};
use crate::text::{SafeText, Secrets};
use crate::transcript::{Page, Usage, View, Window};

/// The log of a session.
const LOG: &str = "events.jsonl";
/// Locked by whoever writes a session, for as long as that takes.
const SESSION_LOCK: &str = "session.lock";
/// Locked, shared, by whoever has a session open.
const LEASE: &str = "lease.lock";

/// The sessions of Zero in one folder.
#[derive(Clone, Debug)]
pub struct Zero {
    root: PathBuf,
    /// Where the system tells of its processes.
    proc: PathBuf,
    removals: Removals,
    locks: Locks,
    secrets: Secrets,
    /// What was found out about locks, for the next look.
    traced: Arc<Mutex<Traced>>,
}

impl Zero {
    /// The store in `root`, which need not exist.
    pub fn new(root: PathBuf) -> Self {
        Self {
            root,
            proc: openness::PROC.into(),
            removals: Removals::off(),
            locks: Locks::default(),
            secrets: Secrets::default(),
            traced: Arc::default(),
        }
    }

    /// The same, with what is removed from it written down there.
    #[must_use]
    pub fn recorded(self, removals: Removals) -> Self {
        Self { removals, ..self }
    }

    /// The same, changed only where locks are like that.
    #[must_use]
    pub fn with_locks(self, locks: Locks) -> Self {
        Self { locks, ..self }
    }

    /// The same, with titles, folders and models that show secrets or do not. What is written down
    /// never does.
    #[must_use]
    pub fn with_secrets(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
    }

    /// The same, on a system that tells of its processes there.
    #[must_use]
    pub fn with_proc(self, proc: PathBuf) -> Self {
        Self { proc, ..self }
    }
}

impl Zero {
    /// Whether the filesystem that the store is on is one to change it on.
    fn allows(&self, root: &Dir) -> Result<(), Refusal> {
        match Filesystem::of(root) {
            Ok(filesystem) => filesystem.allows(self.locks),
            Err(error) => {
                let why = format!("its filesystem cannot be told: {error}");
                Err(Refusal::StoreRefused(SafeText::line(&why)))
            }
        }
    }
}

impl Store for Zero {
    fn agent(&self) -> Agent {
        Agent::Zero
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn scan(
        &self,
        seen: &Seen,
        found: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), ScanError> {
        let looker = || look::Looker::with_secrets(self.secrets);
        scan::scan(&self.root, &looker, seen, found)
    }

    fn list(&self, found: &mut dyn FnMut(Found) -> ControlFlow<()>) -> Result<(), ScanError> {
        let looker = || look::Looker::with_secrets(self.secrets).showing();
        scan::scan(&self.root, &looker, &Seen::new(), found)
    }

    fn session(&self, id: &SessionId) -> Option<Session> {
        let root = Dir::open_root(&self.root).ok()?;
        let mut looker = look::Looker::with_secrets(self.secrets);
        let mut session = looker.folder(&root, id).ok().flatten()?;
        // A scan tells what is wrong with the pins.
        session.pinned = trash::Pins::default().has(&root, id).unwrap_or(false);
        Some(session)
    }

    fn size(&self, id: &SessionId) -> io::Result<u64> {
        size::size(&Dir::open_root(&self.root)?, id.as_str())
    }

    fn openness(&self) -> Option<HashMap<SessionId, Openness>> {
        let root = Dir::open_root(&self.root).ok()?;
        let mut traced = self.traced.lock().unwrap_or_else(PoisonError::into_inner);
        openness::look(&self.proc, &root, LEASE, &mut traced)
    }

    fn read(
        &self,
        id: &SessionId,
        view: View,
        window: Window,
        secrets: Secrets,
    ) -> io::Result<Page> {
        transcript::read(&Dir::open_root(&self.root)?, id, view, window, secrets)
    }

    fn log(&self, id: &SessionId) -> io::Result<Option<Box<dyn Read + Send>>> {
        let folder = Dir::open_root(&self.root)?.open_dir(id.as_str())?;
        match folder.open_file(LOG, Access::Read) {
            Ok(log) => Ok(Some(Box::new(log))),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn said(&self, line: &[u8]) -> Option<Said> {
        said::said(line)
    }

    fn usage(&self, lines: &[u8]) -> Usage {
        usage::usage(lines)
    }

    fn changeable(&self) -> Result<(), Refusal> {
        match Dir::open_root(&self.root) {
            Ok(root) => self.allows(&root),
            // A scan tells why.
            Err(_) => Ok(()),
        }
    }

    fn change(&self) -> Result<Box<dyn Change>, Refusal> {
        Ok(Box::new(change::Changing::begin(self)?))
    }

    fn pin(&self, pins: &[(SessionId, bool)]) -> Result<(), Refusal> {
        change::pin(self, pins)
    }

    fn rename(&self, id: &SessionId, title: &Title) -> Result<(), Refusal> {
        rename::rename(self, id, title)
    }

    fn hold(&self, id: &SessionId) -> Result<Hold, Refusal> {
        match Dir::open_root(&self.root) {
            Ok(root) => hold::hold(&root, id),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Refusal::Gone),
            Err(error) => Ok(Hold::Unprotected(SafeText::line(&error.to_string()))),
        }
    }

    fn trash(&self) -> io::Result<(Vec<TrashBatch>, Vec<Fault>)> {
        trash::list(&self.root, &change::Folder)
    }

    fn restore(&self, what: &Restore, watch: &dyn Watch) -> Result<RestoreReport, Refusal> {
        let changing = change::Changing::begin(self)?;
        // What a killed run did not come to unlink waits for a prune: a way back does not.
        let write = |note: &Note<'_>| changing.note(note);
        trash::restore(changing.lock(), &change::Folder, what, &write, watch)
    }
}
