//! One removal, batch by batch: leases, a last look, the moves, a look back.
//!
//! Must never: let an ancestor go of what stays, let a lease go before the move is on the disk,
//! unlink anything before that, or stop with a lock held.

use super::ahead::{Claimed, look_ahead};
use super::check::{self, Looked, Patience};
use super::examine::{keep_all, keep_ancestors, newborn, warn_of_readers};
use super::plan::{Disposal, PrunePlan, Verdict};
use super::report::{Leftover, Progress, PruneReport, Step, Trashed, Watch};
use super::shelf::{Shelf, trashed};
use super::warning::Warning;
use crate::session::{Refusal, SessionId};
use crate::store::Purpose;
use crate::store::change::{Change, Claim, Closeness};
use crate::store::removals::What;
use crate::store::spread::{ALONE, spread};
use crate::text::SafeText;

/// What becomes of a session that is being written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Busy {
    /// It is tried again at the end.
    Defer,
    /// It is waited for, as long as there is patience left.
    Wait,
}

pub(super) struct Removal<'a> {
    change: &'a dyn Change,
    purpose: Purpose,
    plan: PrunePlan,
    watch: &'a dyn Watch,
    shelf: Shelf<'a>,
    /// What was confirmed to go, by its places in the plan, in its order.
    asked: Vec<usize>,
    /// How many of those are known to be decided.
    done: usize,
    /// By place in the plan: it is in the trash.
    moved: Vec<bool>,
    /// By place in the plan: it was being written, or something below it was.
    busy: Vec<bool>,
    /// By place in the plan: somebody may have read it within a day.
    read_lately: Vec<bool>,
    patience: Patience,
    /// What was deleted and is still on the disk.
    unfinished: Vec<Leftover>,
}

/// The claims of a batch by place, in the plan's order.
type Claims<'a> = Vec<(usize, Box<dyn Claim + 'a>)>;

impl<'a> Removal<'a> {
    pub(super) fn new(
        change: &'a dyn Change,
        plan: PrunePlan,
        shelf: Shelf<'a>,
        watch: &'a dyn Watch,
    ) -> Self {
        let count = plan.candidates().len();
        Self {
            change,
            purpose: check::purpose(plan.disposal()),
            asked: (0..count).filter(|&at| plan.goes(at)).collect(),
            plan,
            watch,
            shelf,
            done: 0,
            moved: vec![false; count],
            busy: vec![false; count],
            read_lately: vec![false; count],
            patience: Patience::new(),
            unfinished: Vec::new(),
        }
    }

    pub(super) fn run(&mut self) {
        self.tell();
        let all = self.asked.clone();
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
            // One that stays keeps others.
            let decided = self.asked.iter().filter(|&&at| self.is_decided(at));
            self.done = decided.count();
            self.tell();
        }
        true
    }

    /// Whether a session is in the trash, or stays.
    fn is_decided(&self, at: usize) -> bool {
        self.moved[at] || !self.plan.goes(at)
    }

    fn tell(&self) {
        let (done, total) = (self.done, self.asked.len());
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
        let mut moved = self.move_all(claims, busy);
        if !moved.is_empty() {
            self.watch.reached(Step::BatchMoved);
            self.look_back(&mut moved);
        }
        // The leases are let go first: a large session is measured, or unlinked, for long, and
        // nobody can come to it any more.
        let gone: Vec<usize> = moved.into_iter().map(|(at, _)| at).collect();
        let gone: Vec<usize> = gone.into_iter().filter(|&at| self.is_gone(at)).collect();
        self.measure(&gone);
        if self.plan.disposal() == Disposal::Delete && !gone.is_empty() {
            self.unfinished = self.change.clear(self.watch);
        }
        self.note_outcome(&gone);
    }

    /// Whether a session went the way of all of its batch. What found no way back from the trash is
    /// in it; what was to be deleted and found none is not deleted.
    fn is_gone(&self, at: usize) -> bool {
        self.moved[at] && (self.plan.disposal() == Disposal::Trash || self.plan.goes(at))
    }

    fn note_intent(&mut self, claims: &Claims<'a>) {
        let candidates = self.plan.candidates();
        let ids = claims.iter().map(|(at, _)| &candidates[*at].session.id);
        let what = What::Intent(ids.collect());
        let noted = self.change.note(&self.shelf.note(what));
        // A full disk may have room for the outcome, once something is deleted.
        if self.plan.disposal() == Disposal::Trash {
            self.noted(noted);
        }
    }

    fn note_outcome(&mut self, gone: &[usize]) {
        let candidates = self.plan.candidates();
        let gone: Vec<Trashed> = gone
            .iter()
            .map(|&at| trashed(&candidates[at].session))
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

    /// Notes the sizes of what went that are not known yet.
    fn measure(&mut self, places: &[usize]) {
        let Ok(aside) = self.shelf.aside() else {
            return;
        };
        let candidates = self.plan.candidates();
        let unknown = |at: &usize| candidates[*at].session.bytes.is_none();
        let unknown: Vec<usize> = places.iter().copied().filter(unknown).collect();
        let size = |at: &usize| self.change.size_in(aside, &candidates[*at].session.id);
        let sizes = spread(&unknown, size, |_| true).unwrap_or_default();
        for (at, bytes) in unknown.into_iter().zip(sizes) {
            if let Ok(bytes) = bytes {
                self.plan.measured(at, bytes);
            }
        }
    }

    /// Step 1: the leases. What is refused stays, and with it its ancestors.
    fn claim(&mut self, places: &[usize], busy: Busy) -> Claims<'a> {
        let going: Vec<usize> = places
            .iter()
            .copied()
            .filter(|&at| self.goes(at, busy))
            .collect();
        let claim = |at: &usize| {
            let session = &self.plan.candidates()[*at].session;
            check::claim(self.change, session, self.purpose, self.plan.disposal())
        };
        let claimed = spread(&going, claim, |_| true).unwrap_or_default();
        let mut claims = Claims::with_capacity(going.len());
        for (at, claimed) in going.into_iter().zip(claimed) {
            match claimed {
                // It may be an ancestor of what was refused just before it.
                _ if !self.goes(at, busy) => {}
                Ok(claim) => claims.push((at, claim)),
                Err(verdict) => self.plan.judge(at, verdict),
            }
        }
        claims
    }

    /// Step 3: looks at each session again and moves it; those that are in the trash. Of many, some are
    /// looked at meanwhile that are to be moved next.
    fn move_all(&mut self, claims: Claims<'a>, busy: Busy) -> Claims<'a> {
        let cutoff = self.plan.policy().cutoff();
        let told = |plan: &PrunePlan, at: usize| plan.candidates()[at].session.last_change();
        let mut moved = Claims::new();
        if busy == Busy::Defer && claims.len() >= ALONE {
            let claimed = claims.into_iter().map(|(at, claim)| Claimed {
                at,
                told: told(&self.plan, at),
                claim,
            });
            look_ahead(claimed.collect(), cutoff, |claimed, looked| {
                let Claimed { at, mut claim, .. } = claimed;
                if self.goes(at, busy) && self.aside(at, &mut *claim, looked) {
                    moved.push((at, claim));
                }
            });
            return moved;
        }
        for (at, mut claim) in claims {
            if !self.goes(at, busy) {
                continue;
            }
            let told = told(&self.plan, at);
            let looked = match busy {
                Busy::Defer => check::recheck(told, &mut *claim, cutoff),
                Busy::Wait => self.patience.recheck(told, &mut *claim, cutoff),
            };
            if self.aside(at, &mut *claim, looked) {
                moved.push((at, claim));
            }
        }
        moved
    }

    /// Moves a session that was looked at; whether it is in the trash.
    fn aside(&mut self, at: usize, claim: &mut dyn Claim, looked: Looked) -> bool {
        let session = &self.plan.candidates()[at].session;
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
        self.read_lately[at] = check::read_lately(claim, self.plan.policy());
        match self.shelf.aside().and_then(|aside| claim.move_aside(aside)) {
            Ok(()) => self.moved[at] = true,
            Err(
                refusal
                @ (Refusal::Gone | Refusal::Changed | Refusal::OpenOrLocked | Refusal::Busy),
            ) => {
                self.plan.judge(at, check::verdict(refusal));
            }
            Err(refusal) => self.plan.judge(at, failed(&refusal)),
        }
        if self.moved[at] {
            self.watch
                .reached(Step::Moved(&self.plan.candidates()[at].session.id));
            self.done += 1;
            self.tell();
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
        let listed = newborn(self.change, &self.plan, Closeness::Metadata).map(|newborn| {
            for (parent, child) in newborn {
                self.put_back_line(parent, child, moved);
            }
        });
        let trouble = match listed {
            Ok(()) => self.sync().map_err(|refusal| failed(&refusal)),
            Err(refusal) => Err(check::verdict(refusal)),
        };
        let Err(verdict) = trouble else {
            return;
        };
        for index in (0..moved.len()).rev() {
            self.put_back(index, verdict.clone(), moved);
        }
        // What could not be made to last is as it was; there is nothing better to do.
        let _ = self.sync();
    }

    /// Step 2: what something new descends from stays. What names another parent than it did is seen in
    /// step 4, which looks more closely.
    fn keep_parents(&mut self) {
        let spoken_for = |at: usize| self.moved[at];
        match newborn(self.change, &self.plan, Closeness::Names) {
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
        self.shelf.aside().and_then(|aside| change.sync(aside))
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
        match self.shelf.aside().and_then(|aside| claim.put_back(aside)) {
            Ok(()) => {
                self.moved[*at] = false;
                self.plan.judge(*at, verdict);
            }
            Err(refusal) => self.plan.judge(*at, failed(&refusal)),
        }
    }

    pub(super) fn report(mut self) -> PruneReport {
        self.plan.settle();
        warn_of_readers(&mut self.plan, &self.read_lately);
        // A batch that all came back from may still keep what late writers made.
        let until = self.shelf.expires_at();
        let batch = self.shelf.close().filter(|_| self.moved.contains(&true));
        PruneReport {
            until: batch.as_ref().map(|_| until),
            unfinished: self.unfinished,
            ..PruneReport::done(&self.plan, batch, |at| self.moved[at])
        }
    }
}

fn failed(refusal: &Refusal) -> Verdict {
    Verdict::Failed(SafeText::line(&refusal.to_string()))
}
