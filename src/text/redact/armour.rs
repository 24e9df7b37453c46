//! Private keys in the armour of PEM and PGP.
//!
//! Must never take the mention of an armour for a key: the rest of the text would be lost.

use std::ops::Range;

use memchr::memmem;

use super::{near, run};

const DASHES: &str = "-----";

/// The end of a block, in any words.
const END: &[u8] = b"-----END ";

/// Base64 without a break that is no word.
const NO_WORD: usize = 16;

/// Lines at the end of a key that may be short: its last, and a sum.
const SHORT_MAX: usize = 2;

/// The inside of a private key, from behind the line of its BEGIN to its END, or to the text's end.
pub(super) fn key(text: &str, begin: Range<usize>) -> Option<Range<usize>> {
    let title = near(text, begin.end);
    let title = &title[..title.find(DASHES)?];
    let of_title = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ';
    if !title.contains("PRIVATE KEY") || !title.bytes().all(of_title) {
        return None;
    }
    let start = begin.end + title.len() + DASHES.len();
    if !begins_key(near(text, start)) {
        return None;
    }
    let end = memmem::find(&text.as_bytes()[start..], END);
    Some(start..end.map_or(text.len(), |end| start + end))
}

/// What is left of a private key whose BEGIN was cut off: the lines before its END.
pub(super) fn rest_of_key(text: &str, end: Range<usize>) -> Option<Range<usize>> {
    let title = near(text, end.end);
    if !title[..title.find(DASHES)?].ends_with("PRIVATE KEY")
        && !title.starts_with("PGP PRIVATE KEY BLOCK")
    {
        return None;
    }
    let bytes = text.as_bytes();
    let (mut start, mut long, mut short) = (end.start, false, 0);
    loop {
        let gap = usize::from(matches!(bytes[..start].last(), Some(b' ' | b'\n')));
        let line = bytes[..start - gap].iter().rev();
        let length = line.take_while(|b| in_armour(**b)).count();
        let last = length < NO_WORD;
        if length == 0 || (last && (long || short == SHORT_MAX)) {
            return long.then_some(start..end.start);
        }
        short += usize::from(last);
        long |= !last;
        start -= gap + length;
    }
}

/// Base64.
fn in_armour(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether what follows the line of a BEGIN is a key: base64, behind spaces, line breaks and what
/// joins strings. It is too long for a word, alone on its line or the text's end, or a header.
fn begins_key(text: &str) -> bool {
    let fill = run(text, |b| matches!(b, b' ' | b'\n' | b'"' | b'\'' | b'+'));
    let text = &text[fill..];
    let word = run(text, |b| in_armour(b) || b == b'-');
    let behind = &text[word..];
    let alone = behind.is_empty() || behind.starts_with('\n') || behind.starts_with(": ");
    word >= NO_WORD || (word > 0 && alone)
}
