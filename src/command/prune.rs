//! `prune`: a dry run, or a removal after a yes.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytesize::ByteSize;
use clap::Args;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::{Context, Failure, print_json};
use crate::prune::execute::{self, NotChecked};
use crate::prune::plan::PrunePlan;
use crate::prune::policy::{Age, AgeError, GRACE, Policy};
use crate::prune::report::{Progress, PruneReport, Watch};
use crate::text::SafeText;

/// Arguments of `prune`.
#[derive(Debug, Args)]
pub(super) struct Prune {
    /// How long ago the last activity must be: 30d, 2w, 720h, 1h30m; at least 24h
    #[arg(long, value_name = "AGE", allow_hyphen_values = true)]
    older_than: Option<String>,

    /// Decide everything and remove nothing
    #[arg(long)]
    dry_run: bool,

    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl Prune {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let age = self.age(context)?;
        let asks = !self.dry_run && !self.yes;
        if asks && !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            let what = "prune asks before it removes anything; off a terminal say --yes, or --dry-run to look";
            return Err(Failure::Usage(what.to_owned()));
        }
        let (lineage, _) = context.scan()?;
        let plan = PrunePlan::new(&lineage, Policy::all(age, context.now));
        drop(lineage);
        let watch = Terminal::new();
        if self.dry_run {
            let plan = check(context, plan, &watch)?;
            return tell(context, &PruneReport::dry(&plan));
        }
        let plan = if asks {
            let plan = check(context, plan, &watch)?;
            if !confirmed(&plan)? {
                return Err(Failure::Failed("nothing was removed".to_owned()));
            }
            plan
        } else {
            plan
        };
        watch.catch_signals()?;
        let store = &*context.store;
        let outcome = execute::remove(store, plan.confirm(), context.now, GRACE, &watch);
        watch.end();
        let report = outcome.map_err(|refusal| Failure::Failed(refusal.to_string()))?;
        tell(context, &report)?;
        if report.failed.is_empty() && report.not_reached.is_empty() {
            Ok(())
        } else {
            Err(Failure::Reported)
        }
    }

    /// `--older-than`, else the agent's own retention setting of the user.
    fn age(&self, context: &Context) -> Result<Age, Failure> {
        let Some(text) = &self.older_than else {
            return match &context.settings.retention {
                Ok(Some(age)) => Ok(*age),
                Ok(None) => Err(Failure::Usage(
                    "prune needs a cutoff: pass --older-than (for example --older-than 30d) \
                     or set sessions.retentionDays in your Zero config"
                        .to_owned(),
                )),
                Err(what) => Err(Failure::Usage(what.to_string())),
            };
        };
        text.parse().map_err(|error| {
            Failure::Usage(match error {
                AgeError::Empty => format!("--older-than {error}"),
                _ => format!("invalid --older-than \"{}\": {error}", SafeText::line(text)),
            })
        })
    }
}

fn check(context: &Context, plan: PrunePlan, watch: &Terminal) -> Result<PrunePlan, Failure> {
    let outcome = execute::dry_run(&*context.store, plan, watch);
    watch.end();
    outcome.map_err(|trouble| {
        Failure::Failed(match trouble {
            NotChecked::Stopped => "stopped; nothing was removed".to_owned(),
            NotChecked::Refused(refusal) => refusal.to_string(),
        })
    })
}

fn tell(context: &Context, report: &PruneReport) -> Result<(), Failure> {
    if context.json {
        return print_json(report);
    }
    let mut out = io::stdout().lock();
    write!(out, "{report}")?;
    out.flush()?;
    Ok(())
}

/// Shows the checked plan on stderr and asks; anything but y or yes is a no.
fn confirmed(plan: &PrunePlan) -> Result<bool, Failure> {
    let report = PruneReport::dry(plan);
    let mut seen = io::stderr();
    write!(seen, "{report}")?;
    if report.removed.is_empty() {
        return Ok(false);
    }
    let (count, bytes) = (report.removed.len(), ByteSize::b(report.bytes()));
    let sessions = if count == 1 { "session" } else { "sessions" };
    write!(
        seen,
        "Move {count} {sessions} ({bytes}) to the trash? [y/N] "
    )?;
    seen.flush()?;
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::Failed(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Shows progress on a terminal's stderr.
struct Terminal {
    shows: bool,
    stop: Arc<AtomicBool>,
}

impl Terminal {
    fn new() -> Self {
        Self {
            shows: io::stderr().is_terminal(),
            stop: Arc::new(AtomicBool::new(false)),
        }
    }

    /// From here on a signal stops the work where that is safe, instead of ending the process.
    fn catch_signals(&self) -> Result<(), Failure> {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&self.stop))
                .map_err(|error| Failure::Failed(format!("cannot watch for signals: {error}")))?;
        }
        Ok(())
    }

    /// Takes the progress line away.
    fn end(&self) {
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
