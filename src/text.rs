//! Text that can do nothing but be read.
//!
//! Titles, paths, transcripts, agent names and error texts come from files that
//! anybody may have written. Invariant: no text reaches a cell of the screen, a
//! report, JSON or stderr before it is a [`SafeText`], and a [`SafeText`] never
//! holds a control character, an escape sequence or an invisible character.
//! This room knows nothing of the others.

use std::fmt;
use std::path::Path;

use serde::Serialize;
use unicode_width::UnicodeWidthStr;

/// Control-free text; cheap to keep (two words), equal by content.
///
/// [`SafeText::line`] never holds a line break; [`SafeText::block`] may hold `\n`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SafeText(Box<str>);

impl SafeText {
    /// One line: every run of white space and line breaks becomes one space, ends are trimmed.
    pub fn line(raw: &str) -> Self {
        Self(raw.chars().filter(|c| !c.is_control()).collect())
    }

    /// Several lines: `\n` stays, tabs become spaces.
    pub fn block(raw: &str) -> Self {
        Self(
            raw.chars()
                .filter(|c| !c.is_control() || *c == '\n')
                .collect(),
        )
    }

    /// A path as it is shown; bytes that are not UTF-8 become visible marks.
    pub fn path(path: &Path) -> Self {
        Self::line(&path.to_string_lossy())
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Columns the text takes in a terminal (a block: its widest line).
    pub fn width(&self) -> usize {
        self.0
            .lines()
            .map(UnicodeWidthStr::width)
            .max()
            .unwrap_or(0)
    }
}

impl fmt::Display for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
