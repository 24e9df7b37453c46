//! One line of events.jsonl, and when the last one was written.
//!
//! Must never take a guess for a time: when the last event's time is not certain, the answer is
//! [`LastEvent::Unknown`] and the session stays.

use std::borrow::Cow;
use std::fs::File;
use std::io;

use chrono::{DateTime, Utc};

use super::{json, time};
use crate::store::jsonl::{Lines, Part};
use crate::text::SafeText;

/// How far from the log's end its last event is looked for, in bytes.
const LOOK_BACK: u64 = 8 << 20;

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
pub(crate) enum LastEvent {
    /// There is none.
    None,
    /// At this time.
    At(DateTime<Utc>),
    /// It cannot be said, says why.
    Unknown(SafeText),
}

/// Reads the end of a log. A torn last line counts for nothing, unreadable ones are passed over.
pub(crate) fn last_event_time(log: &File) -> LastEvent {
    let unknown = |why: &str| LastEvent::Unknown(SafeText::line(why));
    match last_event(log) {
        Ok(Ok(last)) => last,
        Ok(Err(why)) => unknown(why),
        Err(error) => unknown(&error.to_string()),
    }
}

/// The last event, or why it is not known.
fn last_event(log: &File) -> io::Result<Result<LastEvent, &'static str>> {
    let lines = Lines::of(log)?;
    let mut end = lines.size();
    let floor = end.saturating_sub(LOOK_BACK);
    let mut blank = true;
    loop {
        let part = lines.before(end)?;
        if !part.too_long.is_empty() {
            return Ok(Err("the last event of its log is too long to be read"));
        }
        match last_in(&part) {
            Some(Some(at)) => return Ok(Ok(LastEvent::At(at))),
            Some(None) => return Ok(Err("the last event of its log has no readable time")),
            None => blank &= part.lines().is_empty(),
        }
        end = part.start;
        if end == 0 && blank {
            return Ok(Ok(LastEvent::None));
        }
        if end == 0 || end < floor {
            return Ok(Err("no event can be read at the end of its log"));
        }
    }
}

/// The time of the last event in a part.
fn last_in(part: &Part) -> Option<Option<DateTime<Utc>>> {
    part.lines().into_iter().rev().find_map(|line| {
        let text = String::from_utf8_lossy(line.bytes);
        Event::read(&text).map(|event| event.at)
    })
}

#[cfg(test)]
mod tests;
