//! The parent that a session's log tells of, for when its metadata no longer can.
//!
//! Must never be asked about a sound session: a listing reads no log.

use std::borrow::Cow;

use memchr::memmem;

use super::json;
use crate::session::SessionId;
use crate::store::dir::Dir;

/// How much of a log is read, in bytes. A session tells where it comes from at its beginning, but a
/// fork does so only behind the copy of all its parent's events.
const MAX: u64 = 8 << 20;

/// `None`: it has no parent, or does not say.
pub(super) fn parent_in_log(folder: &Dir, id: &SessionId) -> Option<SessionId> {
    let mut log = Vec::new();
    folder.read_file("events.jsonl", MAX, &mut log).ok()?;
    parent_in(&log, id)
}

/// A fork's copy brings along the `session_fork` events of its parent's own ancestors, so the last one
/// counts; a `session_child` event is also in the parent's log, so only one about this session does.
fn parent_in(log: &[u8], id: &SessionId) -> Option<SessionId> {
    let mut parent = None;
    for line in log.split(|byte| *byte == b'\n') {
        match Descent::read(line) {
            Some(Descent::Fork { parent: named }) if named != *id => parent = Some(named),
            Some(Descent::Child { parent, child }) if child == *id => return Some(parent),
            _ => {}
        }
    }
    parent
}

/// An event that tells who descends from whom.
enum Descent {
    Fork { parent: SessionId },
    Child { parent: SessionId, child: SessionId },
}

impl Descent {
    fn read(line: &[u8]) -> Option<Self> {
        memmem::find(line, b"parentSessionId")?;
        let line = String::from_utf8_lossy(line);
        let (mut kind, mut payload) = (None, "null");
        let read = json::each_field(&line, |key, raw| match &*key {
            "type" => kind = json::string(raw),
            "payload" => payload = raw,
            _ => {}
        });
        read.ok()?;
        let (mut parent, mut child) = (None, None);
        let read = json::each_field(payload, |key, raw| match &*key {
            "parentSessionId" => parent = id(json::string(raw)),
            "childSessionId" => child = id(json::string(raw)),
            _ => {}
        });
        read.ok()?;
        match kind.as_deref()? {
            "session_fork" => Some(Self::Fork { parent: parent? }),
            "session_child" => Some(Self::Child {
                parent: parent?,
                child: child?,
            }),
            _ => None,
        }
    }
}

fn id(text: Option<Cow<'_, str>>) -> Option<SessionId> {
    SessionId::parse(&text?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fork(parent: &str) -> String {
        json!({"type": "session_fork", "payload": {"parentSessionId": parent}}).to_string()
    }

    fn child(parent: &str, child: &str) -> String {
        let payload = json!({"parentSessionId": parent, "childSessionId": child});
        json!({"type": "session_child", "payload": payload}).to_string()
    }

    fn check(lines: &[String], expected: Option<&str>) {
        let me = SessionId::parse("me").unwrap();
        let found = parent_in(lines.join("\n").as_bytes(), &me);
        assert_eq!(found.as_ref().map(SessionId::as_str), expected, "{lines:?}");
    }

    #[test]
    fn the_last_fork_is_its_own() {
        check(&[], None);
        check(&[fork("a")], Some("a"));
        check(&[fork("a"), fork("b")], Some("b"));
        check(&[fork("b"), fork("me"), fork("../x")], Some("b"));
    }

    #[test]
    fn a_child_event_counts_for_the_child_alone() {
        check(&[child("a", "me")], Some("a"));
        check(&[child("me", "b")], None);
        check(&[fork("a"), child("me", "b")], Some("a"));
    }

    #[test]
    fn other_lines_are_passed_over() {
        let message = json!({"type": "message", "payload": {"parentSessionId": "a"}}).to_string();
        let torn = fork("c")[..30].to_owned();
        check(
            &[message.clone(), "nonsense".into(), fork("b"), torn],
            Some("b"),
        );
        check(&[message, "[1, parentSessionId".into()], None);
    }
}
