//! Doing what a plan says, under the store's own locks: [`dry_run`] and [`remove`].
//!
//! Must never: remove what is not in the confirmed plan or no longer what was seen, let an
//! ancestor go of what stays, let a lease go before the move is on the disk, or stop with a
//! lock held.

use chrono::{DateTime, TimeDelta, Utc};

use super::check;
use super::examine::{self, examine, keep_for_trash, keep_pinned, warn_of_unseen};
use super::expiry::Wanted;
use super::plan::{ConfirmedPlan, Disposal, PrunePlan};
use super::policy::Scope;
use super::purge::{self, finish};
use super::removal::Removal;
use super::report::{PruneReport, Step, Watch, add_leftovers};
use super::shelf::Shelf;
use super::warning::Warning;
use crate::session::Refusal;
use crate::store::Store;
use crate::store::change::Change;
use crate::text::SafeText;

/// Why there is no checked plan.
#[derive(Debug)]
pub enum NotChecked {
    /// [`Watch::stopped`] said so.
    Stopped,
    /// The store cannot be pruned at all.
    Refused(Refusal),
}

/// Checks every candidate under its locks and changes nothing; the plan comes back with the
/// store's verdicts and sizes.
pub fn dry_run(
    store: &dyn Store,
    mut plan: PrunePlan,
    watch: &dyn Watch,
) -> Result<PrunePlan, NotChecked> {
    let change = store.change().map_err(NotChecked::Refused)?;
    plan.looked_at(change.place());
    all_seen(&*change, plan.disposal()).map_err(NotChecked::Refused)?;
    keep_pinned(&*change, &mut plan).map_err(NotChecked::Refused)?;
    plan.warn_of_killed(finish::look(&*change));
    let removable = change.removable(check::purpose(plan.disposal()));
    match examine(&*change, &mut plan, &removable, watch) {
        Ok(()) => Ok(plan),
        Err(examine::Stopped) => Err(NotChecked::Stopped),
    }
}

/// The same, with the batches of the trash whose grace is over at the policy's time; where that
/// cannot be told, with a warning. Whoever chose sessions asked nothing about the trash.
#[must_use]
pub fn with_expired(store: &dyn Store, mut plan: PrunePlan) -> PrunePlan {
    if matches!(plan.policy().scope, Scope::Chosen(_)) {
        return plan;
    }
    match purge::check(store, &Wanted::Expired(plan.policy().now)) {
        Ok(trash) => plan.with_trash(trash),
        Err(refusal) => {
            plan.warn(Warning::TrashUnchecked(refusal));
            plan
        }
    }
}

/// Whether anything could be deleted at once now; locks no session. A removal asks again.
pub fn deletable(store: &dyn Store) -> Result<(), Refusal> {
    let change = store.change()?;
    all_seen(&*change, Disposal::Delete)?;
    change.removable(check::purpose(Disposal::Delete))
}

/// Moves what was confirmed to the store's trash, where it stays for `grace` from `now` on; or
/// deletes it, if that was confirmed. With it goes what of the trash was confirmed.
///
/// Stops between batches when asked to; what it did not come to is told in the report.
pub fn remove(
    store: &dyn Store,
    plan: ConfirmedPlan,
    now: DateTime<Utc>,
    grace: TimeDelta,
    watch: &dyn Watch,
) -> Result<PruneReport, Refusal> {
    let mut plan = plan.0;
    let change = store.change()?;
    let places = [plan.place(), plan.trash().place()];
    if places
        .into_iter()
        .flatten()
        .any(|place| place != change.place())
    {
        let why = "the sessions folder was replaced since the preview";
        return Err(Refusal::StoreRefused(SafeText::line(why)));
    }
    watch.reached(Step::Locked);
    all_seen(&*change, plan.disposal())?;
    keep_pinned(&*change, &mut plan)?;
    warn_of_unseen(&*change, &mut plan);
    let (warnings, mut unfinished) = finish::settle(&*change);
    plan.warn_of_killed(warnings);
    add_leftovers(&mut unfinished, change.clear(watch));
    // First, so that there is room for what comes.
    let emptied = purge::empty_locked(&*change, plan.trash(), watch);
    let removable = change.removable(check::purpose(plan.disposal()));
    let mut report = if removable.is_err() {
        // Nothing can go, and nothing is made; the reasons are the dry run's.
        // Whether it was stopped shows in what was not reached.
        let _ = examine(&*change, &mut plan, &removable, watch);
        plan.settle();
        PruneReport::done(&plan, None, |_| false)
    } else {
        keep_for_trash(&*change, &mut plan, |_| true);
        let shelf = Shelf::new(&*change, &plan, now, grace);
        let mut removal = Removal::new(&*change, plan, shelf, watch);
        removal.run();
        removal.report()
    };
    add_leftovers(&mut unfinished, std::mem::take(&mut report.unfinished));
    report.unfinished = unfinished;
    report.add_trash(emptied);
    let told = change.told();
    report
        .warnings
        .extend(told.into_iter().map(Warning::PutAside));
    Ok(report)
}

/// Nothing is deleted at once that somebody may have open who cannot be seen.
fn all_seen(change: &dyn Change, disposal: Disposal) -> Result<(), Refusal> {
    match disposal {
        Disposal::Trash => Ok(()),
        Disposal::Delete => match change.unseen() {
            Some(holders) if holders.is_empty() => Ok(()),
            Some(holders) => Err(Refusal::Unseen(holders)),
            None => Err(Refusal::AllUnseen),
        },
    }
}
