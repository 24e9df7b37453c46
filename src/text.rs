//! Text that can do nothing but be read.
//!
//! Titles, paths, transcripts, agent names and error texts come from files that
//! anybody may have written. Invariant: no text reaches a cell of the screen, a
//! report, JSON or stderr before it is a [`SafeText`], and a [`SafeText`] never
//! holds a control character, an escape sequence, an invisible character or a secret that
//! can be told from other text. This room knows nothing of the others.
//!
//! The steps, in [`SafeText::made`]: escape sequences are taken out and what cannot be
//! seen becomes a mark ([`strip`]), marks piled on one another are limited ([`limit`]),
//! then secrets are taken out ([`redact`]). Measuring and cutting ([`measure`]) come last,
//! on what is left.

mod limit;
mod measure;
mod redact;
mod strip;

use std::fmt;
use std::fmt::Write as _;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use serde::Serialize;

use strip::Shape;

/// What becomes of secrets in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Secrets {
    /// They are taken out.
    #[default]
    Hidden,
    /// They stay, because the person asked for that.
    Shown,
}

/// Control-free text; cheap to keep (two words), equal by content.
///
/// [`SafeText::line`] never holds a line break; [`SafeText::block`] may hold `\n`.
/// Both are idempotent: safe text is not changed by being made safe again.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SafeText(Box<str>);

impl SafeText {
    /// One line: every run of white space and line breaks becomes one space, ends are trimmed.
    pub fn line(raw: &str) -> Self {
        Self::line_with(raw, Secrets::Hidden)
    }

    /// The same, with its secrets or without.
    pub fn line_with(raw: &str, secrets: Secrets) -> Self {
        Self::made(raw, Shape::Line, secrets)
    }

    /// Several lines: `\n` stays, `\r\n` becomes `\n`, tabs become spaces up to the next
    /// column that four divides.
    pub fn block(raw: &str) -> Self {
        Self::block_with(raw, Secrets::Hidden)
    }

    /// The same, with its secrets or without.
    pub fn block_with(raw: &str, secrets: Secrets) -> Self {
        Self::made(raw, Shape::Block, secrets)
    }

    /// A path as it is shown, on one line: spaces stay as they are, and bytes that are not
    /// UTF-8 become visible as `\xNN`.
    pub fn path(path: &Path) -> Self {
        Self::path_with(path, Secrets::Hidden)
    }

    /// The same, with its secrets or without.
    pub fn path_with(path: &Path, secrets: Secrets) -> Self {
        let bytes = path.as_os_str().as_bytes();
        let Ok(text) = str::from_utf8(bytes) else {
            return Self::made(&spelled(bytes), Shape::Path, secrets);
        };
        Self::made(text, Shape::Path, secrets)
    }

    /// The one way by which text becomes safe. Secrets are looked for in the whole of a text, as
    /// people will see it and before any of it is cut. It is the last step, and none depends on
    /// it: text that may show its secrets is what the step is given.
    fn made(raw: &str, shape: Shape, secrets: Secrets) -> Self {
        let visible = limit::limited(strip::visible(raw, shape));
        Self(match secrets {
            Secrets::Hidden => redact::redacted(visible, shape),
            Secrets::Shown => visible.into(),
        })
    }

    /// The text without its secrets, for what outlives the screen.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        Self::block(&self.0)
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a secret was taken out, or the text looks as if.
    pub fn hides_secrets(&self) -> bool {
        self.as_str().contains(redact::REDACTED)
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The lines of a block; one for a line, none if empty.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.lines()
    }

    /// Columns the text takes in a terminal (a block: its widest line).
    pub fn width(&self) -> usize {
        self.lines().map(measure::width).max().unwrap_or(0)
    }

    /// The beginning, at most `columns` wide, with `…` for what is lost. Of a block, the first line.
    #[must_use]
    pub fn cut(&self, columns: usize) -> Self {
        Self(measure::cut(&self.0, columns).into())
    }

    /// The end, at most `columns` wide, with `…` for what is lost. Of a block, the last line.
    #[must_use]
    pub fn cut_start(&self, columns: usize) -> Self {
        Self(measure::cut_start(&self.0, columns).into())
    }

    /// What is around byte `at` of a line, at most `columns` wide, with `…` for what is lost. Of a block, the line that `at` is in.
    #[must_use]
    pub fn around(&self, at: usize, columns: usize) -> Excerpt {
        let at = self.0.floor_char_boundary(at);
        let start = self.0[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = self.0[at..].find('\n').map_or(self.0.len(), |end| at + end);
        let kept = measure::around(&self.0[start..end], at - start, columns);
        let kept = start + kept.start..start + kept.end;
        let before = if kept.start > start { measure::CUT } else { "" };
        let behind = if kept.end < end { measure::CUT } else { "" };
        Excerpt {
            text: Self([before, &self.0[kept.clone()], behind].concat().into()),
            begins: before.len(),
            kept,
        }
    }

    /// Cut and filled with spaces: exactly `columns` wide.
    #[must_use]
    pub fn pad(&self, columns: usize) -> Self {
        let mut text = measure::cut(&self.0, columns).into_owned();
        let missing = columns.saturating_sub(measure::width(&text));
        text.extend(std::iter::repeat_n(' ', missing));
        Self(text.into())
    }

    /// All of it in lines at most `columns` wide, broken between words where that can be.
    /// No lines if `columns` is 0.
    pub fn wrap(&self, columns: usize) -> Vec<Self> {
        let wrapped = self.lines().flat_map(|line| measure::wrap(line, columns));
        wrapped.map(|line| Self(line.into())).collect()
    }
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The piece, with what stands for the rest.
    pub text: SafeText,
    /// Which bytes of the whole it is.
    pub kept: Range<usize>,
    /// Where in the piece those begin.
    begins: usize,
}

impl Excerpt {
    /// Where in the piece a part of the whole is; `None`: nothing of it is.
    pub fn place(&self, part: &Range<usize>) -> Option<Range<usize>> {
        let start = part.start.max(self.kept.start);
        let end = part.end.min(self.kept.end);
        let place = |at| at - self.kept.start + self.begins;
        (start < end).then(|| place(start)..place(end))
    }
}

/// Bytes as text, those that are not UTF-8 as `\xNN`.
fn spelled(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 12);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

impl fmt::Display for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests;
