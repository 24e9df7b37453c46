//! Which sessions a typed filter means, and which of them most: for the screen and the command line
//! alike.
//!
//! Invariant: a filter only chooses what is shown; it never widens or narrows what a prune covers.

mod complete;
mod parse;
mod terms;
mod words;

use std::num::NonZero;
use std::thread;

use chrono::{DateTime, Utc};

use crate::lineage::{Lineage, Node};
use crate::session::Session;
use crate::text::SafeText;
use terms::Term;
use words::Word;

pub use complete::{Completion, complete};
pub use words::Finder;

/// Sessions that one thread looks at; fewer are not worth another one.
const SHARE: usize = 8_192;

/// What was typed, understood: every term must be true of a session, and every word be somewhere in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    terms: Vec<(Term, Sense)>,
    words: Vec<Word>,
    mistakes: Vec<Mistake>,
}

/// Whether something is to be so, or not to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sense {
    Is,
    Not,
}

/// A term that says nothing, and so chooses nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// As it was typed.
    pub term: SafeText,
    /// What is expected instead.
    pub expected: &'static str,
}

/// What is known of a session besides itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Older than the cutoff, whether a prune would take it or its descendants keep it.
    pub old: bool,
    /// The user selected it.
    pub selected: bool,
}

/// What changes while the sessions stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changing {
    /// What they take on disk.
    Sizes,
    /// Who holds them, what is pinned or selected, and what is old.
    Marks,
}

/// How well a session matches; more is better, and nothing is 0.
pub type Score = u32;

impl Filter {
    /// Understands a text; ages are counted back from `now`. What cannot be understood is among the
    /// [`Filter::mistakes`].
    pub fn new(text: &str, now: DateTime<Utc>) -> Self {
        parse::parse(text, now)
    }

    /// Whether everything matches.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.words.is_empty()
    }

    /// Whether some match better than others.
    pub fn ranks(&self) -> bool {
        !self.words.is_empty()
    }

    /// Whether it asks for something that changes while the sessions stay the same.
    pub fn asks_for(&self, what: Changing) -> bool {
        self.terms
            .iter()
            .any(|(term, _)| term.asks_for() == Some(what))
    }

    /// What in it says nothing.
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    /// How well each session matches, by node index; 0: not at all. If it was typed on from another
    /// filter whose scores are given, nothing is looked at that did not match that one.
    pub fn scores(
        &self,
        lineage: &Lineage,
        marks: &(impl Fn(Node) -> Marks + Sync),
        before: Option<(&Self, &[Score])>,
    ) -> Vec<Score> {
        let before = before.filter(|(before, _)| self.continues(before));
        let before = before.map(|(_, scores)| scores);
        let nodes: Vec<Node> = lineage.nodes().collect();
        let score = |finder: &mut Finder<'_>, node: Node| match before {
            Some(scores) if scores[node.index()] == 0 => 0,
            _ => finder.score(lineage.get(node), marks(node)),
        };
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let share = nodes.len().div_ceil(threads).max(SHARE);
        let look = |nodes: &[Node]| {
            let mut finder = Finder::new(self);
            let scores = nodes.iter().map(|node| score(&mut finder, *node));
            scores.collect::<Vec<_>>()
        };
        if nodes.len() <= share {
            return look(&nodes);
        }
        thread::scope(|scope| {
            let looks = nodes.chunks(share).map(|nodes| scope.spawn(|| look(nodes)));
            let looks: Vec<_> = looks.collect();
            let join = |look: thread::ScopedJoinHandle<'_, Vec<Score>>| {
                look.join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            looks.into_iter().flat_map(join).collect()
        })
    }

    /// Whether all that matches this one matched the other: something was typed on at its end.
    fn continues(&self, before: &Self) -> bool {
        let words = self.words.iter().zip(&before.words);
        self.terms.starts_with(&before.terms)
            && self.words.len() >= before.words.len()
            && words
                .into_iter()
                .all(|(word, before)| word.continues(before))
    }

    fn fits(&self, session: &Session, marks: Marks) -> bool {
        let holds =
            |(term, sense): &(Term, Sense)| term.holds(session, marks) == (*sense == Sense::Is);
        self.terms.iter().all(holds)
    }
}

#[cfg(test)]
mod tests;
