//! What was removed for good and is still on the disk: data, JSON and text.

use std::fmt;

use serde::Serialize;

use crate::text::SafeText;

/// What was to go and is still on the disk, though in no list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Leftover {
    /// The batch or the session that it was.
    pub name: String,
    /// Why it is still there, and how it goes.
    pub reason: String,
}

impl Leftover {
    /// What is left of `name`, because of this.
    pub fn new(name: &str, why: &str) -> Self {
        let why = SafeText::line(why);
        Self {
            name: SafeText::line(name).as_str().to_owned(),
            reason: format!(
                "not all of it could be unlinked ({why}); the next prune or `sesstree trash \
                 empty` finishes it"
            ),
        }
    }
}

/// Adds what is left by a later look: what it says of the same thing is said once.
pub(in crate::prune) fn add(known: &mut Vec<Leftover>, later: Vec<Leftover>) {
    known.retain(|old| later.iter().all(|new| new.name != old.name));
    known.extend(later);
}

pub(super) fn tell(f: &mut fmt::Formatter<'_>, leftovers: &[Leftover]) -> fmt::Result {
    if leftovers.is_empty() {
        return Ok(());
    }
    writeln!(
        f,
        "Gone from every list, but still on the disk {}:",
        leftovers.len()
    )?;
    for left in leftovers {
        writeln!(f, "  {}  {}", left.name, left.reason)?;
    }
    Ok(())
}
