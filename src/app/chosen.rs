//! Which sessions the list is about.

use std::path::PathBuf;

use crate::filter::{Filter, Score};
use crate::lineage::Node;
use crate::session::{Condition, Session};

/// Which sessions the list is about.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// Agents' own runs too.
    pub(crate) runs: bool,
    /// Only those that worked in this folder or below it.
    pub(crate) here: Option<PathBuf>,
    /// Only those that match the filter.
    pub(crate) hits: Option<Hits>,
}

impl Chosen {
    /// Whether it would be in the list if agents' own runs were.
    pub(super) fn has(&self, node: Node, session: &Session) -> bool {
        let inside = |folder: &PathBuf| {
            let cwd = session.folder();
            cwd.is_some_and(|cwd| cwd.starts_with(folder))
        };
        self.here.as_ref().is_none_or(inside)
            && self
                .hits
                .as_ref()
                .is_none_or(|hits| hits.scores[node.index()] > 0)
    }
}

/// What matches a filter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hits {
    pub(crate) filter: Filter,
    /// How well, by node index.
    pub(crate) scores: Vec<Score>,
}

/// Whether a session is an agent's own run.
pub(super) fn run(session: &Session) -> bool {
    !session.kind.resumable() && session.condition == Condition::Sound
}
