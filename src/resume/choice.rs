//! What a resume would meet, and what to do with a session that is held: plain data.

use std::path::PathBuf;

use crate::text::SafeText;

/// A session is held by us, and this is what a resume would meet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// The lease could not be taken; says why.
    pub unprotected: Option<SafeText>,
    /// The session's folder, when it is not there (or not a folder).
    pub missing_folder: Option<MissingFolder>,
    /// The agent's program, when it cannot be found.
    pub missing_program: Option<SafeText>,
}

/// A session's folder is not there any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingFolder {
    /// What the session names; `None`: it names none.
    pub folder: Option<PathBuf>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The nearest folder above it that exists.
    pub nearest: Option<PathBuf>,
}

/// What to do with a held session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// One reply without a screen.
    Continue(String),
    /// The agent's own screen; the command to type there is copied.
    OpenScreen,
    /// A fork that starts with this text.
    Fork(String),
}
