//! Terms: what is to be true of a session, by a key.

use chrono::{DateTime, Utc};

use super::{Changing, Marks};
use crate::session::{Condition, Folder, Openness, Session};
use crate::text::SafeText;

/// What is to be true of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term {
    /// Its agent's name begins so.
    Agent(String),
    /// The path of its folder has this in it, whatever the case.
    Project(String),
    /// Its model's name has this in it, whatever the case.
    Model(String),
    /// Its kind's word begins so; what a person began is `main`.
    Kind(String),
    Open,
    Old,
    Pinned,
    Damaged,
    Selected,
    /// It was last active before.
    Before(DateTime<Utc>),
    /// It was last active at that time or later.
    Since(DateTime<Utc>),
    /// At least so many bytes on disk.
    AtLeast(u64),
    /// Less than so many bytes on disk.
    LessThan(u64),
}

/// What a value of `is:` means.
pub(super) const STATES: [(&str, Term); 5] = [
    ("open", Term::Open),
    ("old", Term::Old),
    ("pinned", Term::Pinned),
    ("damaged", Term::Damaged),
    ("selected", Term::Selected),
];

/// The word for what a person began, which agents leave out.
pub(super) const MAIN: &str = "main";

impl Term {
    /// Whether it is true of a session. What is not known is true of none.
    pub(super) fn holds(&self, session: &Session, marks: Marks) -> bool {
        match self {
            Self::Agent(name) => session.agent.name().starts_with(name),
            Self::Project(part) => has(session.cwd.as_deref().map(Folder::shown), part),
            Self::Model(part) => has(session.model.as_deref(), part),
            Self::Kind(word) => kind(session).starts_with(word),
            Self::Open => matches!(session.open, Openness::Open(_) | Openness::Maybe),
            Self::Old => marks.old,
            Self::Pinned => session.pinned,
            Self::Damaged => session.condition != Condition::Sound,
            Self::Selected => marks.selected,
            Self::Before(time) => session.activity_at.is_some_and(|at| at < *time),
            Self::Since(time) => session.activity_at.is_some_and(|at| at >= *time),
            Self::AtLeast(bytes) => session.bytes.is_some_and(|own| own >= *bytes),
            Self::LessThan(bytes) => session.bytes.is_some_and(|own| own < *bytes),
        }
    }
}

impl Term {
    /// What makes it true or not, beside what the session is.
    pub(super) fn asks_for(&self) -> Option<Changing> {
        match self {
            Self::Open | Self::Old | Self::Pinned | Self::Selected => Some(Changing::Marks),
            Self::AtLeast(_) | Self::LessThan(_) => Some(Changing::Sizes),
            _ => None,
        }
    }
}

/// The word for a session's kind.
pub(super) fn kind(session: &Session) -> &str {
    match session.kind.word() {
        "" => MAIN,
        word => word,
    }
}

fn has(text: Option<&SafeText>, part: &str) -> bool {
    text.is_some_and(|text| text.as_str().to_lowercase().contains(part))
}
