//! The dry run: every candidate is looked at under its locks, and nothing is changed.
//!
//! Must never decide otherwise than the removal does from the same start.

use super::check::{self, Looked, Patience};
use super::plan::{Disposal, KeepReason, PrunePlan, Verdict};
use super::report::{Progress, Shelved, Step, Watch};
use super::warning::Warning;
use crate::session::{Refusal, SessionId};
use crate::store::Purpose;
use crate::store::change::{Change, Closeness, Newcomer};
use crate::store::spread::{ALONE, spread};
use crate::text::SafeText;

/// [`Watch::stopped`] said so.
pub(super) struct Stopped;

/// Candidates that are looked at before those are left out whose descendants stay.
const AT_A_TIME: usize = 512;

/// Notes in the plan what the store says of every candidate that would go; nothing would unless the
/// store is `movable`.
///
/// Each is looked at under its own locks, from several threads. What was seen is noted afterwards, in
/// the steps of the removal: who has a lease, what was born since, what is no longer as it was.
pub(super) fn examine(
    change: &dyn Change,
    plan: &mut PrunePlan,
    movable: &Result<(), Refusal>,
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
    let looks = look_at_all(change, plan, watch)?;
    match newborn(change, plan, Closeness::Metadata) {
        Ok(newborn) => {
            for born in newborn {
                keep_ancestors(plan, born, |_| false);
            }
        }
        Err(refusal) => keep_all(plan, &refusal, |_| false),
    }
    let mut read_lately = vec![false; plan.candidates().len()];
    let mut busy = Vec::new();
    for (at, look) in looks {
        if !plan.goes(at) {
            continue;
        }
        read_lately[at] = look.read_lately;
        if let Some(bytes) = look.bytes {
            plan.measured(at, bytes);
        }
        match look.looked {
            Looked::Busy => busy.push(at),
            looked => note(plan, at, looked, movable),
        }
    }
    let mut patience = Patience::new();
    for at in busy {
        if watch.stopped() {
            return Err(Stopped);
        }
        if plan.goes(at) {
            let looked = patiently(change, plan, at, &mut patience);
            note(plan, at, looked, movable);
        }
    }
    plan.settle();
    warn_of_readers(plan, &read_lately);
    let total = plan.candidates().len();
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
    closeness: Closeness,
) -> Result<Vec<(usize, SessionId)>, Refusal> {
    let newcomers = change.newcomers(closeness, &|id| plan.known(id))?;
    let mut parents = Vec::new();
    for Newcomer { id, parent, .. } in newcomers {
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

/// What was seen of a candidate under its locks.
struct Look {
    looked: Looked,
    /// Somebody may have read it within a day.
    read_lately: bool,
    /// Bytes on disk; `None`: they cannot be told.
    bytes: Option<u64>,
}

/// Looks at every candidate that goes, by its place; those are kept at once that cannot be claimed.
fn look_at_all(
    change: &dyn Change,
    plan: &mut PrunePlan,
    watch: &dyn Watch,
) -> Result<Vec<(usize, Look)>, Stopped> {
    let total = plan.candidates().len();
    let mut looks = Vec::with_capacity(total);
    for start in (0..total).step_by(AT_A_TIME) {
        let end = total.min(start + AT_A_TIME);
        let going: Vec<usize> = (start..end).filter(|&at| plan.goes(at)).collect();
        // Who asks may let the whole process be stopped, which others must not hold locks in then.
        let alone = going.len() < ALONE;
        let go_on = |begun| {
            watch.progress(Progress {
                done: start + begun,
                total,
            });
            !(alone && watch.stopped())
        };
        if watch.stopped() {
            return Err(Stopped);
        }
        let seen = spread(&going, |&at| look(change, plan, at), go_on).ok_or(Stopped)?;
        for (at, look) in going.into_iter().zip(seen) {
            match look {
                // It may be an ancestor of what was refused just before it.
                _ if !plan.goes(at) => {}
                Ok(look) => {
                    watch.reached(Step::Rechecked(&plan.candidates()[at].session.id));
                    looks.push((at, look));
                }
                Err(verdict) => plan.judge(at, verdict),
            }
        }
    }
    Ok(looks)
}

fn look(change: &dyn Change, plan: &PrunePlan, at: usize) -> Result<Look, Verdict> {
    let session = &plan.candidates()[at].session;
    let mut claim = check::claim(change, session, Purpose::Look, plan.disposal())?;
    let looked = check::recheck(session.last_change(), &mut *claim, plan.policy().cutoff());
    let read_lately = check::read_lately(&*claim, plan.policy());
    Ok(Look {
        looked,
        read_lately,
        bytes: claim.measure().ok(),
    })
}

fn patiently(change: &dyn Change, plan: &PrunePlan, at: usize, patience: &mut Patience) -> Looked {
    let session = &plan.candidates()[at].session;
    match check::claim(change, session, Purpose::Look, plan.disposal()) {
        Ok(mut claim) => {
            let (told, cutoff) = (session.last_change(), plan.policy().cutoff());
            patience.recheck(told, &mut *claim, cutoff)
        }
        Err(verdict) => Looked::Not(verdict),
    }
}

fn note(plan: &mut PrunePlan, at: usize, looked: Looked, movable: &Result<(), Refusal>) {
    match (looked, movable) {
        (Looked::Not(verdict), _) => plan.judge(at, verdict),
        (Looked::Busy, _) => plan.judge(at, check::verdict(Refusal::Busy)),
        (Looked::Fits, Ok(())) => {}
        (Looked::Fits, Err(refusal)) => plan.judge(at, check::verdict(refusal.clone())),
    }
}
