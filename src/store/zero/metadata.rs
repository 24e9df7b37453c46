//! What metadata.json says.
//!
//! Must never take a session for sound that Zero cannot read: Zero does not list it, and lets its
//! old parents go. Reading never fails: it gives what could be read, and the [`Damage`] beside it.

mod glance;

use std::borrow::Cow;
use std::io;

use chrono::{DateTime, Utc};
use memchr::memmem;
use thiserror::Error;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::{json, time};
use crate::session::{SessionId, SessionKind};
use crate::store::dir::Kind;
use crate::text::{SafeText, Secrets};

/// The file's name.
pub(super) const FILE: &str = "metadata.json";

/// The largest file that is read, in bytes. Zero's own are a few hundred.
pub(super) const MAX: u64 = 1 << 20;

/// The fields that matter here, as they are in the file; empty when absent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Metadata<'a> {
    pub(super) session_id: Cow<'a, str>,
    pub(super) title: Cow<'a, str>,
    pub(super) cwd: Cow<'a, str>,
    pub(super) model: Cow<'a, str>,
    kind: Cow<'a, str>,
    parent: Cow<'a, str>,
    created_at: Cow<'a, str>,
    updated_at: Cow<'a, str>,
    events: Option<i64>,
}

impl<'a> Metadata<'a> {
    /// Takes in a field's text.
    fn set(&mut self, field: &str, text: Cow<'a, str>) {
        match field {
            "sessionId" => self.session_id = text,
            "sessionKind" => self.kind = text,
            "title" => self.title = text,
            "cwd" => self.cwd = text,
            "modelId" => self.model = text,
            "parentSessionId" => self.parent = text,
            "createdAt" => self.created_at = text,
            "updatedAt" => self.updated_at = text,
            _ => {}
        }
    }
}

impl Metadata<'_> {
    /// How the session came to be.
    pub(super) fn kind(&self) -> SessionKind {
        match &*self.kind {
            "" => SessionKind::Main,
            "fork" => SessionKind::Fork,
            "child" => SessionKind::Child,
            "side" => SessionKind::Side,
            "spec-draft" => SessionKind::SpecDraft,
            "spec-impl" => SessionKind::SpecImpl,
            other => SessionKind::Other(line(other, 40, Secrets::Hidden)),
        }
    }

    /// The parent; what cannot be the name of a session is none.
    pub(super) fn parent(&self) -> Option<SessionId> {
        SessionId::parse(&self.parent)
    }

    /// When the session began.
    pub(super) fn created_at(&self) -> Option<DateTime<Utc>> {
        time::parse(&self.created_at)
    }

    /// When it was last written.
    pub(super) fn updated_at(&self) -> Option<DateTime<Utc>> {
        time::parse(&self.updated_at)
    }

    /// How many events its log has; a negative number says nothing.
    pub(super) fn events(&self) -> Option<u64> {
        u64::try_from(self.events?).ok()
    }
}

/// Why a session's metadata is not to be relied on.
#[derive(Debug, Error)]
pub(super) enum Damage {
    /// Its folder does not open.
    #[error("its folder cannot be opened: {0}")]
    Folder(io::Error),
    /// A FIFO, a link and the like.
    #[error("its metadata is {0}, not a file")]
    NotAFile(Kind),
    /// The file does not open, or reading it went wrong.
    #[error("its metadata cannot be read: {0}")]
    Unreadable(io::Error),
    /// It has none, and its log, which may name a parent, cannot be read either.
    #[error("it has no metadata, and its log cannot be read: {0}")]
    Log(io::Error),
    /// Larger than [`MAX`].
    #[error("its metadata is larger than 1 MiB")]
    TooLarge,
    /// Zero gives up at this depth.
    #[error("its metadata is nested too deep")]
    TooDeep,
    /// Bad or torn JSON.
    #[error("its metadata is not readable: {0}")]
    NotJson(serde_json::Error),
    /// A field of another type than Zero's.
    #[error("{field} in its metadata is not {wanted}")]
    WrongType {
        /// Zero's name for it.
        field: &'static str,
        /// What it should be.
        wanted: &'static str,
    },
}

/// What Zero expects of a field.
#[derive(Clone, Copy)]
enum Slot {
    Text,
    Integer,
    Goal,
}

/// Every field that Zero knows: one of another type makes it skip the session.
const FIELDS: [(&str, Slot); 30] = [
    ("sessionId", Slot::Text),
    ("sessionKind", Slot::Text),
    ("title", Slot::Text),
    ("cwd", Slot::Text),
    ("modelId", Slot::Text),
    ("provider", Slot::Text),
    ("tag", Slot::Text),
    ("depth", Slot::Integer),
    ("parentSessionId", Slot::Text),
    ("rootSessionId", Slot::Text),
    ("agentName", Slot::Text),
    ("taskId", Slot::Text),
    ("forkedFromEventId", Slot::Text),
    ("forkedFromSequence", Slot::Integer),
    ("spawnedFromEventId", Slot::Text),
    ("spawnedFromSequence", Slot::Integer),
    ("specId", Slot::Text),
    ("specFilePath", Slot::Text),
    ("specStatus", Slot::Text),
    ("specDraftModelId", Slot::Text),
    ("specDraftReasoning", Slot::Text),
    ("specUserComment", Slot::Text),
    ("specRejectReason", Slot::Text),
    ("specSourceSessionId", Slot::Text),
    ("specImplSessionId", Slot::Text),
    ("goal", Slot::Goal),
    ("createdAt", Slot::Text),
    ("updatedAt", Slot::Text),
    ("eventCount", Slot::Integer),
    ("lastEventType", Slot::Text),
];

/// The fields of a goal.
const GOAL_FIELDS: [(&str, Slot); 7] = [
    ("objective", Slot::Text),
    ("status", Slot::Text),
    ("statusReason", Slot::Text),
    ("tokenBudget", Slot::Integer),
    ("tokensUsed", Slot::Integer),
    ("createdAt", Slot::Text),
    ("updatedAt", Slot::Text),
];

/// Reads the file's text: what it says, and what is wrong with it.
pub(super) fn parse(text: &str) -> (Metadata<'_>, Option<Damage>) {
    match glance::glance(text) {
        Some(metadata) => (metadata, None),
        None => closely(text),
    }
}

/// The same, however it is written.
fn closely(text: &str) -> (Metadata<'_>, Option<Damage>) {
    let mut metadata = Metadata::default();
    if json::too_deep(text) {
        return (metadata, Some(Damage::TooDeep));
    }
    let mut wrong = None;
    let mut names = Names::new(&FIELDS);
    let read = json::each_field(text, |key, raw| {
        if let Err(damage) = take(&mut metadata, &mut names, &key, raw) {
            wrong.get_or_insert(damage);
        }
    });
    let damage = read.map_err(Damage::NotJson).err().or(wrong);
    (metadata, damage)
}

fn take<'a>(
    metadata: &mut Metadata<'a>,
    names: &mut Names,
    key: &str,
    raw: &'a str,
) -> Result<(), Damage> {
    let Some((field, slot)) = names.find(key) else {
        return Ok(());
    };
    match check(field, slot, raw)? {
        Value::Integer(number) if field == "eventCount" => metadata.events = Some(number),
        Value::Integer(_) | Value::Nothing => {}
        Value::Text(text) => metadata.set(field, text),
    }
    Ok(())
}

/// Fields by their names, looked for from the last one on: Zero writes them in this order.
struct Names {
    fields: &'static [(&'static str, Slot)],
    next: usize,
}

impl Names {
    fn new(fields: &'static [(&'static str, Slot)]) -> Self {
        Self { fields, next: 0 }
    }

    /// Zero's field of that very name.
    fn exactly(&mut self, key: &str) -> Option<(&'static str, Slot)> {
        let (before, after) = self.fields.split_at(self.next);
        let mut onwards = (self.next..).zip(after).chain((0..).zip(before));
        let (at, field) = onwards.find(|(_, (name, _))| *name == key)?;
        self.next = at + 1;
        Some(*field)
    }

    /// Zero's field of that name, in whatever letters.
    fn find(&mut self, key: &str) -> Option<(&'static str, Slot)> {
        if let Some(field) = self.exactly(key) {
            return Some(field);
        }
        let found = self
            .fields
            .iter()
            .find(|(name, _)| json::same_key(key, name));
        found.copied()
    }
}

enum Value<'a> {
    Text(Cow<'a, str>),
    Integer(i64),
    /// `null`, which leaves a field as it was, or something that is only checked.
    Nothing,
}

fn check<'a>(field: &'static str, slot: Slot, raw: &'a str) -> Result<Value<'a>, Damage> {
    let wrong = |wanted| Damage::WrongType { field, wanted };
    if raw == "null" {
        return Ok(Value::Nothing);
    }
    match slot {
        Slot::Text => json::string(raw)
            .map(Value::Text)
            .ok_or_else(|| wrong("a text")),
        Slot::Integer => raw
            .parse()
            .map(Value::Integer)
            .map_err(|_| wrong("an integer")),
        Slot::Goal => check_goal(raw).ok_or_else(|| wrong("a goal")),
    }
}

fn check_goal(raw: &str) -> Option<Value<'_>> {
    let mut sound = true;
    let mut names = Names::new(&GOAL_FIELDS);
    let read = json::each_field(raw, |key, raw| {
        if let Some((field, slot)) = names.find(&key) {
            sound &= check(field, slot, raw).is_ok();
        }
    });
    (read.is_ok() && sound).then_some(Value::Nothing)
}

/// One safe line of at most `columns`: a field may be a megabyte long, and every row is drawn and searched.
pub(super) fn line(raw: &str, columns: usize, secrets: Secrets) -> SafeText {
    let safe = SafeText::line_with(raw, secrets);
    // No character takes more columns than bytes.
    if safe.as_str().len() <= columns || safe.width() <= columns {
        return safe;
    }
    let mut left = columns.saturating_sub(1);
    let fits = |grapheme: &&str| {
        let rest = left.checked_sub(grapheme.width());
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let mut cut: String = safe.as_str().graphemes(true).take_while(fits).collect();
    cut.push('…');
    SafeText::line_with(&cut, secrets)
}

/// The parent that a broken file names, as far as it can be made out: the last one, as in a sound file.
pub(super) fn parent_in(text: &[u8]) -> Option<SessionId> {
    const KEY: &[u8] = b"\"parentsessionid\"";
    let lower = text.to_ascii_lowercase();
    let named = memmem::find_iter(&lower, KEY).filter_map(|at| {
        let value = text[at + KEY.len()..].trim_ascii_start();
        let value = value.strip_prefix(b":")?.trim_ascii_start();
        let value = value.strip_prefix(b"\"")?;
        let end = memchr::memchr(b'"', value)?;
        SessionId::parse(std::str::from_utf8(&value[..end]).ok()?)
    });
    named.last()
}

#[cfg(test)]
mod tests;
