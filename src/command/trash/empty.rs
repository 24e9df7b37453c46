//! `trash empty`: batches of the trash go for good, after a yes.

use std::collections::BTreeSet;
use std::io::{self, Write};

use clap::Args;

use super::super::terminal::{Terminal, ask, can_ask, show};
use super::super::{Context, Failure, Told as _, counted, print_json};
use crate::prune::expiry::{TrashPlan, Wanted};
use crate::prune::purge;
use crate::prune::report::{BatchId, EmptyReport};
use crate::prune::warning::Warning;
use crate::session::Refusal;
use crate::text::SafeText;

/// Arguments of `trash empty`.
#[derive(Debug, Args)]
pub(crate) struct Empty {
    #[command(flatten)]
    which: Which,

    /// Say what would go and remove nothing
    #[arg(long)]
    dry_run: bool,

    /// Do not ask
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Args)]
struct Which {
    /// Batches, as `trash list` shows them
    #[arg(value_name = "BATCH")]
    batches: Vec<String>,

    /// Those whose grace is over; so it is, too, if nothing is named
    #[arg(long, conflicts_with = "batches")]
    expired: bool,

    /// Every batch, whether its grace is over or not
    #[arg(long, conflicts_with_all = ["batches", "expired"])]
    all: bool,
}

impl Empty {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let asks = !self.dry_run && !self.yes;
        if asks {
            can_ask("emptying the trash asks first")?;
        }
        let wanted = self.which.wanted(context)?;
        let refused = |refusal: Refusal| Failure::Failed(refusal.to_string());
        let plan = purge::check(&*context.store, &wanted).map_err(refused)?;
        if let Wanted::Batches(names) = &wanted {
            all_there(&plan, names)?;
        }
        let plan = if self.yes { plan.unasked() } else { plan };
        if self.dry_run {
            let mut report = plan.report();
            let kept = plan.kept_unasked();
            report.warnings.extend(kept.map(Warning::TrashUnasked));
            return tell(context, &report);
        }
        if asks && plan.going().next().is_some() && !confirmed(&plan)? {
            return Err(Failure::Failed("nothing was removed".to_owned()));
        }
        let watch = Terminal::new()?;
        watch.catch_signals()?;
        let outcome = purge::empty(&*context.store, &plan.confirm(), &watch);
        watch.end();
        let report = outcome.map_err(refused)?;
        // Somebody who names a batch counts on its going.
        let named = matches!(wanted, Wanted::Batches(_));
        let failed = report.is_failure() || (named && !report.kept.is_empty());
        tell(context, &report).or_reported(failed)
    }
}

impl Which {
    fn wanted(&self, context: &Context) -> Result<Wanted, Failure> {
        if self.all {
            return Ok(Wanted::All);
        }
        if self.batches.is_empty() {
            return Ok(Wanted::Expired(context.now));
        }
        let names = self.batches.iter();
        let names = names.map(|name| BatchId::parse(name).ok_or_else(|| unknown(name)));
        Ok(Wanted::Batches(names.collect::<Result<_, _>>()?))
    }
}

fn unknown(name: &str) -> Failure {
    Failure::Usage(format!(
        "no batch in the trash is called \"{}\"; `sesstree trash list` shows what there is",
        SafeText::line(name)
    ))
}

fn all_there(plan: &TrashPlan, names: &BTreeSet<BatchId>) -> Result<(), Failure> {
    let there: BTreeSet<&BatchId> = plan.batches().iter().map(|(s, _)| &s.batch.batch).collect();
    match names.iter().find(|name| !there.contains(name)) {
        Some(missing) => Err(unknown(missing.as_str())),
        None => Ok(()),
    }
}

fn tell(context: &Context, report: &EmptyReport) -> Result<(), Failure> {
    if context.json {
        return print_json(report);
    }
    let mut out = io::stdout().lock();
    if report.is_empty() {
        writeln!(out, "{}", nothing(context)?)?;
    }
    write!(out, "{report}")?;
    if report.dry_run {
        writeln!(out, "Dry run: nothing was removed.")?;
    }
    out.flush()?;
    Ok(())
}

/// Why there is nothing to tell.
fn nothing(context: &Context) -> Result<String, Failure> {
    Ok(match super::read(context)?.0.len() {
        0 => "The trash is empty.".to_owned(),
        n => {
            let batches = counted(n, "batch is", "batches are");
            format!(
                "Nothing in the trash is expired. {batches} kept for now; `sesstree trash empty \
                 --all` takes every one."
            )
        }
    })
}

/// Shows on stderr what would go and asks.
fn confirmed(plan: &TrashPlan) -> Result<bool, Failure> {
    let report = plan.report();
    show(&report);
    let total = report.total();
    ask(&format!("Remove {total} for good? This cannot be undone."))
}
