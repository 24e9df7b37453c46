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
    proved.then(|| start..end(bare.text(), start, in_token))
}

/// The secret part of an address for messages: whoever knows it may send them.
pub(super) fn hook(text: &str, start: usize) -> Option<Range<usize>> {
    let length = run(&text[start..], |b| in_token(b) || b == b'/');
    looks::made_up(&text[start..start + length], LEAST).then_some(start..start + length)
}

/// Columns of a line that was perhaps broken within a token, at least.
const LEAST_WRAPPED: usize = 40;

/// Where a token ends. A part that a dot joins belongs to it if it is as made up. One that fills its line to the end goes on in the next line if that is made up
/// of nothing but the same at random: it was wrapped.
fn end(text: &str, start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let mut end = start + run(&text[start..], &belongs);
    let joined = end + run(&text[end..], |b| in_token(b) || b == b'.');
    let last = text[end..joined].rsplit('.').next().unwrap_or_default();
    if looks::made_up(last, LEAST) {
        end = joined;
    }
    let mut line = near_before(text, end);
    while line >= LEAST_WRAPPED && text[end..].starts_with('\n') {
        let next = &text[end + 1..];
        let length = run(next, &belongs);
        let alone = matches!(
            next.as_bytes().get(length),
            None | Some(b'\n' | b'"' | b'\'')
        );
        if !alone || !looks::at_random(&next[..length]) || super::token_prefix(next).is_some() {
            break;
        }
        end += 1 + length;
        line = length;
    }
    end
}

/// Columns before `at` on its line, as far as it matters.
fn near_before(text: &str, at: usize) -> usize {
    let before = text.as_bytes()[..at].iter().rev().take(LEAST_WRAPPED);
    before.take_while(|b| **b != b'\n').count()
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
    let payload = near[header..].strip_prefix('.');
    let signed = header >= LEAST_JWT
        && payload.is_some_and(|payload| {
            let length = run(payload, in_token);
            length >= LEAST_JWT
                || (bare.cut_at(start + header + 1 + length)
                    && (length > 0 || looks::begins_made_up(&near[..header])))
        });
    let all = |b| in_token(b) || b == b'.';
    (cut || signed).then(|| start..end(text, start, all))
}
