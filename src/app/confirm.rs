//! The yes, the removal, and the report of it.
//!
//! Invariants: the answer is No unless somebody who saw the question says otherwise (see
//! [`super::seen`]). What is removed is the plan that was shown.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use crossterm::event::KeyEvent;
use tui_input::Input;

use super::boxes::Boxed;
use super::help::Help;
use super::keymap::{self, Action};
use super::msg::{Effect, Generation};
use super::plan::Preview;
use super::scroll::Scroll;
use super::{Model, Screen, edit};
use crate::prune::plan::{Most, WORD};
use crate::prune::policy::GRACE;
use crate::prune::report::{Entry, Progress, PruneReport, Restore};
use crate::session::{Refusal, SessionId};

/// Asking for the yes.
#[derive(Debug)]
pub(crate) struct Confirm {
    pub(crate) preview: Box<Preview>,
    pub(crate) answer: Answer,
}

/// What counts as a yes.
#[derive(Debug)]
pub(crate) enum Answer {
    /// `y`.
    Key,
    /// [`WORD`], typed in full, and Enter.
    Word(Most, Input),
}

impl Confirm {
    pub(super) fn new(preview: Box<Preview>) -> Self {
        let answer = match preview.plan.most() {
            Some(most) => Answer::Word(most, Input::default()),
            None => Answer::Key,
        };
        Self { preview, answer }
    }

    /// What a key answers: yes, no, or [`Action::Enter`] without the word; `None`: nothing yet.
    fn answered(&mut self, key: KeyEvent) -> Option<Action> {
        let Answer::Word(_, input) = &mut self.answer else {
            return keymap::find(keymap::CONFIRM, key);
        };
        match keymap::find(keymap::TYPED, key) {
            Some(Action::Yes) if input.value() != WORD => Some(Action::Enter),
            None => {
                edit::key(input, key);
                None
            }
            answer => answer,
        }
    }
}

/// A removal under way.
#[derive(Debug)]
pub(crate) struct Pruning {
    pub(crate) generation: Generation,
    pub(crate) progress: Progress,
    pub(crate) ending: Ending,
    /// What was confirmed.
    expected: HashSet<SessionId>,
}

/// What is to happen at the end of a removal or a restore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It is to run to its end.
    Full,
    /// It was asked to stop.
    Stopping,
    /// It was asked to stop, and the program is to end then.
    Quitting,
}

/// What a prune did.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) done: Box<PruneReport>,
    pub(crate) scroll: Scroll,
    /// Until when it can be undone for certain.
    pub(crate) until: DateTime<Utc>,
    /// What was confirmed.
    expected: HashSet<SessionId>,
}

/// What became of a session, in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Failed,
    Kept,
    Gone,
    NotReached,
    Removed,
}

impl Report {
    /// Its lists, what needs attention first.
    fn lists(&self) -> [(Outcome, &[Entry]); 5] {
        let report = &self.done;
        [
            (Outcome::Failed, &report.failed),
            (Outcome::Kept, &report.kept),
            (Outcome::Gone, &report.gone),
            (Outcome::NotReached, &report.not_reached),
            (Outcome::Removed, &report.removed),
        ]
    }

    /// How many sessions it tells of.
    pub(crate) fn len(&self) -> usize {
        self.lists().iter().map(|(_, entries)| entries.len()).sum()
    }

    /// So many of its lines from one on.
    pub(crate) fn lines(&self, from: usize, count: usize) -> Vec<(Outcome, &Entry)> {
        let mut skip = from;
        let mut lines = Vec::with_capacity(count);
        for (outcome, entries) in self.lists() {
            let here = entries.iter().skip(skip).take(count - lines.len());
            lines.extend(here.map(|entry| (outcome, entry)));
            skip = skip.saturating_sub(entries.len());
        }
        lines
    }

    /// Whether a session was to go and did not.
    pub(crate) fn differs(&self, entry: &Entry, outcome: Outcome) -> bool {
        outcome != Outcome::Removed && self.expected.contains(&entry.session_id)
    }

    /// How many were to go.
    pub(crate) fn expected(&self) -> usize {
        self.expected.len()
    }
}

impl Model {
    pub(super) fn confirm_key(
        &mut self,
        mut confirm: Box<Confirm>,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        match confirm.answered(key) {
            Some(Action::Yes) if self.too_old(&confirm.preview) => {
                self.check_again(&confirm.preview, fx)
            }
            Some(Action::Yes) => self.prune(*confirm.preview, fx),
            Some(answer) => {
                if answer == Action::Enter {
                    self.tell("nothing was removed: the word was not typed");
                }
                Screen::Preview(confirm.preview)
            }
            None => Screen::Confirm(confirm),
        }
    }

    /// The user said yes.
    fn prune(&mut self, preview: Preview, fx: &mut Vec<Effect>) -> Screen {
        let generation = self.next();
        let removals = preview.plan.removals();
        let pruning = Pruning {
            generation,
            progress: Progress {
                done: 0,
                total: preview.tally.removed,
            },
            ending: Ending::Full,
            expected: removals.map(|c| c.session.id.clone()).collect(),
        };
        fx.push(Effect::Prune {
            generation,
            plan: Box::new(preview.plan.confirm()),
        });
        Screen::Pruning(pruning)
    }

    /// A prune is over.
    pub(super) fn pruned(
        &mut self,
        outcome: Result<Box<PruneReport>, Refusal>,
        fx: &mut Vec<Effect>,
    ) {
        let Screen::Pruning(pruning) = &mut self.screen else {
            return;
        };
        let expected = std::mem::take(&mut pruning.expected);
        if pruning.ending == Ending::Quitting {
            fx.push(Effect::Quit);
        }
        self.screen = match outcome {
            Ok(report) => Screen::Report(Box::new(Report {
                done: report,
                scroll: Scroll::default(),
                until: self.now + GRACE,
                expected,
            })),
            Err(refusal) => {
                Screen::Boxed(Boxed::notice("Nothing was removed", &refusal.to_string()))
            }
        };
        fx.push(Effect::ListTrash);
        self.look_again(fx);
    }

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
            Some(Action::Undo) => match report.done.batch.clone() {
                Some(batch) => return self.restore(Restore::Batch(batch), Screen::Tree, fx),
                None => self.tell("nothing was removed: there is nothing to undo"),
            },
            Some(Action::Go(step)) => report.scroll.go(step, report.len(), page),
            _ => {}
        }
        Screen::Report(report)
    }
}

impl Pruning {
    pub(super) fn key(mut self, key: KeyEvent, fx: &mut Vec<Effect>) -> Screen {
        self.ending = stop(self.ending, key, fx);
        Screen::Pruning(self)
    }
}

/// Asks once for a stop, if the key says so.
pub(super) fn stop(ending: Ending, key: KeyEvent, fx: &mut Vec<Effect>) -> Ending {
    if ending == Ending::Full && keymap::find(keymap::WORKING, key) == Some(Action::Stop) {
        fx.push(Effect::Stop);
        return Ending::Stopping;
    }
    ending
}
