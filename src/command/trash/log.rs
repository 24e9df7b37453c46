//! `trash log`: the record of removals, newest first.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use bytesize::ByteSize;
use serde::Serialize;

use super::super::terminal::say;
use super::super::{Context, Failure, counted, print_json};
use crate::store::removals::{Action, Log, Logged, Stage};
use crate::text::SafeText;

#[derive(Serialize)]
struct Json {
    schema: u32,
    #[serde(flatten)]
    log: Log,
}

pub(super) fn log(context: &Context) -> Result<(), Failure> {
    let log = match &context.settings.state {
        Some(folder) => read(folder)?,
        None => Log::default(),
    };
    let unreadable = log.unreadable;
    if context.json {
        print_json(&Json { schema: 1, log })?;
    } else {
        print(&log)?;
    }
    if unreadable > 0 {
        let lines = counted(unreadable, "unreadable line", "unreadable lines");
        say(format_args!(
            "{lines} in the record of removals passed over"
        ));
    }
    Ok(())
}

fn read(folder: &Path) -> Result<Log, Failure> {
    Log::read(folder).map_err(|error| {
        let folder = SafeText::path(folder);
        let error = SafeText::line(&error.to_string());
        Failure::Failed(format!(
            "cannot read the record of removals in {folder}: {error}"
        ))
    })
}

fn print(log: &Log) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    if log.entries.is_empty() {
        writeln!(out, "Nothing was removed yet.")?;
    }
    for entries in log.entries.chunk_by(same_batch) {
        writeln!(out, "{}", head(entries))?;
        for session in entries.iter().flat_map(|entry| &entry.sessions) {
            let day = session.updated_at.as_deref().and_then(|at| at.get(..10));
            let day = day.unwrap_or("undated   ");
            let line = format!("  {}  {day}  {}", session.id, session.title);
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    out.flush()?;
    Ok(())
}

/// Whether two lines tell of parts of one prune: a large one writes many.
fn same_batch(a: &Logged, b: &Logged) -> bool {
    let part = |entry: &Logged| entry.action == Action::Trash && entry.stage == Stage::Outcome;
    part(a) && part(b) && a.batch.is_some() && a.batch == b.batch && a.store == b.store
}

/// `2026-11-01T12:00:00Z  trash  2 sessions, 3.0 KiB  batch …  all older than 30d  in ~/…`
fn head(entries: &[Logged]) -> String {
    let entry = &entries[0];
    let sessions = entries.iter().map(|entry| entry.sessions.len()).sum();
    let bytes = entries.iter().map(Logged::bytes);
    let bytes = bytes.fold(0, u64::saturating_add);
    let count = counted(sessions, "session", "sessions");
    let count = match entry.stage {
        Stage::Outcome if bytes == 0 => count,
        Stage::Outcome => format!("{count}, {}", ByteSize::b(bytes)),
        Stage::Intent => format!("interrupted, or still running: up to {count}"),
    };
    let mut line = format!("{}  {}  {count}", entry.time, entry.action.word());
    if let Some(batch) = &entry.batch {
        line = format!("{line}  batch {batch}");
    }
    if !entry.policy.is_empty() {
        line = format!("{line}  {}", entry.policy);
    }
    for (word, why) in [("kept", &entry.kept), ("failed", &entry.failed)] {
        if !why.is_empty() {
            line = format!("{line}  {word}: {why}");
        }
    }
    format!("{line}  in {}", entry.store)
}
