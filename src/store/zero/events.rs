//! One line of events.jsonl, and when the last one was written.
//!
//! Must never take a guess for a time: when the last event's time is not certain, the answer is
//! [`LastEvent::Unknown`] and the session stays.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use chrono::{DateTime, Utc};

use super::{json, time};
use crate::store::jsonl::{Lines, Part};
use crate::text::SafeText;

/// How far from the log's end its last event is looked for, in bytes.
const LOOK_BACK: u64 = 8 << 20;
/// How much of it is read at first, in bytes.
const GLANCE: usize = 4 << 10;

/// An event as Zero writes it; what it is about is not looked into.
#[derive(Debug)]
pub(super) struct Event<'a> {
    /// Empty if it has none.
    pub(super) id: Cow<'a, str>,
    /// Counted from 1; 0 if it has none.
    pub(super) sequence: u64,
    /// What kind of event it is.
    pub(super) kind: Cow<'a, str>,
    /// When it was written; `None`: unreadable.
    pub(super) at: Option<DateTime<Utc>>,
    /// What it is about, as JSON.
    pub(super) payload: &'a str,
}

impl<'a> Event<'a> {
    /// `None`: the line is no event.
    pub(super) fn read(line: &'a str) -> Option<Self> {
        if json::too_deep(line) {
            return None;
        }
        let fields = Fields::read(line)?;
        let kind = json::string(fields.raw("type")?)?;
        Some(Self {
            id: fields.raw("id").and_then(json::string).unwrap_or_default(),
            sequence: fields.number("sequence").unwrap_or(0),
            kind,
            at: fields
                .raw("createdAt")
                .and_then(json::string)
                .and_then(|text| time::parse(&text)),
            payload: fields.raw("payload").unwrap_or("null"),
        })
    }
}

/// The fields of a JSON object, found as Zero finds them.
#[derive(Default)]
pub(super) struct Fields<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Fields<'a> {
    /// `None`: it is no object.
    pub(super) fn read(object: &'a str) -> Option<Self> {
        let mut fields = Vec::with_capacity(8);
        json::each_field(object, |key, raw| fields.push((key, raw))).ok()?;
        Some(Self(fields))
    }

    /// The field's JSON; of repeated ones the last, and none that is `null`.
    pub(super) fn raw(&self, name: &str) -> Option<&'a str> {
        let same = |(key, raw): &&(Cow<str>, &str)| json::same_key(key, name) && *raw != "null";
        self.0.iter().rev().find(same).map(|(_, raw)| *raw)
    }

    /// A string as it is, anything else as JSON, nothing as the empty text.
    pub(super) fn text(&self, name: &str) -> Cow<'a, str> {
        let Some(raw) = self.raw(name) else {
            return Cow::Borrowed("");
        };
        json::string(raw).unwrap_or(Cow::Borrowed(raw))
    }

    /// `None`: not there, or no whole number that is positive or 0.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.raw(name)?.parse().ok()
    }
}

/// When a log's last complete event was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LastEvent {
    /// There is none.
    None,
    /// At this time.
    At(DateTime<Utc>),
    /// It cannot be said, says why.
    Unknown(SafeText),
}

impl LastEvent {
    fn unknown(why: &str) -> Self {
        Self::Unknown(SafeText::line(why))
    }
}

/// Reads the end of a log of so many bytes. A torn last line counts for nothing.
pub(super) fn last_event_time(log: &File, size: u64) -> LastEvent {
    last_event(log, size).unwrap_or_else(|error| LastEvent::unknown(&error.to_string()))
}

fn last_event(log: &File, size: u64) -> io::Result<LastEvent> {
    if let Some(last) = at_the_end(log, size)? {
        return Ok(last);
    }
    let lines = Lines::of(log)?;
    let mut end = lines.size();
    let floor = end.saturating_sub(LOOK_BACK);
    loop {
        let part = lines.before(end)?;
        if !part.too_long.is_empty() {
            return Ok(LastEvent::unknown("the last event of its log is too long"));
        }
        if let Some(last) = last_in(&part) {
            return Ok(last);
        }
        end = part.start;
        if end == 0 {
            return Ok(LastEvent::None);
        }
        if end <= floor {
            let why = "no event can be read at the end of its log";
            return Ok(LastEvent::unknown(why));
        }
    }
}

/// The last line, if it ends as it should and one read shows all of it, as it nearly always does.
fn at_the_end(log: &File, size: u64) -> io::Result<Option<LastEvent>> {
    let mut end = [0; GLANCE];
    let low = size.saturating_sub(GLANCE as u64);
    let end = &mut end[..usize::try_from(size - low).map_err(io::Error::other)?];
    log.read_exact_at(end, low)?;
    let Some(lines) = end.strip_suffix(b"\n") else {
        return Ok(None);
    };
    let line = match memchr::memrchr(b'\n', lines) {
        Some(before) => &lines[before + 1..],
        None if low == 0 => lines,
        None => return Ok(None),
    };
    Ok((!line.trim_ascii().is_empty()).then(|| told_by(line)))
}

/// The last line of a part; `None`: there is none. One that cannot be read may be of any time.
fn last_in(part: &Part) -> Option<LastEvent> {
    let line = part.lines().into_iter().next_back()?;
    Some(told_by(line.bytes))
}

fn told_by(line: &[u8]) -> LastEvent {
    let text = String::from_utf8_lossy(line);
    match Event::read(&text) {
        None => LastEvent::unknown("the last line of its log cannot be read"),
        Some(event) => event.at.map_or_else(
            || LastEvent::unknown("the last event of its log has no readable time"),
            LastEvent::At,
        ),
    }
}

#[cfg(test)]
mod tests;
