//! `export`: one session's whole transcript, to stdout or a new file.
//!
//! Must never write over a file, nor leave one that is not whole without saying so.

use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::{Args, ValueEnum};

use super::list::find;
use super::terminal::{say, stop_on_signals};
use super::{Context, Failure};
use crate::export::file::{FileError, export_to};
use crate::export::format::Format;
use crate::export::{ExportError, Missing, export};
use crate::session::SessionId;

/// Arguments of `export`.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The session; the beginning of its id is enough
    id: String,

    /// What to make of it
    #[arg(long, value_enum, default_value_t = Kind::Md)]
    format: Kind,

    /// A file to be made, instead of stdout; one that exists is left as it is
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Markdown
    Md,
    /// The log as it is: nothing is redacted
    Jsonl,
    /// Plain text
    Text,
}

impl Export {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let format = match self.format {
            Kind::Md => Format::Markdown,
            Kind::Text => Format::Text,
            Kind::Jsonl => Format::Jsonl,
        };
        let raw_to_screen =
            format == Format::Jsonl && self.output.is_none() && io::stdout().is_terminal();
        if raw_to_screen {
            let what = "the log as it is could act on a terminal: name a file with --output FILE";
            return Err(Failure::Usage(what.to_owned()));
        }
        let session = find(context, &self.id)?;
        let stop = stop_on_signals()?;
        let stopped = || stop.load(Ordering::Relaxed);
        let (store, secrets) = (&*context.store, context.settings.secrets);
        let missing = match &self.output {
            None => {
                let mut out = BufWriter::new(io::stdout().lock());
                let done = export(store, &session, format, secrets, &mut out, &stopped);
                let done =
                    done.and_then(|missing| out.flush().map(|()| missing).map_err(Into::into));
                done.map_err(|error| failure(&session.id, error))?
            }
            Some(path) => {
                let done = export_to(path, store, &session, format, secrets, &stopped);
                done.map_err(|error| in_file(&session.id, &error))?
            }
        };
        tell(missing);
        Ok(())
    }
}

fn in_file(id: &SessionId, error: &FileError) -> Failure {
    let what = match error {
        FileError::Exists(_) => format!("{error}; name another file with --output FILE"),
        FileError::NotMade(..) => error.to_string(),
        FileError::Incomplete(..) => format!("{id} is not exported whole: {error}"),
    };
    Failure::Failed(what)
}

fn failure(id: &SessionId, error: ExportError) -> Failure {
    match error {
        ExportError::Write(error) => error.into(),
        other => Failure::Failed(format!("{id} is not exported whole: {other}")),
    }
}

fn tell(missing: Missing) {
    if let Some(told) = missing.told() {
        say(told);
    }
}
