//! The parent that a session's log tells of, for when its metadata no longer can.
//!
//! Must never be asked about a sound session (a listing reads no log), or take a log for one that
//! names no parent, or an earlier one, because it was not read to its end.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read as _};

use memchr::memmem;

use super::{LOG, json};
use crate::session::SessionId;
use crate::store::dir::{Access, Dir};

/// The largest log that is read, in bytes. A session tells where it comes from at its beginning, but a
/// fork does so only behind the copy of all its parent's events.
const MAX: u64 = 256 << 20;
/// The longest line that is understood, in bytes: an event that tells of a parent is far shorter.
const LINE_MAX: u64 = 64 << 10;
/// What a line has that tells of a parent.
const NEEDLE: &[u8] = b"parentSessionId";

/// `None`: it has no parent, or no log. An error: it cannot be told.
pub(super) fn parent_in_log(folder: &Dir, id: &SessionId) -> io::Result<Option<SessionId>> {
    let (log, seen) = match folder.open_seen(LOG, Access::Read) {
        Ok(opened) => opened,
        Err(error) if error.is_missing() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if seen.len() > MAX {
        return Err(io::Error::other("it is larger than 256 MiB"));
    }
    parent_in(BufReader::with_capacity(64 << 10, log.take(MAX)), id)
}

/// A fork's copy brings along the `session_fork` events of its parent's own ancestors, so the last one
/// counts; a `session_child` event is also in the parent's log, so only one about this session does.
fn parent_in(mut log: impl BufRead, id: &SessionId) -> io::Result<Option<SessionId>> {
    let mut parent = None;
    let mut line = Vec::new();
    while read_line(&mut log, &mut line)? {
        match Descent::read(&line) {
            Some(Descent::Fork { parent: named }) if named != *id => parent = Some(named),
            Some(Descent::Child { parent, child }) if child == *id => return Ok(Some(parent)),
            _ => {}
        }
    }
    Ok(parent)
}

/// Reads the next line; `false`: there is none. One that is too long is passed over, unless it may tell
/// of a parent: then that cannot be told.
fn read_line(log: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut cut = bite(log, line)?;
    let some = !line.is_empty();
    let too_long = cut;
    while cut {
        names_none(line)?;
        // A name may lie across two bites.
        line.drain(..line.len() - NEEDLE.len());
        cut = bite(log, line)?;
    }
    if too_long {
        names_none(line)?;
        line.clear();
    }
    Ok(some)
}

/// Reads on; whether there may be more of the line.
fn bite(log: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    let read = log.by_ref().take(LINE_MAX).read_until(b'\n', line)?;
    Ok(read as u64 == LINE_MAX && !line.ends_with(b"\n"))
}

fn names_none(part: &[u8]) -> io::Result<()> {
    match memmem::find(part, NEEDLE) {
        None => Ok(()),
        Some(_) => Err(io::Error::other(
            "a line that may name a parent is too long",
        )),
    }
}

/// An event that tells who descends from whom.
enum Descent {
    Fork { parent: SessionId },
    Child { parent: SessionId, child: SessionId },
}

impl Descent {
    fn read(line: &[u8]) -> Option<Self> {
        memmem::find(line, NEEDLE)?;
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
        let found = parent_in(lines.join("\n").as_bytes(), &me).unwrap();
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
    fn a_long_line_is_passed_over_unless_it_may_name_a_parent() {
        let padded = |text: &str, before: usize| format!("\"{}{text}\"", "x".repeat(before));
        let max = usize::try_from(LINE_MAX).unwrap();
        for length in [max - 2, max - 1, max, 3 * max] {
            check(&[fork("a"), padded("", length)], Some("a"));
            check(&[padded("", length), fork("a")], Some("a"));
        }
        let me = SessionId::parse("me").unwrap();
        for before in [0, max - 8, max, 2 * max - 20, 2 * max - 3] {
            for behind in [0, max] {
                let text = format!("parentSessionId{}", "x".repeat(behind));
                let log = [fork("a"), padded(&text, before)].join("\n");
                let unclear = before + behind >= max - 16;
                let told = parent_in(log.as_bytes(), &me);
                assert_eq!(told.is_err(), unclear, "{before} {behind}");
            }
        }
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
