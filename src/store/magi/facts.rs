//! What a session's events and its sidecar say of it as a whole.
//!
//! Must never believe a sidecar whose file is not in the state that it tells of.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;

use super::event::{Event, text};
use crate::session::SessionId;

/// The version of sidecars that is understood.
const SCHEMA: u64 = 3;

/// What is gathered, event by event, as magi-code gathers it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// When the first event was written.
    pub(super) began: Option<DateTime<Utc>>,
    /// The latest time of any event.
    pub(super) latest: Option<DateTime<Utc>>,
    pub(super) title: Option<String>,
    pub(super) first_input: Option<String>,
    /// The project: what the session names as that, else where its first event worked.
    pub(super) path: Option<String>,
    cwd: Option<String>,
    /// The session it was copied from by a rewind.
    pub(super) rewound_from: Option<SessionId>,
    /// Sessions of subagents that it started.
    pub(super) children: Vec<SessionId>,
}

impl Facts {
    /// Takes in an event that follows those before it.
    pub(super) fn add(&mut self, event: &Event<'_>) {
        self.began.get_or_insert(event.at);
        self.latest = self.latest.max(Some(event.at));
        let path = event.session_path.as_deref();
        if let Some(path) = path.filter(|path| self.path.is_none() && !path.is_empty()) {
            self.path = Some(path.to_owned());
        }
        if self.cwd.is_none() && !event.cwd.is_empty() {
            self.cwd = Some(event.cwd.to_string());
        }
        match &*event.kind {
            "session_title" => self.title(text(&event.payload(), "title")),
            "user_input" if self.first_input.is_none() => {
                self.input(text(&event.payload(), "text"));
            }
            "compaction" => {
                if let Some(aggregate) = event.payload().get("aggregate") {
                    self.aggregate(aggregate);
                }
            }
            "diagnostic" => {
                let source = event.payload();
                let source = SessionId::parse(text(&source, "rewind_source_session"));
                self.rewound_from = source.or(self.rewound_from.take());
            }
            "subagent_session" => {
                let child = SessionId::parse(text(&event.payload(), "session_id"));
                self.children.extend(child);
            }
            _ => {}
        }
    }

    fn title(&mut self, title: &str) {
        if !title.trim().is_empty() {
            self.title = Some(title.to_owned());
        }
    }

    fn input(&mut self, input: &str) {
        if !input.trim().is_empty() {
            self.first_input = Some(input.to_owned());
        }
    }

    /// What a compaction keeps of the events that it took out of the file.
    fn aggregate(&mut self, aggregate: &Value) {
        self.title(text(aggregate, "latest_title"));
        self.input(text(aggregate, "first_user_input_text"));
        let path = text(aggregate, "session_path");
        if !path.is_empty() {
            self.path = Some(path.to_owned());
        }
        let at = DateTime::parse_from_rfc3339(text(aggregate, "latest_activity_timestamp"));
        self.latest = self.latest.max(at.ok().map(Into::into));
    }

    /// The project's folder.
    pub(super) fn folder(&self) -> Option<&str> {
        self.path.as_deref().or(self.cwd.as_deref())
    }

    /// What it is called.
    pub(super) fn name(&self) -> &str {
        let name = self.title.as_deref().or(self.first_input.as_deref());
        name.unwrap_or_default()
    }
}

/// `<id>.metadata.json`: what magi-code found out the last time it read the file.
#[derive(Deserialize)]
struct Sidecar {
    schema_version: u64,
    session_id: String,
    latest_activity_timestamp: Option<DateTime<Utc>>,
    latest_title: Option<String>,
    session_path: Option<String>,
    #[serde(default)]
    first_user_input_text: Option<String>,
    jsonl_len: u64,
    jsonl_modified_ns: Option<u128>,
    complete: bool,
}

/// What the sidecar says, if the session's file, of `length` bytes and `modified` nanoseconds after 1970, is
/// what it tells of.
pub(super) fn believed(json: &[u8], id: &SessionId, length: u64, modified: u128) -> Option<Facts> {
    let sidecar: Sidecar = serde_json::from_slice(json).ok()?;
    let state = (sidecar.jsonl_len, sidecar.jsonl_modified_ns);
    let fits = sidecar.complete
        && sidecar.schema_version == SCHEMA
        && sidecar.session_id == id.as_str()
        && state == (length, Some(modified));
    let some = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    fits.then(|| Facts {
        latest: sidecar.latest_activity_timestamp,
        title: some(sidecar.latest_title),
        first_input: some(sidecar.first_user_input_text),
        path: some(sidecar.session_path),
        ..Facts::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(lines: &[(&str, &str)]) -> Facts {
        let mut facts = Facts::default();
        for (second, (kind, payload)) in lines.iter().enumerate() {
            let line = format!(
                r#"{{"event_type":"{kind}","timestamp":"2026-11-01T10:00:{second:02}Z","session_id":"s","cwd":"/src/{second}","payload":{payload}}}"#
            );
            facts.add(&Event::read(line.as_bytes()).unwrap());
        }
        facts
    }

    #[test]
    fn the_last_title_counts_else_the_first_input() {
        let input = ("user_input", r#"{"text":"first"}"#);
        let second = ("user_input", r#"{"text":"second"}"#);
        assert_eq!(facts(&[input, second]).name(), "first");
        let titles = [
            ("session_title", r#"{"title":"one"}"#),
            ("session_title", r#"{"title":"two"}"#),
            ("session_title", r#"{"title":"  "}"#),
        ];
        assert_eq!(facts(&[&[input], &titles[..]].concat()).name(), "two");
        assert_eq!(facts(&[]).name(), "");
    }

    #[test]
    fn where_it_worked_first_counts() {
        assert_eq!(facts(&[("x", "1"), ("x", "1")]).folder(), Some("/src/0"));
    }

    #[test]
    fn a_compaction_says_what_it_took_out() {
        let aggregate = r#"{"aggregate":{"latest_title":"kept","session_path":"/p","latest_activity_timestamp":"2027-01-01T00:00:00Z"}}"#;
        let facts = facts(&[("compaction", aggregate)]);
        assert_eq!((facts.name(), facts.folder()), ("kept", Some("/p")));
        assert_eq!(
            facts.latest.unwrap().to_rfc3339(),
            "2027-01-01T00:00:00+00:00"
        );
    }

    #[test]
    fn the_lineage_is_in_rows_of_the_parent_and_of_a_copy() {
        let facts = facts(&[
            ("subagent_session", r#"{"session_id":"child"}"#),
            ("subagent_session", r#"{"session_id":"../x"}"#),
            ("diagnostic", r#"{"rewind_source_session":"source"}"#),
            ("diagnostic", r#"{"message":"x"}"#),
        ]);
        assert_eq!(facts.children, [SessionId::parse("child").unwrap()]);
        assert_eq!(facts.rewound_from, SessionId::parse("source"));
    }

    #[test]
    fn a_sidecar_is_believed_only_of_the_file_as_it_is() {
        let id = SessionId::parse("s").unwrap();
        let json = r#"{"schema_version":3,"session_id":"s","latest_activity_timestamp":"2026-11-01T10:00:00Z","latest_title":"t","session_path":null,"user_input_count":1,"jsonl_len":10,"jsonl_modified_ns":7,"complete":true}"#;
        let read = |json: &str, length, modified| believed(json.as_bytes(), &id, length, modified);
        assert_eq!(read(json, 10, 7).unwrap().name(), "t");
        assert_eq!(read(json, 11, 7), None);
        assert_eq!(read(json, 10, 8), None);
        for (part, other) in [
            ("\"schema_version\":3", "\"schema_version\":4"),
            ("\"session_id\":\"s\"", "\"session_id\":\"t\""),
            ("true", "false"),
            ("\"jsonl_modified_ns\":7", "\"jsonl_modified_ns\":null"),
            ("{", ""),
        ] {
            assert_eq!(read(&json.replacen(part, other, 1), 10, 7), None, "{part}");
        }
    }
}
