//! Text as secrets are looked for in it: without what may have been put into one to split it, and
//! with line breaks and ASCII that are escaped as in JSON (`\n`, `\u0073k-…`) as themselves.
//!
//! Must never lose its way back: every place in the bare text is one in the real text.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar as _;

use super::super::strip::{MARK, Shape};

/// Text without its marks, without characters that have no width, and without escapes.
pub(super) struct Bare<'t> {
    text: Cow<'t, str>,
    gaps: Vec<Gap>,
    shape: Shape,
}

/// Where characters were taken out.
struct Gap {
    /// The place in the bare text that they were before.
    at: usize,
    /// All bytes taken out up to here.
    removed: usize,
}

impl<'t> Bare<'t> {
    pub(super) fn of(text: &'t str, shape: Shape) -> Self {
        let mut bare = Self {
            text: Cow::Borrowed(text),
            gaps: Vec::new(),
            shape,
        };
        let seen = text.is_ascii() || !text.chars().any(splits);
        if seen && !text.contains('\\') {
            return bare;
        }
        let mut kept = String::with_capacity(text.len());
        let mut removed = 0;
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let (stands_for, length) = match escaped(rest) {
                Some((c, length)) => (Some(c), length),
                None => (Some(c).filter(|c| !splits(*c)), c.len_utf8()),
            };
            rest = &rest[length..];
            kept.extend(stands_for);
            let gone = length - stands_for.map_or(0, char::len_utf8);
            if gone == 0 {
                continue;
            }
            removed += gone;
            let at = kept.len();
            match bare.gaps.last_mut() {
                Some(gap) if gap.at == at => gap.removed = removed,
                _ => bare.gaps.push(Gap { at, removed }),
            }
        }
        bare.text = Cow::Owned(kept);
        bare
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The place in the real text, behind what was taken out there.
    pub(super) fn real(&self, at: usize) -> usize {
        let gaps = self.gaps.partition_point(|gap| gap.at <= at);
        at + self.gaps[..gaps].last().map_or(0, |gap| gap.removed)
    }

    /// Whether a token may begin here: behind no letter, digit, `-` or `_`, unless something was
    /// between.
    pub(super) fn begins(&self, at: usize) -> bool {
        let goes_on = self.text.as_bytes()[..at]
            .last()
            .is_some_and(|b| in_token(*b));
        !goes_on || self.gaps.binary_search_by_key(&at, |gap| gap.at).is_ok()
    }

    /// Whether the text was perhaps cut here. Paths are never cut.
    pub(super) fn cut_at(&self, at: usize) -> bool {
        self.shape != Shape::Path && matches!(&self.text[at..], "" | "…" | "...")
    }
}

/// Whether a token can go on with it.
pub(super) fn in_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// The character whose escape begins `text`, and the escape's length; only a break or ASCII.
fn escaped(text: &str) -> Option<(char, usize)> {
    let after = text.strip_prefix('\\')?;
    match after.as_bytes() {
        [b'n' | b'r', ..] => Some(('\n', 2)),
        [b't', ..] => Some((' ', 2)),
        [b'u', b'0', b'0', ..] => {
            let byte = u8::from_str_radix(after.get(3..5)?, 16).ok()?;
            matches!(byte, b' '..=b'~').then_some((char::from(byte), 6))
        }
        _ => None,
    }
}

fn splits(c: char) -> bool {
    c == MARK || (c > '\u{2ff}' && c.width() == Some(0))
}
