//! Listing the sessions folder.
//!
//! Must never change anything, or end early without saying so.

use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use super::event::{Event, text};
use super::files::{LINES, SUBAGENTS};
use super::look::{Looked, look};
use crate::session::{Fault, SessionId, SessionKind};
use crate::store::dir::{Access, Dir, Kind};
use crate::store::log::Blocks;
use crate::store::spread::spread;
use crate::store::{Found, ScanError};
use crate::text::{SafeText, Secrets};

/// Sessions that are looked at before those are told of.
const PART: usize = 256;

/// See [`crate::store::Store::scan`]. The main sessions come first; those of subagents when it is known who
/// started them.
pub(super) fn scan(
    path: &Path,
    secrets: Secrets,
    found: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> Result<(), ScanError> {
    let unreadable = |error| ScanError::Unreadable(path.to_owned(), error);
    let root = Dir::open_root(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ScanError::Missing(path.to_owned()),
        _ => unreadable(error),
    })?;
    let (ids, faults) = names(&root, path).map_err(unreadable)?;
    if tell(faults.into_iter().map(Found::Fault), found).is_break() {
        return Ok(());
    }
    let mut parents = HashMap::new();
    let mut unasked = Vec::new();
    for part in ids.chunks(PART) {
        let look = |id: &SessionId| look(&root, id, SessionKind::Main, secrets);
        let looked = spread(part, look, |_| true).unwrap_or_default();
        let looked: Vec<Looked> = looked.into_iter().flatten().collect();
        for Looked {
            session,
            children,
            whole,
        } in &looked
        {
            let of = children
                .iter()
                .map(|child| (child.clone(), session.id.clone()));
            parents.extend(of);
            unasked.extend((!whole).then(|| session.id.clone()));
        }
        let sessions = looked
            .into_iter()
            .map(|looked| Found::Session(looked.session));
        if tell(sessions, found).is_break() {
            return Ok(());
        }
    }
    let subagents = match root.open_dir(SUBAGENTS) {
        Ok(subagents) => subagents,
        Err(error) if error.is_missing() => return Ok(()),
        Err(error) => {
            let error = io::Error::from(error);
            let fault = fault(&path.join(SUBAGENTS), &error.to_string());
            let _ = found(Found::Fault(fault));
            return Ok(());
        }
    };
    let below = path.join(SUBAGENTS);
    let (ids, faults) = names(&subagents, &below).map_err(unreadable)?;
    if ids.iter().any(|id| !parents.contains_key(id)) {
        let asked = spread(&unasked, |id| started_by(&root, id), |_| true);
        for (parent, children) in unasked.iter().zip(asked.unwrap_or_default()) {
            parents.extend(children.into_iter().map(|child| (child, parent.clone())));
        }
    }
    let look = |id: &SessionId| look(&subagents, id, SessionKind::Child, secrets);
    let looked = spread(&ids, look, |_| true).unwrap_or_default();
    let sessions = looked.into_iter().flatten().map(|looked| {
        let mut session = looked.session;
        session.parent = parents.remove(&session.id);
        Found::Session(session)
    });
    let all: Vec<Found> = sessions
        .chain(faults.into_iter().map(Found::Fault))
        .collect();
    let _ = tell(all.into_iter(), found);
    Ok(())
}

fn tell(
    mut all: impl Iterator<Item = Found>,
    found: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> ControlFlow<()> {
    all.try_for_each(found)
}

/// The sessions in a folder, and what looks like one but is none. What else is there is magi-code's own.
fn names(dir: &Dir, path: &Path) -> io::Result<(Vec<SessionId>, Vec<Fault>)> {
    let (mut ids, mut faults) = (Vec::new(), Vec::new());
    for entry in dir.entries()? {
        let entry = entry?;
        let name = entry.name.to_string_lossy();
        let Some(stem) = name
            .strip_suffix(LINES)
            .filter(|stem| !stem.starts_with('.'))
        else {
            continue;
        };
        match (SessionId::parse(stem), entry.kind) {
            (Some(id), Kind::File) => ids.push(id),
            (Some(_), kind) => {
                let what = format!("not a session: it is {kind}");
                faults.push(fault(&path.join(&entry.name), &what));
            }
            (None, _) => {
                let what = "not a session: no session has a name like this";
                faults.push(fault(&path.join(&entry.name), what));
            }
        }
    }
    ids.sort_unstable();
    Ok((ids, faults))
}

fn fault(path: &Path, what: &str) -> Fault {
    Fault {
        path: path.to_owned(),
        what: SafeText::line(what),
    }
}

/// The sessions that one started, of which not all was read yet. What cannot be read tells of none.
fn started_by(root: &Dir, id: &SessionId) -> Vec<SessionId> {
    let mut children = Vec::new();
    let Ok(log) = root.open_file(format!("{id}{LINES}"), Access::Read) else {
        return children;
    };
    let mut buffer = Vec::new();
    let mut blocks = Blocks::of(log, &mut buffer);
    while let Ok(Some(block)) = blocks.more() {
        for at in memchr::memmem::find_iter(block.bytes, b"\"subagent_session\"") {
            let begin = memchr::memrchr(b'\n', &block.bytes[..at]).map_or(0, |end| end + 1);
            let end =
                memchr::memchr(b'\n', &block.bytes[at..]).map_or(block.bytes.len(), |n| at + n);
            let event = Event::read(&block.bytes[begin..end]);
            let event = event.filter(|event| event.kind == "subagent_session");
            children.extend(
                event.and_then(|event| SessionId::parse(text(&event.payload(), "session_id"))),
            );
        }
    }
    children
}
