//! Credentials of requests: what follows `Authorization:` or `Bearer`.
//!
//! Must never take prose about them for one: "Basic authentication is broken" stays.

use std::ops::Range;

use super::bare::{Bare, in_token};
use super::slot::{self, Sign};
use super::{looks, near, run};

/// What may stand between `Authorization:` and the credential.
const SCHEMES: &[&str] = &["basic", "bearer", "token", "apikey", "api-key", "key"];

/// Characters of a credential behind a scheme, at least.
const LEAST: usize = 4;

/// Characters of a bearer's token that no header announces, at least.
const LEAST_ALONE: usize = 16;

/// The credential in the header of this name.
pub(super) fn authorization(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let slot = slot::after(text, name).filter(|slot| slot.sign != Sign::Flag)?;
    let value = near(text, slot.start);
    let scheme = run(value, in_token);
    let spaces = run(&value[scheme..], |b| b == b' ');
    let known = SCHEMES
        .iter()
        .any(|known| value[..scheme].eq_ignore_ascii_case(known));
    let before = if known && spaces > 0 {
        scheme + spaces
    } else {
        0
    };
    let credential = &value[before..];
    let credential = &credential[..run(credential, in_credential)];
    let least = if before > 0 { LEAST } else { LEAST_ALONE };
    // Basic is base64 and may be letters alone, but no word has capitals inside.
    let secret = credential.len() >= least
        && (!looks::wordy(credential) || looks::jumps(credential))
        && !looks::stands_for_one(credential)
        && !(looks::dotted(credential)
            && value[before + credential.len()..].starts_with(['(', '[']));
    let start = slot.start + before;
    secret.then(|| start..start + run(&text[start..], in_credential))
}

/// The token behind `Bearer`, wherever it stands.
pub(super) fn bearer(bare: &Bare<'_>, word: Range<usize>) -> Option<Range<usize>> {
    let text = bare.text();
    let spaces = run(near(text, word.end), |b| matches!(b, b' ' | b'\n'));
    if spaces == 0 || !bare.begins(word.start) {
        return None;
    }
    let start = word.end + spaces;
    let seen = near(text, start);
    let seen = &seen[..run(seen, in_credential)];
    let cut = seen.len() >= LEAST && bare.cut_at(start + seen.len()) && looks::jumps(seen);
    let long = seen.len() >= LEAST_ALONE && looks::mixed(seen) && !looks::stands_for_one(seen);
    let secret = cut || long;
    secret.then(|| start..start + run(&text[start..], in_credential))
}

/// The password that `curl` is given with a user.
pub(super) fn of_user(text: &str, command: &Range<usize>) -> Option<Range<usize>> {
    let arguments = near(text, command.end);
    let arguments = &arguments[..arguments.find(['|', ';']).unwrap_or(arguments.len())];
    let options = [" -u ", " --user ", " --user="].iter();
    let mut user = options.filter_map(|option| Some(arguments.find(option)? + option.len()));
    let user = user.next()?;
    let user = user + run(&arguments[user..], |b| matches!(b, b'"' | b'\''));
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
    let given = &arguments[user..];
    let given = &given[..given.find(ends).unwrap_or(given.len())];
    let (name, password) = given.split_once(':')?;
    let start = command.end + user + name.len() + 1;
    (!looks::stands_for_one(password)).then_some(start..start + password.len())
}

/// Base64 of both kinds, and what else RFC 6750 lets a token have.
fn in_credential(byte: u8) -> bool {
    in_token(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'=' | b':')
}
