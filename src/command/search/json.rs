//! Hits as JSON, written as they come: one document, whole at the end. Absent values are left out.

use std::io::{self, BufWriter, Stdout, Write as _};
use std::ops::Range;

use serde::Serialize;

use super::super::{Failure, FaultJson};
use super::{End, Hit, Limits, Summary, Told};
use crate::prune::report::rfc3339;
use crate::session::{Agent, Fault, Session, SessionId};
use crate::text::{SafeText, Secrets};

pub(super) fn limits(secrets: Secrets) -> Limits {
    Limits {
        hits: 100,
        columns: 200,
        secrets,
    }
}

pub(super) struct Json<'a> {
    out: BufWriter<Stdout>,
    faults: Vec<FaultJson<'a>>,
    first: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionJson<'a> {
    agent: Agent,
    id: &'a SessionId,
    #[serde(skip_serializing_if = "SafeText::is_empty")]
    title: &'a SafeText,
    #[serde(skip_serializing_if = "str::is_empty")]
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<&'a SafeText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    activity_at: Option<String>,
    /// Messages that match.
    matches: u64,
    /// The first of them.
    hits: Vec<HitJson<'a>>,
}

#[derive(Serialize)]
struct HitJson<'a> {
    /// Where its line begins in the log, in bytes.
    offset: u64,
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    text: &'a SafeText,
    /// Beginnings and ends of what was found in the text, in bytes of its UTF-8.
    marks: Vec<[usize; 2]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SummaryJson<'a> {
    searched: usize,
    stopped: bool,
    not_searched: Vec<MissedJson<'a>>,
    too_long: u64,
    unreadable: u64,
    faults: Vec<FaultJson<'a>>,
}

#[derive(Serialize)]
struct MissedJson<'a> {
    id: &'a SessionId,
    why: &'a str,
}

impl<'a> Json<'a> {
    pub(super) fn begin(typed: &str, faults: &'a [Fault]) -> Result<Self, Failure> {
        let mut out = BufWriter::new(io::stdout());
        out.write_all(b"{\"schema\":1,\"query\":")?;
        serde_json::to_writer(&mut out, &SafeText::line(typed))?;
        out.write_all(b",\"sessions\":[")?;
        Ok(Self {
            out,
            faults: faults.iter().map(FaultJson::new).collect(),
            first: true,
        })
    }
}

impl Told for Json<'_> {
    fn session(&mut self, session: &Session, hits: &[Hit], end: &End) -> Result<(), Failure> {
        if !self.first {
            self.out.write_all(b",")?;
        }
        self.first = false;
        let json = SessionJson {
            agent: session.agent,
            id: &session.id,
            title: &session.title,
            kind: session.kind.word(),
            cwd: session.cwd.as_deref().map(crate::session::Folder::shown),
            activity_at: session.activity_at.map(rfc3339),
            matches: end.count,
            hits: hits.iter().map(HitJson::new).collect(),
        };
        serde_json::to_writer(&mut self.out, &json)?;
        Ok(())
    }

    fn end(mut self, summary: &Summary<'_>) -> Result<(), Failure> {
        let missed = summary.missed.iter();
        let json = SummaryJson {
            searched: summary.searched,
            stopped: summary.stopped(),
            not_searched: missed.map(|(id, why)| MissedJson { id, why }).collect(),
            too_long: summary.too_long,
            unreadable: summary.unreadable,
            faults: self.faults,
        };
        let json = serde_json::to_string(&json)?;
        // It goes on with the same object.
        let rest = json.strip_prefix('{').unwrap_or(&json);
        writeln!(self.out, "],{rest}")?;
        self.out.flush()?;
        summary.say();
        Ok(())
    }
}

impl<'a> HitJson<'a> {
    fn new(hit: &'a Hit) -> Self {
        let mark = |mark: &Range<usize>| [mark.start, mark.end];
        Self {
            offset: hit.offset,
            role: hit.role.name(),
            at: hit.at.map(rfc3339),
            text: &hit.context,
            marks: hit.marks.iter().map(mark).collect(),
        }
    }
}
