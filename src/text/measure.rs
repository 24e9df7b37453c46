//! How wide text is, and how it is cut.
//!
//! Must never differ from what the screen does: ratatui puts one grapheme after the other into
//! cells and asks [`ratatui::buffer::CellWidth`] for the width of each, so that is the only measure here.
//! Nothing is cut inside a grapheme. All of it wants text that is already safe.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::buffer::CellWidth as _;
use textwrap::WordSeparator;
use textwrap::core::Fragment;
use textwrap::wrap_algorithms::wrap_first_fit;
use unicode_segmentation::UnicodeSegmentation as _;

/// Stands for what was cut; one column wide.
pub(super) const CUT: &str = "…";

/// Columns a grapheme takes; it must not be a line break.
pub(super) fn grapheme_width(grapheme: &str) -> usize {
    usize::from(grapheme.cell_width())
}

/// Columns a line takes.
pub(super) fn width(line: &str) -> usize {
    if line.is_ascii() {
        return line.len();
    }
    line.graphemes(true).map(grapheme_width).sum()
}

/// The beginning of the first line of `text`, at most `columns` wide.
pub(super) fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    let (line, more) = match text.split_once('\n') {
        Some((line, _)) => (line, true),
        None => (text, false),
    };
    if !more && width(line) <= columns {
        return Cow::Borrowed(line);
    }
    let Some(room) = columns.checked_sub(1) else {
        return Cow::Borrowed("");
    };
    let kept = line.graphemes(true).scan(0, within(room)).sum::<usize>();
    let mut shown = String::with_capacity(kept + CUT.len());
    shown.push_str(&line[..kept]);
    shown.push_str(CUT);
    Cow::Owned(shown)
}

/// The end of the last line of `text`, at most `columns` wide.
pub(super) fn cut_start(text: &str, columns: usize) -> Cow<'_, str> {
    let (line, more) = match text.rsplit_once('\n') {
        Some((_, line)) => (line, true),
        None => (text, false),
    };
    if !more && width(line) <= columns {
        return Cow::Borrowed(line);
    }
    let Some(room) = columns.checked_sub(1) else {
        return Cow::Borrowed("");
    };
    let graphemes = line.graphemes(true).rev();
    let kept = graphemes.scan(0, within(room)).sum::<usize>();
    let mut shown = String::with_capacity(kept + CUT.len());
    shown.push_str(CUT);
    shown.push_str(&line[line.len() - kept..]);
    Cow::Owned(shown)
}

/// Which bytes of a line to keep so that they are at most `columns` wide with a [`CUT`] at each end
/// where more was, and byte `at` is among them, if anything can be. A quarter of the room is for what
/// comes before it.
pub(super) fn around(line: &str, at: usize, columns: usize) -> Range<usize> {
    if width(line) <= columns {
        return 0..line.len();
    }
    let room = columns.saturating_sub(2);
    let begins = line.grapheme_indices(true).map(|(begin, _)| begin);
    let at = begins.take_while(|begin| *begin <= at).last().unwrap_or(0);
    let before = line[..at].graphemes(true).rev();
    let start = at - before.scan(0, within(room / 4)).sum::<usize>();
    let room = if start == 0 { room + 1 } else { room };
    let kept = line[start..].graphemes(true).scan(0, within(room));
    let end = start + kept.sum::<usize>();
    if end < line.len() {
        return start..end;
    }
    // The end is near: more of what comes before fits.
    let room = columns.saturating_sub(1 + width(&line[start..]));
    let before = line[..start].graphemes(true).rev();
    start - before.scan(0, within(room)).sum::<usize>()..end
}

/// Tells the bytes of each grapheme for as long as all of them fit into `room` columns.
fn within<'a>(room: usize) -> impl FnMut(&mut usize, &'a str) -> Option<usize> {
    move |used, grapheme| {
        *used += grapheme_width(grapheme);
        (*used <= room).then_some(grapheme.len())
    }
}

/// A line in parts at most `columns` wide; none if `columns` is 0.
pub(super) fn wrap(line: &str, columns: usize) -> Vec<String> {
    if columns == 0 {
        return Vec::new();
    }
    if width(line) <= columns {
        return vec![line.to_owned()];
    }
    let mut pieces = Vec::new();
    for word in WordSeparator::AsciiSpace.find_words(line) {
        break_word(word.word, columns, &mut pieces);
        if let Some(last) = pieces.last_mut() {
            last.spaces = word.whitespace;
        }
    }
    // Columns beyond the precision of an f64 are wider than any text.
    #[expect(clippy::cast_precision_loss, reason = "textwrap measures in f64")]
    let lines = wrap_first_fit(&pieces, &[columns as f64]);
    lines.into_iter().map(joined).collect()
}

/// A word, or as much of it as fits into a line.
#[derive(Debug)]
struct Piece<'a> {
    text: &'a str,
    width: usize,
    /// The spaces behind it, if it ends a word.
    spaces: &'a str,
}

#[expect(clippy::cast_precision_loss, reason = "textwrap measures in f64")]
impl Fragment for Piece<'_> {
    fn width(&self) -> f64 {
        self.width as f64
    }

    fn whitespace_width(&self) -> f64 {
        self.spaces.len() as f64
    }

    fn penalty_width(&self) -> f64 {
        0.0
    }
}

/// Breaks a word into pieces at most `columns` wide. A grapheme wider than that is lost, and a
/// mark that stood on the space before the word needs something to be seen by.
fn break_word<'a>(word: &'a str, columns: usize, pieces: &mut Vec<Piece<'a>>) {
    let mut start = 0;
    let mut used = 0;
    let mut piece = |text, width| {
        pieces.push(Piece {
            text,
            width,
            spaces: "",
        });
    };
    for (at, grapheme) in word.grapheme_indices(true) {
        let wide = grapheme_width(grapheme);
        if used + wide > columns && at > start {
            piece(&word[start..at], used);
            (start, used) = (at, 0);
        }
        match wide {
            0 => piece("·", 1),
            wide if wide > columns => piece("…", 1),
            wide => {
                used += wide;
                continue;
            }
        }
        start = at + grapheme.len();
    }
    if start < word.len() || word.is_empty() {
        piece(&word[start..], used);
    }
}

/// The pieces of one line, without the spaces at its end.
fn joined(pieces: &[Piece<'_>]) -> String {
    let mut line = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        line.push_str(piece.text);
        if index + 1 < pieces.len() {
            line.push_str(piece.spaces);
        }
    }
    line
}
