//! Where the value of a name is.
//!
//! Must never take a name for one without a sign between it and a value.

use std::ops::Range;

use super::bare::in_token;
use super::{near, run};

/// What stands between the name and the value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// `=` without spaces: the environment, queries, arguments.
    Equals,
    /// `=` with spaces and the other signs of programs.
    Assign,
    Colon,
    /// A comma behind a name in quotes: a call with both.
    Comma,
    /// Nothing, behind an option or as in `.netrc`: `--password x`, `login x password y`.
    Flag,
    /// The end of a tag in XML: `<password>x</password>`.
    Element,
}

/// Where a value is.
pub(super) struct Slot {
    pub(super) sign: Sign,
    /// Where it begins, behind its quote.
    pub(super) start: usize,
    quote: Option<Quote>,
    /// It is on the line below its name.
    pub(super) below: bool,
}

/// How a value's quotes look.
#[derive(Clone, Copy)]
struct Quote {
    mark: char,
    /// They are escaped themselves: the text is a string in JSON.
    escaped: bool,
}

/// How far a name's beginning is looked for, in bytes.
const BEFORE: usize = 64;

/// The place of the value that follows a name; `None`: none does.
pub(super) fn after(text: &str, name: &Range<usize>) -> Option<Slot> {
    let after = near(text, name.end);
    let closing = run(after, |b| {
        matches!(b, b'"' | b'\'' | b'`' | b'\\' | b']' | b'*')
    });
    let before_sign = closing + run(&after[closing..], |b| b == b' ');
    let rest = &after[before_sign..];
    let (sign, length) = match rest.as_bytes() {
        [b':', b':', ..] => return None,
        [b':', b'=', ..] | [b'=', b'>' | b'=', ..] => {
            (Sign::Assign, run(rest, |b| matches!(b, b':' | b'=' | b'>')))
        }
        [b':', ..] => (Sign::Colon, 1),
        [b'=', b' ', ..] => (Sign::Assign, 1),
        [b'=', ..] if before_sign > closing => (Sign::Assign, 1),
        [b'=', ..] => (Sign::Equals, 1),
        [b',', ..] if closing > 0 => (Sign::Comma, 1),
        [b'>', ..] if before_sign == 0 && is_element(text, name.start) => (Sign::Element, 1),
        _ if closing == 0 && before_sign > 0 && is_flag(text, name) => (Sign::Flag, 0),
        _ => return None,
    };
    let sign_end = before_sign + length;
    // Markdown may have the sign in bold together with the name.
    let start = sign_end + run(&after[sign_end..], |b| matches!(b, b' ' | b'*'));
    let down = if sign == Sign::Colon {
        line_below(&after[start..])
    } else {
        0
    };
    let below = after[start..start + down].contains('\n');
    let start = start + down;
    let (quote, length) = Quote::opening(&after[start..]).unzip();
    (quote.is_some() || sign != Sign::Comma).then_some(Slot {
        sign,
        start: name.end + start + length.unwrap_or(0),
        quote,
        below,
    })
}

/// How far it is to the line below if nothing else is on this one, or what begins a text in YAML.
fn line_below(text: &str) -> usize {
    let block = run(text, |b| matches!(b, b'|' | b'>' | b'-' | b'+'));
    let block = block.min(2);
    let rest = &text[block..];
    match rest.as_bytes() {
        [b'\n', ..] => block + 1 + run(&rest[1..], |b| b == b' '),
        [b' ', ..] if text.starts_with(['|', '>']) => block + 1,
        _ => 0,
    }
}

impl Slot {
    pub(super) fn in_quotes(&self) -> bool {
        self.quote.is_some()
    }

    /// How long the value is; `text` begins with it.
    pub(super) fn length(&self, text: &str) -> usize {
        match self.quote {
            Some(quote) => quote.closing(text),
            None => without_quotes(text, self.sign),
        }
    }
}

impl Quote {
    /// The quote that `text` begins with, and its length with what belongs to it: escapes in JSON,
    /// or what kind of string it is, as in `b"…"`.
    fn opening(text: &str) -> Option<(Self, usize)> {
        let slashes = run(text, |b| b == b'\\');
        let kind = run(text, |b| matches!(b, b'b' | b'f' | b'r' | b'u'));
        let before = slashes.max(kind.min(2));
        let mark = text[before..].chars().next().filter(|c| is_quote(*c))?;
        let escaped = slashes > 0;
        Some((Self { mark, escaped }, before + 1))
    }

    /// How long a value in these quotes is: to its quote, to the line's end or to the text's.
    fn closing(self, text: &str) -> usize {
        let mut escaped = false;
        let end = text.find(|c| {
            let ends = c == '\n' || (c == self.mark && !escaped);
            escaped = c == '\\' && !escaped && !self.escaped;
            ends
        });
        let value = &text[..end.unwrap_or(text.len())];
        if self.escaped {
            return value.trim_end_matches('\\').len();
        }
        value.len()
    }
}

/// How long a value without quotes is at first sight.
pub(super) fn first_sight(text: &str) -> usize {
    text.find(|c| ends(c) || joins(c)).unwrap_or(text.len())
}

/// How long a value without quotes is. What joins it with other text ends it only where nothing
/// else follows, or another name directly behind `=`.
fn without_quotes(text: &str, sign: Sign) -> usize {
    if sign == Sign::Element {
        return first_sight(text);
    }
    let text = &text[..text.find(ends).unwrap_or(text.len())];
    let mut end = text.len();
    if sign == Sign::Equals {
        let mut parts = text.match_indices(['&', ',', ';']);
        let next = parts.find(|(at, _)| {
            let rest = &text[at + 1..];
            rest[run(rest, in_token)..].starts_with('=')
        });
        end = next.map_or(end, |(at, _)| at);
    }
    text[..end].trim_end_matches(joins).len()
}

fn ends(c: char) -> bool {
    c.is_whitespace() || is_quote(c)
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

/// Ends a value in code and queries, but may be in the middle of a password.
fn joins(c: char) -> bool {
    matches!(
        c,
        '&' | ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '|' | '\\'
    )
}

/// Where the whole name begins that ends with the word at `at`. No secret reaches into it: each
/// is taken out up to where no token can go on.
pub(super) fn name_start(text: &str, at: usize) -> usize {
    let before = text.as_bytes()[..at].iter().rev().take(BEFORE);
    at - before.take_while(|b| in_token(**b)).count()
}

fn is_flag(text: &str, name: &Range<usize>) -> bool {
    let start = name_start(text, name.start);
    let mut before = text[text.ceil_char_boundary(start.saturating_sub(BEFORE))..start]
        .split_ascii_whitespace()
        .rev();
    text[start..].starts_with("--")
        || text[name.clone()].ends_with(" -p")
        || before.nth(1) == Some("login")
}

fn is_element(text: &str, at: usize) -> bool {
    text[..name_start(text, at)].ends_with('<')
}
