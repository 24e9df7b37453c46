//! What is to be said beside the verdicts of a prune. Pure; worded once, here.

use std::fmt;
use std::mem::discriminant;

use crate::session::{Holder, Refusal, unleased};
use crate::text::SafeText;

/// What somebody should know who is about to say yes, or has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// So many sessions cannot be read so far that their parent is known.
    DamagedWithoutParent(usize),
    /// These processes of an agent hold no lease: what they have open cannot be seen.
    Unseen(Vec<Holder>),
    /// So many of the sessions that go were read in the last 24 hours.
    ReadLately(usize),
    /// It cannot be told what of the trash is to be emptied.
    TrashUnchecked(Refusal),
    /// What a killed run left is unlinked for good: the sessions and batches.
    Finishes(Vec<String>),
    /// What a killed run was to unlink goes back to where it was: a session or a batch, and why.
    ComesBack(String, SafeText),
    /// The record of removals cannot be written; says so.
    Unrecorded(SafeText),
}

impl Warning {
    /// Whether it says the same, or the same anew.
    pub(super) fn replaces(&self, known: &Self) -> bool {
        match (self, known) {
            (Self::ComesBack(name, _), Self::ComesBack(known, _)) => name == known,
            _ => discriminant(self) == discriminant(known),
        }
    }

    /// Whether it is of what a killed run left.
    pub(super) fn is_of_a_killed_run(&self) -> bool {
        matches!(self, Self::Finishes(_) | Self::ComesBack(..))
    }
}

impl Warning {
    /// The same in a few words, for where there is no room.
    pub fn brief(&self) -> String {
        match self {
            Self::DamagedWithoutParent(count) => format!("{count} damaged may descend from these"),
            Self::Unseen(holders) => {
                let name = holders.first().map_or("", |holder| holder.process.as_str());
                let pids = holders.iter().take(PIDS).map(|h| h.pid.to_string());
                let pids = pids.collect::<Vec<_>>().join(", ");
                let more = if holders.len() > PIDS { " …" } else { "" };
                format!("{name} without a lease (pid {pids}{more})")
            }
            Self::ReadLately(count) => format!("{count} read within a day"),
            Self::TrashUnchecked(_) => "trash not looked at".to_owned(),
            Self::Finishes(names) => format!("{} left by a killed run", names.len()),
            Self::ComesBack(name, _) => format!("{name} comes back"),
            Self::Unrecorded(_) => "not recorded".to_owned(),
        }
    }
}

/// What is named of many.
const NAMES: usize = 5;
/// Processes that are named in a few words.
const PIDS: usize = 2;

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DamagedWithoutParent(1) => {
                f.write_str("1 damaged session may descend from what goes")
            }
            Self::DamagedWithoutParent(count) => {
                write!(f, "{count} damaged sessions may descend from what goes")
            }
            Self::Unseen(holders) => f.write_str(&unleased(holders)),
            Self::ReadLately(count) => {
                let sessions = if *count == 1 { "session" } else { "sessions" };
                write!(
                    f,
                    "{count} {sessions} of what goes may have been read in the last 24 hours, by \
                     an agent that takes no lease or by any other program"
                )
            }
            Self::TrashUnchecked(refusal) => {
                write!(f, "the trash could not be looked at: {refusal}")
            }
            Self::Finishes(all) => {
                let some = &all[..all.len().min(NAMES)];
                write!(
                    f,
                    "left by a killed run, unlinked for good: {}",
                    some.join(", ")
                )?;
                match all.len() - some.len() {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
            Self::ComesBack(name, why) => {
                write!(
                    f,
                    "left by a killed run, goes back to where it was: {name}: {why}"
                )
            }
            Self::Unrecorded(what) => what.fmt(f),
        }
    }
}
