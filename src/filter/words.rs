//! Words that are somewhere in a session: letters in order in its title or project, or a piece of its
//! id, model or kind. The rules and signs of a word are fzf's: `'piece`, `^begin`, `end$`, `!not`.

use std::fmt;

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::{Filter, Marks, Score};
use crate::session::Session;
use crate::text::SafeText;

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    typed: String,
    /// In texts: their letters in order, if no sign says otherwise.
    loose: Atom,
    /// In names that are long and all look alike: a piece of them.
    strict: Atom,
}

impl Word {
    pub(super) fn new(typed: &str) -> Self {
        let loose = Atom::parse(typed, CaseMatching::Ignore, Normalization::Smart);
        let mut strict = loose.clone();
        if strict.kind == AtomKind::Fuzzy {
            strict.kind = AtomKind::Substring;
        }
        Self {
            typed: typed.to_owned(),
            loose,
            strict,
        }
    }

    /// Whether there is nothing to look for: a sign alone.
    pub(super) fn is_empty(&self) -> bool {
        self.loose.needle_text().is_empty()
    }

    /// Whether whatever it is in, the other one is in too.
    pub(super) fn continues(&self, before: &Self) -> bool {
        let typed_on =
            self.typed.starts_with(&before.typed) && !before.typed.ends_with(['\\', '$']);
        let grows = !self.loose.negative && !before.loose.negative;
        self == before || typed_on && grows && self.loose.kind == before.loose.kind
    }
}

/// Looks for a filter's words in one session after the other.
pub struct Finder<'f> {
    filter: &'f Filter,
    matcher: Matcher,
    letters: Vec<char>,
}

impl fmt::Debug for Finder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Finder").field(&self.filter).finish()
    }
}

impl<'f> Finder<'f> {
    /// For a filter.
    pub fn new(filter: &'f Filter) -> Self {
        Self {
            filter,
            matcher: Matcher::new(Config::DEFAULT),
            letters: Vec::new(),
        }
    }

    /// How well a session matches; 0: not at all.
    pub fn score(&mut self, session: &Session, marks: Marks) -> Score {
        let filter = self.filter;
        if !filter.fits(session, marks) {
            return 0;
        }
        let mut sum: Score = 1;
        for word in &filter.words {
            let Some(score) = self.word(word, session) else {
                return 0;
            };
            sum += Score::from(score);
        }
        sum
    }

    /// The places of the letters of a text that the words are found by, counted in graphemes.
    pub fn found_in(&mut self, text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        let text = Utf32Str::new(text, &mut self.letters);
        for word in self.filter.words.iter().filter(|word| !word.loose.negative) {
            let before = found.len();
            if word
                .loose
                .indices(text, &mut self.matcher, &mut found)
                .is_none()
            {
                found.truncate(before);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The best of what a word is found in; one that is not to be there must be in nothing.
    fn word(&mut self, word: &Word, session: &Session) -> Option<u16> {
        let model = session.model.as_deref().map(SafeText::as_str);
        let fields = [
            (session.name(), &word.loose),
            (session.project(), &word.loose),
            (session.id.as_str(), &word.strict),
            (model.unwrap_or_default(), &word.strict),
            (session.kind.word(), &word.strict),
        ];
        let scores = fields.map(|(text, atom)| {
            let text = Utf32Str::new(text, &mut self.letters);
            atom.score(text, &mut self.matcher)
        });
        if word.loose.negative {
            return scores.iter().all(Option::is_some).then_some(0);
        }
        scores.into_iter().flatten().max()
    }
}
