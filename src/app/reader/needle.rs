//! What is looked for in a conversation.

use regex::{Regex, RegexBuilder};

/// A text to be found as it is; whatever the case, unless it has a capital letter.
#[derive(Clone, Debug)]
pub(crate) struct Needle {
    /// As it was typed.
    pub(crate) text: String,
    pattern: Regex,
}

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
            pattern: pattern.ok()?,
        })
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.pattern.is_match(text)
    }

    /// Where in a line it is, in bytes.
    pub(crate) fn places(&self, line: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.pattern.find_iter(line).map(|found| found.range())
    }
}
