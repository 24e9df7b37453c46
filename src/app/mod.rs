//! The screen's state: [`Model`], changed by [`update()`] alone.
//!
//! Invariants: nothing here touches a disk, a terminal or a clock ([`msg::Effect`] asks, [`msg::Msg`] tells);
//! one screen is one [`Screen`]; a key acts on what was drawn when it was pressed.

pub(crate) mod boxes;
pub(crate) mod chosen;
mod clipboard;
pub(crate) mod confirm;
mod edit;
pub(crate) mod empty;
mod ended;
pub(crate) mod export;
pub(crate) mod help;
pub(crate) mod keymap;
pub(crate) mod known;
pub(crate) mod layout;
mod list;
mod live;
mod mouse;
pub mod msg;
pub(crate) mod number;
pub(crate) mod peek;
mod pins;
pub(crate) mod plan;
pub(crate) mod prune;
pub(crate) mod reader;
pub(crate) mod rename;
pub(crate) mod report;
pub(crate) mod resume;
pub(crate) mod scroll;
pub(crate) mod search;
mod seen;
mod select;
pub(crate) mod trash;
pub(crate) mod tree;
mod typed;
mod update;
pub(crate) mod wrap;

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::PathBuf;

use chrono::{DateTime, Utc};
use tui_input::Input;

use crate::filter::Completion;
use crate::prune::policy::Age;
use crate::prune::report::TrashBatch;
use crate::session::{Agent, Launch, Openness, Session, SessionId};
use crate::text::{SafeText, Secrets};
use chosen::Chosen;
use ended::Awaited;
use known::Known;
use layout::{FilterLine, Layout};
use msg::{Effect, Generation};
use peek::Peek;
use reader::needle::Needle;
use seen::{Face, Late};
use tree::{Folded, Tree};

pub use update::update;

/// How long a retention is if nobody says.
const DEFAULT_DAYS: u32 = 30;

/// What a screen starts from.
#[derive(Clone, Debug)]
pub struct Start {
    /// Whose sessions.
    pub agent: Agent,
    /// How its program is told which session to go on with.
    pub launch: Launch,
    /// The sessions folder.
    pub root: PathBuf,
    /// What is said in place of that folder.
    pub label: Option<SafeText>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The folder we were started in.
    pub here: Option<PathBuf>,
    /// The agent's own retention setting, or what is wrong with it.
    pub retention: Result<Option<Age>, SafeText>,
    /// The agent's program with leading arguments; never empty.
    pub command: Vec<OsString>,
    /// Our own process id.
    pub pid: u32,
    /// The time.
    pub now: DateTime<Utc>,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Whether colours are not wanted.
    pub no_color: bool,
    /// Whether secrets in titles, folders and transcripts are shown.
    pub secrets: Secrets,
    /// What the list is filtered by at first.
    pub query: Option<String>,
}

/// What is on the screen: one value, so that no two things can be at once.
#[derive(Debug, Default)]
pub(crate) enum Screen {
    /// The list of sessions.
    #[default]
    Tree,
    /// The list, with a filter being typed.
    Filter(Input),
    /// A conversation.
    Reader(Box<reader::Reader>),
    /// Searching inside transcripts.
    Search(Box<search::Searching>),
    /// Asking for an age.
    Cutoff(prune::Cutoff),
    /// A dry run under way.
    Checking(prune::Checking),
    /// What the dry run found.
    Preview(Box<plan::Preview>),
    /// Asking for the yes.
    Confirm(Box<confirm::Confirm>),
    /// A removal under way.
    Pruning(confirm::Pruning),
    /// What a removal did.
    Report(Box<report::Report>),
    /// What is in the trash.
    Trash(trash::Trash),
    /// Asking for the yes to emptying a batch.
    Empty(Box<empty::Empty>),
    /// Something of the trash under way.
    Working(trash::Working),
    /// Asking for a text for the agent.
    Prompt(resume::Prompt),
    /// Asking for a file to export to.
    Export(export::Export),
    /// Asking for a title.
    Rename(rename::Rename),
    /// A question or a notice.
    Boxed(boxes::Boxed),
    /// The keys.
    Help(help::Help),
}

/// What is seen around a box.
pub(crate) enum Below<'a> {
    Screen(&'a Screen),
    Preview(&'a plan::Preview),
    List,
    /// It is no box.
    Nothing,
}

impl Screen {
    /// What this is a box over.
    pub(crate) fn below(&self) -> Below<'_> {
        match self {
            Self::Reader(_)
            | Self::Search(_)
            | Self::Preview(_)
            | Self::Report(_)
            | Self::Trash(_)
            | Self::Help(_) => Below::Nothing,
            Self::Confirm(confirm) => Below::Preview(&confirm.preview),
            Self::Boxed(boxes::Boxed::Warnings { preview }) => Below::Preview(preview),
            Self::Boxed(boxed) => boxed.back().map_or(Below::List, Below::Screen),
            Self::Empty(empty) => Below::Screen(&empty.back),
            Self::Export(export) => match &*export.back {
                Self::Tree => Below::List,
                back => Below::Screen(back),
            },
            Self::Working(working) => Below::Screen(working.back()),
            Self::Tree
            | Self::Filter(_)
            | Self::Cutoff(_)
            | Self::Checking(_)
            | Self::Pruning(_)
            | Self::Prompt(_)
            | Self::Rename(_) => Below::List,
        }
    }
}

impl Screen {
    /// The trash, here or under what is over it.
    fn trash(&mut self) -> Option<&mut trash::Trash> {
        match self {
            Self::Trash(trash) => Some(trash),
            Self::Boxed(boxed) => boxed.back_mut()?.trash(),
            Self::Empty(empty) => empty.back.trash(),
            Self::Working(working) => working.back.trash(),
            Self::Help(help) => help.back.trash(),
            _ => None,
        }
    }
}

/// The screen's state.
#[derive(Debug)]
pub struct Model {
    pub(crate) start: Start,
    pub(crate) now: DateTime<Utc>,
    pub(crate) layout: Layout,
    pub(crate) screen: Screen,
    pub(crate) known: Known,
    pub(crate) tree: Tree,
    pub(crate) chosen: Chosen,
    /// The filter as it was typed.
    pub(crate) query: String,
    pub(crate) selected: HashSet<SessionId>,
    /// Bytes of what is selected, as far as known.
    pub(crate) selected_bytes: u64,
    pub(crate) peek: Peek,
    /// The trash, or why it cannot be listed.
    pub(crate) trash: Result<Vec<TrashBatch>, SafeText>,
    /// Pins asked for, and pins asked to go, that the store has not answered.
    pins: BTreeMap<SessionId, bool>,
    /// The session we hold, and who had it open before.
    held: Option<(SessionId, Openness)>,
    /// Where the cursor goes once it is listed.
    awaited: Option<Awaited>,
    /// Something to read, until the next key after it was drawn.
    pub(crate) note: Option<SafeText>,
    size: (u16, u16),
    /// What was folded before the filter.
    folded: Option<Folded>,
    /// How what is typed as a filter may go on.
    pub(crate) completion: Completion,
    drawn: Drawn,
    late: Option<Late>,
    generation: Generation,
    /// The store changed while it was being listed.
    changed: bool,
    /// When it was last asked who holds what.
    looked_at: DateTime<Utc>,
    /// Rows without a size when sizes were last asked for.
    unsized_rows: Vec<SessionId>,
}

/// What the user sees of the list.
#[derive(Debug, Default)]
struct Drawn {
    /// The session under the cursor.
    cursor: Option<SessionId>,
    /// The sessions of the rows, from the top one on.
    rows: Vec<SessionId>,
    /// The note was there.
    note: bool,
    /// Since when there is work on the screen that a key stops.
    work: Option<DateTime<Utc>>,
    /// Which screen it was; `None`: none that could be read.
    face: Option<Face>,
}

/// A text as if it had been typed.
fn as_typed(text: &str) -> String {
    let mut input = Input::default();
    edit::paste(&mut input, text);
    input.value().to_owned()
}

impl Model {
    /// A screen before anything is known, and what to ask for first.
    pub fn new(start: Start) -> (Self, Vec<Effect>) {
        let cutoff = match start.retention {
            Ok(Some(age)) => Some(age),
            Ok(None) => Age::days(DEFAULT_DAYS).ok(),
            Err(_) => None,
        };
        let mut model = Self {
            now: start.now,
            layout: Layout::default(),
            screen: Screen::Tree,
            known: Known::new(cutoff, start.now),
            tree: Tree::default(),
            chosen: Chosen::default(),
            query: start.query.as_deref().map(as_typed).unwrap_or_default(),
            selected: HashSet::new(),
            selected_bytes: 0,
            peek: Peek::default(),
            trash: Ok(Vec::new()),
            pins: BTreeMap::new(),
            held: None,
            awaited: None,
            note: None,
            size: start.size,
            folded: None,
            completion: Completion::default(),
            drawn: Drawn::default(),
            late: None,
            generation: 0,
            changed: false,
            looked_at: start.now,
            unsized_rows: Vec::new(),
            start,
        };
        let mut fx = Vec::new();
        model.look_again(&mut fx);
        fx.extend([Effect::ListTrash, Effect::Openness]);
        model.lay_out();
        (model, fx)
    }

    /// The screen was drawn as it is now: keys that arrive from here on were typed by somebody who
    /// could see it. To be called after each draw; what it asks for is to be done before the next
    /// key is read.
    #[must_use]
    pub fn drawn(&mut self) -> Vec<Effect> {
        let page = self.layout.page();
        let id = |row: &tree::Row| self.known.lineage.get(row.node).id.clone();
        let work = self.screen.stops();
        let asks = page > 0 && self.screen.asks() && !self.seen();
        if let Screen::Search(search) = &mut self.screen
            && let Some(run) = &mut search.run
        {
            run.seen();
        }
        self.drawn = Drawn {
            cursor: self.tree.current().as_ref().map(id),
            rows: self.tree.drawn(page).iter().map(id).collect(),
            note: self.note.is_some(),
            work: work.then(|| self.drawn.work.unwrap_or(self.now)),
            face: (page > 0).then(|| Face::of(&self.screen)),
        };
        asks.then_some(Effect::DropTyped).into_iter().collect()
    }

    /// A number for the next request.
    fn next(&mut self) -> Generation {
        self.generation += 1;
        self.generation
    }

    /// Says something in the hint line until the next key.
    fn tell(&mut self, what: &str) {
        self.note = Some(SafeText::line(what));
    }

    /// The session under the cursor.
    pub(crate) fn current(&self) -> Option<&Session> {
        let row = self.tree.current()?;
        Some(self.known.lineage.get(row.node))
    }

    /// Whether we hold a session.
    pub(crate) fn holds(&self, id: &SessionId) -> bool {
        self.held.as_ref().is_some_and(|(held, _)| held == id)
    }

    /// Lists the store, now or once the listing under way has ended.
    fn look_again(&mut self, fx: &mut Vec<Effect>) {
        self.changed = self.known.scanning();
        if !self.changed {
            let generation = self.next();
            let seen = self.known.begin(generation);
            fx.push(Effect::Scan { generation, seen });
        }
    }

    /// Opens a conversation over a screen.
    fn open_reader(&mut self, id: SessionId, back: Screen, fx: &mut Vec<Effect>) -> Screen {
        self.open_reader_at(id, back, None, fx)
    }

    /// The same, at the message there, with what was found in it.
    fn open_reader_at(
        &mut self,
        id: SessionId,
        back: Screen,
        hit: Option<(u64, Needle)>,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        let text = self.layout.text();
        let generation = self.next();
        let size = (text.width, text.height);
        let secrets = self.start.secrets;
        let (reader, effect) = reader::Reader::open(id, back, hit, size, secrets, generation);
        fx.push(effect);
        fx.push(reader.count_tokens());
        Screen::Reader(Box::new(reader))
    }

    fn lay_out(&mut self) {
        self.layout = self.layout_for(self.size);
    }

    /// Where everything is on a terminal of so many columns and rows.
    pub(crate) fn layout_for(&self, size: (u16, u16)) -> Layout {
        let filter = if self.query.is_empty() && !matches!(self.screen, Screen::Filter(_)) {
            FilterLine::Hidden
        } else {
            FilterLine::Shown
        };
        Layout::of(size, filter)
    }
}
