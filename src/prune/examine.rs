//! The dry run: every candidate is looked at under its locks, and nothing is changed.
//!
//! Must never decide otherwise than the removal does from the same start.

use super::check::{self, Looked, Patience};
use super::plan::{Disposal, KeepReason, PrunePlan, Verdict};
use super::report::{Progress, Shelved, Step, Watch};
use super::warning::Warning;
use crate::session::{Refusal, Session, SessionId};
use crate::store::Purpose;
use crate::store::change::{Change, Claim, Newcomer};
use crate::text::SafeText;

/// [`Watch::stopped`] said so.
pub(super) struct Stopped;

/// Notes in the plan what the store says of every candidate that would go; nothing would unless the
/// store is `movable`.
pub(super) fn examine(
    change: &dyn Change,
    plan: &mut PrunePlan,
    movable: Result<(), Refusal>,
    watch: &dyn Watch,
) -> Result<(), Stopped> {
    watch.reached(Step::Locked);
    warn_of_unseen(change, plan);
    let emptied: Vec<_> = plan
        .trash()
        .going()
        .map(|s| s.batch.batch.clone())
        .collect();
    keep_for_trash(change, plan, |shelved| {
        !emptied.contains(&shelved.batch.batch)
    });
    let newborn = newborn(change, plan);
    let mut look = Look {
        change,
        movable,
        read_lately: vec![false; plan.candidates().len()],
        busy: Vec::new(),
        patience: Patience::new(),
    };
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
    look.keep_parents(plan);
    plan.settle();
    warn_of_readers(plan, &look.read_lately);
    watch.progress(Progress { done: total, total });
    Ok(())
}

/// Keeps what was pinned since the plan was made. A store that does not tell is not pruned.
pub(super) fn keep_pinned(change: &dyn Change, plan: &mut PrunePlan) -> Result<(), Refusal> {
    let pins = change.pins()?;
    for at in 0..plan.candidates().len() {
        if plan.goes(at) && pins.contains(&plan.candidates()[at].session.id) {
            plan.judge(at, Verdict::Keep(KeepReason::Pinned));
        }
    }
    Ok(())
}

/// Tells of agents that hold no lease.
pub(super) fn warn_of_unseen(change: &dyn Change, plan: &mut PrunePlan) {
    if let Some(holders) = change.unseen().filter(|holders| !holders.is_empty()) {
        plan.warn(Warning::Unseen(holders));
    }
}

/// Tells of what goes although somebody may have read it within a day, by its places in the plan.
pub(super) fn warn_of_readers(plan: &mut PrunePlan, read_lately: &[bool]) {
    let lately = read_lately.iter().enumerate();
    let count = lately
        .filter(|(at, lately)| **lately && plan.goes(*at))
        .count();
    if count > 0 {
        plan.warn(Warning::ReadLately(count));
    }
}

/// The candidates that something descends from which the plan does not know, by their places,
/// and its id; when the store cannot be listed, or something in it not be read, why: then nothing
/// may go.
pub(super) fn newborn(
    change: &dyn Change,
    plan: &PrunePlan,
) -> Result<Vec<(usize, SessionId)>, Refusal> {
    let newcomers = change.newcomers(&|id| plan.known(id))?;
    let mut parents = Vec::new();
    for Newcomer { id, parent } in newcomers {
        let Some(parent) = parent else {
            return Err(Refusal::UnreadableChild(id));
        };
        parents.extend(plan.find(&parent).map(|parent| (parent, id)));
    }
    Ok(parents)
}

/// Keeps what is to be deleted and a session in the trash descends from: that one could come back,
/// and its parent not. Only batches that stay count.
pub(super) fn keep_for_trash(
    change: &dyn Change,
    plan: &mut PrunePlan,
    stays: impl Fn(&Shelved) -> bool,
) {
    if plan.disposal() != Disposal::Delete {
        return;
    }
    let mut shelves = match change.shelves() {
        Ok(shelves) => shelves,
        Err(refusal) => return keep_all(plan, &refusal, |_| false),
    };
    shelves.retain(stays);
    if let Some(why) = shelves.iter().find_map(|shelved| shelved.unclear.as_ref()) {
        let why = format!("what in the trash descends from it cannot be told: {why}");
        let refusal = Refusal::NotDeleted(SafeText::line(&why));
        return keep_all(plan, &refusal, |_| false);
    }
    let members = shelves.iter().flat_map(|shelved| &shelved.members);
    let parents = members.flat_map(|member| member.parents.iter().map(move |id| (id, &member.id)));
    let parents: Vec<(usize, &SessionId)> = parents
        .filter_map(|(parent, id)| Some((plan.find(parent)?, id)))
        .collect();
    for (at, id) in parents {
        if plan.goes(at) {
            plan.judge(at, check::verdict(Refusal::TrashedChild(id.clone())));
        }
    }
}

/// Keeps the first that would go of a newcomer's ancestors, which keeps the rest; `spoken_for`
/// are not asked.
pub(super) fn keep_ancestors(
    plan: &mut PrunePlan,
    (parent, newcomer): (usize, SessionId),
    spoken_for: impl Fn(usize) -> bool,
) {
    let going = |at: &usize| plan.goes(*at) && !spoken_for(*at);
    let Some(at) = plan.line(parent).find(going) else {
        return;
    };
    let reason = if at == parent {
        Refusal::NewChild(newcomer).into()
    } else {
        KeepReason::AncestorOf(newcomer)
    };
    plan.judge(at, Verdict::Keep(reason));
}

/// Keeps everything that would go; `spoken_for` is not asked.
pub(super) fn keep_all(
    plan: &mut PrunePlan,
    refusal: &Refusal,
    spoken_for: impl Fn(usize) -> bool,
) {
    for at in 0..plan.candidates().len() {
        if plan.goes(at) && !spoken_for(at) {
            plan.judge(at, check::verdict(refusal.clone()));
        }
    }
}

struct Look<'a> {
    change: &'a dyn Change,
    movable: Result<(), Refusal>,
    /// By place in the plan: somebody may have read it within a day.
    read_lately: Vec<bool>,
    /// Being written when they were first looked at; looked at once more at the end.
    busy: Vec<usize>,
    patience: Patience,
}

impl<'a> Look<'a> {
    fn claim(&self, plan: &PrunePlan, session: &Session) -> Result<Box<dyn Claim + 'a>, Verdict> {
        check::claim(self.change, session, Purpose::Look, plan.disposal())
    }

    fn once(
        &mut self,
        plan: &mut PrunePlan,
        at: usize,
        newborn: &Result<Vec<(usize, SessionId)>, Refusal>,
        watch: &dyn Watch,
    ) {
        let session = &plan.candidates()[at].session;
        let mut claim = match self.claim(plan, session) {
            Ok(claim) => claim,
            Err(verdict) => return plan.judge(at, verdict),
        };
        let refused = match newborn {
            Ok(newborn) => newborn
                .iter()
                .find(|(parent, _)| *parent == at)
                .map(|(_, child)| Refusal::NewChild(child.clone())),
            Err(refusal) => Some(refusal.clone()),
        };
        if let Some(refusal) = refused {
            return plan.judge(at, check::verdict(refusal));
        }
        let looked = check::recheck(session, &mut *claim, plan.policy().cutoff());
        watch.reached(Step::Rechecked(&session.id));
        self.read_lately[at] = check::read_lately(&*claim, plan.policy());
        drop(claim);
        let bytes = self.change.size(&session.id);
        if let Ok(bytes) = bytes {
            plan.measured(at, bytes);
        }
        self.note(plan, at, looked);
    }

    fn patiently(&mut self, plan: &mut PrunePlan, at: usize) {
        let session = &plan.candidates()[at].session;
        let looked = match self.claim(plan, session) {
            Ok(mut claim) => {
                let cutoff = plan.policy().cutoff();
                self.patience.recheck(session, &mut *claim, cutoff)
            }
            Err(verdict) => Looked::Not(verdict),
        };
        self.note(plan, at, looked);
    }

    /// The second listing, as the removal has one when all is moved.
    fn keep_parents(&self, plan: &mut PrunePlan) {
        match newborn(self.change, plan) {
            Ok(newborn) => {
                for born in newborn {
                    keep_ancestors(plan, born, |_| false);
                }
            }
            Err(refusal) => keep_all(plan, &refusal, |_| false),
        }
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
