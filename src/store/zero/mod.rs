//! Zero's store: a folder per session, in one root.
//!
//! Must never trust what the files say about where things are: a session's folder is its name.
//! Formats and rules are those of Gitlawb's Zero.

mod compaction;
mod events;
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

use super::dir::Dir;
use super::{Found, Hold, ScanError, Store};
use crate::prune::report::{Restore, RestoreReport, TrashBatch, Watch};
use crate::session::{Agent, Fault, Openness, Refusal, Session, SessionId};
use crate::transcript::{Page, View, Window};

/// The sessions of Zero in one folder.
#[derive(Clone, Debug)]
pub struct Zero {
    root: PathBuf,
}

impl Zero {
    /// The store in `root`, which need not exist.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
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

    // The rooms for what follows are built elsewhere; each becomes one line that calls into its own.

    fn openness(&self) -> HashMap<SessionId, Openness> {
        todo!("openness")
    }

    fn read(&self, id: &SessionId, view: View, window: Window) -> io::Result<Page> {
        transcript::read(&Dir::open_root(&self.root)?, id, view, window)
    }

    fn hold(&self, _id: &SessionId) -> Result<Hold, Refusal> {
        todo!("lease")
    }

    fn trash(&self) -> io::Result<(Vec<TrashBatch>, Vec<Fault>)> {
        todo!("trash")
    }

    fn restore(&self, _what: &Restore, _watch: &dyn Watch) -> Result<RestoreReport, Refusal> {
        todo!("trash")
    }
}
