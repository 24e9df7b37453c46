//! Keeps marks from piling up and from standing alone.
//!
//! Must never let through: more than [`MARKS_MAX`] characters without a width in a row, a
//! grapheme that a screen would drop because it has no width, or one so long that its width
//! cannot be trusted.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthChar as _;

use super::measure;
use super::strip::MARK;

/// Combining marks on one base.
const MARKS_MAX: usize = 8;

/// Characters in one grapheme; the longest emoji in use has ten.
const GRAPHEME_MAX: usize = 32;

/// The first combining mark: without one from here on, every grapheme is one character.
const FIRST_MARK: char = '\u{300}';

/// Marks beyond the limit are left out; a grapheme that cannot be shown becomes [`MARK`].
///
/// Idempotent: leaving out depends on the characters kept so far alone, and a [`MARK`] joins
/// with none of its neighbours, so what was kept is kept again.
pub(super) fn limited(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.is_ascii() || text.chars().all(|c| c < FIRST_MARK) {
        return text;
    }
    let mut text = text.into_owned();
    let mut marks = 0;
    text.retain(|c| {
        marks = if weightless(c) { marks + 1 } else { 0 };
        marks <= MARKS_MAX
    });
    let mut shown = String::with_capacity(text.len());
    for grapheme in text.graphemes(true) {
        if showable(grapheme) {
            shown.push_str(grapheme);
        } else {
            shown.push(MARK);
        }
    }
    Cow::Owned(shown)
}

fn weightless(c: char) -> bool {
    c.width() == Some(0)
}

fn showable(grapheme: &str) -> bool {
    if grapheme.len() == 1 {
        return true;
    }
    grapheme.chars().nth(GRAPHEME_MAX).is_none() && measure::grapheme_width(grapheme) > 0
}
