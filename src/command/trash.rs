//! `trash`: list, restore, empty, log.

mod empty;
mod log;

use std::io::{self, BufWriter, Write};

use bytesize::ByteSize;
use clap::Subcommand;
use serde::Serialize;

use super::terminal::Terminal;
use super::{Context, Failure, FaultJson, Told as _, print_json, tell_faults};
use crate::prune::report::{BatchId, Restore, RestoreReport, TrashBatch, rfc3339};
use crate::session::{Fault, SessionId};
use crate::text::SafeText;

/// What to do with the trash.
#[derive(Debug, Subcommand)]
pub(super) enum Trash {
    /// List what is in the trash, newest first
    List,
    /// Bring back all of a batch, or one session with its ancestors
    Restore {
        /// A batch's name or a session's id, as `trash list` shows them
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
    print(&batches)?;
    tell_faults(&faults);
    Ok(())
}

#[derive(Serialize)]
struct Json<'a> {
    schema: u32,
    batches: Vec<TrashBatch>,
    faults: Vec<FaultJson<'a>>,
}

fn print(batches: &[TrashBatch]) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    if batches.is_empty() {
        writeln!(out, "The trash is empty.")?;
    }
    for batch in batches {
        let count = batch.sessions.len();
        let noun = if count == 1 { "session" } else { "sessions" };
        let bytes = ByteSize::b(batch.bytes);
        let kept = batch.expires_at.map(rfc3339);
        let kept = kept.map_or(String::new(), |at| format!(", kept until {at}"));
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
    let batch = BatchId::parse(what).filter(|id| batches.iter().any(|b| b.batch == *id));
    let id = SessionId::parse(what).filter(|id| {
        let mut sessions = batches.iter().flat_map(|batch| &batch.sessions);
        sessions.any(|session| session.id == *id)
    });
    let what = match (batch, id) {
        (Some(batch), _) => Restore::Batch(batch),
        (None, Some(id)) => Restore::Session(id),
        (None, None) if !faults.is_empty() => {
            tell_faults(&faults);
            return Err(Failure::Failed(format!(
                "\"{}\" is not in what can be read of the trash",
                SafeText::line(what)
            )));
        }
        (None, None) => {
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
