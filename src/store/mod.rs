//! The only rooms that touch an agent's files.
//!
//! Invariants: no path is ever built from a field of a session's JSON; nothing is
//! opened in a way that can block or that follows a link; a store's trouble is a
//! [`Fault`] or a [`Refusal`], never a panic.

pub mod change;
pub mod dir;
pub mod filesystem;
mod jsonl;
pub mod lease;
pub mod log;
pub mod magi;
pub mod open;
pub mod openness;
pub mod removals;
mod size;
pub(crate) mod spread;
pub mod trash;
pub mod usage;
pub mod zero;

use std::collections::HashMap;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use thiserror::Error;

use change::Change;
pub use change::Purpose;
use log::Said;

use crate::prune::report::{Restore, RestoreReport, TrashBatch, Watch};
use crate::session::{Agent, Fault, Launch, Openness, Refusal, Seen, Session, SessionId, Title};
use crate::text::{SafeText, Secrets};
use crate::transcript::{Page, Usage, View, Window};

/// What a scan comes upon.
#[derive(Clone, Debug)]
pub enum Found {
    /// A session, however damaged.
    Session(Session),
    /// A session that is as it was seen, and whether it is pinned.
    Same(SessionId, bool),
    /// Something else.
    Fault(Fault),
}

/// Why a store cannot be listed at all.
#[derive(Debug, Error)]
pub enum ScanError {
    /// There is no such folder.
    #[error("no sessions folder at {}", SafeText::path(.0))]
    Missing(PathBuf),
    /// It cannot be read.
    #[error("cannot list {}: {}", SafeText::path(.0), SafeText::line(&.1.to_string()))]
    Unreadable(PathBuf, #[source] io::Error),
}

/// A session kept open by us for as long as this lives: no prune can take it.
#[must_use]
#[derive(Debug)]
pub enum Hold {
    /// Under a shared lease.
    Leased(lease::SharedLease),
    /// The lease cannot be taken, says why; a prune cannot take it either, but a tool
    /// without leases can.
    Unprotected(SafeText),
}

/// One agent's store.
pub trait Store: Send + Sync {
    /// Whose it is.
    fn agent(&self) -> Agent;

    /// How its program is told which session to go on with.
    fn launch(&self) -> Launch {
        Launch::Replies
    }

    /// The folder all its sessions are in.
    fn root(&self) -> &Path;

    /// Tells every session and fault as it comes upon them, in no order, until told to break.
    /// Sizes and openness are not looked at. What was `seen` is not read again if it looks as it did:
    /// a prune looks at all that it takes for itself, under the locks.
    fn scan(
        &self,
        seen: &Seen,
        found: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), ScanError>;

    /// The same to be shown once, of everything: what was seen of a session's files may be left out, so
    /// that no prune takes it.
    fn list(&self, found: &mut dyn FnMut(Found) -> ControlFlow<()>) -> Result<(), ScanError> {
        self.scan(&Seen::new(), found)
    }

    /// One session read anew, as a scan tells it; `None`: it is gone, or only a scan can tell.
    fn session(&self, id: &SessionId) -> Option<Session>;

    /// Bytes a session takes on disk: allocated blocks, hard links once, links not followed.
    fn size(&self, id: &SessionId) -> io::Result<u64>;

    /// Every session with a sign of a holder; `None`: this system does not tell. Takes no
    /// lock, so it disturbs nobody.
    fn openness(&self) -> Option<HashMap<SessionId, Openness>>;

    /// A bounded part of a session's log. Whether it shows secrets is for this one look; what else
    /// the store tells does as the store was made to.
    fn read(
        &self,
        id: &SessionId,
        view: View,
        window: Window,
        secrets: Secrets,
    ) -> io::Result<Page>;

    /// A session's whole log as it is, from its beginning; `None`: it has said nothing yet.
    fn log(&self, id: &SessionId) -> io::Result<Option<Box<dyn Read + Send>>>;

    /// What one line of a log says; `None`: it cannot be read.
    fn said(&self, line: &[u8]) -> Option<Said>;

    /// The tokens that these whole lines of a log tell of; none that cannot be read.
    fn usage(&self, lines: &[u8]) -> Usage;

    /// Whether the store is where it may be changed at all, as far as can be told without a lock.
    fn changeable(&self) -> Result<(), Refusal>;

    /// Locks the store against every other sesstree; waits for at most two seconds.
    fn change(&self) -> Result<Box<dyn Change>, Refusal>;

    /// Pins these sessions, so that no prune takes them or their ancestors, or takes their pins
    /// away: `false`. One that cannot be keeps none of the others from it, and is named. Waits as
    /// [`Store::change`] does, so no prune is under way meanwhile.
    fn pin(&self, pins: &[(SessionId, bool)]) -> Result<(), Refusal>;

    /// Gives a session another title, and changes nothing else. It is held meanwhile, and refused
    /// under a prune; waits at most two seconds for its agent to be done writing.
    fn rename(&self, _id: &SessionId, _title: &Title) -> Result<(), Refusal> {
        let why = format!("{} has no way to do that from outside", self.agent());
        Err(Refusal::NotRenamed(SafeText::line(&why)))
    }

    /// Holds a session open so that it can be resumed or forked.
    fn hold(&self, id: &SessionId) -> Result<Hold, Refusal>;

    /// What is in the trash, newest batch first; what cannot be read is told beside it.
    fn trash(&self) -> io::Result<(Vec<TrashBatch>, Vec<Fault>)>;

    /// Brings sessions back from the trash, ancestors first.
    fn restore(&self, what: &Restore, watch: &dyn Watch) -> Result<RestoreReport, Refusal>;
}
