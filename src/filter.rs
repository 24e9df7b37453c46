//! Which sessions a typed filter means: for the screen and the command line alike.
//!
//! Invariant: a filter only chooses what is shown; it never widens or narrows what a prune covers.

use memchr::memmem;

use crate::lineage::Lineage;
use crate::session::Session;
use crate::text::SafeText;

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
        let mut text = String::new();
        add_searched(&mut text, session);
        self.words.iter().all(|word| text.contains(word.as_str()))
    }
}

/// What filters look through, made once for a whole forest: one text, so that a keystroke goes
/// through it from end to end.
#[derive(Clone, Debug, Default)]
pub struct Index {
    text: String,
    /// Where each session's part ends, by node index.
    ends: Vec<usize>,
}

impl Index {
    /// For the sessions of a forest.
    pub fn new(lineage: &Lineage) -> Self {
        let mut index = Self::default();
        for session in lineage.sessions() {
            add_searched(&mut index.text, session);
            index.ends.push(index.text.len());
        }
        index
    }

    /// Which sessions match, by node index.
    pub fn hits(&self, filter: &Filter) -> Vec<bool> {
        let mut hits = vec![true; self.ends.len()];
        for word in &filter.words {
            let mut next = 0;
            for hit in self.with(word) {
                hits[next..hit].fill(false);
                next = hit + 1;
            }
            hits[next..].fill(false);
        }
        hits
    }

    /// The sessions that a word is in, by node index, in that order.
    fn with(&self, word: &str) -> impl Iterator<Item = usize> {
        let finder = memmem::Finder::new(word).into_owned();
        let (mut from, mut next) = (0, 0);
        std::iter::from_fn(move || {
            let at = from + finder.find(&self.text.as_bytes()[from..])?;
            let hit = next + self.ends[next..].iter().position(|end| *end > at)?;
            (from, next) = (self.ends[hit], hit + 1);
            Some(hit)
        })
    }
}

/// Adds the lower-case text of a session; a word never spans two fields, or two sessions, for it
/// holds no white space.
fn add_searched(text: &mut String, session: &Session) {
    let model = session.model.as_deref();
    let fields = [
        session.title.as_str(),
        session.project(),
        session.id.as_str(),
        model.map(SafeText::as_str).unwrap_or_default(),
        session.kind.word(),
    ];
    let start = text.len();
    for field in fields {
        text.push_str(field);
        text.push('\n');
    }
    if text[start..].is_ascii() {
        text[start..].make_ascii_lowercase();
    } else {
        let lower = text[start..].to_lowercase();
        text.replace_range(start.., &lower);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::session::{Agent, Condition, Folder, Openness, SessionId, SessionKind, Sighting};

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
        let other = |name| Session {
            id: SessionId::parse(name).unwrap(),
            title: SafeText::line("log"),
            ..session()
        };
        let three = vec![
            other("zero_20260801_0"),
            session(),
            other("zero_20260801_2"),
        ];
        let each: Vec<bool> = three
            .iter()
            .map(|session| filter.matches(session))
            .collect();
        let hits = Index::new(&Lineage::new(three)).hits(&filter);
        assert_eq!(hits, each, "{text:?} by the index");
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
        check("log", true);
        check("log in", true);
        check("_1", true);
        check("login other", false);
        check("loginapi", false);
        check("src", false);
    }
}
