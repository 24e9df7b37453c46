//! Takes escape sequences out and makes what cannot be seen visible.
//!
//! Must never let through: a C0 or C1 control other than a block's line breaks, any part of
//! an escape sequence that a terminal would act on, a character that shows nothing.
//!
//! - **Escape sequences** go as a whole: CSI, the string sequences (OSC, DCS, SOS, PM, APC),
//!   escapes of two and more bytes, and their one-character forms in U+0080–U+009F. A sequence
//!   that is not finished ends before the first character that cannot belong to it; a string
//!   sequence ends at its terminator or at the end of its line, whichever comes first, so that
//!   an open one can hide no more than its own line.
//! - **Other controls** become their pictures (`␀`…, `␡`), an escape that begins nothing `␛`.
//! - **Invisible characters**, bidi controls and the rest of U+0080–U+009F become [`MARK`] each.
//!   Variation selectors and joiners stay where they form an emoji.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthChar as _;

/// Stands for one character that shows nothing.
pub(super) const MARK: char = '·';

/// Columns from one tab stop to the next.
const TAB: usize = 4;

/// Joiners in one emoji; families have three.
const JOINERS_MAX: u8 = 4;

const JOINER: char = '\u{200d}';

/// What becomes of white space.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Runs of it become one space; none at the ends.
    Line,
    /// Line breaks and spaces stay, tabs are expanded.
    Block,
    /// Spaces stay; the rest is made visible.
    Path,
}

/// `raw` with all of it visible and none of it active.
pub(super) fn visible(raw: &str, shape: Shape) -> Cow<'_, str> {
    if plain(raw, shape) {
        return Cow::Borrowed(raw);
    }
    let mut out = Out::new(shape, raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        let rest = chars.as_str();
        match after_sequence(c, rest) {
            Some(after) => chars = after.chars(),
            None => out.take(c, rest),
        }
    }
    Cow::Owned(out.text)
}

/// Printable ASCII that stays as it is: nearly every title and path.
fn plain(raw: &str, shape: Shape) -> bool {
    let bytes = raw.as_bytes();
    match shape {
        Shape::Path => bytes.iter().all(|b| matches!(b, b' '..=b'~')),
        Shape::Block => bytes.iter().all(|b| matches!(b, b' '..=b'~' | b'\n')),
        Shape::Line => {
            let mut before = b' ';
            let single = bytes.iter().all(|&b| {
                let fits = matches!(b, b'!'..=b'~') || (b == b' ' && before != b' ');
                before = b;
                fits
            });
            single && (bytes.is_empty() || before != b' ')
        }
    }
}

/// What follows the escape sequence that `c` begins; `None`: it begins none.
fn after_sequence(c: char, rest: &str) -> Option<&str> {
    match c {
        '\u{1b}' => after_escape(rest),
        '\u{9b}' => Some(after_csi(rest)),
        '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => Some(after_string(rest)),
        '\u{9c}' => Some(rest),
        _ => None,
    }
}

/// What follows an escape sequence, from behind its ESC.
fn after_escape(rest: &str) -> Option<&str> {
    let first = *rest.as_bytes().first()?;
    match first {
        b'[' => Some(after_csi(&rest[1..])),
        b']' | b'P' | b'X' | b'^' | b'_' => Some(after_string(&rest[1..])),
        b' '..=b'/' => {
            let end = skip(rest, 0, |b| matches!(b, b' '..=b'/'));
            Some(&rest[skip_one(rest, end, |b| matches!(b, b'0'..=b'~'))..])
        }
        b'0'..=b'~' => Some(&rest[1..]),
        _ => None,
    }
}

/// What follows a control sequence: parameters, intermediates, one final byte (ECMA-48, 5.4).
fn after_csi(rest: &str) -> &str {
    let end = skip(rest, 0, |b| matches!(b, b'0'..=b'?'));
    let end = skip(rest, end, |b| matches!(b, b' '..=b'/'));
    &rest[skip_one(rest, end, |b| matches!(b, b'@'..=b'~'))..]
}

/// What follows a string sequence. BEL and ST end it, CAN and SUB cancel it, ESC begins
/// another sequence; a line's end ends it too (see the module).
fn after_string(rest: &str) -> &str {
    let ends = |c| {
        matches!(
            c,
            '\u{7}' | '\u{18}' | '\u{1a}' | '\u{1b}' | '\u{9c}' | '\n' | '\r'
        )
    };
    let Some(end) = rest.find(ends) else {
        return "";
    };
    let tail = &rest[end..];
    match tail.as_bytes()[0] {
        b'\n' | b'\r' => tail,
        0x1b => tail.strip_prefix("\u{1b}\\").unwrap_or(tail),
        _ => {
            let mut chars = tail.chars();
            chars.next();
            chars.as_str()
        }
    }
}

/// The index of the first byte from `at` on that `belongs` refuses. Only ASCII belongs to a
/// sequence, so the index is always between two characters.
fn skip(text: &str, at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let run = text.as_bytes()[at..].iter().take_while(|b| belongs(**b));
    at + run.count()
}

/// `at`, or one more if the byte there belongs.
fn skip_one(text: &str, at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let next = text.as_bytes().get(at);
    at + usize::from(next.is_some_and(|b| belongs(*b)))
}

/// The text as it grows, and what decides about the next character.
struct Out {
    shape: Shape,
    text: String,
    /// White space was seen since the last character of a line.
    gap: bool,
    /// Columns since the last line break, for tabs.
    column: usize,
    /// Joiners in the emoji at the end.
    joiners: u8,
}

impl Out {
    fn new(shape: Shape, length: usize) -> Self {
        Self {
            shape,
            text: String::with_capacity(length),
            gap: false,
            column: 0,
            joiners: 0,
        }
    }

    /// Takes one character that is not part of an escape sequence; `rest` follows it.
    fn take(&mut self, c: char, rest: &str) {
        match (self.shape, c) {
            (Shape::Line, c) if blank(c) => self.gap = true,
            (Shape::Block, '\n') => {
                self.push('\n');
                self.column = 0;
            }
            (Shape::Block, '\r') if rest.starts_with('\n') => {}
            (Shape::Block, '\t') => {
                for _ in 0..TAB - self.column % TAB {
                    self.push(' ');
                }
            }
            (_, c) => self.show(c, rest),
        }
    }

    fn show(&mut self, c: char, rest: &str) {
        // A joiner or selector belongs to what is directly before it, and a gap is not.
        let stays = !self.gap && self.in_emoji(c, rest);
        if std::mem::take(&mut self.gap) && !self.text.is_empty() {
            self.push(' ');
        }
        self.push(if stays { c } else { shown(c) });
    }

    fn push(&mut self, c: char) {
        if c == JOINER {
            self.joiners += 1;
        } else if !self.text.ends_with(JOINER) && !modifies(c) {
            self.joiners = 0;
        }
        self.column += c.width().unwrap_or(0);
        self.text.push(c);
    }

    /// Whether `c` is a joiner or variation selector in its place in an emoji.
    fn in_emoji(&self, c: char, rest: &str) -> bool {
        let next = rest.chars().next();
        match c {
            '\u{fe0e}' | '\u{fe0f}' => match self.text.chars().next_back() {
                Some('0'..='9' | '#' | '*') => c == '\u{fe0f}' && next == Some('\u{20e3}'),
                Some(before) => pictographic(before),
                None => false,
            },
            JOINER => {
                let mut before = self.text.chars().rev().skip_while(|c| modifies(*c));
                self.joiners < JOINERS_MAX
                    && before.next().is_some_and(pictographic)
                    && next.is_some_and(pictographic)
            }
            _ => false,
        }
    }
}

/// White space that a line makes one space of. Line separators are marked instead; the empty
/// braille pattern looks like a space.
fn blank(c: char) -> bool {
    c == '\u{2800}' || (c.is_whitespace() && !matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}'))
}

/// A selector or a skin tone: may stand between an emoji and its joiner.
fn modifies(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Whether emoji can be joined to `c`: Unicode's `Extended_Pictographic`, asked of the
/// segmentation (GB11) so that both always agree.
fn pictographic(c: char) -> bool {
    if c < '\u{a9}' {
        return false;
    }
    let joined = String::from_iter([c, JOINER, '\u{2764}']);
    joined.graphemes(true).count() == 1
}

/// The character that is seen for `c`.
fn shown(c: char) -> char {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(MARK),
        '\u{7f}' => '␡',
        c if invisible(c) => MARK,
        c => c,
    }
}

/// C1 controls, all of Unicode's `Default_Ignorable_Code_Point`, the other format characters
/// that show nothing, separators of lines and noncharacters.
pub(super) fn invisible(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fdd0}'..='\u{fdef}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{13430}'..='\u{1343f}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d159}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}'
    ) || u32::from(c) & 0xfffe == 0xfffe
}
