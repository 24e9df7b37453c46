//! Secret keys of AWS where no name says so: 40 characters of base64 at random.
//!
//! Must never take a hash, a path or a name for one.

use std::ops::Range;

/// Characters of a secret key.
const LENGTH: usize = 40;

/// Changes within a key, at least: see [`at_random`]. A key has 16 of them, give or take 3.
const CHANGES: usize = 8;

/// Changes in a key without a symbol, at least: it may be a name of many words.
const CHANGES_ALONE: usize = 12;

/// Looks at one byte in [`LENGTH`] as long as there is no base64.
pub(super) fn secret_keys(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = LENGTH - 1;
    std::iter::from_fn(move || {
        while let Some(byte) = bytes.get(at) {
            if !base64(*byte) {
                at += LENGTH;
                continue;
            }
            let before = bytes[..at].iter().rev().take_while(|b| base64(**b));
            let start = at - before.count();
            let end = at + bytes[at..].iter().take_while(|b| base64(**b)).count();
            at = end + LENGTH;
            if end - start == LENGTH && alone(bytes, start, end) && at_random(&bytes[start..end]) {
                return Some(start..end);
            }
        }
        None
    })
}

fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// Whether it is not a part of something longer.
fn alone(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = bytes[..start].last();
    let after = bytes.get(end);
    // Behind `]` it may be the rest of what was redacted.
    !matches!(before, Some(b'-' | b'_' | b'.' | b'~' | b']'))
        && !matches!(after, Some(b'-' | b'_' | b'='))
}

/// Whether capitals, small letters and digits follow each other as in no word: from a small letter
/// to a capital, and between letters and digits, far more often than at the joints of words.
fn at_random(bytes: &[u8]) -> bool {
    let has = |wanted| bytes.iter().any(|b| class(*b) == wanted);
    let changes = bytes
        .windows(2)
        .filter(|pair| match (class(pair[0]), class(pair[1])) {
            (Class::Symbol, _) | (_, Class::Symbol) | (Class::Capital, Class::Small) => false,
            (before, after) => before != after,
        });
    let least = if has(Class::Symbol) {
        CHANGES
    } else {
        CHANGES_ALONE
    };
    has(Class::Capital) && has(Class::Small) && has(Class::Digit) && changes.count() >= least
}

#[derive(PartialEq, Eq)]
enum Class {
    Capital,
    Small,
    Digit,
    Symbol,
}

fn class(byte: u8) -> Class {
    match byte {
        b'A'..=b'Z' => Class::Capital,
        b'a'..=b'z' => Class::Small,
        b'0'..=b'9' => Class::Digit,
        _ => Class::Symbol,
    }
}
