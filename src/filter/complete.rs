//! What may come next in a filter that is being typed.

use std::collections::BTreeSet;

use super::parse::{KEYS, expected, split};
use super::terms::{STATES, kind};
use crate::lineage::Lineage;
use crate::session::Session;
use crate::text::SafeText;

/// How the last thing that was typed may go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// All of the text, gone on as far as there is no choice; `None`: it cannot go on.
    pub text: Option<String>,
    /// What it may become, if there is a choice.
    pub choices: Vec<String>,
    /// What is expected, when that cannot be listed.
    pub expected: &'static str,
}

/// Completes the last thing in a text: a key, or the value of one.
pub fn complete(text: &str, lineage: &Lineage) -> Completion {
    let start = text.rfind(char::is_whitespace).map_or(0, |space| space + 1);
    let (before, token) = text.split_at(start);
    let (not, token) = match token.strip_prefix('!') {
        Some(token) => ("!", token),
        None => ("", token),
    };
    let (lead, typed, all, expected) = match split(token) {
        Some((key, value)) => (
            format!("{key}:"),
            value,
            values(key, lineage),
            expected(key),
        ),
        None if token.is_empty() => return Completion::default(),
        None => {
            let keys = KEYS.iter().map(|(key, _)| format!("{key}:"));
            (String::new(), token, keys.collect(), "")
        }
    };
    let begins = |value: &String| value.to_lowercase().starts_with(&typed.to_lowercase());
    let mut choices: Vec<String> = all.into_iter().filter(begins).collect();
    let grown = common(&choices).filter(|common| common.len() > typed.len());
    let grown = grown.map(str::to_owned);
    // A value that is whole is followed by the next term, a key by its value.
    let end = match choices.as_slice() {
        [only] if !only.ends_with(':') => " ",
        _ => "",
    };
    if choices.len() == 1 {
        choices.clear();
    }
    Completion {
        text: grown.map(|grown| format!("{before}{not}{lead}{grown}{end}")),
        choices,
        expected,
    }
}

/// What the sessions have for a key; only what can be typed without quotes.
fn values(key: &str, lineage: &Lineage) -> BTreeSet<String> {
    let sessions = lineage.sessions().iter();
    let values: BTreeSet<&str> = match key {
        "agent" => sessions.map(|session| session.agent.name()).collect(),
        "project" => sessions.map(Session::project).collect(),
        "kind" => sessions.map(kind).collect(),
        "model" => {
            let models = sessions.filter_map(|session| session.model.as_deref());
            models.map(SafeText::as_str).collect()
        }
        "is" => STATES.iter().map(|(name, _)| *name).collect(),
        _ => BTreeSet::new(),
    };
    let typable = |value: &&str| !value.is_empty() && !value.contains(char::is_whitespace);
    values
        .into_iter()
        .filter(typable)
        .map(str::to_owned)
        .collect()
}

/// What all begin with.
fn common(choices: &[String]) -> Option<&str> {
    let (first, rest) = choices.split_first()?;
    let alike = |end: usize| {
        rest.iter()
            .all(|other| other.get(..end) == first.get(..end))
    };
    let ends = first
        .char_indices()
        .map(|(at, letter)| at + letter.len_utf8());
    let end = ends.take_while(|end| alike(*end)).last().unwrap_or(0);
    first.get(..end)
}
