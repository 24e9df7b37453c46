//! Zero's store: a folder per session, in one root.
//!
//! Must never trust what the files say about where things are: a session's folder is its name.
//! Formats and rules are those of Gitlawb's Zero.

mod change;
mod claim;
mod compaction;
mod events;
mod hold;
mod json;
mod look;
mod messages;
mod metadata;
mod origin;
mod scan;
mod size;
mod time;
mod transcript;

pub use events::{LastEvent, last_event_time};

use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::change::Change;
use super::dir::Dir;
use super::removals::{Note, Removals};
use super::{Found, Hold, ScanError, Store, openness, trash};
use crate::prune::report::{Restore, RestoreReport, TrashBatch, Watch};
use crate::session::{Agent, Fault, Openness, Refusal, Session, SessionId};
use crate::text::SafeText;
use crate::transcript::{Page, View, Window};

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
}

impl Zero {
    /// The store in `root`, which need not exist.
    pub fn new(root: PathBuf) -> Self {
        Self {
            root,
            proc: openness::PROC.into(),
            removals: Removals::off(),
        }
    }

    /// The same, with what is removed from it written down there.
    #[must_use]
    pub fn recorded(self, removals: Removals) -> Self {
        Self { removals, ..self }
    }

    /// The same, on a system that tells of its processes there.
    #[must_use]
    pub fn with_proc(self, proc: PathBuf) -> Self {
        Self { proc, ..self }
    }

    /// One session read anew in an open root, as a scan would tell it; `None`: it is gone or no folder.
    pub fn look(root: &Dir, id: &SessionId) -> Option<Session> {
        look::Looker::default().folder(root, id).ok().flatten()
    }
}

impl Store for Zero {
    fn agent(&self) -> Agent {
        Agent::Zero
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn scan(&self, found: &mut dyn FnMut(Found) -> ControlFlow<()>) -> Result<(), ScanError> {
        scan::scan(&self.root, found)
    }

    fn size(&self, id: &SessionId) -> io::Result<u64> {
        size::size(&Dir::open_root(&self.root)?, id)
    }

    fn openness(&self) -> Option<HashMap<SessionId, Openness>> {
        let root = Dir::open_root(&self.root).ok()?;
        openness::look(&self.proc, &root, LEASE)
    }

    fn read(&self, id: &SessionId, view: View, window: Window) -> io::Result<Page> {
        transcript::read(&Dir::open_root(&self.root)?, id, view, window)
    }

    fn change(&self) -> Result<Box<dyn Change>, Refusal> {
        Ok(Box::new(change::Changing::begin(self)?))
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
        // What stays behind of it stops nobody from getting something back; a prune tells of it.
        let _ = changing.clear(watch);
        let note = |note: &Note<'_>| changing.note(note);
        trash::restore(changing.lock(), &change::Folder, what, &note, watch)
    }
}
