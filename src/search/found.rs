//! What a search finds: plain data, safe to be shown.

use std::ops::Range;

use chrono::{DateTime, Utc};

use crate::text::SafeText;
use crate::transcript::Role;

/// One message that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Where its line begins in the log, in bytes: what a page of the log calls its place too.
    pub offset: u64,
    /// Who or what it is from.
    pub role: Role,
    /// When it was written.
    pub at: Option<DateTime<Utc>>,
    /// One line of it, cut around what was found.
    pub context: SafeText,
    /// Which bytes of the context were found, in order, none within another. None at all if what was
    /// found cannot be shown: it is a secret, say.
    pub marks: Vec<Range<usize>>,
}

/// News of one session, in the order of its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// Which one, counted from 0 in the list that was given.
    pub session: usize,
    /// Found since the last news of it, in the log's order; of many only the first are told.
    pub hits: Vec<Hit>,
    /// All of it has been searched.
    pub end: Option<End>,
}

/// How the search of a session ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Messages that match, also those that were not told one by one.
    pub count: u64,
    /// Lines that might match but cannot be understood, a torn last line not counted.
    pub unreadable: u64,
    /// Lines that were not searched because they are longer than lines may be.
    pub too_long: u64,
    /// Why not all of it could be searched.
    pub failed: Option<SafeText>,
}
