//! What a killed run took out of the store or the trash for good and did not come to unlink.
//!
//! Must never: let anything of it go that something descends from by now, that somebody holds, or of
//! which that cannot be told, or decide otherwise in a dry run. What is not whole any more has nobody to
//! go back to.

use super::living;
use crate::prune::expiry::{KeepBatch, claimed};
use crate::prune::report::{Doomed, Leftover, Member, Shelved, Trashed};
use crate::prune::warning::Warning;
use crate::session::Refusal;
use crate::store::change::Change;
use crate::store::removals::{Action, Note, Stays, What};
use crate::text::SafeText;

/// Looks and changes nothing: what would be done.
pub(in crate::prune) fn look(change: &dyn Change) -> Vec<Warning> {
    match decide(change) {
        Ok(decided) => tell(&decided),
        Err(_) => Vec::new(),
    }
}

/// Puts back what does not go, and lets the rest go with what this run takes; what was done, and what
/// cannot be looked at.
pub(in crate::prune) fn settle(change: &dyn Change) -> (Vec<Warning>, Vec<Leftover>) {
    let mut decided = match decide(change) {
        Ok(decided) => decided,
        Err(refusal) => {
            let left = Leftover::new("what a killed run left", &refusal.to_string());
            return (Vec::new(), vec![left]);
        }
    };
    let mut unrecorded = None;
    for (doomed, why) in &mut decided {
        match why {
            Some(why) => match change.bring_back(doomed) {
                Ok(()) => unrecorded = note(change, doomed, why).err().or(unrecorded),
                Err(refusal) => *why = SafeText::line(&format!("{why}; {refusal}")),
            },
            None if doomed.whole => change.doom(doomed),
            None => {}
        }
    }
    let mut warnings = tell(&decided);
    warnings.extend(unrecorded.map(Warning::Unrecorded));
    (warnings, Vec::new())
}

/// Writes down what is back: the record may tell that it went.
fn note(change: &dyn Change, doomed: &Doomed, why: &SafeText) -> Result<(), SafeText> {
    let members = doomed.members.iter();
    let sessions: Vec<Trashed> = members.map(|member| Trashed::unknown(&member.id)).collect();
    let (action, what) = match &doomed.batch {
        Some(_) => (Action::Purge, What::Stays(Stays::Kept(why.to_string()))),
        None => (Action::Restore, What::Outcome(sessions.iter().collect())),
    };
    change.note(&Note {
        action,
        batch: doomed.batch.as_ref(),
        policy: "",
        what,
    })
}

fn tell(decided: &[(Doomed, Option<SafeText>)]) -> Vec<Warning> {
    let goes = decided.iter().filter(|(_, why)| why.is_none());
    let mut goes: Vec<String> = goes.map(|(doomed, _)| doomed.name.clone()).collect();
    goes.dedup();
    let back = decided.iter().filter_map(|(doomed, why)| {
        let name = doomed.name.clone();
        Some(Warning::ComesBack(name, why.clone()?))
    });
    let mut warnings: Vec<Warning> = back.collect();
    if !goes.is_empty() {
        warnings.push(Warning::Finishes(goes));
    }
    warnings
}

/// All that is there, each with why it goes back, if it does.
fn decide(change: &dyn Change) -> Result<Vec<(Doomed, Option<SafeText>)>, Refusal> {
    let doomed = change.doomed()?;
    let (whole, begun): (Vec<_>, Vec<_>) = doomed.into_iter().partition(|doomed| doomed.whole);
    let reasons = if whole.is_empty() {
        Vec::new()
    } else {
        reasons(change, &whole)
    };
    let begun = begun.into_iter().map(|doomed| (doomed, None));
    Ok(begun.chain(whole.into_iter().zip(reasons)).collect())
}

fn reasons(change: &dyn Change, whole: &[Doomed]) -> Vec<Option<SafeText>> {
    let all = |why: &str| vec![Some(SafeText::line(why)); whole.len()];
    let looked = living(change).and_then(|living| Ok((living, change.shelves()?)));
    let (living, shelves) = match looked {
        Ok(looked) => looked,
        Err(refusal) => return all(&refusal.to_string()),
    };
    if let Some(id) = living.unreadable.into_keys().next() {
        return all(&KeepBatch::Unread(id).to_string());
    }
    let unclear = shelves.iter().map(|shelved| &shelved.unclear);
    let unclear = unclear.chain(whole.iter().map(|doomed| &doomed.unclear));
    if let Some(why) = unclear.flatten().next() {
        return all(&format!("what descends from it cannot be told: {why}"));
    }
    let there = shelves.iter().map(|shelved: &Shelved| &*shelved.members);
    let lots = there.chain(whole.iter().map(|doomed| &*doomed.members));
    let lots: Vec<&[Member]> = lots.collect();
    let held = |at: usize| match at.checked_sub(shelves.len()) {
        Some(at) => whole[at].held.is_some(),
        None => true,
    };
    let claimed = claimed(&lots, &living.children, held);
    let claimed = claimed.into_iter().skip(shelves.len());
    let reasons = whole.iter().zip(claimed).map(|(doomed, claim)| {
        let (session, of) = match (&doomed.held, claim) {
            (Some(why), _) => return Some(why.clone()),
            (None, claim) => claim?,
        };
        let why = KeepBatch::Ancestor { session, of };
        Some(SafeText::line(&why.to_string()))
    });
    reasons.collect()
}
