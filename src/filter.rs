//! Which sessions a typed filter means: for the screen and the command line alike.
//!
//! Invariant: a filter only chooses what is shown; it never widens or narrows what a prune covers.

use crate::lineage::Lineage;
use crate::session::Session;

/// What was typed: every word must be somewhere in the session's title, project, id, model or kind,
/// whatever the case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    words: Vec<String>,
}

impl Filter {
    /// The words of a text; none of them: everything matches.
    pub fn new(text: &str) -> Self {
        let words = text.split_whitespace().map(str::to_lowercase);
        Self {
            words: words.collect(),
        }
    }

    /// Whether everything matches.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether a session matches.
    pub fn matches(&self, session: &Session) -> bool {
        self.is_empty() || self.matches_text(&searched(session))
    }

    fn matches_text(&self, text: &str) -> bool {
        let inside =
            |word: &String| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
        self.words.iter().all(inside)
    }
}

/// What filters look through, made once for a whole forest so that a keystroke costs no allocation per session.
#[derive(Clone, Debug, Default)]
pub struct Index(Vec<String>);

impl Index {
    /// For the sessions of a forest, by node index.
    pub fn new(lineage: &Lineage) -> Self {
        Self(lineage.sessions().iter().map(searched).collect())
    }

    /// Which sessions match, by node index.
    pub fn hits(&self, filter: &Filter) -> Vec<bool> {
        self.0
            .iter()
            .map(|text| filter.matches_text(text))
            .collect()
    }
}

/// The lower-case text of a session; a word never spans two fields, for it holds no white space.
fn searched(session: &Session) -> String {
    let model = session.model.as_deref();
    let model = model.map(crate::text::SafeText::as_str).unwrap_or_default();
    let fields = [
        session.title.as_str(),
        session.project(),
        session.id.as_str(),
        model,
        session.kind.word(),
    ];
    fields.join("\n").to_lowercase()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::session::{Agent, Condition, Folder, Openness, SessionId, SessionKind, Sighting};
    use crate::text::SafeText;

    fn session() -> Session {
        Session {
            agent: Agent::Zero,
            id: SessionId::parse("zero_20260801_1").unwrap(),
            title: SafeText::line("Fix Login ÄRGER"),
            kind: SessionKind::Fork,
            cwd: Some(Arc::new(Folder::new(Path::new("/home/you/src/api")))),
            model: Some(Arc::new(SafeText::line("gpt-x"))),
            parent: None,
            created_at: None,
            activity_at: None,
            events: None,
            condition: Condition::Sound,
            bytes: None,
            open: Openness::NoSign,
            pinned: false,
            seen: Sighting::default(),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: bool) {
        let filter = Filter::new(text);
        assert_eq!(filter.matches(&session()), expected, "{text:?}");
        let lineage = Lineage::new(vec![session()]);
        let hits = Index::new(&lineage).hits(&filter);
        assert_eq!(hits, [expected], "{text:?} by the index");
    }

    #[test]
    fn every_word_must_be_somewhere_whatever_the_case() {
        check("", true);
        check("  ", true);
        check("login", true);
        check("LOGIN fix", true);
        check("ärger", true);
        check("api", true);
        check("gpt", true);
        check("fork", true);
        check("20260801", true);
        check("login other", false);
        check("loginapi", false);
        check("src", false);
    }
}
