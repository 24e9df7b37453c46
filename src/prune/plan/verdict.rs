//! What becomes of a candidate, and why. Worded once, here and in [`Refusal`].

use std::fmt;

use crate::session::{Condition, Refusal, SessionId};
use crate::text::SafeText;

/// Why a candidate stays. Worded once, here and in [`Refusal`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeepReason {
    /// Something that descends from it stays.
    AncestorOf(SessionId),
    /// Asked for by name, but active within [`crate::prune::policy::Age::MIN`].
    TooYoung,
    /// It has no metadata, and something in it was changed within a day.
    YoungRemnant,
    /// Its time cannot be read.
    Undated,
    /// Its time lies in the future.
    Future,
    /// Its time lies before any coding agent's.
    TooOld,
    /// It descends from itself.
    Cycle,
    /// Its folder is not as it should be.
    Condition(Condition),
    /// A linked folder, which stays, is this one.
    LedTo(SessionId),
    /// The user pinned it.
    Pinned,
    /// The user took it out of the preview.
    TakenOut,
    /// The store refused, under its locks.
    Refused(Refusal),
}

impl KeepReason {
    /// Whether this says that the session could not be checked, rather than that it must stay.
    pub fn unchecked(&self) -> bool {
        matches!(
            self,
            Self::Condition(Condition::Damaged(_))
                | Self::Refused(Refusal::LeaseUnchecked(_) | Refusal::LockUnchecked(_))
        )
    }
}

impl fmt::Display for KeepReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AncestorOf(id) => write!(f, "ancestor of a session that stays: {id}"),
            Self::TooYoung => f.write_str("active in the last 24 hours"),
            Self::YoungRemnant => f.write_str("remnant: younger than a day"),
            Self::Undated => f.write_str("its last update time could not be read"),
            Self::Future => f.write_str("its time cannot be right: dated in the future"),
            Self::TooOld => f.write_str("its time cannot be right: dated before 2020"),
            Self::Cycle => f.write_str("descends from itself"),
            Self::Condition(condition) => condition.fmt(f),
            Self::LedTo(link) => write!(f, "a linked folder leads to it: {link}"),
            Self::Pinned => Refusal::Pinned.fmt(f),
            Self::TakenOut => f.write_str("taken out of the preview"),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl From<Refusal> for KeepReason {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// What is to become of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes to the trash.
    Remove,
    /// It stays.
    Keep(KeepReason),
    /// It was gone already; keeps nobody.
    Gone,
    /// Its removal went wrong; it stays.
    Failed(SafeText),
}

/// What becomes of what goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Disposal {
    /// It is moved to the trash, and can come back.
    #[default]
    Trash,
    /// It is deleted at once, for good.
    Delete,
}
