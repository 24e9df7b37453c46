//! The trash: what was pruned, and its way back.

use crossterm::event::KeyEvent;

use super::boxes::Boxed;
use super::confirm::{self, Ending};
use super::keymap::{self, Action};
use super::msg::{Effect, Generation};
use super::scroll::Scroll;
use super::{Model, Screen};
use crate::prune::report::{Progress, Restore, RestoreReport, TrashBatch};
use crate::session::Refusal;
use crate::text::SafeText;

/// A restore under way.
#[derive(Debug)]
pub(crate) struct Restoring {
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
        mut scroll: Scroll,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        let page = self.layout.batches().height.into();
        match keymap::find(keymap::TRASH, key) {
            Some(Action::Back) => return Screen::Tree,
            Some(Action::Go(step)) => scroll.go(step, self.batches().len(), page),
            Some(Action::Enter) => {
                if let Some(batch) = self.batches().get(scroll.at) {
                    let what = Restore::Batch(batch.batch.clone());
                    return self.restore(what, fx);
                }
            }
            _ => {}
        }
        Screen::Trash(scroll)
    }

    /// The batches in the trash, newest first; none while it cannot be read.
    pub(crate) fn batches(&self) -> &[TrashBatch] {
        self.trash.as_deref().unwrap_or_default()
    }

    /// Brings something back.
    pub(super) fn restore(&mut self, what: Restore, fx: &mut Vec<Effect>) -> Screen {
        let generation = self.next();
        fx.push(Effect::Restore { generation, what });
        Screen::Restoring(Restoring {
            generation,
            progress: Progress::default(),
            ending: Ending::Full,
        })
    }

    /// The trash was listed; the cursor stays on its batch.
    pub(super) fn trash_listed(&mut self, trash: Result<Vec<TrashBatch>, SafeText>) {
        if let Screen::Trash(scroll) = &mut self.screen {
            let old = self.trash.as_deref().unwrap_or_default().get(scroll.at);
            let new = trash.as_deref().unwrap_or_default();
            let same = |b: &TrashBatch| old.is_some_and(|old| old.batch == b.batch);
            scroll.at = new.iter().position(same).unwrap_or(scroll.at);
            scroll.follow(new.len(), self.layout.batches().height.into());
        }
        self.trash = trash;
    }

    /// A restore is over.
    pub(super) fn restored(
        &mut self,
        outcome: Result<RestoreReport, Refusal>,
        fx: &mut Vec<Effect>,
    ) {
        let Screen::Restoring(restoring) = &self.screen else {
            return;
        };
        if restoring.ending == Ending::Quitting {
            fx.push(Effect::Quit);
        }
        self.screen = match outcome {
            Ok(report) if report.failed.is_empty() && report.warnings.is_empty() => {
                self.tell(&format!("{} restored", sessions(report.restored.len())));
                Screen::Tree
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
