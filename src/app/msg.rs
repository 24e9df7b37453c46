//! All that can happen on the screen ([`Msg`]), and all that it can ask for ([`Effect`]).
//!
//! Invariant: whatever takes time or touches a disk is an [`Effect`]. An answer carries the
//! generation of its request; one that is no longer current is dropped.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use chrono::{DateTime, Utc};
use crossterm::event::{KeyEvent, MouseEvent};

use crate::export::format::Format;
use crate::prune::expiry::{ConfirmedTrash, TrashPlan, Wanted};
use crate::prune::plan::{ConfirmedPlan, PrunePlan};
use crate::prune::report::{
    EmptyReport, Progress, PruneReport, Restore, RestoreReport, TrashBatch,
};
pub use crate::resume::choice::{Action, Held, MissingFolder};
use crate::search::found::News;
use crate::search::query::Query;
use crate::session::{Fault, Openness, Refusal, Session, SessionId, Sighting, Title};
use crate::text::{SafeText, Secrets};
use crate::transcript::{Page, Usage, View, Window};

/// Number of a request; a later one of the same kind makes earlier answers stale.
pub type Generation = u64;

/// Something that happened.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has this many columns and rows.
    Resize(u16, u16),
    /// The time; about once a second.
    Tick(DateTime<Utc>),
    /// The next sessions of a scan; those that are the same as they were seen, and whether they are
    /// pinned.
    Scanned {
        generation: Generation,
        sessions: Vec<Session>,
        same: Vec<(SessionId, bool)>,
        faults: Vec<Fault>,
    },
    /// Whether the store can be changed where it is.
    Changeable(Result<(), Refusal>),
    /// A scan is over; `Err`: why the store could not be listed.
    ScanEnded {
        generation: Generation,
        outcome: Result<(), ScanTrouble>,
    },
    /// Sizes in bytes.
    Sized(Vec<(SessionId, u64)>),
    /// Who holds what: all of it, every time.
    Opened(HashMap<SessionId, Openness>),
    /// The store changed by itself: something appeared or vanished.
    StoreChanged,
    /// These are not as they were seen any more; with their sizes.
    Rewritten(Vec<Session>),
    /// A part of a session's log.
    Read {
        generation: Generation,
        id: SessionId,
        page: Result<Page, SafeText>,
    },
    /// The tokens of a session's log; `Err`: it cannot be read.
    Usage {
        generation: Generation,
        usage: Result<Usage, SafeText>,
    },
    /// How far a dry run, a prune, a restore or an emptying is.
    Progress {
        generation: Generation,
        progress: Progress,
    },
    /// A dry run is over.
    Checked {
        generation: Generation,
        outcome: Result<Box<PrunePlan>, CheckTrouble>,
    },
    /// Whether anything could be deleted at once just now.
    Deletable {
        generation: Generation,
        outcome: Result<(), Refusal>,
    },
    /// A prune is over.
    Pruned(Result<Box<PruneReport>, Refusal>),
    /// What is in the trash.
    Trash(Result<Vec<TrashBatch>, SafeText>),
    /// A restore is over.
    Restored(Result<RestoreReport, Refusal>),
    /// What would become of batches of the trash.
    TrashChecked {
        generation: Generation,
        outcome: Result<Box<TrashPlan>, Refusal>,
    },
    /// The trash was emptied.
    Emptied(Result<EmptyReport, Refusal>),
    /// Pins were asked for, or to go: `false`.
    Pinned {
        pins: Vec<(SessionId, bool)>,
        outcome: Result<(), Refusal>,
    },
    /// A session was asked to be given another title.
    Renamed(Result<(), Refusal>),
    /// A session was asked to be held.
    Held {
        generation: Generation,
        id: SessionId,
        outcome: Result<Held, Refusal>,
    },
    /// The agent has ended, or could not be started, and the terminal is ours again.
    AgentEnded { id: SessionId, end: AgentEnd },
    /// An export is over.
    Exported {
        generation: Generation,
        outcome: Result<Exported, NotExported>,
    },
    /// What a search has found, or searched in vain.
    Found {
        generation: Generation,
        news: Vec<News>,
    },
    /// A search is over; whether everything was searched.
    SearchEnded { generation: Generation, whole: bool },
    /// Something went wrong that has no better place: shown until the next key.
    Trouble(SafeText),
    /// Somebody told the program to end (SIGTERM and the like).
    Terminate,
}

/// A transcript that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Where.
    pub path: PathBuf,
    /// What is not in it.
    pub missing: Option<SafeText>,
}

/// One that was not, or not all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotExported {
    /// What and where.
    pub why: SafeText,
    /// If there is such a file already: a name that is free.
    pub free: Option<PathBuf>,
}

/// Why a store could not be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScanTrouble {
    /// There is no such folder.
    Missing,
    /// It cannot be read; says why.
    Unreadable(SafeText),
}

/// Why a dry run has no plan to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckTrouble {
    /// It was stopped.
    Stopped,
    /// The store refuses.
    Refused(Refusal),
}

/// How an agent ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentEnd {
    /// It exited with this code.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// It could not be started; says why.
    NotStarted(SafeText),
}

/// What a part of a log is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// The preview beside the list.
    Peek,
    /// The reader.
    Reader,
}

/// Something to be done outside of the screen's state.
#[derive(Debug)]
pub enum Effect {
    /// List the store: `Changeable`, `Scanned` …, `ScanEnded`. A scan under way is given up. What was
    /// seen like this need not be read again.
    Scan {
        generation: Generation,
        seen: Vec<(SessionId, Sighting)>,
    },
    /// Measure these, in this order: `Sized` in parts. Replaces what was still to be measured.
    Size(Vec<SessionId>),
    /// Look who holds what: `Opened`.
    Openness,
    /// Read these again, which were seen like this: `Rewritten`, if any of them differs.
    Compare(Vec<(SessionId, Sighting)>),
    /// Read a part of a log: `Read`. Replaces one of the same asker that has not begun.
    Read {
        generation: Generation,
        asker: Asker,
        id: SessionId,
        view: View,
        window: Window,
        secrets: Secrets,
    },
    /// Count the tokens of a session's log: `Usage`, unless nobody waits for it any more: neither the
    /// one who asked, nor for the session that was asked for before.
    Usage {
        generation: Generation,
        id: SessionId,
        wanted: Weak<()>,
    },
    /// Check a plan under the locks: `Progress` …, `Checked`.
    DryRun {
        generation: Generation,
        plan: Box<PrunePlan>,
    },
    /// Ask whether anything could be deleted at once: `Deletable`.
    AskDeletable(Generation),
    /// Do what was confirmed: `Progress` …, `Pruned`.
    Prune {
        generation: Generation,
        plan: Box<ConfirmedPlan>,
    },
    /// Ask whatever looks at or changes the store to stop; it still answers.
    Stop,
    /// List the trash: `Trash`.
    ListTrash,
    /// Bring something back: `Progress` …, `Restored`.
    Restore {
        generation: Generation,
        what: Restore,
    },
    /// Look what would become of batches of the trash: `TrashChecked`.
    CheckTrash {
        generation: Generation,
        wanted: Wanted,
    },
    /// Empty what of the trash was confirmed: `Progress` …, `Emptied`.
    EmptyTrash {
        generation: Generation,
        trash: Box<ConfirmedTrash>,
    },
    /// Search these transcripts, in this order: `Found`, at last `SearchEnded`. One that is under way
    /// is stopped.
    Search {
        generation: Generation,
        ids: Arc<[SessionId]>,
        query: Query,
    },
    /// Stop it; it still answers.
    StopSearch,
    /// Write a transcript to a new file: `Exported`.
    Export {
        generation: Generation,
        id: SessionId,
        format: Format,
        secrets: Secrets,
        path: PathBuf,
    },
    /// Stop that; it still answers.
    StopExport,
    /// Give a session another title: `Renamed`, and `Rewritten` if it has it.
    Rename { id: SessionId, title: Title },
    /// Pin these, or take their pins away where that is `false`: `Pinned`. Holds all that has no
    /// answer yet, so one that has not begun can be replaced.
    Pin(Vec<(SessionId, bool)>),
    /// Hold a session open: `Held`. The hold is kept until `LetGo` or the agent's end.
    Hold {
        generation: Generation,
        id: SessionId,
        folder: Option<PathBuf>,
    },
    /// Let go of the held session.
    LetGo,
    /// Give the terminal to the agent, in `folder`: `AgentEnded`. With `hold` the session is the one held
    /// before; without, it is opened although somebody else has it.
    Run {
        id: SessionId,
        action: Action,
        folder: PathBuf,
    },
    /// Put text on the clipboard.
    Copy(SafeText),
    /// Throw away what was typed before this: a confirmation has just been drawn.
    DropTyped,
    /// Stop the process as Ctrl-Z does, terminal restored.
    Suspend,
    /// End the program.
    Quit,
}
