//! `trash`: list, restore, empty, log.

mod empty;
mod log;

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use bytesize::ByteSize;
use chrono::{DateTime, Utc};
use clap::Subcommand;
use serde::Serialize;

use super::terminal::Terminal;
use super::{Context, Failure, FaultJson, Told as _, ambiguous, print_json, tell_faults};
use crate::prune::report::{Restore, RestoreReport, TrashBatch, rfc3339};
use crate::session::Fault;
use crate::text::SafeText;

/// What to do with the trash.
#[derive(Debug, Subcommand)]
pub(super) enum Trash {
    /// List what is in the trash, newest first
    List,
    /// Bring back all of a batch, or one session with its ancestors
    Restore {
        /// A batch's name or a session's id, as `trash list` shows them, or the beginning of just one
        #[arg(value_name = "BATCH|ID")]
        what: String,
    },
    /// Remove batches for good: those whose grace is over, unless you name others
    Empty(empty::Empty),
    /// Show what was removed and what came back, newest first; outlives the trash
    Log,
}

impl Trash {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::List => list(context),
            Self::Restore { what } => restore(context, &what),
            Self::Empty(empty) => empty.run(context),
            Self::Log => log::log(context),
        }
    }
}

/// What is in the trash, and what of it cannot be read.
fn read(context: &Context) -> Result<(Vec<TrashBatch>, Vec<Fault>), Failure> {
    context.store.trash().map_err(|error| {
        let root = SafeText::path(context.store.root());
        let error = SafeText::line(&error.to_string());
        Failure::Failed(format!("cannot read the trash of {root}: {error}"))
    })
}

fn list(context: &Context) -> Result<(), Failure> {
    let (batches, faults) = read(context)?;
    if context.json {
        return print_json(&Json {
            schema: 1,
            batches,
            faults: faults.iter().map(FaultJson::new).collect(),
        });
    }
    print(&batches, context.now)?;
    tell_faults(&faults);
    Ok(())
}

#[derive(Serialize)]
struct Json<'a> {
    schema: u32,
    batches: Vec<TrashBatch>,
    faults: Vec<FaultJson<'a>>,
}

fn print(batches: &[TrashBatch], now: DateTime<Utc>) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    if batches.is_empty() {
        writeln!(out, "The trash is empty.")?;
    }
    for batch in batches {
        let count = batch.sessions.len();
        let noun = if count == 1 { "session" } else { "sessions" };
        let bytes = ByteSize::b(batch.bytes);
        let kept = match batch.expires_at {
            Some(at) if at < now => ", expired: the next prune may empty it".to_owned(),
            Some(at) => format!(", kept until {}", rfc3339(at)),
            None => String::new(),
        };
        writeln!(out, "{}  {count} {noun}, {bytes}{kept}", batch.batch)?;
        for session in &batch.sessions {
            let day = session.updated_at.as_deref().and_then(|at| at.get(..10));
            let day = day.unwrap_or("undated   ");
            let title = if session.remnant {
                "remnant: no metadata"
            } else {
                session.title.as_str()
            };
            let line = format!("  {}  {day}  {title}", session.id);
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    out.flush()?;
    Ok(())
}

fn restore(context: &Context, what: &str) -> Result<(), Failure> {
    let (batches, faults) = read(context)?;
    let mut found = named(&batches, what);
    let what = match (found.pop_first(), found.len()) {
        (Some((_, only)), 0) => only,
        (Some((first, _)), more) => {
            let names = std::iter::once(first).chain(found.into_keys());
            return Err(ambiguous(what, more + 1, "batches or sessions", names));
        }
        (None, _) if !faults.is_empty() => {
            tell_faults(&faults);
            return Err(Failure::Failed(format!(
                "\"{}\" is not in what can be read of the trash",
                SafeText::line(what)
            )));
        }
        (None, _) => {
            return Err(Failure::Usage(format!(
                "nothing in the trash is called \"{}\"; `sesstree trash list` shows what there is",
                SafeText::line(what)
            )));
        }
    };
    let watch = Terminal::new()?;
    watch.catch_signals()?;
    let outcome = context.store.restore(&what, &watch);
    watch.end();
    let report = outcome.map_err(|refusal| Failure::Failed(refusal.to_string()))?;
    let told = if context.json {
        print_json(&report)
    } else {
        tell(&report)
    };
    told.or_reported(!report.failed.is_empty())
}

/// What is called so, or else begins so, by its name.
fn named<'a>(batches: &'a [TrashBatch], what: &str) -> BTreeMap<&'a str, Restore> {
    let mut all = BTreeMap::new();
    for batch in batches {
        for session in &batch.sessions {
            all.insert(session.id.as_str(), Restore::Session(session.id.clone()));
        }
    }
    for batch in batches {
        all.insert(batch.batch.as_str(), Restore::Batch(batch.batch.clone()));
    }
    if let Some((name, exactly)) = all.remove_entry(what) {
        return BTreeMap::from([(name, exactly)]);
    }
    all.retain(|name, _| !what.is_empty() && name.starts_with(what));
    all
}

fn tell(report: &RestoreReport) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let count = report.restored.len();
    let noun = if count == 1 { "session" } else { "sessions" };
    writeln!(out, "Restored {count} {noun}.")?;
    for failed in &report.failed {
        writeln!(out, "  {} stays in the trash: {}", failed.id, failed.reason)?;
    }
    for warning in &report.warnings {
        writeln!(out, "Warning: {warning}")?;
    }
    Ok(())
}
