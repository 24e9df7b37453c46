//! The report of a prune.

use std::collections::HashSet;

use crossterm::event::KeyEvent;

use super::help::Help;
use super::keymap::{self, Action};
use super::msg::Effect;
use super::scroll::Scroll;
use super::{Model, Screen};
use crate::prune::expiry::TrashPlan;
use crate::prune::plan::{ConfirmedPlan, Disposal};
use crate::prune::report::{
    BatchId, Emptied, Entry, KeptBatch, Leftover, PruneReport, Restore, TrashBatch,
};
use crate::prune::warning::Warning;
use crate::session::SessionId;

/// What was confirmed.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    pub(crate) sessions: HashSet<SessionId>,
    pub(crate) trash: TrashPlan,
    pub(crate) disposal: Disposal,
    /// What was warned of.
    warnings: Vec<Warning>,
}

impl Expected {
    pub(super) fn new(confirmed: &ConfirmedPlan) -> Self {
        let plan = confirmed.plan();
        let removals = plan.removals();
        Self {
            sessions: removals.map(|c| c.session.id.clone()).collect(),
            trash: plan.trash().clone(),
            disposal: plan.disposal(),
            warnings: plan.warnings().collect(),
        }
    }
}

/// What a prune did.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) done: Box<PruneReport>,
    pub(crate) scroll: Scroll,
    pub(crate) expected: Expected,
}

/// A line of a report.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Line<'a> {
    /// Something to be said that was not said before the yes.
    Warning(&'a Warning),
    Session(Outcome, &'a Entry),
    /// A batch of the trash that is still there.
    Batch(Outcome, &'a KeptBatch),
    Emptied(&'a Emptied),
    /// A batch of the trash that a stopped prune did not come to.
    NotReached(&'a BatchId),
    /// Something that is in no list any more but still on the disk.
    Unfinished(&'a Leftover),
}

/// What became of a session, in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Failed,
    Kept,
    /// It stays because it could not be checked.
    Unchecked,
    Gone,
    NotReached,
    Removed,
}

fn sessions<'a>(
    outcome: Outcome,
    entries: impl IntoIterator<Item = &'a Entry>,
) -> impl Iterator<Item = Line<'a>> {
    entries
        .into_iter()
        .map(move |entry| Line::Session(outcome, entry))
}

fn batches(outcome: Outcome, batches: &[KeptBatch]) -> impl Iterator<Item = Line<'_>> {
    batches.iter().map(move |batch| Line::Batch(outcome, batch))
}

impl Report {
    /// Its lines, what needs attention first.
    fn all(&self) -> impl Iterator<Item = Line<'_>> {
        let report = &*self.done;
        let told = &self.expected.warnings;
        let warnings = report.warnings.iter();
        warnings
            .filter(|warning| told.iter().all(|told| warning.adds_to(told)))
            .map(Line::Warning)
            .chain(report.unfinished.iter().map(Line::Unfinished))
            .chain(sessions(Outcome::Failed, &report.failed))
            .chain(batches(Outcome::Failed, &report.trash.failed))
            .chain(sessions(Outcome::Unchecked, self.kept(Outcome::Unchecked)))
            .chain(sessions(Outcome::Kept, self.kept(Outcome::Kept)))
            .chain(batches(Outcome::Kept, &report.trash.kept))
            .chain(sessions(Outcome::Gone, &report.gone))
            .chain(sessions(Outcome::NotReached, &report.not_reached))
            .chain(report.trash.not_reached.iter().map(Line::NotReached))
            .chain(sessions(Outcome::Removed, &report.removed))
            .chain(report.trash.emptied.iter().map(Line::Emptied))
    }

    /// What stays because it could not be checked, or for any other reason.
    pub(crate) fn kept(&self, outcome: Outcome) -> impl Iterator<Item = &Entry> {
        let unchecked = outcome == Outcome::Unchecked;
        let kept = self.done.kept.iter();
        kept.filter(move |entry| entry.unchecked == unchecked)
    }

    /// How many lines it has.
    pub(crate) fn len(&self) -> usize {
        self.all().count()
    }

    /// So many of its lines from one on.
    pub(crate) fn lines(&self, from: usize, count: usize) -> Vec<Line<'_>> {
        self.all().skip(from).take(count).collect()
    }

    /// Whether a session was to go and did not.
    pub(crate) fn differs(&self, entry: &Entry, outcome: Outcome) -> bool {
        outcome != Outcome::Removed && self.expected.sessions.contains(&entry.session_id)
    }

    /// Whether a batch of the trash was to be emptied.
    pub(crate) fn was_to_go(&self, batch: &BatchId) -> bool {
        let mut going = self.expected.trash.going();
        going.any(|shelved| shelved.batch.batch == *batch)
    }

    /// A batch of the trash as the preview showed it.
    pub(crate) fn batch(&self, id: &BatchId) -> Option<&TrashBatch> {
        let mut batches = self.expected.trash.batches().iter();
        let (shelved, _) = batches.find(|(shelved, _)| shelved.batch.batch == *id)?;
        Some(&shelved.batch)
    }

    /// Bytes that are free now.
    pub(crate) fn freed(&self) -> u64 {
        let left = &self.done.unfinished;
        let freed = |entry: &&Entry| {
            let id = entry.session_id.as_str();
            self.done.delete_now && left.iter().all(|left| left.name != id)
        };
        let removed = self.done.removed.iter().filter(freed);
        let deleted: u64 = removed.map(|entry| entry.bytes).sum();
        self.done.trash.bytes.saturating_add(deleted)
    }

    /// Why there is nothing to undo; `None`: there is.
    fn no_undo(&self) -> Option<&'static str> {
        let report = &self.done;
        match (&report.batch, report.delete_now) {
            (Some(_), _) => None,
            (None, true) if !report.removed.is_empty() => {
                Some("there is no undo: it was deleted for good")
            }
            (None, _) if !report.trash.emptied.is_empty() => {
                Some("there is no undo: what was in the trash is gone for good")
            }
            (None, _) => Some("nothing was removed: there is nothing to undo"),
        }
    }
}

impl Model {
    pub(super) fn report_key(
        &mut self,
        mut report: Box<Report>,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        let page = self.layout.items().height.into();
        match keymap::find(keymap::REPORT, key) {
            Some(Action::Back) => return Screen::Tree,
            Some(Action::Help) => return Screen::Help(Help::over(Screen::Report(report))),
            Some(Action::Undo) => {
                if let Some(batch) = report.done.batch.clone() {
                    return self.restore(Restore::Batch(batch), Screen::Report(report), fx);
                }
                self.tell(report.no_undo().unwrap_or_default());
            }
            Some(Action::Go(step)) => report.scroll.go(step, report.len(), page),
            _ => {}
        }
        Screen::Report(report)
    }
}
