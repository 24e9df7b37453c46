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

/// Whether what follows the line of a BEGIN is a key: base64, behind spaces, line breaks and what
/// joins strings. It is too long for a word, alone on its line or the text's end, or a header.
fn begins_key(text: &str) -> bool {
    let fill = run(text, |b| matches!(b, b' ' | b'\n' | b'"' | b'\'' | b'+'));
    let text = &text[fill..];
    let word = run(text, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-')
    });
    let behind = &text[word..];
    let alone = behind.is_empty() || behind.starts_with('\n') || behind.starts_with(": ");
    word >= NO_WORD || (word > 0 && alone)
}
