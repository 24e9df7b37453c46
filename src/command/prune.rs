//! `prune`: a dry run, or a removal after a yes.

use std::io::{self, BufWriter, Write};

use bytesize::ByteSize;
use clap::Args;

use super::terminal::{Terminal, ask, ask_word, can_ask, show, somebody_there};
use super::{Context, Failure, Told as _, counted, print_json, tell_faults};
use crate::prune::execute::{self, NotChecked};
use crate::prune::plan::{Disposal, Most, PrunePlan, WORD};
use crate::prune::policy::{Age, AgeError, GRACE, Policy};
use crate::prune::report::PruneReport;
use crate::prune::warning::Warning;
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

    #[command(flatten)]
    yes: Yes,

    #[command(flatten)]
    trash: WithTrash,
}

/// What a prune does with the trash.
#[derive(Debug, Args)]
struct WithTrash {
    /// Leave the trash as it is: expired batches of it are not emptied
    #[arg(long)]
    keep_trash: bool,

    /// Delete at once, without the trash: it cannot be undone, and needs hardly any room on a full disk
    #[arg(long)]
    delete_now: bool,
}

/// A yes beforehand.
#[derive(Debug, Args)]
struct Yes {
    /// Do not ask, unless it takes more than half of all sessions; expired batches of the trash are
    /// emptied too, as the dry run tells
    #[arg(long)]
    yes: bool,

    /// Do not ask even if it takes more than half of all sessions; off a terminal that needs this
    #[arg(long)]
    yes_most: bool,
}

impl Prune {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let age = self.age(context)?;
        let says_yes = self.yes.yes || self.yes.yes_most;
        let asks = !self.dry_run && !says_yes;
        if asks {
            can_ask("prune asks before it removes anything")?;
        }
        let (lineage, faults) = context.scan()?;
        tell_faults(&faults);
        let plan = PrunePlan::new(&lineage, Policy::all(age, context.now));
        drop(lineage);
        let plan = if self.trash.keep_trash {
            plan
        } else {
            execute::with_expired(&*context.store, plan)
        };
        let plan = plan.disposing(if self.trash.delete_now {
            Disposal::Delete
        } else {
            Disposal::Trash
        });
        let watch = Terminal::new()?;
        // What is more than half only as long as nobody asks the locks needs no other yes.
        let doubted = plan.most().is_some() && !self.yes.yes_most;
        let plan = if asks || self.dry_run || doubted {
            check(context, plan, &watch)?
        } else {
            plan
        };
        let plan = if self.dry_run && says_yes {
            plan.unasked()
        } else {
            plan
        };
        if self.dry_run {
            let mut report = PruneReport::dry(&plan);
            report.warnings.extend(plan.most().map(Warning::Most));
            let kept = plan.trash().kept_unasked();
            report.warnings.extend(kept.map(Warning::TrashUnasked));
            return tell(context, report);
        }
        let most = plan.most().filter(|_| !self.yes.yes_most);
        let plan = match most {
            Some(most) if !somebody_there() => {
                return Err(Failure::Usage(format!(
                    "{most}; nothing was removed: say --yes-most if that is meant"
                )));
            }
            _ if asks || most.is_some() => {
                let report = PruneReport::dry(&plan);
                let nothing = report.removed.is_empty() && report.trash.emptied.is_empty();
                if !nothing && !watch.while_asking(|| confirmed(&report, most))? {
                    return Err(Failure::Failed("nothing was removed".to_owned()));
                }
                plan
            }
            _ => plan.unasked(),
        };
        watch.catch_signals()?;
        let store = &*context.store;
        let outcome = execute::remove(store, plan.confirm(), context.now, GRACE, &watch);
        watch.end();
        let report = outcome.map_err(|refusal| Failure::Failed(refusal.to_string()))?;
        let failed = report.is_failure();
        tell(context, report).or_reported(failed)
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

fn tell(context: &Context, mut report: PruneReport) -> Result<(), Failure> {
    report.measure_kept(|id| context.store.size(id).ok());
    if context.json {
        return print_json(&report);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    write!(out, "{report}")?;
    if report.dry_run {
        writeln!(out, "Dry run: nothing was removed.")?;
    }
    out.flush()?;
    Ok(())
}

/// Shows the checked plan on stderr and asks; a plain yes does if it is not most of the store.
fn confirmed(report: &PruneReport, most: Option<Most>) -> Result<bool, Failure> {
    show(report);
    let moved = {
        let count = counted(report.removed.len(), "session", "sessions");
        let bytes = ByteSize::b(report.bytes());
        if report.delete_now {
            format!("Delete {count} ({bytes}) for good, which cannot be undone")
        } else {
            format!("Move {count} ({bytes}) to the trash")
        }
    };
    let emptied = format!(
        "empty the trash of what is expired ({}; cannot be undone)",
        report.trash.total()
    );
    let question = match (report.removed.is_empty(), report.trash.emptied.is_empty()) {
        (_, true) => format!("{moved}?"),
        (true, false) => format!("No session goes; {emptied}?"),
        (false, false) => format!("{moved}, and {emptied}?"),
    };
    match most {
        None => ask(&question),
        Some(most) => {
            let word = most.question(|count| count.to_string());
            ask_word(&format!("{question} {word}"), WORD)
        }
    }
}
