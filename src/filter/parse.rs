//! What was typed, understood.

use bytesize::ByteSize;
use chrono::{DateTime, TimeDelta, Utc};

use super::terms::{STATES, Term};
use super::words::Word;
use super::{Filter, Mistake, Sense};
use crate::text::SafeText;

/// The keys of terms, and what follows them.
pub(super) const KEYS: [(&str, &str); 8] = [
    ("agent", "the name of an agent"),
    ("project", "a part of a folder's path"),
    ("kind", "main, fork, child, side or spec"),
    ("model", "a part of a model's name"),
    ("is", "open, old, pinned, damaged or selected"),
    ("older", "an age: 12h, 3d, 2w, 1y"),
    ("newer", "an age: 12h, 3d, 2w, 1y"),
    ("size", "a size: >10mb, <1gb"),
];

pub(super) fn parse(text: &str, now: DateTime<Utc>) -> Filter {
    let mut filter = Filter::default();
    for token in tokens(text) {
        let (sense, rest) = match token.strip_prefix('!') {
            Some(rest) => (Sense::Not, rest),
            None => (Sense::Is, &*token),
        };
        let Some((key, value)) = split(rest) else {
            let word = Word::new(&token);
            filter.words.extend((!word.is_empty()).then_some(word));
            continue;
        };
        // Its value is still to be typed.
        if value.is_empty() {
            continue;
        }
        match term(key, &value.to_lowercase(), now) {
            Some(term) => filter.terms.push((term, sense)),
            None => filter.mistakes.push(Mistake {
                term: SafeText::line(&token),
                expected: expected(key),
            }),
        }
    }
    filter
}

/// A key and its value, if the text begins with a key.
pub(super) fn split(token: &str) -> Option<(&str, &str)> {
    let (key, value) = token.split_once(':')?;
    KEYS.iter()
        .any(|(known, _)| *known == key)
        .then_some((key, value))
}

/// What follows a key.
pub(super) fn expected(key: &str) -> &'static str {
    let found = KEYS.iter().find(|(known, _)| *known == key);
    found.map_or("", |(_, expected)| expected)
}

/// What is between white space; a piece in double quotes may hold some.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = vec![String::new()];
    let mut quoted = false;
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            space if space.is_whitespace() && !quoted => tokens.push(String::new()),
            letter => {
                if let Some(token) = tokens.last_mut() {
                    token.push(letter);
                }
            }
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

fn term(key: &str, value: &str, now: DateTime<Utc>) -> Option<Term> {
    match key {
        "agent" => Some(Term::Agent(value.to_owned())),
        "project" => Some(Term::Project(value.to_owned())),
        "model" => Some(Term::Model(value.to_owned())),
        "kind" => Some(Term::Kind(value.to_owned())),
        "is" => {
            let state = STATES.iter().find(|(name, _)| *name == value);
            state.map(|(_, term)| term.clone())
        }
        "older" => Some(Term::Before(now.checked_sub_signed(age(value)?)?)),
        "newer" => Some(Term::Since(now.checked_sub_signed(age(value)?)?)),
        "size" => match value.split_at_checked(1)? {
            ("<", size) => Some(Term::LessThan(bytes(size)?)),
            (">", size) => Some(Term::AtLeast(bytes(size)?)),
            _ => Some(Term::AtLeast(bytes(value)?)),
        },
        _ => None,
    }
}

/// As the list shows ages: a whole number of seconds, minutes, hours, days, weeks or years.
fn age(text: &str) -> Option<TimeDelta> {
    let unit = text.chars().next_back()?;
    let number: i64 = text
        .strip_suffix(unit)?
        .parse()
        .ok()
        .filter(|number| *number >= 0)?;
    match unit {
        's' => TimeDelta::try_seconds(number),
        'm' => TimeDelta::try_minutes(number),
        'h' => TimeDelta::try_hours(number),
        'd' => TimeDelta::try_days(number),
        'w' => TimeDelta::try_weeks(number),
        'y' => TimeDelta::try_days(number.checked_mul(365)?),
        _ => None,
    }
}

fn bytes(text: &str) -> Option<u64> {
    let size: ByteSize = text.trim_start_matches('=').parse().ok()?;
    Some(size.as_u64())
}
