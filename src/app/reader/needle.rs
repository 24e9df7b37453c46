//! What is looked for in a conversation.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use crate::search::query::Query;

/// What is found in a message, and where in its lines.
#[derive(Clone, Debug)]
pub(crate) struct Needle {
    /// As it was typed.
    pub(crate) text: String,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// A text as it is; whatever the case, unless it has a capital letter.
    Text(Regex),
    /// What all sessions were searched for.
    Query(Query),
}

/// Places in a line of each thing that is searched for.
const PLACES: usize = 100;

impl Needle {
    /// `None`: there is nothing to look for.
    pub(super) fn new(text: &str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let pattern = RegexBuilder::new(&regex::escape(text))
            .case_insensitive(!text.chars().any(char::is_uppercase))
            .build();
        Some(Self {
            text: text.to_owned(),
            what: What::Text(pattern.ok()?),
        })
    }

    /// What a search was for.
    pub(crate) fn of(text: &str, query: Query) -> Self {
        Self {
            text: text.to_owned(),
            what: What::Query(query),
        }
    }

    /// Whether all of it is in a message.
    pub(super) fn is_in(&self, text: &str) -> bool {
        match &self.what {
            What::Text(pattern) => pattern.is_match(text),
            What::Query(query) => query.is_in(text),
        }
    }

    /// Where in a line any of it is, in bytes.
    pub(crate) fn places(&self, line: &str) -> Vec<Range<usize>> {
        match &self.what {
            What::Text(pattern) => pattern.find_iter(line).map(|found| found.range()).collect(),
            What::Query(query) => {
                let places = query.places(line, PLACES).into_iter();
                places.map(|(_, place)| place).collect()
            }
        }
    }
}
