//! What is to be said beside the verdicts of a prune. Pure; worded once, here.

use std::fmt;

use crate::session::Refusal;
use crate::text::SafeText;

/// What somebody should know who is about to say yes, or has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// So many sessions cannot be read so far that their parent is known.
    DamagedWithoutParent(usize),
    /// It cannot be told what of the trash is to be emptied.
    TrashUnchecked(Refusal),
    /// The record of removals cannot be written; says so.
    Unrecorded(SafeText),
    /// Something that was removed for good is still on the disk.
    Leftover(SafeText),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DamagedWithoutParent(1) => {
                f.write_str("1 damaged session may descend from what goes")
            }
            Self::DamagedWithoutParent(count) => {
                write!(f, "{count} damaged sessions may descend from what goes")
            }
            Self::TrashUnchecked(refusal) => {
                write!(f, "the trash could not be looked at: {refusal}")
            }
            Self::Unrecorded(what) | Self::Leftover(what) => what.fmt(f),
        }
    }
}
