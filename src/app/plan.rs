//! The preview: what a dry run found, and what the user takes out of it.

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use super::number::count;
use super::scroll::{Scroll, Step};
use crate::prune::expiry::{Fate, TrashPlan};
use crate::prune::plan::{Candidate, ConfirmedPlan, Disposal, PrunePlan, Verdict};
use crate::prune::policy::Scope;
use crate::prune::report::Shelved;
use crate::session::SessionId;

/// The parts of a preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// What would go, and what was taken out of that.
    Removed,
    /// What is old but stays.
    Kept,
    /// What the store could not tell.
    Unchecked,
    /// Batches of the trash whose grace is over.
    Trash,
}

impl Section {
    const ALL: [Self; 4] = [Self::Removed, Self::Kept, Self::Unchecked, Self::Trash];

    /// Where a candidate belongs; what is gone already belongs nowhere. What was taken out is listed
    /// where it was: there it is put back.
    fn of(candidate: &Candidate) -> Option<Self> {
        match candidate.verdict() {
            Verdict::Gone => None,
            Verdict::Remove => Some(Self::Removed),
            _ if candidate.taken_out() => Some(Self::Removed),
            Verdict::Keep(reason) if reason.unchecked() => Some(Self::Unchecked),
            Verdict::Failed(_) => Some(Self::Unchecked),
            Verdict::Keep(_) => Some(Self::Kept),
        }
    }
}

/// Whether what of the trash is expired goes with a prune.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TrashPart {
    #[default]
    Goes,
    /// The user took it out: the trash stays as it is.
    TakenOut,
}

/// What the user took out of a preview.
#[derive(Clone, Debug, Default)]
pub(crate) struct TakenOut {
    sessions: HashSet<SessionId>,
    trash: TrashPart,
}

/// Sums over a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) removed: usize,
    pub(crate) bytes: u64,
    /// Listed with what would go, but taken out of that.
    pub(crate) taken_out: usize,
    pub(crate) kept: usize,
    pub(crate) unchecked: usize,
    /// Batches of the trash that would be emptied, and their bytes.
    pub(crate) emptied: usize,
    pub(crate) freed: u64,
    /// Listed nowhere: gone already.
    pub(crate) gone: usize,
    pub(crate) oldest: Option<DateTime<Utc>>,
    pub(crate) newest: Option<DateTime<Utc>>,
}

/// What a dry run found.
#[derive(Debug)]
pub(crate) struct Preview {
    pub(crate) plan: PrunePlan,
    /// When it ended.
    pub(crate) taken_at: DateTime<Utc>,
    pub(crate) section: Section,
    pub(crate) scroll: Scroll,
    pub(crate) tally: Tally,
    pub(crate) trash: TrashPart,
    /// What is in the section, by its place in the plan.
    listed: Vec<usize>,
}

impl Preview {
    /// Shows a plan that was checked; some of it is taken out at once.
    pub(crate) fn new(plan: PrunePlan, now: DateTime<Utc>, taken_out: &TakenOut) -> Self {
        let mut preview = Self {
            plan,
            taken_at: now,
            section: Section::Removed,
            scroll: Scroll::default(),
            tally: Tally::default(),
            trash: taken_out.trash,
            listed: Vec::new(),
        };
        for id in &taken_out.sessions {
            preview.plan.toggle(id);
        }
        preview.settle();
        if preview.listed.is_empty() {
            preview.section = match preview.tally {
                Tally { emptied: 1.., .. } => Section::Trash,
                Tally { kept: 1.., .. } => Section::Kept,
                Tally { unchecked: 1.., .. } => Section::Unchecked,
                _ => Section::Removed,
            };
            preview.list();
        }
        preview
    }

    /// Its parts; of the trash only if something in it is expired.
    pub(crate) fn sections(&self) -> impl Iterator<Item = Section> {
        let expired = !self.plan.trash().batches().is_empty();
        let shown = move |section: &Section| expired || *section != Section::Trash;
        Section::ALL.into_iter().filter(shown)
    }

    fn settle(&mut self) {
        let mut tally = Tally::default();
        for candidate in self.plan.candidates() {
            match candidate.verdict() {
                Verdict::Remove => {
                    let at = candidate.session.activity_at;
                    tally.removed += 1;
                    tally.bytes += candidate.session.bytes.unwrap_or(0);
                    tally.oldest = tally.oldest.min(at).or(at);
                    tally.newest = tally.newest.max(at);
                }
                Verdict::Gone | Verdict::Keep(_) | Verdict::Failed(_) => {
                    *match Section::of(candidate) {
                        None => &mut tally.gone,
                        Some(Section::Removed) => &mut tally.taken_out,
                        Some(Section::Kept) => &mut tally.kept,
                        Some(Section::Unchecked | Section::Trash) => &mut tally.unchecked,
                    } += 1;
                }
            }
        }
        if self.trash == TrashPart::Goes {
            tally.emptied = self.plan.trash().going().count();
            tally.freed = self.plan.trash().going().map(|s| s.batch.bytes).sum();
        }
        self.tally = tally;
        self.list();
    }

    /// Oldest first, what has no time last.
    fn list(&mut self) {
        if self.section == Section::Trash {
            self.listed = (0..self.plan.trash().batches().len()).collect();
            return;
        }
        let candidates = self.plan.candidates();
        let here = |at: &usize| Section::of(&candidates[*at]) == Some(self.section);
        let here = (0..candidates.len()).filter(here);
        self.listed = here.collect();
        self.listed.sort_by_key(|at| {
            let session = &candidates[*at].session;
            (session.activity_at.is_none(), session.activity_at)
        });
    }

    /// How many are in the section.
    pub(crate) fn len(&self) -> usize {
        self.listed.len()
    }

    /// The candidate at a place in the section.
    pub(crate) fn at(&self, place: usize) -> Option<&Candidate> {
        if self.section == Section::Trash {
            return None;
        }
        self.plan.candidates().get(*self.listed.get(place)?)
    }

    /// The batch of the trash at a place in the section.
    pub(crate) fn batch(&self, place: usize) -> Option<&(Shelved, Fate)> {
        if self.section != Section::Trash {
            return None;
        }
        self.plan.trash().batches().get(*self.listed.get(place)?)
    }

    /// The candidate under the cursor.
    pub(crate) fn current(&self) -> Option<&Candidate> {
        self.at(self.scroll.at)
    }

    /// Sessions that were not even looked at, being too young; `None`: it is about chosen ones.
    pub(crate) fn younger(&self) -> Option<usize> {
        let all = self.plan.policy().scope == Scope::All;
        let asked = self.plan.candidates().len();
        all.then(|| self.plan.store_count().saturating_sub(asked))
    }

    /// Whether there is something to say yes to.
    pub(crate) fn does_something(&self) -> bool {
        self.tally.removed + self.tally.emptied > 0
    }

    /// What was taken out of it.
    pub(super) fn taken_out(&self) -> TakenOut {
        let out = self.plan.candidates().iter().filter(|c| c.taken_out());
        TakenOut {
            sessions: out.map(|candidate| candidate.session.id.clone()).collect(),
            trash: self.trash,
        }
    }

    /// The user said yes to what this shows.
    pub(super) fn confirmed(&self, disposal: Disposal) -> ConfirmedPlan {
        let plan = self.plan.clone();
        let plan = match self.trash {
            TrashPart::Goes => plan,
            TrashPart::TakenOut => plan.with_trash(TrashPlan::default()),
        };
        plan.disposing(disposal).confirm()
    }

    pub(super) fn go(&mut self, step: Step, page: usize) {
        self.scroll.go(step, self.listed.len(), page);
    }

    pub(super) fn put(&mut self, row: usize) {
        self.scroll.put(row, self.listed.len());
    }

    pub(super) fn follow(&mut self, page: usize) {
        self.scroll.follow(self.listed.len(), page);
    }

    /// Turns to the section before or after.
    pub(super) fn turn(&mut self, step: Step) {
        let sections: Vec<Section> = self.sections().collect();
        let at = sections.iter().position(|s| *s == self.section);
        let to = step.from(at.unwrap_or(0), sections.len(), 1);
        self.section = sections[to];
        self.scroll = Scroll::default();
        self.list();
    }

    /// Takes the candidate under the cursor out, or puts it back, and goes down; says what became of
    /// others by that. In the trash all of it is taken out.
    pub(super) fn toggle(&mut self) -> Option<String> {
        if self.section == Section::Trash {
            self.trash = match self.trash {
                TrashPart::Goes => TrashPart::TakenOut,
                TrashPart::TakenOut => TrashPart::Goes,
            };
            self.settle();
            return None;
        }
        let id = self.current()?.session.id.clone();
        let before = self.tally.removed;
        self.plan.toggle(&id);
        self.settle();
        let same = |place: &usize| self.plan.candidates()[*place].session.id == id;
        if let Some(at) = self.listed.iter().position(same) {
            self.scroll.at = Step::Down.from(at, self.listed.len(), 1);
        }
        let now = self.tally.removed;
        let others = before.abs_diff(now).saturating_sub(1);
        let said = match (others, now < before) {
            (0, _) => return None,
            (1, true) => "1 ancestor stays too".to_owned(),
            (n, true) => format!("{} ancestors stay too", count(n)),
            (1, false) => "1 ancestor goes again, too".to_owned(),
            (n, false) => format!("{} ancestors go again, too", count(n)),
        };
        Some(said)
    }
}
