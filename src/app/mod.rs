//! The screen's state.

pub mod msg;

use std::ffi::OsString;
use std::path::PathBuf;

use chrono::{DateTime, Utc};

use crate::prune::policy::Age;
use crate::session::Agent;
use crate::text::SafeText;
use msg::{Effect, Msg};

/// What a screen starts from.
#[derive(Clone, Debug)]
pub struct Start {
    /// Whose sessions.
    pub agent: Agent,
    /// The sessions folder.
    pub root: PathBuf,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The folder we were started in.
    pub here: Option<PathBuf>,
    /// The agent's own retention setting, or what is wrong with it.
    pub retention: Result<Option<Age>, SafeText>,
    /// The agent's program with leading arguments; never empty.
    pub command: Vec<OsString>,
    /// The time.
    pub now: DateTime<Utc>,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Whether colours are not wanted.
    pub no_color: bool,
    /// What the list is filtered by at first.
    pub query: Option<String>,
}

/// The screen's state.
#[derive(Debug)]
pub struct Model {}

impl Model {
    /// A screen before anything is known, and what to ask for first.
    pub fn new(_start: Start) -> (Self, Vec<Effect>) {
        (Self {}, Vec::new())
    }

    /// The screen was drawn as it is now: keys that arrive from here on were typed by somebody who
    /// could see it. To be called after each draw; what it asks for is to be done before the next key is read.
    #[must_use]
    pub fn drawn(&mut self) -> Vec<Effect> {
        Vec::new()
    }
}

/// The only thing that changes the state.
pub fn update(_model: &mut Model, _msg: Msg) -> Vec<Effect> {
    Vec::new()
}
