//! Tokens that say what they are by how they begin.
//!
//! Must never take a word for a token: `task-sk-1`, `sk-learn` and `npm_config_registry` stay.

use std::ops::Range;

use super::bare::{Bare, in_token};
use super::{looks, near, run};

/// What shows that a token follows its prefix, and not a word.
#[derive(Clone, Copy)]
pub(super) enum Proof {
    /// Nothing else begins with the prefix.
    Prefix,
    /// A part of at least so many characters that mixes letters with digits, or a very long one.
    Part(usize),
    /// Nothing but capitals and digits, as in an AWS key's id.
    Capitals,
}

/// Characters of a token behind its prefix, at least.
const LEAST: usize = 8;

/// Characters of a token behind its prefix where the text ends, at least.
const LEAST_CUT: usize = 4;

/// Characters of an AWS key's id behind its prefix.
const CAPITALS: usize = 16;

/// Characters of each part of a JSON web token, at least; the shortest real header has 20.
const LEAST_JWT: usize = 8;

/// The token behind a prefix.
pub(super) fn token(bare: &Bare<'_>, prefix: Range<usize>, proof: Proof) -> Option<Range<usize>> {
    if !bare.begins(prefix.start) {
        return None;
    }
    let start = prefix.end;
    let near = near(bare.text(), start);
    let seen = &near[..run(near, in_token)];
    let cut = seen.len() >= LEAST_CUT && bare.cut_at(start + seen.len());
    let proved = match proof {
        Proof::Prefix => cut || seen.len() >= LEAST,
        Proof::Part(least) => {
            (cut && looks::begins_made_up(seen))
                || (seen.len() >= LEAST && looks::made_up(seen, least))
        }
        Proof::Capitals => {
            let capital = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit();
            let no_word = looks::mixed(seen) || seen.len() >= CAPITALS / 2;
            seen.bytes().all(capital) && (seen.len() == CAPITALS || (cut && no_word))
        }
    };
    proved.then(|| start..start + run(&bare.text()[start..], in_token))
}

/// How far a JSON web token's parts are looked for, in bytes: a header may hold a key or an address.
const JWT_WINDOW: usize = 1024;

/// A JSON web token: at least two parts, the first a JSON object.
pub(super) fn jwt(bare: &Bare<'_>, prefix: Range<usize>) -> Option<Range<usize>> {
    if !bare.begins(prefix.start) {
        return None;
    }
    let start = prefix.end;
    let text = bare.text();
    let near = &text[start..text.floor_char_boundary(start + JWT_WINDOW)];
    let header = run(near, in_token);
    let cut = header >= LEAST_CUT
        && bare.cut_at(start + header)
        && looks::begins_made_up(&near[..header]);
    let signed = header >= LEAST_JWT && {
        let payload = near[header..].strip_prefix('.').unwrap_or_default();
        let length = run(payload, in_token);
        length >= LEAST_JWT || (length > 0 && bare.cut_at(start + header + 1 + length))
    };
    let all = |b| in_token(b) || b == b'.';
    (cut || signed).then(|| start..start + run(&text[start..], all))
}
