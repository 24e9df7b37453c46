//! A verdict and its reason for every candidate. Pure: no clock, no disk.
//!
//! Invariant: whatever verdict changes, every ancestor of a session that stays
//! stays too; [`PrunePlan::settle`] is the one place that sees to it. A
//! [`ConfirmedPlan`] comes only from [`PrunePlan::confirm`].

mod most;
mod verdict;

use hashbrown::HashMap;

pub use most::{Most, WORD};
pub use verdict::{Disposal, KeepReason, Verdict};

pub use super::decide::{Outlook, outlook};
use super::decide::{own_verdicts, with_ancestors};
use super::expiry::TrashPlan;
use super::policy::Policy;
use super::warning::Warning;
use crate::lineage::{Lineage, Node};
use crate::session::{Condition, Place, Session, SessionId, Sighting};

/// One candidate.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The session as it was scanned.
    pub session: Session,
    /// Its place in a removal.
    parent: Option<usize>,
    /// What is to become of it.
    verdict: Verdict,
    /// The same, before the ancestors of what stays were looked for.
    own: Verdict,
    /// The user took it out.
    taken_out: bool,
}

impl Candidate {
    /// What is to become of it.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// What is to be said of it though it goes: it is the rest of a session that another program
    /// has begun to remove.
    pub fn finishes(&self) -> Option<&'static str> {
        let remnant = matches!(self.session.condition, Condition::Remnant(_));
        remnant.then_some("finish removing: no metadata")
    }

    /// Whether the user took it out.
    pub fn taken_out(&self) -> bool {
        self.taken_out
    }
}

/// What a prune would do: every session old enough, or asked for by name, with its verdict.
#[derive(Clone, Debug)]
pub struct PrunePlan {
    policy: Policy,
    /// Deepest first, then oldest, then by id: children before their parents.
    candidates: Vec<Candidate>,
    /// What the plan's scan saw of every session, and its place among the candidates.
    known: HashMap<SessionId, (Sighting, Option<usize>)>,
    place: Option<Place>,
    store_count: usize,
    damaged_without_parent: usize,
    disposal: Disposal,
    trash: TrashPlan,
    warnings: Vec<Warning>,
}

impl PrunePlan {
    /// Decides from what is known. Who holds what is not asked here: only locks tell, see
    /// [`super::execute`].
    pub fn new(lineage: &Lineage, policy: Policy) -> Self {
        let own = own_verdicts(lineage, &policy);
        let settled = with_ancestors(lineage, &own, |_| false);
        let mut order: Vec<Node> = lineage
            .nodes()
            .filter(|n| own[n.index()].is_some())
            .collect();
        order.sort_by(|a, b| {
            let (s, t) = (lineage.get(*a), lineage.get(*b));
            let depth = lineage.depth(*b).cmp(&lineage.depth(*a));
            depth
                .then(s.activity_at.cmp(&t.activity_at))
                .then_with(|| s.id.cmp(&t.id))
        });
        let mut places = vec![None; lineage.len()];
        for (place, node) in order.iter().enumerate() {
            places[node.index()] = Some(place);
        }
        let candidates = order.iter().map(|&node| {
            let verdict = settled[node.index()].clone().unwrap_or(Verdict::Remove);
            Candidate {
                session: lineage.get(node).clone(),
                parent: lineage.parent(node).and_then(|p| places[p.index()]),
                own: verdict.clone(),
                verdict,
                taken_out: false,
            }
        });
        let known = lineage.nodes().map(|node| {
            let session = lineage.get(node);
            (session.id.clone(), (session.seen, places[node.index()]))
        });
        let orphaned =
            |s: &&Session| s.parent.is_none() && matches!(s.condition, Condition::Damaged(_));
        Self {
            candidates: candidates.collect(),
            policy,
            known: known.collect(),
            place: None,
            store_count: lineage.len(),
            damaged_without_parent: lineage.sessions().iter().filter(orphaned).count(),
            disposal: Disposal::default(),
            trash: TrashPlan::default(),
            warnings: Vec::new(),
        }
    }

    /// What the user asked for.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Every candidate, in the order of removal.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The candidates that would go, in the order of removal.
    pub fn removals(&self) -> impl Iterator<Item = &Candidate> {
        let goes = |c: &&Candidate| c.verdict == Verdict::Remove;
        self.candidates.iter().filter(goes)
    }

    /// What the plan's scan saw of a session; `None` if it saw none.
    pub fn known(&self, id: &SessionId) -> Option<Sighting> {
        self.known.get(id).map(|(seen, _)| *seen)
    }

    /// The sessions folder that the dry run looked at; `None` before one.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// Notes which sessions folder was looked at.
    pub(in crate::prune) fn looked_at(&mut self, place: Place) {
        self.place = Some(place);
    }

    /// Sessions in the store when the plan was made.
    pub fn store_count(&self) -> usize {
        self.store_count
    }

    /// Sessions that cannot be read so far that their parent is known: what they descend
    /// from may go.
    pub fn damaged_without_parent(&self) -> usize {
        self.damaged_without_parent
    }

    /// The same, but what goes is disposed of in that way.
    #[must_use]
    pub fn disposing(self, disposal: Disposal) -> Self {
        Self { disposal, ..self }
    }

    /// What becomes of what goes.
    pub fn disposal(&self) -> Disposal {
        self.disposal
    }

    /// With batches of the trash to be emptied too. Whoever adds them shows them: they go with
    /// the same yes.
    #[must_use]
    pub fn with_trash(self, trash: TrashPlan) -> Self {
        Self { trash, ..self }
    }

    /// The same, gone through with although nobody is shown it and asked.
    #[must_use]
    pub fn unasked(self) -> Self {
        let trash = self.trash.unasked();
        Self { trash, ..self }
    }

    /// Batches of the trash to be emptied with it.
    pub fn trash(&self) -> &TrashPlan {
        &self.trash
    }

    /// Notes what is to be said besides, in the place of what it makes out of date.
    pub fn warn(&mut self, warning: Warning) {
        self.warnings.retain(|known| !warning.replaces(known));
        self.warnings.push(warning);
    }

    /// Notes what becomes of what a killed run left, whatever was noted of that before.
    pub(in crate::prune) fn warn_of_killed(&mut self, warnings: Vec<Warning>) {
        self.warnings.retain(|known| !known.is_of_a_killed_run());
        self.warnings.extend(warnings);
    }

    /// What is to be said besides.
    pub fn warnings(&self) -> impl Iterator<Item = Warning> + '_ {
        let damaged = (self.damaged_without_parent > 0)
            .then_some(Warning::DamagedWithoutParent(self.damaged_without_parent));
        self.warnings.iter().cloned().chain(damaged)
    }

    /// Takes a candidate out of the plan, or back into it; its ancestors follow.
    pub fn toggle(&mut self, id: &SessionId) {
        let toggled = |c: &&mut Candidate| c.session.id == *id && c.own == Verdict::Remove;
        if let Some(candidate) = self.candidates.iter_mut().find(toggled) {
            candidate.taken_out = !candidate.taken_out;
            self.settle();
        }
    }

    /// Whether the candidate at a place would go.
    pub(in crate::prune) fn goes(&self, at: usize) -> bool {
        self.candidates[at].verdict == Verdict::Remove
    }

    /// The place of a candidate's parent, if that is a candidate too.
    pub(in crate::prune) fn parent(&self, at: usize) -> Option<usize> {
        self.candidates[at].parent
    }

    /// A candidate and the ancestors that are candidates, nearest first, by their places.
    pub(in crate::prune) fn line(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(at), |&at| self.parent(at))
    }

    /// The place of the candidate with that id.
    pub(in crate::prune) fn find(&self, id: &SessionId) -> Option<usize> {
        self.known.get(id).and_then(|(_, place)| *place)
    }

    /// Notes what the store said of a candidate, by its place; its ancestors follow at once.
    pub(in crate::prune) fn judge(&mut self, at: usize, own: Verdict) {
        let stays = matches!(own, Verdict::Keep(_) | Verdict::Failed(_));
        self.candidates[at].own = own.clone();
        self.candidates[at].verdict = own;
        let cause = self.candidates[at].session.id.clone();
        let mut next = self.parent(at).filter(|_| stays);
        while let Some(at) = next {
            let ancestor = &mut self.candidates[at];
            match ancestor.verdict {
                Verdict::Remove => {
                    ancestor.verdict = Verdict::Keep(KeepReason::AncestorOf(cause.clone()));
                }
                Verdict::Gone => {}
                // Its own ancestors stay already.
                Verdict::Keep(_) | Verdict::Failed(_) => break,
            }
            next = ancestor.parent;
        }
    }

    /// Notes a candidate's size in bytes.
    pub(in crate::prune) fn measured(&mut self, at: usize, bytes: u64) {
        self.candidates[at].session.bytes = Some(bytes);
    }

    /// Keeps every ancestor of what stays. Which descendant is named depends only on who stays:
    /// the first in the plan's order. That something descends from it comes before what the store
    /// said, so that it does not matter whether the store was asked at all.
    pub(in crate::prune) fn settle(&mut self) {
        let mut causes: Vec<Option<SessionId>> = vec![None; self.candidates.len()];
        // Children come before their parents, so one pass carries a stay to the root, past what
        // is gone already: it was an ancestor too.
        for at in 0..self.candidates.len() {
            let candidate = &mut self.candidates[at];
            let own = if candidate.taken_out {
                Verdict::Keep(KeepReason::TakenOut)
            } else {
                candidate.own.clone()
            };
            let below = causes[at].take();
            let yields = matches!(own, Verdict::Remove | Verdict::Keep(KeepReason::Refused(_)));
            candidate.verdict = match &below {
                Some(cause) if yields => Verdict::Keep(KeepReason::AncestorOf(cause.clone())),
                _ => own,
            };
            let cause = match &candidate.verdict {
                Verdict::Remove | Verdict::Gone => below,
                Verdict::Keep(KeepReason::AncestorOf(cause)) => Some(cause.clone()),
                Verdict::Keep(_) | Verdict::Failed(_) => Some(candidate.session.id.clone()),
            };
            if let Some(parent) = candidate.parent
                && causes[parent].is_none()
            {
                causes[parent] = cause;
            }
        }
    }

    /// The user said yes to what the plan shows.
    #[must_use]
    pub fn confirm(self) -> ConfirmedPlan {
        ConfirmedPlan(self)
    }
}

/// A plan that the user said yes to; the only thing that can be removed.
#[derive(Debug)]
pub struct ConfirmedPlan(pub(in crate::prune) PrunePlan);

impl ConfirmedPlan {
    /// What was confirmed.
    pub fn plan(&self) -> &PrunePlan {
        &self.0
    }
}

#[cfg(test)]
mod tests;
