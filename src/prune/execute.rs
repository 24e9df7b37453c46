//! Doing what a plan says, under the store's own locks: [`dry_run`] and [`remove`].
//!
//! Must never: remove what is not in the confirmed plan or no longer what was seen, let an
//! ancestor go of what stays, let a lease go before the move is on the disk, or stop with a
//! lock held.

use chrono::{DateTime, TimeDelta, Utc};

use super::check::{self, Looked, Patience};
use super::examine::{self, examine, keep_all, keep_ancestors, newborn};
use super::plan::{ConfirmedPlan, PrunePlan, Verdict};
use super::purge;
use super::report::{Progress, PruneReport, Step, Trashed, Watch};
use super::shelf::{Shelf, trashed};
use super::warning::Warning;
use crate::session::{Refusal, SessionId};
use crate::store::change::{Change, Claim};
use crate::store::removals::What;
use crate::store::{Purpose, Store};
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
    match examine(&*change, &mut plan, watch) {
        Ok(()) => Ok(plan),
        Err(examine::Stopped) => Err(NotChecked::Stopped),
    }
}

/// Moves what was confirmed to the store's trash, where it stays for `grace` from `now` on.
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
    for leftover in change.clear(watch) {
        plan.warn(Warning::Leftover(SafeText::line(&leftover.to_string())));
    }
    // First, so that there is room for what comes.
    let mut emptied = purge::empty_locked(&*change, plan.trash(), watch);
    let mut report = if change.movable().is_err() {
        // Nothing can go, and nothing is made; the reasons are the dry run's.
        // Whether it was stopped shows in what was not reached.
        let _ = examine(&*change, &mut plan, watch);
        plan.settle();
        PruneReport::done(&plan, None, |_| false)
    } else {
        let mut removal = Removal {
            change: &*change,
            shelf: Shelf::new(&*change, &plan, now, grace),
            moved: vec![false; plan.candidates().len()],
            busy: vec![false; plan.candidates().len()],
            patience: Patience::new(),
            plan,
            watch,
        };
        removal.run();
        removal.report()
    };
    report.warnings.append(&mut emptied.warnings);
    report.trash = emptied;
    Ok(report)
}

/// What becomes of a session that is being written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Busy {
    /// It is tried again at the end.
    Defer,
    /// It is waited for, as long as there is patience left.
    Wait,
}

struct Removal<'a> {
    change: &'a dyn Change,
    plan: PrunePlan,
    watch: &'a dyn Watch,
    shelf: Shelf<'a>,
    /// By place in the plan: it is in the trash.
    moved: Vec<bool>,
    /// By place in the plan: it was being written, or something below it was.
    busy: Vec<bool>,
    patience: Patience,
}

/// The claims of a batch by place, in the plan's order.
type Claims<'a> = Vec<(usize, Box<dyn Claim + 'a>)>;

impl<'a> Removal<'a> {
    fn run(&mut self) {
        let all: Vec<usize> = (0..self.plan.candidates().len()).collect();
        if self.batches(&all, Busy::Defer) {
            let deferred: Vec<usize> = all.into_iter().filter(|&at| self.busy[at]).collect();
            self.batches(&deferred, Busy::Wait);
        }
    }

    /// Whether it came to the end.
    fn batches(&mut self, places: &[usize], busy: Busy) -> bool {
        let going: Vec<usize> = places
            .iter()
            .copied()
            .filter(|&at| self.plan.goes(at))
            .collect();
        let size = self.change.capacity().min(self.watch.batch_limit()).max(1);
        for batch in going.chunks(size) {
            if self.watch.stopped() {
                return false;
            }
            self.batch(batch, busy);
            self.tell();
        }
        true
    }

    fn tell(&self) {
        let decided = |&at: &usize| self.moved[at] || !self.plan.goes(at);
        let total = self.plan.candidates().len();
        let done = (0..total).filter(decided).count();
        self.watch.progress(Progress { done, total });
    }

    /// Whether a candidate still goes, and now.
    fn goes(&self, at: usize, busy: Busy) -> bool {
        self.plan.goes(at) && (busy == Busy::Wait || !self.busy[at])
    }

    fn batch(&mut self, places: &[usize], busy: Busy) {
        let mut claims = self.claim(places, busy);
        self.watch.reached(Step::Claimed);
        self.keep_parents();
        claims.retain(|(at, _)| self.goes(*at, busy));
        if claims.is_empty() {
            return;
        }
        self.note_intent(&claims);
        let mut moved = Claims::new();
        for (at, mut claim) in claims {
            if self.goes(at, busy) && self.aside(at, &mut *claim, busy) {
                moved.push((at, claim));
            }
        }
        if !moved.is_empty() {
            self.watch.reached(Step::BatchMoved);
            self.look_back(&mut moved);
        }
        self.note_outcome(&moved);
    }

    fn note_intent(&mut self, claims: &Claims<'a>) {
        let candidates = self.plan.candidates();
        let ids = claims.iter().map(|(at, _)| &candidates[*at].session.id);
        let noted = self
            .change
            .note(&self.shelf.note(What::Intent(ids.collect())));
        self.noted(noted);
    }

    /// What of a batch is gone.
    fn note_outcome(&mut self, moved: &Claims<'a>) {
        let candidates = self.plan.candidates();
        let gone = moved.iter().filter(|(at, _)| self.moved[*at]);
        let gone: Vec<Trashed> = gone
            .map(|(at, _)| trashed(&candidates[*at].session))
            .collect();
        let what = What::Outcome(gone.iter().collect());
        let noted = self.change.note(&self.shelf.note(what));
        self.noted(noted);
    }

    /// What cannot be written down is told, and stops nothing.
    fn noted(&mut self, noted: Result<(), SafeText>) {
        if let Err(why) = noted {
            self.plan.warn(Warning::Unrecorded(why));
        }
    }

    /// Step 1: the leases. What is refused stays, and with it its ancestors.
    fn claim(&mut self, places: &[usize], busy: Busy) -> Claims<'a> {
        let mut claims = Claims::with_capacity(places.len());
        for &at in places {
            if !self.goes(at, busy) {
                continue;
            }
            let session = &self.plan.candidates()[at].session;
            match self.change.claim(session, Purpose::Change) {
                Ok(claim) => claims.push((at, claim)),
                Err(refusal) => self.plan.judge(at, check::verdict(refusal)),
            }
        }
        claims
    }

    /// Step 3: looks at one session again and moves it; whether it is in the trash.
    fn aside(&mut self, at: usize, claim: &mut dyn Claim, busy: Busy) -> bool {
        let session = &self.plan.candidates()[at].session;
        let cutoff = self.plan.policy().cutoff();
        let looked = match busy {
            Busy::Defer => check::recheck(session, claim, cutoff),
            Busy::Wait => self.patience.recheck(session, claim, cutoff),
        };
        match looked {
            Looked::Fits => self.watch.reached(Step::Rechecked(&session.id)),
            Looked::Busy => {
                self.defer(at);
                return false;
            }
            Looked::Not(verdict) => {
                self.plan.judge(at, verdict);
                return false;
            }
        }
        let measured = session.bytes.or_else(|| claim.size().ok());
        match self.shelf.bin().and_then(|bin| claim.move_aside(bin)) {
            Ok(()) => self.moved[at] = true,
            Err(refusal @ (Refusal::Gone | Refusal::Changed)) => {
                self.plan.judge(at, check::verdict(refusal));
            }
            Err(refusal) => self.plan.judge(at, failed(&refusal)),
        }
        if self.moved[at] {
            self.watch
                .reached(Step::Moved(&self.plan.candidates()[at].session.id));
        }
        if let Some(bytes) = measured {
            self.plan.measured(at, bytes);
        }
        self.moved[at]
    }

    /// A session that is being written, and its ancestors, wait for the end.
    fn defer(&mut self, at: usize) {
        for at in self.plan.line(at) {
            self.busy[at] = true;
        }
    }

    /// Step 4: while the leases are still held, what became the parent of something new comes back,
    /// and the moves are made to last.
    fn look_back(&mut self, moved: &mut Claims<'a>) {
        let listed = newborn(self.change, &self.plan).map(|newborn| {
            for (parent, child) in newborn {
                self.put_back_line(parent, child, moved);
            }
        });
        let Err(refusal) = listed.and_then(|()| self.sync()) else {
            return;
        };
        for index in (0..moved.len()).rev() {
            self.put_back(index, failed(&refusal), moved);
        }
        // What could not be made to last is as it was; there is nothing better to do.
        let _ = self.sync();
    }

    /// Step 2: what something new descends from stays.
    fn keep_parents(&mut self) {
        let spoken_for = |at: usize| self.moved[at];
        match newborn(self.change, &self.plan) {
            Ok(newborn) => {
                for born in newborn {
                    keep_ancestors(&mut self.plan, born, spoken_for);
                }
            }
            Err(refusal) => keep_all(&mut self.plan, &refusal, spoken_for),
        }
    }

    fn sync(&mut self) -> Result<(), Refusal> {
        let change = self.change;
        self.shelf.bin().and_then(|bin| change.sync(bin))
    }

    /// Puts the ancestors of a newcomer back that went in this batch, the topmost first,
    /// and keeps the rest. One that went in an earlier batch stays there: the next scan tells
    /// of its child.
    fn put_back_line(&mut self, parent: usize, child: SessionId, moved: &mut Claims<'a>) {
        let in_batch = |at: usize| moved.iter().position(|(other, _)| *other == at);
        let line: Vec<usize> = self.plan.line(parent).filter_map(in_batch).collect();
        for index in line.into_iter().rev() {
            self.put_back(index, Verdict::Remove, moved);
        }
        keep_ancestors(&mut self.plan, (parent, child), |at| self.moved[at]);
    }

    /// Puts a session of this batch back; `verdict` is what is told of it.
    fn put_back(&mut self, index: usize, verdict: Verdict, moved: &mut Claims<'a>) {
        let (at, claim) = &mut moved[index];
        if !self.moved[*at] {
            return;
        }
        match self.shelf.bin().and_then(|bin| claim.put_back(bin)) {
            Ok(()) => {
                self.moved[*at] = false;
                self.plan.judge(*at, verdict);
            }
            Err(refusal) => self.plan.judge(*at, failed(&refusal)),
        }
    }

    fn report(mut self) -> PruneReport {
        self.plan.settle();
        let batch = self.shelf.close();
        PruneReport::done(&self.plan, batch, |at| self.moved[at])
    }
}

fn failed(refusal: &Refusal) -> Verdict {
    Verdict::Failed(SafeText::line(&refusal.to_string()))
}
