//! Emptying the trash, under the store's own lock: [`check`] and [`empty`].
//!
//! Must never: empty what was not confirmed or is no longer what was shown, take an ancestor of
//! what stays, or unlink anything before all that is to go is out of the trash on the disk too.
//!
//! What remains: a session born between the last listing and the unlinking, by a process that
//! takes no lease, of a parent that was removed long ago.

pub(super) mod finish;

use std::collections::HashMap;

use super::expiry::{ConfirmedTrash, Fate, KeepBatch, Living, TrashPlan, Wanted, fates};
use super::report::{
    BatchId, EmptyReport, KeptBatch, Leftover, Member, Shelved, Step, Watch, add_leftovers,
};
use super::warning::Warning;
use crate::session::{Refusal, SessionId};
use crate::store::Store;
use crate::store::change::{Change, Closeness};
use crate::store::removals::{Action, Note, Stays, What};
use crate::store::trash::Purge;
use crate::text::SafeText;

/// Looks at the trash and changes nothing: what would become of the batches that are `wanted`.
pub fn check(store: &dyn Store, wanted: &Wanted) -> Result<TrashPlan, Refusal> {
    let change = store.change()?;
    let shelves = change.shelves()?;
    // The whole store is read only if there is something to be asked about it.
    let living = if shelves.iter().any(|shelved| wanted.has(shelved)) {
        living(&*change)?
    } else {
        Living::default()
    };
    let mut plan = TrashPlan::new(change.place(), shelves, &living, wanted);
    plan.warn(finish::look(&*change));
    if let Err(refusal) = change.purgeable() {
        plan.keep_all(&refusal);
    }
    Ok(plan)
}

/// Removes batches that were confirmed from the trash and from the disk.
pub fn empty(
    store: &dyn Store,
    confirmed: &ConfirmedTrash,
    watch: &dyn Watch,
) -> Result<EmptyReport, Refusal> {
    let change = store.change()?;
    if confirmed
        .0
        .place()
        .is_some_and(|place| place != change.place())
    {
        let why = "the sessions folder was replaced since the preview";
        return Err(Refusal::StoreRefused(SafeText::line(why)));
    }
    watch.reached(Step::Locked);
    let (warnings, mut leftovers) = finish::settle(&*change);
    // What a killed run left takes room.
    add_leftovers(&mut leftovers, change.clear(watch));
    let mut report = empty_locked(&*change, &confirmed.0, watch);
    let after = std::mem::replace(&mut report.unfinished, leftovers);
    add_leftovers(&mut report.unfinished, after);
    let told = change.told().into_iter().map(Warning::PutAside);
    report.warnings.extend(warnings.into_iter().chain(told));
    Ok(report)
}

/// The same in a store that is locked already, and is the one that was shown.
pub(super) fn empty_locked(
    change: &dyn Change,
    shown: &TrashPlan,
    watch: &dyn Watch,
) -> EmptyReport {
    let mut work = Emptying {
        change,
        plan: shown,
        shown: shown.going().collect(),
        watch,
        shelves: Vec::new(),
        keeps: HashMap::new(),
        unrecorded: None,
        unreadable: 0,
    };
    let outcome = if work.shown.is_empty() {
        Ok(Vec::new())
    } else {
        work.run()
    };
    work.report(outcome)
}

/// Who in the store descends from whom.
fn living(change: &dyn Change) -> Result<Living, Refusal> {
    let mut living = Living::default();
    for found in change.newcomers(Closeness::Metadata, &|_: &SessionId| None)? {
        match found.parent {
            Some(parent) => living.children.push((found.id, parent)),
            None => {
                living.unreadable.insert(found.id, found.seen);
            }
        }
    }
    Ok(living)
}

struct Emptying<'a> {
    change: &'a dyn Change,
    plan: &'a TrashPlan,
    /// What of it was to go.
    shown: Vec<&'a Shelved>,
    watch: &'a dyn Watch,
    /// The trash as it is now.
    shelves: Vec<Shelved>,
    /// Why batches that were shown stay.
    keeps: HashMap<BatchId, KeepBatch>,
    unrecorded: Option<SafeText>,
    /// Sessions in the store of which it cannot be told what they descend from.
    unreadable: usize,
}

impl Emptying<'_> {
    /// Tells what was unlinked but for these. A refusal keeps all that has no reason of its own:
    /// nothing is out of the trash then.
    fn run(&mut self) -> Result<Vec<Leftover>, Refusal> {
        self.shelves = self.change.shelves()?;
        self.settle()?;
        if self.going().next().is_none() {
            return Ok(Vec::new());
        }
        let purge = self.change.open_purge()?;
        let begun: Vec<Shelved> = self.going().cloned().collect();
        self.note(&begun, |shelved| {
            let sessions = shelved.batch.sessions.iter();
            What::Intent(sessions.map(|session| &session.id).collect())
        });
        let outcome = self.take_all(&purge);
        // Before anything is unlinked: what is out of the trash does not come back.
        let keeps = std::mem::take(&mut self.keeps);
        let refused = outcome.as_ref().err();
        self.note(&begun, |shelved| {
            let keep = keeps.get(&shelved.batch.batch);
            match (keep, refused) {
                (Some(KeepBatch::Refused(why)), _) | (None, Some(why)) => {
                    What::Stays(Stays::Failed(why.to_string()))
                }
                (Some(why), _) => What::Stays(Stays::Kept(why.to_string())),
                (None, None) => What::Outcome(shelved.batch.sessions.iter().collect()),
            }
        });
        self.keeps = keeps;
        outcome.map(|()| self.change.clear(self.watch))
    }

    /// Takes what goes out of the trash, or nothing.
    fn take_all(&mut self, purge: &Purge<'_>) -> Result<(), Refusal> {
        let mut taken = self.take(purge);
        self.watch.reached(Step::TrashTaken);
        let looked = self.look_back(purge, &mut taken);
        if looked.is_err() {
            for batch in taken {
                if let Err(stuck) = purge.give(&batch) {
                    self.keeps.insert(batch, KeepBatch::Refused(stuck));
                }
            }
            // What could not be made to last is as it was; there is nothing better to do.
            let _ = purge.sync();
        }
        looked
    }

    /// Writes down what becomes of batches. What cannot be is told, and stops nothing.
    fn note<'n>(&mut self, batches: &'n [Shelved], what: impl Fn(&'n Shelved) -> What<'n>) {
        let notes = batches.iter().map(|shelved| {
            self.change.note(&Note {
                action: Action::Purge,
                batch: Some(&shelved.batch.batch),
                policy: "",
                what: what(shelved),
            })
        });
        if let Some(why) = notes.filter_map(Result::err).last() {
            self.unrecorded = Some(why);
        }
    }

    /// Decides by what the trash and the store are now.
    fn settle(&mut self) -> Result<(), Refusal> {
        let living = living(self.change)?;
        self.unreadable = living.unreadable.len();
        let unread = self.plan.newly_unreadable(&living);
        let fates = fates(&self.shelves, &living.children, |now| {
            Some(match (self.fate(now)?, &unread) {
                (Fate::Empty, Some(id)) => Fate::Keep(KeepBatch::Unread(id.clone())),
                (fate, _) => fate,
            })
        });
        for (shelved, fate) in self.shelves.iter().zip(fates) {
            if let Some(Fate::Keep(reason)) = fate {
                self.keeps.insert(shelved.batch.batch.clone(), reason);
            }
        }
        for shown in &self.shown {
            if self.now(shown).is_none() {
                let batch = shown.batch.batch.clone();
                self.keeps.insert(batch, KeepBatch::Gone);
            }
        }
        Ok(())
    }

    /// A batch by itself; `None`: nobody asked for it.
    fn fate(&self, now: &Shelved) -> Option<Fate> {
        let name = &now.batch.batch;
        let shown = self.shown.iter().find(|shown| shown.batch.batch == *name)?;
        let known: HashMap<_, _> = shown.members.iter().map(|m| (&m.id, m.seen)).collect();
        let known = |member: &Member| known.get(&member.id) == Some(&member.seen);
        Some(match self.keeps.get(name) {
            Some(reason) => Fate::Keep(reason.clone()),
            None if now.place != shown.place => Fate::Keep(KeepBatch::Changed),
            None if !now.members.iter().all(known) => Fate::Keep(KeepBatch::Changed),
            None => Fate::Empty,
        })
    }

    /// A batch that was shown, as it is now.
    fn now(&self, shown: &Shelved) -> Option<&Shelved> {
        let mut shelves = self.shelves.iter();
        shelves.find(|now| now.batch.batch == shown.batch.batch)
    }

    fn going(&self) -> impl Iterator<Item = &Shelved> {
        let shown = self.shown.iter();
        shown
            .filter(|shown| !self.keeps.contains_key(&shown.batch.batch))
            .filter_map(|shown| self.now(shown))
    }

    /// Takes what goes out of the trash; what is refused stays there.
    fn take(&mut self, purge: &Purge<'_>) -> Vec<BatchId> {
        let mut taken = Vec::new();
        let mut refused = Vec::new();
        for shelved in self.going() {
            let batch = shelved.batch.batch.clone();
            let outcome = if self.watch.stopped() {
                Err(KeepBatch::Stopped)
            } else {
                purge.take(shelved).map_err(|refusal| match refusal {
                    Refusal::Gone => KeepBatch::Gone,
                    Refusal::Changed => KeepBatch::Changed,
                    refusal => KeepBatch::Refused(refusal),
                })
            };
            match outcome {
                Ok(()) => taken.push(batch),
                Err(reason) => refused.push((batch, reason)),
            }
        }
        self.keeps.extend(refused);
        taken
    }

    /// Before anything is unlinked: what became, or stayed, the ancestor of something comes back,
    /// and the rest is made to last.
    fn look_back(&mut self, purge: &Purge<'_>, taken: &mut Vec<BatchId>) -> Result<(), Refusal> {
        self.settle()?;
        while let Some(at) = taken.iter().position(|b| self.keeps.contains_key(b)) {
            let batch = taken.swap_remove(at);
            if let Err(stuck) = purge.give(&batch) {
                self.keeps.insert(batch, KeepBatch::Refused(stuck.clone()));
                return Err(stuck);
            }
        }
        purge.sync()
    }

    fn report(mut self, outcome: Result<Vec<Leftover>, Refusal>) -> EmptyReport {
        let mut report = EmptyReport {
            schema: EmptyReport::SCHEMA,
            ..EmptyReport::default()
        };
        let (mut leftovers, refused) = match outcome {
            Ok(leftovers) => (leftovers, None),
            Err(refusal) => (Vec::new(), Some(Fate::Keep(KeepBatch::Refused(refusal)))),
        };
        for (shown, fate) in self.plan.batches() {
            let name = &shown.batch.batch;
            let kept = self.keeps.get(name).cloned().map(Fate::Keep);
            let left = leftovers.iter().position(|left| left.name == name.as_str());
            if *fate != Fate::Empty {
                report.add(shown, fate);
            } else if let Some(fate) = kept.or_else(|| refused.clone()) {
                report.add(shown, &fate);
            } else if let Some(at) = left {
                let reason = leftovers.swap_remove(at).reason;
                let batch = name.clone();
                report.failed.push(KeptBatch {
                    batch,
                    reason,
                    why: None,
                });
            } else {
                report.add(self.now(shown).unwrap_or(shown), &Fate::Empty);
            }
        }
        report.warn(self.unreadable);
        report.unfinished = leftovers;
        report
            .warnings
            .extend(self.unrecorded.take().map(Warning::Unrecorded));
        report
    }
}
