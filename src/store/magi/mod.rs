//! magi-code's store: a file of lines per session, in one folder.
//!
//! Must never trust what the files say about where things are: a session's file is its name. Formats and
//! rules are those of magi-code 0.104. Sessions are read; nothing is pruned here yet.

mod event;
mod facts;
mod files;
mod look;
mod open;
mod said;
mod scan;

use std::collections::HashMap;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use files::Place;

use super::change::Change;
use super::dir::Dir;
use super::jsonl::{Lines, REACH};
use super::log::Said;
use super::{Found, Hold, ScanError, Store, openness};
use crate::prune::report::{Restore, RestoreReport, TrashBatch, Watch};
use crate::session::{
    Agent, Fault, Launch, Openness, Refusal, Seen, Session, SessionId, SessionKind,
};
use crate::text::{SafeText, Secrets};
use crate::transcript::{Page, Usage, View, Window};

/// The sessions of magi-code in one folder.
#[derive(Clone, Debug)]
pub struct Magi {
    root: PathBuf,
    secrets: Secrets,
}

impl Magi {
    /// The store in `root`, which need not exist.
    pub fn new(root: PathBuf) -> Self {
        Self {
            root,
            secrets: Secrets::default(),
        }
    }

    /// The same, with titles and folders that show secrets or do not.
    #[must_use]
    pub fn with_secrets(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
    }
}

/// Why nothing is changed.
fn read_only() -> Refusal {
    let why =
        "sesstree only reads magi-code's sessions; magi-code's own /prune-sessions removes them";
    Refusal::StoreRefused(SafeText::line(why))
}

impl Store for Magi {
    fn agent(&self) -> Agent {
        Agent::Magi
    }

    fn launch(&self) -> Launch {
        Launch::Screen
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn scan(
        &self,
        seen: &Seen,
        found: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), ScanError> {
        // What is as it was seen is told as that: the list need not be made anew for it.
        scan::scan(&self.root, self.secrets, &mut |item| {
            let same = match &item {
                Found::Session(session) if seen.get(&session.id) == Some(&session.seen) => {
                    session.kind.resumable().then(|| session.id.clone())
                }
                _ => None,
            };
            found(same.map_or(item, |id| Found::Same(id, false)))
        })
    }

    fn session(&self, id: &SessionId) -> Option<Session> {
        let (home, place) = files::home(&self.root, id).ok()?;
        let kind = match place {
            Place::Main => SessionKind::Main,
            // Who started it only a scan can tell.
            Place::Subagents => return None,
        };
        Some(look::look(&home, id, kind, self.secrets)?.session)
    }

    fn size(&self, id: &SessionId) -> io::Result<u64> {
        files::size(&self.root, id)
    }

    fn openness(&self) -> Option<HashMap<SessionId, Openness>> {
        open::look(
            Path::new(openness::PROC),
            &Dir::open_root(&self.root).ok()?,
            SystemTime::now(),
        )
    }

    fn read(&self, id: &SessionId, _: View, window: Window, secrets: Secrets) -> io::Result<Page> {
        // A compaction takes what it stands for out of the file: there is one view of it.
        let file = files::open(&self.root, id)?;
        let lines = Lines::of(&file)?;
        let mut part = match window {
            Window::Tail => lines.before(lines.size())?,
            Window::Before(offset) => lines.before(offset)?,
            Window::From(offset) => lines.from(offset)?,
        };
        let mut page = Page {
            start: part.start,
            end: part.end,
            size: lines.size(),
            ..Page::default()
        };
        loop {
            page.start = page.start.min(part.start);
            page.end = page.end.max(part.end);
            page.unreadable += part.too_long.len();
            for line in part.lines() {
                match said::message(line.bytes, line.offset, secrets) {
                    Some(message) => page.messages.push(message),
                    None => page.unreadable += 1,
                }
            }
            if !page.messages.is_empty() || page.end - page.start >= REACH {
                return Ok(page);
            }
            part = match window {
                Window::From(_) if page.end < page.size => lines.from(page.end)?,
                Window::Tail | Window::Before(_) if page.start > 0 => lines.before(page.start)?,
                _ => return Ok(page),
            };
        }
    }

    fn log(&self, id: &SessionId) -> io::Result<Option<Box<dyn Read + Send>>> {
        Ok(Some(Box::new(files::open(&self.root, id)?)))
    }

    fn said(&self, line: &[u8]) -> Option<Said> {
        said::said(line)
    }

    fn usage(&self, lines: &[u8]) -> Usage {
        said::usage(lines)
    }

    fn changeable(&self) -> Result<(), Refusal> {
        Err(read_only())
    }

    fn change(&self) -> Result<Box<dyn Change>, Refusal> {
        Err(read_only())
    }

    fn pin(&self, _: &[(SessionId, bool)]) -> Result<(), Refusal> {
        Err(read_only())
    }

    /// magi-code takes its locks for itself alone, so they cannot be held for it: it is looked that they are
    /// free.
    fn hold(&self, id: &SessionId) -> Result<Hold, Refusal> {
        let root = match Dir::open_root(&self.root) {
            Ok(root) => root,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refusal::Gone),
            Err(error) => return Ok(Hold::Unprotected(SafeText::line(&error.to_string()))),
        };
        if root.stat(format!("{id}{}", files::LINES)).is_err() {
            return Err(Refusal::Gone);
        }
        match open::of(Path::new(openness::PROC), &root, id, SystemTime::now()) {
            Openness::Open(holder) => Err(Refusal::Open(holder)),
            Openness::Maybe => Err(Refusal::OpenOrLocked),
            Openness::NoSign | Openness::Unknown => {
                let why = "magi-code locks it itself, once it runs";
                Ok(Hold::Unprotected(SafeText::line(why)))
            }
        }
    }

    fn trash(&self) -> io::Result<(Vec<TrashBatch>, Vec<Fault>)> {
        Ok((Vec::new(), Vec::new()))
    }

    fn restore(&self, _: &Restore, _: &dyn Watch) -> Result<RestoreReport, Refusal> {
        Err(read_only())
    }
}
