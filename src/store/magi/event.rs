//! One line of a session: an event as magi-code writes it.
//!
//! Must never take for an event what magi-code would pass over: it needs a kind, a time, a session's id and
//! a payload. The format was read off magi-code 0.104.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// An event, its payload not looked into.
#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(rename = "event_type", borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(rename = "timestamp")]
    pub(super) at: DateTime<Utc>,
    #[serde(rename = "session_id", borrow)]
    _session: Cow<'a, str>,
    #[serde(default, borrow)]
    pub(super) cwd: Cow<'a, str>,
    #[serde(default, borrow)]
    pub(super) session_path: Option<Cow<'a, str>>,
    #[serde(borrow)]
    payload: &'a RawValue,
}

impl<'a> Event<'a> {
    /// `None`: it is no event.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    /// What it carries; `null` if that cannot be read.
    pub(super) fn payload(&self) -> Value {
        serde_json::from_str(self.payload.get()).unwrap_or_default()
    }
}

/// A field's text; empty if there is none.
pub(super) fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_a_kind_a_time_a_session_and_a_payload() {
        let whole = r#"{"event_type":"user_input","timestamp":"2026-11-01T10:00:00.5Z","session_id":"s","cwd":"/a","payload":{"text":"hi"}}"#;
        let event = Event::read(whole.as_bytes()).unwrap();
        assert_eq!((&*event.kind, &*event.cwd), ("user_input", "/a"));
        assert_eq!(text(&event.payload(), "text"), "hi");
        for (part, less) in [
            (r#""event_type":"user_input","#, ""),
            ("2026-11-01T10:00:00.5Z", "yesterday"),
            (r#""session_id":"s","#, ""),
            (r#","payload":{"text":"hi"}"#, ""),
            ("}}", "}"),
        ] {
            let line = whole.replace(part, less);
            assert!(Event::read(line.as_bytes()).is_none(), "{line}");
        }
        let bare = r#"{"event_type":"x","timestamp":"2026-11-01T10:00:00+02:00","session_id":"s","payload":null}"#;
        assert!(Event::read(bare.as_bytes()).is_some());
    }
}
