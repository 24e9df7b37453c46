//! What a search has found, as lines: each session with its first hits below it.
//!
//! Invariant: however much is found, no more than [`MOST`] hits are kept; the rest are counted.

use crate::search::found::{Hit, News};
use crate::session::SessionId;

/// Hits that are kept of all sessions together.
const MOST: usize = 20_000;

/// Sessions in which something was found, in the order of the search.
#[derive(Debug, Default)]
pub(crate) struct Results {
    sessions: Vec<Found>,
    /// The first line of each of them.
    starts: Vec<usize>,
    kept: usize,
    /// Messages that match, as far as known.
    pub(crate) matches: u64,
}

/// A session in which something was found.
#[derive(Debug)]
pub(crate) struct Found {
    /// Which one of those that are searched.
    at: usize,
    pub(crate) id: SessionId,
    /// Messages that match; `None`: it is still being searched.
    pub(crate) count: Option<u64>,
    /// The first of them.
    pub(crate) hits: Vec<Hit>,
    /// Hits that were told, kept or not.
    told: u64,
}

/// A line of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Line<'a> {
    Session(&'a Found),
    Hit(&'a Found, &'a Hit),
}

impl PartialEq for Found {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

/// A line by what stays as more is found: the session's number, and which line below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    at: usize,
    line: usize,
}

impl Results {
    /// Sessions in which something was found.
    pub(crate) fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Lines.
    pub(crate) fn len(&self) -> usize {
        let last = self.sessions.last().zip(self.starts.last());
        last.map_or(0, |(last, start)| start + 1 + last.hits.len())
    }

    /// The lines from one on.
    pub(crate) fn lines(&self, from: usize) -> impl Iterator<Item = Line<'_>> {
        let first = self.session_of(from).unwrap_or(0);
        let skip = from - self.starts.get(first).copied().unwrap_or(0).min(from);
        let sessions = self.sessions[first.min(self.sessions.len())..].iter();
        let lines = sessions.flat_map(|found| {
            let hits = found.hits.iter().map(move |hit| Line::Hit(found, hit));
            std::iter::once(Line::Session(found)).chain(hits)
        });
        lines.skip(skip)
    }

    /// Where the hit of a line is, or the first of a session's.
    pub(super) fn target(&self, line: usize) -> Option<(SessionId, u64)> {
        let (found, hit) = match self.lines(line).next()? {
            Line::Session(found) => (found, found.hits.first()),
            Line::Hit(found, hit) => (found, Some(hit)),
        };
        // Where there were too many to be kept, one reads from the beginning.
        Some((found.id.clone(), hit.map_or(0, |hit| hit.offset)))
    }

    /// The line of the session before, or of this one.
    pub(super) fn session_before(&self, line: usize) -> usize {
        let before = line.checked_sub(1).and_then(|line| self.session_of(line));
        before.map_or(0, |session| self.starts[session])
    }

    /// The line of the next session; the same line, if there is none.
    pub(super) fn session_after(&self, line: usize) -> usize {
        let next = self.session_of(line).map(|session| session + 1);
        let next = next.and_then(|next| self.starts.get(next));
        next.copied().unwrap_or(line)
    }

    fn session_of(&self, line: usize) -> Option<usize> {
        self.starts
            .partition_point(|start| *start <= line)
            .checked_sub(1)
    }

    /// Takes in news of a session. [`Results::count`] has to follow.
    pub(super) fn add(&mut self, ids: &[SessionId], news: News) {
        let found = self.sessions.binary_search_by_key(&news.session, |f| f.at);
        let at = match (found, ids.get(news.session)) {
            (Ok(at), _) => at,
            (Err(at), Some(id)) if !news.hits.is_empty() => {
                let found = Found {
                    at: news.session,
                    id: id.clone(),
                    count: None,
                    hits: Vec::new(),
                    told: 0,
                };
                self.sessions.insert(at, found);
                at
            }
            (Err(_), _) => return,
        };
        let found = &mut self.sessions[at];
        let told = news.hits.len() as u64;
        found.told += told;
        self.matches += told;
        let room = MOST.saturating_sub(self.kept);
        let before = found.hits.len();
        found.hits.extend(news.hits.into_iter().take(room));
        self.kept += found.hits.len() - before;
        if let Some(end) = news.end {
            self.matches += end.count.saturating_sub(found.told);
            found.count = Some(end.count);
        }
    }

    /// Finds out anew which line is whose.
    pub(super) fn count(&mut self) {
        let mut line = 0;
        let start = |found: &Found| {
            let start = line;
            line += 1 + found.hits.len();
            start
        };
        self.starts = self.sessions.iter().map(start).collect();
    }

    /// What a line is; `None`: there is none.
    pub(super) fn place(&self, line: usize) -> Option<Place> {
        let session = self.session_of(line)?;
        Some(Place {
            at: self.sessions[session].at,
            line: line - self.starts[session],
        })
    }

    /// Which line that is now.
    pub(super) fn line(&self, place: Place) -> usize {
        let session = self.sessions.partition_point(|found| found.at < place.at);
        self.starts
            .get(session)
            .map_or(0, |start| start + place.line)
    }
}
