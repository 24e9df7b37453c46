//! Values that their names say are secret: `password: …`, `API_KEY=…`, `"token": "…"`.
//!
//! Must never take code or prose for a value. These stay:
//!
//! - counts: `max_tokens: 4096`, `token count = 12`, `token: 12`;
//! - kinds, variables and calls: `password: String`, `token = next_token`, `parse(…)`;
//! - prose: `password: add validation`; a lone word is a password only where it is the whole value
//!   of its line, or directly behind `=`;
//! - values that stand for one ([`looks::stands_for_one`]).

use std::ops::Range;

use super::slot::{self, Sign};
use super::{REDACTED, looks, near};

/// How sure a name is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// People choose the value; it may be a word.
    Password,
    /// A machine made the value up; counts and parsers' tokens are called the same.
    Token,
}

/// Characters of a password that is no word, at least.
const LEAST_PASSWORD: usize = 4;

/// Characters of a token, and of the part of it that mixes letters and digits, at least.
const LEAST_TOKEN: usize = 8;
const LEAST_PART: usize = 6;

/// Words in a password at most; more of them are a message about passwords.
const WORDS_MAX: usize = 6;

/// How far the beginning of a name's line is looked for, in bytes.
const BEFORE: usize = 64;

/// The value of a name, if it is secret. `word` is the name's last part.
pub(super) fn value(text: &str, word: Range<usize>, name: Name) -> Option<Range<usize>> {
    let slot = slot::after(text, &word)?;
    let seen = near(text, slot.start);
    let whole = &seen[..slot.length(seen)];
    let secret = if slot.in_quotes() {
        secret_in_quotes(whole, &text[word], name, slot.sign)
    } else {
        let first = &seen[..slot::first_sight(seen)];
        let place = Place::of(text, word, slot.start..slot.start + first.len());
        // What was redacted ends with what a value does not end with.
        let redacted = whole.contains(REDACTED.trim_end_matches(']'));
        let alone = !slot.below || (place.own_line && !first.ends_with(':'));
        !redacted && alone && secret_alone(first, whole.len(), name, slot.sign, &place)
    };
    secret.then(|| slot.start..slot.start + slot.length(&text[slot.start..]))
}

fn secret_in_quotes(value: &str, word: &str, name: Name, sign: Sign) -> bool {
    // A quote that ends the text before it: `"password=" + value`.
    let closing = value.starts_with([' ', ',', ';', ':', ')', ']', '}', '+', '.']);
    if closing || looks::stands_for_one(value) {
        return false;
    }
    match name {
        Name::Password if sign != Sign::Comma => {
            let words = value.split(' ').count();
            let value = value.to_ascii_lowercase();
            let about = looks::wordy(&value) && value.contains(&word.to_ascii_lowercase());
            words <= WORDS_MAX && !about
        }
        _ => value.len() >= LEAST_TOKEN && looks::made_up(value, LEAST_PART),
    }
}

/// What is around a value without quotes.
struct Place {
    /// What ended it.
    follows: Option<char>,
    /// There is nothing but name and value on the line, as in YAML.
    own_line: bool,
    /// A variable of the environment or a part of a query.
    outside: bool,
}

impl Place {
    fn of(text: &str, word: Range<usize>, value: Range<usize>) -> Self {
        let name = slot::name_start(text, word.start);
        let rest = &text[value.end..];
        let last = rest.is_empty() || rest.starts_with(['\n', '"', '\\']);
        let spaced = text[..value.start].ends_with(' ');
        let capitals = !text[name..word.end].contains(|c: char| c.is_ascii_lowercase());
        Self {
            follows: rest.chars().next(),
            own_line: spaced && last && begins_line(text, name),
            outside: capitals || text[..name].ends_with(['?', '&']),
        }
    }
}

/// Whether a value is secret that has no quotes, is `length` bytes long in all, and begins with
/// `value`.
fn secret_alone(value: &str, length: usize, name: Name, sign: Sign, place: &Place) -> bool {
    let judged = value.trim_matches(['.', '!', '?', ':', '*']);
    let open = sign == Sign::Element && place.follows != Some('<');
    if open || looks::stands_for_one(judged) || is_code(judged, name, sign, place) {
        return false;
    }
    if looks::wordy(judged) {
        let written = judged.starts_with(|c: char| c.is_lowercase());
        let argument = matches!(place.follows, Some(',' | ')' | ']' | '}'));
        return match (sign, name) {
            (Sign::Colon, Name::Password) => written && place.own_line,
            (Sign::Equals, Name::Password) => !argument,
            (Sign::Equals, Name::Token) => !argument && place.outside,
            _ => false,
        };
    }
    match name {
        Name::Password => length >= LEAST_PASSWORD,
        Name::Token => judged.len() >= LEAST_TOKEN && looks::made_up(judged, LEAST_PART),
    }
}

/// Whether a value without quotes is a call, a kind, a variable or a member.
fn is_code(value: &str, name: Name, sign: Sign, place: &Place) -> bool {
    let called = sign != Sign::Element
        && matches!(place.follows, Some('(' | '[' | '<'))
        && looks::dotted(value);
    let hidden = value.starts_with('_') && looks::identifier(value);
    let statement = sign == Sign::Assign && place.follows == Some(';') && looks::identifier(value);
    // A line of YAML may look like a member, and so may a variable of the environment.
    let taken = match sign {
        Sign::Assign => true,
        Sign::Colon => name == Name::Token || !place.own_line,
        Sign::Equals | Sign::Comma | Sign::Flag | Sign::Element => false,
    };
    value.contains("::") || called || hidden || statement || (taken && looks::member(value))
}

/// Whether there is nothing before `at` on its line but what opens a list's item or a key.
fn begins_line(text: &str, at: usize) -> bool {
    let line = text.as_bytes()[..at].iter().rev().take(BEFORE);
    let opens = |b: &&u8| matches!(**b, b' ' | b'-' | b'"' | b'\'' | b'*' | b'#' | b'>' | b'{');
    let start = at - line.take_while(opens).count();
    start == 0 || text.as_bytes()[start - 1] == b'\n'
}
