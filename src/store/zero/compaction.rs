//! The compaction that counts, and what it replaces.
//!
//! Must never take an earlier compaction because the last one cannot be used, and must decide by
//! the log alone, not by the page that asks, or pages would not fit together.
//!
//! - It is looked for backwards from the end, [`REACH`] bytes at most: one further back is none.
//! - It replaces events before it only.
//! - The first replaced event is looked for from the log's beginning. Zero compacts everything
//!   from there, so it is found at once; in a log that was copied under new ids there is none.
//!   Beyond [`REACH`] bytes it is not looked for, and the compaction comes first.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::io;

use memchr::memmem;
use serde_json::value::RawValue;

use super::events::{Event, Fields};
use super::json;
use super::messages::message;
use crate::store::jsonl::{Line, Lines, Part, REACH};
use crate::text::Secrets;
use crate::transcript::Message;

const KIND: &str = "session_compaction";

/// How Zero writes it, near the beginning of a line.
const TYPE: &str = r#""type":"session_compaction""#;

/// How much of a line that is too long is looked at to tell whether it is a compaction, in bytes.
const HEAD: u64 = 4 << 10;

/// Looks for the last compaction, only as far as it is asked to.
pub(super) struct Search<'l> {
    lines: &'l Lines<'l>,
    /// Where the part begins that has been searched.
    from: u64,
    last: Option<Last>,
    secrets: Secrets,
}

enum Last {
    Unusable,
    Usable(Compaction),
}

/// What the search came to.
#[derive(Clone, Copy)]
pub(super) enum Found<'s> {
    /// There is none.
    None,
    /// The last one has no summary, does not decode or is too long to be read.
    Unusable,
    /// This one.
    Usable(&'s Compaction),
}

impl<'l> Search<'l> {
    pub(super) fn of(lines: &'l Lines<'l>, secrets: Secrets) -> Self {
        Self {
            lines,
            from: lines.size(),
            last: None,
            secrets,
        }
    }

    /// The last compaction, if it is at `offset` or behind it. It may be before it, too.
    pub(super) fn down_to(&mut self, offset: u64) -> io::Result<Found<'_>> {
        let floor = offset.max(self.lines.size().saturating_sub(REACH));
        while self.last.is_none() && self.from > floor {
            let part = self.lines.before(self.from)?;
            self.last = last_in(self.lines, &part, self.secrets)?;
            self.from = part.start;
        }
        Ok(match &self.last {
            None => Found::None,
            Some(Last::Unusable) => Found::Unusable,
            Some(Last::Usable(compaction)) => Found::Usable(compaction),
        })
    }
}

/// The last compaction in a part that was read backwards.
fn last_in(lines: &Lines<'_>, part: &Part, secrets: Secrets) -> io::Result<Option<Last>> {
    for begin in &part.too_long {
        let head = lines.read(*begin, lines.size().min(begin + HEAD))?;
        if memmem::find(&head, TYPE.as_bytes()).is_some() {
            return Ok(Some(Last::Unusable));
        }
    }
    if memmem::find(part.bytes(), KIND.as_bytes()).is_none() {
        return Ok(None);
    }
    let mut backwards = part.lines().into_iter().rev();
    Ok(backwards.find_map(|line| read(&line, secrets)))
}

/// `None`: the line is no compaction.
fn read(line: &Line<'_>, secrets: Secrets) -> Option<Last> {
    memmem::find(line.bytes, KIND.as_bytes())?;
    let text = String::from_utf8_lossy(line.bytes);
    let event = Event::read(&text).filter(|event| event.kind == KIND)?;
    let compaction = Compaction::read(&event, line.offset, secrets);
    Some(compaction.map_or(Last::Unusable, Last::Usable))
}

/// A compaction that can be used.
pub(super) struct Compaction {
    replaced: Replaced,
    message: Message,
    place: OnceCell<Place>,
}

/// Which events it replaces.
enum Replaced {
    /// Those with these ids.
    Listed(HashSet<String>),
    /// Those up to this sequence.
    Through(u64),
}

/// Where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Before everything.
    First,
    /// Where the first event that it replaces has its line.
    At(u64),
}

impl Compaction {
    /// `None`: it cannot be used.
    fn read(event: &Event<'_>, offset: u64, secrets: Secrets) -> Option<Self> {
        let fields = Fields::read(event.payload)?;
        let summary = json::string(fields.raw("summary")?)?;
        if summary.trim().is_empty() {
            return None;
        }
        let listed = match fields.raw("compactableEvents") {
            None => HashSet::new(),
            Some(list) => ids(list)?,
        };
        let replaced = if listed.is_empty() {
            let through = fields.raw("compactedThroughSequence");
            Replaced::Through(through.map_or(Some(0), |number| number.parse().ok())?)
        } else {
            Replaced::Listed(listed)
        };
        Some(Self {
            replaced,
            message: message(event, offset, secrets),
            place: OnceCell::new(),
        })
    }

    /// Its summary; the offset is that of its own line.
    pub(super) fn message(&self) -> &Message {
        &self.message
    }

    /// Whether it stands for this event, which comes before it.
    pub(super) fn replaces(&self, event: &Event<'_>) -> bool {
        match &self.replaced {
            Replaced::Listed(ids) => ids.contains(&*event.id),
            Replaced::Through(sequence) => *sequence > 0 && event.sequence <= *sequence,
        }
    }

    /// Where it stands. Looked for once.
    pub(super) fn place(&self, lines: &Lines<'_>) -> io::Result<Place> {
        if let Some(place) = self.place.get() {
            return Ok(*place);
        }
        let place = self.find_place(lines)?;
        Ok(*self.place.get_or_init(|| place))
    }

    fn find_place(&self, lines: &Lines<'_>) -> io::Result<Place> {
        let end = self.message.offset.min(REACH);
        let mut from = 0;
        while from < end {
            let part = lines.from(from)?;
            for line in part.lines() {
                if line.offset >= end {
                    return Ok(Place::First);
                }
                let text = String::from_utf8_lossy(line.bytes);
                if Event::read(&text).is_some_and(|event| self.replaces(&event)) {
                    return Ok(Place::At(line.offset));
                }
            }
            from = part.end;
        }
        Ok(Place::First)
    }
}

/// The ids in a list of events, empty ones left out. `None`: it is no such list.
fn ids(list: &str) -> Option<HashSet<String>> {
    let events: Vec<&RawValue> = serde_json::from_str(list).ok()?;
    let mut ids = HashSet::with_capacity(events.len());
    for event in events {
        let fields = Fields::read(event.get())?;
        let id = match fields.raw("id") {
            None => continue,
            Some(raw) => json::string(raw)?,
        };
        if !id.is_empty() {
            ids.insert(id.into_owned());
        }
    }
    Some(ids)
}
