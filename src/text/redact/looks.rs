//! What text looks like: words that people write, or what a machine made up.
//!
//! Must never ask for more than the text it is given.

use super::REDACTED;

/// A part without a break this long is no word.
const NO_WORD: usize = 20;

/// A number in hexadecimal, as a flag in a program.
const NUMBER_MAX: usize = 10;

/// Values that say what kind of value belongs there, or that there is none.
const KINDS: &[&str] = &[
    "any",
    "bool",
    "boolean",
    "bytes",
    "char",
    "empty",
    "env",
    "false",
    "float",
    "hidden",
    "i32",
    "i64",
    "int",
    "int32",
    "int64",
    "nil",
    "no",
    "none",
    "null",
    "number",
    "object",
    "off",
    "on",
    "optional",
    "prompt",
    "redacted",
    "required",
    "self",
    "str",
    "string",
    "symbol",
    "text",
    "true",
    "u128",
    "u16",
    "u32",
    "u64",
    "uint32",
    "uint64",
    "undefined",
    "unknown",
    "usize",
    "varchar",
    "void",
    "yes",
];

/// Letters as in prose, names, kinds and members: no digit, and no symbol but those that join.
pub(super) fn wordy(text: &str) -> bool {
    let joins = |c| matches!(c, '-' | '_' | '.' | ' ' | '\'');
    text.chars().all(|c| c.is_alphabetic() || joins(c))
}

/// A name that a program may give: letters, digits and underscores.
pub(super) fn identifier(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Names joined by dots, as of a function: `base64.b16encode`.
pub(super) fn dotted(text: &str) -> bool {
    text.split('.')
        .all(|name| !name.is_empty() && identifier(name))
}

/// A member of something: `env.S3_SECRET`.
pub(super) fn member(text: &str) -> bool {
    let digit = |name: &str| name.starts_with(|c: char| c.is_ascii_digit());
    text.split_once('.')
        .is_some_and(|(owner, _)| wordy(owner) && dotted(text) && !text.split('.').any(digit))
}

/// Whether one of the parts between symbols has at least `least` characters and mixes letters
/// with digits, or is too long for a word.
pub(super) fn made_up(text: &str, least: usize) -> bool {
    let mut parts = text.split(|c: char| !c.is_ascii_alphanumeric());
    parts.any(|part| part.len() >= NO_WORD || (part.len() >= least && mixed(part)))
}

/// Letters and digits.
pub(super) fn mixed(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().any(u8::is_ascii_digit) && bytes.iter().any(u8::is_ascii_alphabetic)
}

/// Whether there are small letters, capitals and digits.
pub(super) fn at_random(text: &str) -> bool {
    let bytes = text.as_bytes();
    mixed(text)
        && bytes.iter().any(u8::is_ascii_lowercase)
        && bytes.iter().any(u8::is_ascii_uppercase)
}

/// Whether a letter follows a digit, or a capital a small letter: `4e`, `aB`.
pub(super) fn jumps(text: &str) -> bool {
    text.as_bytes().windows(2).any(|pair| {
        (pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic())
            || (pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
    })
}

/// Whether what may be the beginning of something made up is no word, nor one with a number.
pub(super) fn begins_made_up(text: &str) -> bool {
    let digits = |part: &str| part.bytes().filter(u8::is_ascii_digit).count();
    let mut parts = text.split(|c: char| !c.is_ascii_alphanumeric());
    jumps(text) || parts.any(|part| part.len() > 3 && mixed(part) && digits(part) > 1)
}

/// Whether a value only stands for one: nothing, a placeholder, a variable, a kind, a path, an
/// address, or what was redacted before.
pub(super) fn stands_for_one(value: &str) -> bool {
    let bytes = value.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return true;
    };
    bytes.iter().all(|b| b == first)
        || matches!(
            (first, last),
            (b'<', b'>') | (b'{', b'}') | (b'[', b']') | (b'%', b'%')
        )
        || matches!(first, b'$' if variable(&value[1..]))
        || matches!(first, b'!' | b'&' | b'*' | b'@' | b'#' | b'%' if wordy(&value[1..]))
        || KINDS.iter().any(|kind| value.eq_ignore_ascii_case(kind))
        || bytes.len() >= 4 && bytes[..4].eq_ignore_ascii_case(b"your")
        || ["/", "./", "../", "~/"]
            .iter()
            .any(|root| value.starts_with(root))
        || value.contains("://")
        || value.len() <= NUMBER_MAX && value.starts_with("0x")
        || value.contains(REDACTED)
}

/// What follows the `$` of a variable.
fn variable(name: &str) -> bool {
    // Perl and PHP go on with an arrow.
    name.starts_with(['{', '(']) || identifier(name.trim_end_matches('-'))
}
