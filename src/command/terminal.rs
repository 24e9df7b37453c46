//! What a command has of a terminal: a question, and a line of progress.
//!
//! Must never take anything but a plain yes for one, or ask where nobody can answer.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::Failure;
use crate::prune::report::{Progress, Watch};

/// Whether there is somebody to ask; `why` says what for.
pub(super) fn can_ask(why: &str) -> Result<(), Failure> {
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        return Ok(());
    }
    let what = format!("{why}; off a terminal say --yes, or --dry-run to look");
    Err(Failure::Usage(what))
}

/// Asks on stderr; anything but y or yes is a no.
pub(super) fn ask(question: &str) -> Result<bool, Failure> {
    eprint!("{question} [y/N] ");
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::Failed(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Shows progress on a terminal's stderr.
pub(super) struct Terminal {
    shows: bool,
    stop: Arc<AtomicBool>,
}

impl Terminal {
    pub(super) fn new() -> Self {
        Self {
            shows: io::stderr().is_terminal(),
            stop: Arc::new(AtomicBool::new(false)),
        }
    }

    /// From here on a signal stops the work where that is safe, instead of ending the process.
    pub(super) fn catch_signals(&self) -> Result<(), Failure> {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&self.stop))
                .map_err(|error| Failure::Failed(format!("cannot watch for signals: {error}")))?;
        }
        Ok(())
    }

    /// Takes the progress line away.
    pub(super) fn end(&self) {
        if self.shows {
            eprint!("\r\x1b[K");
        }
    }
}

impl Watch for Terminal {
    fn progress(&self, Progress { done, total }: Progress) {
        if self.shows {
            eprint!("\r{done} of {total} sessions");
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
