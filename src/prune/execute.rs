//! Doing what a plan says, under the store's own locks: [`dry_run`] and [`remove`].

use chrono::{DateTime, TimeDelta, Utc};

use super::plan::{ConfirmedPlan, PrunePlan};
use super::report::{PruneReport, Watch};
use crate::session::Refusal;
use crate::store::Store;

/// Why there is no checked plan.
#[derive(Debug)]
pub enum NotChecked {
    /// [`Watch::stopped`] said so.
    Stopped,
    /// The store cannot be pruned at all.
    Refused(Refusal),
}

/// Checks every candidate under its locks and changes nothing; the plan comes back with the store's verdicts and sizes.
pub fn dry_run(
    _store: &dyn Store,
    _plan: PrunePlan,
    _watch: &dyn Watch,
) -> Result<PrunePlan, NotChecked> {
    todo!()
}

/// Moves what was confirmed to the store's trash, where it stays for `grace` from `now` on.
pub fn remove(
    _store: &dyn Store,
    _plan: ConfirmedPlan,
    _now: DateTime<Utc>,
    _grace: TimeDelta,
    _watch: &dyn Watch,
) -> Result<PruneReport, Refusal> {
    todo!()
}
