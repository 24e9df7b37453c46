//! Passwords in addresses: `scheme://user:password@host`.
//!
//! Must never touch the host, a port, or a user that is no token.

use std::ops::Range;

use super::{REDACTED, looks, near, run};

/// A user's name this long without a break, with digits in it, is a token.
const TOKEN: usize = 20;

/// The password, or the token that stands for user and password. `colon` is the `:/` of an
/// address; in a path only one slash is left of two. What was redacted may have held a slash, so
/// nothing is looked for behind it.
pub(super) fn password(text: &str, colon: Range<usize>) -> Option<Range<usize>> {
    let start = colon.end + run(near(text, colon.end), |b| b == b'/');
    let near = near(text, start);
    let near = &near[..near.find(REDACTED).unwrap_or(near.len())];
    let authority = &near[..near.find(ends_authority).unwrap_or(near.len())];
    let (user, _) = authority.rsplit_once('@')?;
    let (begin, password) = match user.split_once(':') {
        Some((name, password)) => (name.len() + 1, password),
        None if user.len() >= TOKEN && looks::mixed(user) => (0, user),
        None => return None,
    };
    let end = start + user.len();
    let from = start + begin;
    (!looks::stands_for_one(password)).then_some(from..end)
}

fn ends_authority(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '/' | '?' | '#' | '"' | '\'' | '`' | '\\' | '<' | '>' | '|'
        )
}
