//! A whole transcript as Markdown, as plain text, or as the log it is.
//!
//! Must never hold more than one message, nor write a text that is not safe, unless it is the log itself that
//! is asked for; and nothing that a message says may pass for a part of the document around it.

pub mod file;
pub mod format;
mod markdown;
mod prose;
mod text;

use std::io::{self, Read, Write};

use chrono::{DateTime, Utc};
use thiserror::Error;

use format::Format;

use crate::session::Session;
use crate::store::Store;
use crate::store::log::{Blocks, Said};
use crate::text::{SafeText, Secrets};
use crate::transcript::Role;

/// Why a transcript was not written whole.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The log cannot be read.
    #[error("its log cannot be read: {}", SafeText::line(&.0.to_string()))]
    Read(#[source] io::Error),
    /// What was made of it cannot be written.
    #[error("{}", SafeText::line(&.0.to_string()))]
    Write(#[from] io::Error),
    /// It was to stop.
    #[error("stopped")]
    Stopped,
}

/// What is missing in what was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Lines that cannot be understood, a torn last line not counted.
    pub unreadable: u64,
    /// Lines that are longer than lines may be.
    pub too_long: u64,
}

impl Missing {
    /// `2 unreadable lines and 1 line that is too long are left out`; `None`: nothing is missing.
    pub fn told(self) -> Option<String> {
        let count = |count: u64, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let unreadable = count(self.unreadable, "unreadable line", "unreadable lines");
        let too_long = count(
            self.too_long,
            "line that is too long",
            "lines that are too long",
        );
        let told: Vec<String> = unreadable.into_iter().chain(too_long).collect();
        let verb = if self.unreadable + self.too_long == 1 {
            "is"
        } else {
            "are"
        };
        (!told.is_empty()).then(|| format!("{} {verb} left out", told.join(" and ")))
    }
}

/// Writes all that a session's log holds, its secrets or marks where they were; `stopped` is asked for every block of it.
pub fn export(
    store: &dyn Store,
    session: &Session,
    format: Format,
    secrets: Secrets,
    out: &mut dyn Write,
    stopped: &dyn Fn() -> bool,
) -> Result<Missing, ExportError> {
    let log = store.log(&session.id).map_err(ExportError::Read)?;
    let mut document: Box<dyn Document> = match format {
        Format::Markdown => Box::new(markdown::Markdown::default()),
        Format::Text => Box::new(text::Text),
        Format::Jsonl => return copy(log, out, stopped),
    };
    document.begin(session, out)?;
    let mut missing = Missing::default();
    let mut buffer = Vec::new();
    let mut blocks = log.map(|log| Blocks::of(log, &mut buffer));
    while let Some(blocks) = &mut blocks
        && let Some(block) = blocks.more().map_err(ExportError::Read)?
    {
        if stopped() {
            return Err(ExportError::Stopped);
        }
        missing.too_long += u64::from(block.too_long);
        let lines = block.bytes.split_inclusive(|byte| *byte == b'\n');
        for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
            match store.said(line) {
                Some(said) => document.message(&Message::of(&said, secrets), out)?,
                // One without an end is torn: its writer is not done.
                None => missing.unreadable += u64::from(line.ends_with(b"\n")),
            }
        }
    }
    document.end(missing, out)?;
    Ok(missing)
}

fn copy(
    log: Option<impl Read>,
    out: &mut dyn Write,
    stopped: &dyn Fn() -> bool,
) -> Result<Missing, ExportError> {
    let Some(mut log) = log else {
        return Ok(Missing::default());
    };
    let mut bytes = vec![0; 64 << 10];
    loop {
        if stopped() {
            return Err(ExportError::Stopped);
        }
        match log.read(&mut bytes) {
            Ok(0) => return Ok(Missing::default()),
            Ok(count) => out.write_all(&bytes[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ExportError::Read(error)),
        }
    }
}

/// A kind of document, written from its beginning to its end.
trait Document {
    fn begin(&mut self, session: &Session, out: &mut dyn Write) -> io::Result<()>;
    fn message(&mut self, message: &Message, out: &mut dyn Write) -> io::Result<()>;
    fn end(&mut self, missing: Missing, out: &mut dyn Write) -> io::Result<()>;
}

/// What a line of the log says, ready to be written.
struct Message {
    role: Role,
    at: Option<DateTime<Utc>>,
    /// What it is of, and what is told beside that, on one line.
    head: SafeText,
    body: SafeText,
    secrets: Secrets,
}

impl Message {
    fn of(said: &Said, secrets: Secrets) -> Self {
        let parts = [&*said.name, &*said.aside];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Self {
            role: said.role,
            at: said.at,
            head: SafeText::line_with(&parts.join(" · "), secrets),
            body: SafeText::block_with(said.shown.trim_end(), secrets),
            secrets,
        }
    }

    /// All of it on one line.
    fn line(&self) -> SafeText {
        let parts = [self.head.as_str(), self.body.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        SafeText::line_with(&parts.join(" · "), self.secrets)
    }
}

/// `2026-11-01 12:00:00 UTC`.
fn time(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// What is known of a session, each with its name.
fn facts(session: &Session) -> Vec<(&'static str, SafeText)> {
    let id = |id: &crate::session::SessionId| SafeText::line(id.as_str());
    let known = [
        ("Session", Some(id(&session.id))),
        ("Agent", Some(SafeText::line(session.agent.name()))),
        ("Kind", Some(SafeText::line(session.kind.word()))),
        ("Parent", session.parent.as_ref().map(id)),
        (
            "Folder",
            session.cwd.as_deref().map(|cwd| cwd.shown().clone()),
        ),
        ("Model", session.model.as_deref().cloned()),
        (
            "Started",
            session.created_at.map(|at| SafeText::line(&time(at))),
        ),
        (
            "Last active",
            session.activity_at.map(|at| SafeText::line(&time(at))),
        ),
    ];
    let known = known
        .into_iter()
        .filter_map(|(name, fact)| Some((name, fact?)));
    known.filter(|(_, fact)| !fact.is_empty()).collect()
}

#[cfg(test)]
mod tests;
