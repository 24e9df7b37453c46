//! Text as secrets are looked for in it: without what may have been put into one to split it, and
//! with what is escaped as in JSON and in shells (`\n`, `\u0073k-…`, `\x1b[1m`) as itself.
//!
//! Must never lose its way back: every place in the bare text is one in the real text.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar as _;

use super::super::strip::{self, MARK, Shape};
use super::run;

/// The character that begins an escape sequence.
const ESCAPE: u32 = 0x1b;

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
                Some(escaped) => escaped,
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
    /// between, or they are the escape of an address (`%3D`).
    pub(super) fn begins(&self, at: usize) -> bool {
        let before = &self.text.as_bytes()[..at];
        let goes_on = before.last().is_some_and(|b| in_token(*b));
        let in_address =
            matches!(before, [.., b'%', b'2' | b'3', last] if last.is_ascii_hexdigit());
        !goes_on || in_address || self.gaps.binary_search_by_key(&at, |gap| gap.at).is_ok()
    }

    /// Whether the text was perhaps cut here. Paths are never cut.
    pub(super) fn cut_at(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        let cut = rest.is_empty() || rest.starts_with('…') || rest.starts_with("...");
        self.shape != Shape::Path && cut
    }
}

/// Whether a token can go on with it.
pub(super) fn in_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// What the escape stands for that `text` begins with, and the escape's length: a break, ASCII, or
/// nothing where it is something that nobody sees.
fn escaped(text: &str) -> Option<(Option<char>, usize)> {
    let after = text.strip_prefix('\\')?;
    let hex = |digits: std::ops::Range<usize>| {
        let digits = after.get(digits)?;
        let all = digits.bytes().all(|b| b.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).ok().filter(|_| all)
    };
    let (code, length) = match after.as_bytes() {
        [b'n' | b'r', ..] => return Some((Some('\n'), 2)),
        [b't', ..] => return Some((Some(' '), 2)),
        [b'/', ..] => return Some((Some('/'), 2)),
        [b'u', ..] => (hex(1..5)?, 6),
        [b'x', ..] => (hex(1..3)?, 4),
        [b'0', b'3', b'3', ..] => (ESCAPE, 4),
        [b'e', b'[', ..] => (ESCAPE, 2),
        _ => return None,
    };
    match char::from_u32(code)? {
        c @ ' '..='~' => Some((Some(c), length)),
        '\u{1b}' => Some((None, length + sequence(&text[length..]))),
        c => strip::invisible(c).then_some((None, length)),
    }
}

/// How much of `text` belongs to the control sequence whose ESC is before it.
fn sequence(text: &str) -> usize {
    let parameters = run(text.strip_prefix('[').unwrap_or_default(), |b| {
        b.is_ascii_digit() || matches!(b, b';' | b'?')
    });
    let end = 1 + parameters;
    match text.as_bytes().get(end) {
        Some(last) if text.starts_with('[') && last.is_ascii_alphabetic() => end + 1,
        _ => 0,
    }
}

/// What shows nothing, or stands for what shows nothing; a picture of white space does not.
fn splits(c: char) -> bool {
    c == MARK
        || (c > '\u{2ff}' && c.width() == Some(0))
        || matches!(c, '\u{2400}'..='\u{2421}' if !matches!(c, '␉'..='␍' | '␠'))
}
