//! The dry run: every candidate is looked at under its locks, and nothing is changed.
//!
//! Must never decide otherwise than the removal does from the same start.

use super::check::{self, Looked, Patience};
use super::plan::{KeepReason, PrunePlan, Verdict};
use super::report::{Progress, Step, Watch};
use crate::session::Refusal;
use crate::store::Purpose;
use crate::store::change::Change;

/// [`Watch::stopped`] said so.
pub(super) struct Stopped;

/// Notes in the plan what the store says of every candidate that would go.
pub(super) fn examine(
    change: &dyn Change,
    plan: &mut PrunePlan,
    watch: &dyn Watch,
) -> Result<(), Stopped> {
    watch.reached(Step::Locked);
    let mut look = Look {
        change,
        movable: change.movable(),
        busy: Vec::new(),
        patience: Patience::new(),
    };
    let newborn = parents_of_newcomers(change, plan);
    let total = plan.candidates().len();
    for at in 0..total {
        watch.progress(Progress { done: at, total });
        if watch.stopped() {
            return Err(Stopped);
        }
        if plan.goes(at) {
            look.once(plan, at, &newborn, watch);
        }
    }
    for at in std::mem::take(&mut look.busy) {
        if watch.stopped() {
            return Err(Stopped);
        }
        if plan.goes(at) {
            look.patiently(plan, at);
        }
    }
    for (at, verdict) in parents_of_newcomers(change, plan) {
        plan.judge(at, verdict);
    }
    plan.settle();
    Ok(())
}

/// The candidates that would go and that a session descends from which the plan does not know, with the
/// verdict that follows. When the store cannot be listed that is all of them.
pub(super) fn parents_of_newcomers(change: &dyn Change, plan: &PrunePlan) -> Vec<(usize, Verdict)> {
    let going = (0..plan.candidates().len()).filter(|&at| plan.goes(at));
    match change.newcomers(&|id| plan.known(id)) {
        Ok(newcomers) => newcomers
            .into_iter()
            .filter_map(|newcomer| {
                let at = plan.find(&newcomer.parent).filter(|&at| plan.goes(at))?;
                let reason = KeepReason::from(Refusal::NewChild(newcomer.id));
                Some((at, Verdict::Keep(reason)))
            })
            .collect(),
        Err(refusal) => going
            .map(|at| (at, Verdict::Keep(refusal.clone().into())))
            .collect(),
    }
}

struct Look<'a> {
    change: &'a dyn Change,
    movable: Result<(), Refusal>,
    /// Being written when they were first looked at; looked at once more at the end.
    busy: Vec<usize>,
    patience: Patience,
}

impl Look<'_> {
    fn once(
        &mut self,
        plan: &mut PrunePlan,
        at: usize,
        newborn: &[(usize, Verdict)],
        watch: &dyn Watch,
    ) {
        let session = &plan.candidates()[at].session;
        let mut claim = match self.change.claim(session, Purpose::Look) {
            Ok(claim) => claim,
            Err(refusal) => return plan.judge(at, check::verdict(refusal)),
        };
        if let Some((_, verdict)) = newborn.iter().find(|(parent, _)| *parent == at) {
            return plan.judge(at, verdict.clone());
        }
        let looked = check::recheck(session, &mut *claim, plan.policy().cutoff());
        watch.reached(Step::Rechecked(&session.id));
        let bytes = claim.size();
        if let Ok(bytes) = bytes {
            plan.measured(at, bytes);
        }
        drop(claim);
        self.note(plan, at, looked);
    }

    fn patiently(&mut self, plan: &mut PrunePlan, at: usize) {
        let session = &plan.candidates()[at].session;
        let looked = match self.change.claim(session, Purpose::Look) {
            Ok(mut claim) => {
                let cutoff = plan.policy().cutoff();
                self.patience.recheck(session, &mut *claim, cutoff)
            }
            Err(refusal) => Looked::Not(check::verdict(refusal)),
        };
        self.note(plan, at, looked);
    }

    fn note(&mut self, plan: &mut PrunePlan, at: usize, looked: Looked) {
        match (looked, &self.movable) {
            (Looked::Not(verdict), _) => plan.judge(at, verdict),
            (Looked::Busy, _) => self.busy.push(at),
            (Looked::Fits, Ok(())) => {}
            (Looked::Fits, Err(refusal)) => plan.judge(at, check::verdict(refusal.clone())),
        }
    }
}
