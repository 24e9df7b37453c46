//! Why a command did not do what was asked, and the exit code of that.

use std::io;
use std::process::ExitCode;

use super::terminal::say;
use crate::store::ScanError;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Said wrong: exit code 2.
    Usage(String),
    /// Went wrong: exit code 1.
    Failed(String),
    /// The report, already printed, tells what went wrong: exit code 1.
    Reported,
    /// Whoever read our output has left: quiet.
    BrokenPipe,
}

/// The end of a command that has told what it did.
pub(super) trait Told {
    /// What went wrong went wrong, whoever reads of it.
    fn or_reported(self, failed: bool) -> Self;
}

impl Told for Result<(), Failure> {
    fn or_reported(self, failed: bool) -> Self {
        match self {
            Ok(()) | Err(Failure::BrokenPipe) if failed => Err(Failure::Reported),
            told => told,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::Failed(format!("cannot write the output: {error}")),
        }
    }
}

impl From<color_eyre::Report> for Failure {
    fn from(report: color_eyre::Report) -> Self {
        Self::Failed(format!("{report:#}"))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::from(io::Error::from(error))
    }
}

impl From<ScanError> for Failure {
    fn from(error: ScanError) -> Self {
        Self::Failed(match error {
            ScanError::Missing(_) => format!("{error}; name another with --root DIR"),
            ScanError::Unreadable(..) => error.to_string(),
        })
    }
}

/// Says it, as far as that was not done.
pub(super) fn report(failure: &Failure) -> ExitCode {
    match failure {
        Failure::Usage(what) => {
            say(what);
            ExitCode::from(2)
        }
        Failure::Failed(what) => {
            say(what);
            ExitCode::FAILURE
        }
        Failure::Reported => ExitCode::FAILURE,
        Failure::BrokenPipe => ExitCode::SUCCESS,
    }
}
