//! The trash: what was pruned, and its way back.

use crossterm::event::KeyEvent;

use super::boxes::Boxed;
use super::confirm::{self, Ending};
use super::help::Help;
use super::keymap::{self, Action};
use super::msg::{Effect, Generation};
use super::scroll::Scroll;
use super::{Model, Screen};
use crate::prune::report::{Progress, Restore, RestoreReport, TrashBatch, Trashed};
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

/// A restore under way.
#[derive(Debug)]
pub(crate) struct Restoring {
    /// Where it was asked for, if one goes on there.
    back: Box<Screen>,
    pub(crate) generation: Generation,
    pub(crate) progress: Progress,
    pub(crate) ending: Ending,
}

impl Restoring {
    pub(super) fn key(mut self, key: KeyEvent, fx: &mut Vec<Effect>) -> Screen {
        self.ending = confirm::stop(self.ending, key, fx);
        Screen::Restoring(self)
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
                let (what, back) = match lines(batches, at).next() {
                    Some(Line::Batch(batch)) => (Restore::Batch(batch.batch.clone()), Screen::Tree),
                    Some(Line::Session(_, session)) => {
                        (Restore::Session(session.id.clone()), Screen::Trash(trash))
                    }
                    None => return Screen::Trash(trash),
                };
                return self.restore(what, back, fx);
            }
            _ => {}
        }
        Screen::Trash(trash)
    }

    /// The batches in the trash, newest first; none while it cannot be read.
    pub(crate) fn batches(&self) -> &[TrashBatch] {
        self.trash.as_deref().unwrap_or_default()
    }

    /// Brings something back, and goes to `back` then.
    pub(super) fn restore(&mut self, what: Restore, back: Screen, fx: &mut Vec<Effect>) -> Screen {
        let generation = self.next();
        fx.push(Effect::Restore { generation, what });
        Screen::Restoring(Restoring {
            back: Box::new(back),
            generation,
            progress: Progress::default(),
            ending: Ending::Full,
        })
    }

    /// The trash was listed; the cursor stays on its line.
    pub(super) fn trash_listed(&mut self, trash: Result<Vec<TrashBatch>, SafeText>) {
        if let Screen::Trash(shown) = &mut self.screen {
            let old = self.trash.as_deref().unwrap_or_default();
            let new = trash.as_deref().unwrap_or_default();
            if let Some(line) = lines(old, shown.scroll.at).next()
                && let Some(at) = lines(new, 0).position(|other| line.is(&other))
            {
                shown.scroll.at = at;
            }
        }
        self.trash = trash;
    }

    /// A restore is over.
    pub(super) fn restored(
        &mut self,
        outcome: Result<RestoreReport, Refusal>,
        fx: &mut Vec<Effect>,
    ) {
        let Screen::Restoring(restoring) = &mut self.screen else {
            return;
        };
        let back = std::mem::take(&mut *restoring.back);
        if restoring.ending == Ending::Quitting {
            fx.push(Effect::Quit);
        }
        self.screen = match outcome {
            Ok(report) if report.failed.is_empty() && report.warnings.is_empty() => {
                self.tell(&format!("{} restored", sessions(report.restored.len())));
                back
            }
            Ok(report) => {
                let restored = sessions(report.restored.len());
                let (title, head) = if report.failed.is_empty() {
                    ("Restored", format!("{restored} restored"))
                } else {
                    let head = format!("{restored} restored, not these:");
                    ("Not all restored", head)
                };
                let failed = report.failed.iter();
                let failed = failed.map(|entry| format!("{}: {}", entry.id, entry.reason));
                let warnings = report.warnings.iter().map(SafeText::to_string);
                let lines: Vec<String> = std::iter::once(head)
                    .chain(failed)
                    .chain(warnings)
                    .collect();
                Screen::Boxed(Boxed::notice(title, &lines.join("\n")))
            }
            Err(refusal) => {
                Screen::Boxed(Boxed::notice("Nothing was restored", &refusal.to_string()))
            }
        };
        fx.push(Effect::ListTrash);
        self.look_again(fx);
    }
}

/// A number of sessions, in words.
pub(crate) fn sessions(count: usize) -> String {
    match count {
        1 => "1 session".to_owned(),
        n => format!("{n} sessions"),
    }
}
