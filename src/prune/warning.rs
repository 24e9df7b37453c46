//! What is to be said beside the verdicts of a prune. Pure; worded once, here.

use std::fmt;
use std::mem::discriminant;

use serde::{Serialize, Serializer};

use super::expiry::KeepBatch;
use super::plan::Most;
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
    /// Why nothing of the trash would go with a yes beforehand, which nobody is shown it for.
    TrashUnasked(KeepBatch),
    /// What a killed run left is unlinked for good: the sessions and batches.
    Finishes(Vec<String>),
    /// What a killed run was to unlink goes back to where it was: a session or a batch, and why.
    ComesBack(String, SafeText),
    /// What another program made in the place of a session, and where it was put.
    PutAside(SafeText),
    /// The record of removals cannot be written; says so.
    Unrecorded(SafeText),
    /// So much would go that whoever cannot be asked has to say more than yes.
    Most(Most),
}

impl Warning {
    /// Whether it says the same, or the same anew.
    pub(super) fn replaces(&self, known: &Self) -> bool {
        match (self, known) {
            (Self::ComesBack(name, _), Self::ComesBack(known, _)) => name == known,
            (Self::PutAside(what), Self::PutAside(known)) => what == known,
            _ => discriminant(self) == discriminant(known),
        }
    }

    /// Whether it is of what a killed run left.
    pub(super) fn is_of_a_killed_run(&self) -> bool {
        matches!(self, Self::Finishes(_) | Self::ComesBack(..))
    }

    /// Whether somebody who was told `known` learns something from this.
    pub fn adds_to(&self, known: &Self) -> bool {
        match (self, known) {
            (Self::DamagedWithoutParent(now), Self::DamagedWithoutParent(then))
            | (Self::ReadLately(now), Self::ReadLately(then)) => now > then,
            (Self::Unseen(now), Self::Unseen(then)) => now.iter().any(|h| !then.contains(h)),
            _ => self != known,
        }
    }

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
            Self::TrashUnasked(_) => "trash kept".to_owned(),
            Self::Finishes(names) => format!("{} left by a killed run", names.len()),
            Self::ComesBack(name, _) => format!("{name} comes back"),
            Self::PutAside(_) => "something put aside".to_owned(),
            Self::Unrecorded(_) => "not recorded".to_owned(),
            Self::Most(_) => "more than half".to_owned(),
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
                f.write_str("1 damaged session may descend from what is removed")
            }
            Self::DamagedWithoutParent(count) => {
                write!(
                    f,
                    "{count} damaged sessions may descend from what is removed"
                )
            }
            Self::Unseen(holders) => f.write_str(&unleased(holders)),
            Self::ReadLately(count) => {
                let sessions = if *count == 1 { "session" } else { "sessions" };
                write!(
                    f,
                    "{count} {sessions} of what is removed may have been read in the last 24 \
                     hours, by an agent that takes no lease or by any other program"
                )
            }
            Self::TrashUnchecked(refusal) => {
                write!(f, "the trash could not be looked at: {refusal}")
            }
            Self::TrashUnasked(why) => {
                write!(f, "with --yes nothing of the trash goes: {why}")
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
            Self::PutAside(what) | Self::Unrecorded(what) => what.fmt(f),
            Self::Most(most) => write!(f, "{most}: off a terminal that needs --yes-most"),
        }
    }
}

/// As its text.
impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
