//! The trash: what was pruned, and its way back.

use std::collections::HashMap;

use crossterm::event::KeyEvent;

use super::boxes::{Boxed, Left};
use super::confirm::{self, Ending};
use super::ended::Awaited;
use super::help::Help;
use super::keymap::{self, Action};
use super::msg::{Effect, Generation, ScanTrouble};
use super::number::counted;
use super::scroll::Scroll;
use super::{Model, Screen};
use crate::prune::report::{NotRestored, Progress, Restore, RestoreReport, TrashBatch, Trashed};
use crate::prune::warning::Warning;
use crate::session::Refusal;
use crate::text::SafeText;

/// The trash, read from top to bottom: each batch with its sessions below it.
#[derive(Debug, Default)]
pub(crate) struct Trash {
    pub(crate) scroll: Scroll,
}

/// A line of the trash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Batch(&'a TrashBatch),
    Session(&'a TrashBatch, &'a Trashed),
}

/// How many lines there are.
pub(crate) fn len(batches: &[TrashBatch]) -> usize {
    batches.iter().map(|batch| 1 + batch.sessions.len()).sum()
}

/// The lines from one on.
pub(crate) fn lines(batches: &[TrashBatch], from: usize) -> impl Iterator<Item = Line<'_>> {
    let lines = batches.iter().flat_map(|batch| {
        let sessions = batch.sessions.iter();
        let sessions = sessions.map(move |session| Line::Session(batch, session));
        std::iter::once(Line::Batch(batch)).chain(sessions)
    });
    lines.skip(from)
}

impl Line<'_> {
    /// Whether it is the same batch, or the same session in it.
    fn is(&self, other: &Line<'_>) -> bool {
        match (self, other) {
            (Line::Batch(a), Line::Batch(b)) => a.batch == b.batch,
            (Line::Session(a, s), Line::Session(b, t)) => a.batch == b.batch && s.id == t.id,
            _ => false,
        }
    }
}

/// Something under way that the trash is part of.
#[derive(Debug)]
pub(crate) struct Working {
    pub(crate) work: Work,
    /// Where it was asked for, if one goes on there.
    pub(super) back: Box<Screen>,
    pub(crate) generation: Generation,
    pub(crate) progress: Progress,
    pub(crate) ending: Ending,
    /// What was warned of before the yes.
    pub(super) told: Vec<Warning>,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// One session is brought back; one goes on where one was.
    Restoring,
    /// All of a batch is brought back; one goes on in the list, where it is seen.
    Undoing,
    /// It is looked what would become of a batch; nothing is changed.
    Looking,
    /// A batch is emptied.
    Emptying,
}

impl Working {
    pub(super) fn new(work: Work, back: Screen, generation: Generation) -> Self {
        Self {
            work,
            back: Box::new(back),
            generation,
            progress: Progress::default(),
            ending: Ending::Full,
            told: Vec::new(),
        }
    }

    /// Where it was asked for, if one goes on there.
    pub(crate) fn back(&self) -> &Screen {
        &self.back
    }

    pub(super) fn key(mut self, key: KeyEvent, fx: &mut Vec<Effect>) -> Screen {
        self.ending = confirm::stop(self.ending, key, fx);
        Screen::Working(self)
    }
}

impl Model {
    pub(super) fn trash_key(
        &mut self,
        mut trash: Trash,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        let page = self.layout.items().height.into();
        let batches = self.batches();
        let at = trash.scroll.at;
        match keymap::find(keymap::TRASH, key) {
            Some(Action::Back) => return Screen::Tree,
            Some(Action::Help) => return Screen::Help(Help::over(Screen::Trash(trash))),
            Some(Action::Go(step)) => trash.scroll.go(step, len(batches), page),
            Some(Action::PreviousSection) => {
                let before = lines(batches, 0).take(at).enumerate();
                let batch = before
                    .filter(|(_, line)| matches!(line, Line::Batch(_)))
                    .last();
                trash.scroll.at = batch.map_or(0, |(place, _)| place);
            }
            Some(Action::NextSection) => {
                let mut after = lines(batches, at + 1);
                let batch = after.position(|line| matches!(line, Line::Batch(_)));
                trash.scroll.at = batch.map_or(at, |far| at + 1 + far);
            }
            Some(Action::Enter) => {
                let what = match lines(batches, at).next() {
                    Some(Line::Batch(batch)) => Restore::Batch(batch.batch.clone()),
                    Some(Line::Session(_, session)) => Restore::Session(session.id.clone()),
                    None => return Screen::Trash(trash),
                };
                return self.restore(what, Screen::Trash(trash), fx);
            }
            Some(Action::Empty) => {
                let batch = match lines(batches, at).next() {
                    Some(Line::Batch(batch) | Line::Session(batch, _)) => batch.batch.clone(),
                    None => return Screen::Trash(trash),
                };
                return self.look_to_empty(batch, Screen::Trash(trash), fx);
            }
            _ => {}
        }
        Screen::Trash(trash)
    }

    /// The batches in the trash, newest first; none while it cannot be read.
    pub(crate) fn batches(&self) -> &[TrashBatch] {
        self.trash.as_deref().unwrap_or_default()
    }

    /// Why the trash cannot be listed. A store that is not there has none.
    pub(crate) fn trash_trouble(&self) -> Option<&SafeText> {
        match self.known.trouble {
            Some(ScanTrouble::Missing) => None,
            _ => self.trash.as_ref().err(),
        }
    }

    /// Brings something back; if nothing comes of it, `back` is shown again.
    pub(super) fn restore(&mut self, what: Restore, back: Screen, fx: &mut Vec<Effect>) -> Screen {
        let generation = self.next();
        let work = match what {
            Restore::Batch(_) => Work::Undoing,
            Restore::Session(_) => Work::Restoring,
        };
        fx.push(Effect::Restore { generation, what });
        Screen::Working(Working::new(work, back, generation))
    }

    /// Where the work was asked for of which the answer has come; `None`: the answer is to nothing
    /// that is on the screen.
    pub(super) fn worked(&mut self, work: Work, fx: &mut Vec<Effect>) -> Option<Screen> {
        let Screen::Working(working) = &mut self.screen else {
            return None;
        };
        if working.work != work {
            return None;
        }
        if working.ending == Ending::Quitting {
            fx.push(Effect::Quit);
        }
        Some(std::mem::take(&mut *working.back))
    }

    /// The trash was listed; the cursor stays on its line. Once that is gone, no key acts on what is
    /// in its place before that was drawn.
    pub(super) fn trash_listed(&mut self, trash: Result<Vec<TrashBatch>, SafeText>) {
        if let Some(shown) = self.screen.trash() {
            let old = self.trash.as_deref().unwrap_or_default();
            let new = trash.as_deref().unwrap_or_default();
            if let Some(line) = lines(old, shown.scroll.at).next() {
                match lines(new, 0).position(|other| line.is(&other)) {
                    Some(at) => shown.scroll.at = at,
                    None => self.drawn.face = None,
                }
            }
        }
        self.trash = trash;
    }

    /// What is still in the trash, by the reason why; the most common one first.
    fn left(&self, failed: &[NotRestored]) -> Vec<Left> {
        let trashed = self.batches().iter().flat_map(|batch| &batch.sessions);
        let trashed = trashed.filter(|session| !session.title.is_empty());
        let titles: HashMap<_, _> = trashed.map(|s| (&s.id, &s.title)).collect();
        let mut by_reason: HashMap<&str, Vec<SafeText>> = HashMap::new();
        for entry in failed {
            let id = SafeText::line(entry.id.as_str());
            let title = titles.get(&entry.id).copied();
            let names = by_reason.entry(&entry.reason).or_default();
            names.push(title.cloned().unwrap_or(id));
        }
        let left = by_reason.into_iter().map(|(reason, names)| Left {
            reason: reason.to_owned(),
            names,
        });
        let mut left: Vec<Left> = left.collect();
        left.sort_by(|a, b| {
            let order = b.names.len().cmp(&a.names.len());
            order.then_with(|| a.reason.cmp(&b.reason))
        });
        left
    }

    /// A restore is over.
    pub(super) fn restored(
        &mut self,
        outcome: Result<RestoreReport, Refusal>,
        fx: &mut Vec<Effect>,
    ) {
        let undone = self.worked(Work::Undoing, fx).map(|back| match &outcome {
            Ok(report) if !report.restored.is_empty() => Screen::Tree,
            _ => back,
        });
        let Some(back) = undone.or_else(|| self.worked(Work::Restoring, fx)) else {
            return;
        };
        let restored = outcome.as_ref().ok();
        let first = restored.and_then(|report| report.restored.first().cloned());
        self.screen = match outcome {
            Ok(report) if report.failed.is_empty() && report.warnings.is_empty() => {
                let restored = counted(report.restored.len(), "session");
                self.tell(&format!("{restored} restored"));
                back
            }
            Ok(report) => Screen::Boxed(Boxed::Restored {
                restored: report.restored.len(),
                left: self.left(&report.failed),
                warnings: report.warnings,
                back: Box::new(back),
            }),
            Err(refusal) => Screen::Boxed(Boxed::refused("Nothing was restored", &refusal, back)),
        };
        self.awaited = first.map(Awaited::Restored);
        fx.push(Effect::ListTrash);
        self.look_again(fx);
    }
}
