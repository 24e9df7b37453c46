//! The yes, and the removal.
//!
//! Invariants: the answer is No unless somebody who saw the question says otherwise (see
//! [`super::seen`]). What is removed is the plan that was shown.

use crossterm::event::KeyEvent;
use tui_input::Input;

use super::boxes::Boxed;
use super::keymap::{self, Action};
use super::msg::{Effect, Generation};
use super::plan::Preview;
use super::report::{Expected, Report};
use super::scroll::Scroll;
use super::{Model, Screen, edit};
use crate::prune::plan::{Disposal, Most, WORD};
use crate::prune::report::{Progress, PruneReport};
use crate::session::Refusal;

/// Asking for the yes.
#[derive(Debug)]
pub(crate) struct Confirm {
    pub(crate) preview: Box<Preview>,
    pub(crate) answer: Answer,
    pub(crate) way: Way,
}

/// What becomes of what goes.
#[derive(Debug)]
pub(crate) enum Way {
    /// It goes to the trash.
    Trash,
    /// It is being asked whether it can be deleted at once; there is no yes meanwhile.
    Asking(Generation),
    /// It is deleted at once.
    Delete,
    /// It cannot be; it goes to the trash.
    Refused(Refusal),
}

impl Way {
    pub(crate) fn disposal(&self) -> Disposal {
        match self {
            Self::Delete => Disposal::Delete,
            Self::Trash | Self::Asking(_) | Self::Refused(_) => Disposal::Trash,
        }
    }
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
        Self {
            answer: Answer::to(&preview),
            preview,
            way: Way::Trash,
        }
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

impl Answer {
    /// An answer that is still to be given.
    fn to(preview: &Preview) -> Self {
        match preview.plan.most() {
            Some(most) => Self::Word(most, Input::default()),
            None => Self::Key,
        }
    }
}

/// A removal under way.
#[derive(Debug)]
pub(crate) struct Pruning {
    pub(crate) generation: Generation,
    pub(crate) progress: Progress,
    pub(crate) ending: Ending,
    pub(crate) expected: Expected,
    /// What the yes was to: it is shown again if nothing comes of it.
    preview: Box<Preview>,
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

impl Model {
    pub(super) fn confirm_key(
        &mut self,
        mut confirm: Box<Confirm>,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        match confirm.answered(key) {
            Some(Action::DeleteNow) => self.other_way(confirm, fx),
            Some(Action::Yes) if matches!(confirm.way, Way::Asking(_)) => Screen::Confirm(confirm),
            Some(Action::Yes) if self.too_old(&confirm.preview) => {
                self.check_again(confirm.preview, fx)
            }
            Some(Action::Yes) => self.prune(*confirm, fx),
            Some(answer) => {
                if answer == Action::Enter {
                    self.tell("nothing was removed: the word was not typed");
                }
                Screen::Preview(confirm.preview)
            }
            None => Screen::Confirm(confirm),
        }
    }

    /// `D`: asks whether what goes can be deleted at once; or it goes to the trash after all. What
    /// was typed as a yes to the one is none to the other.
    fn other_way(&mut self, mut confirm: Box<Confirm>, fx: &mut Vec<Effect>) -> Screen {
        if confirm.preview.tally.removed > 0 {
            confirm.answer = Answer::to(&confirm.preview);
            confirm.way = match confirm.way {
                Way::Trash | Way::Refused(_) => {
                    let generation = self.next();
                    fx.push(Effect::AskDeletable(generation));
                    Way::Asking(generation)
                }
                Way::Asking(_) | Way::Delete => Way::Trash,
            };
        }
        Screen::Confirm(confirm)
    }

    /// Whether what goes can be deleted at once.
    pub(super) fn deletable(&mut self, from: Generation, outcome: Result<(), Refusal>) {
        if let Screen::Confirm(confirm) = &mut self.screen
            && matches!(confirm.way, Way::Asking(generation) if generation == from)
        {
            confirm.answer = Answer::to(&confirm.preview);
            confirm.way = match outcome {
                Ok(()) => Way::Delete,
                Err(refusal) => Way::Refused(refusal),
            };
        }
    }

    /// The user said yes.
    fn prune(&mut self, confirm: Confirm, fx: &mut Vec<Effect>) -> Screen {
        let generation = self.next();
        let (preview, disposal) = (confirm.preview, confirm.way.disposal());
        let total = preview.tally.removed;
        let plan = preview.confirmed(disposal);
        let pruning = Pruning {
            generation,
            progress: Progress { done: 0, total },
            ending: Ending::Full,
            expected: Expected::new(&plan),
            preview,
        };
        fx.push(Effect::Prune {
            generation,
            plan: Box::new(plan),
        });
        Screen::Pruning(pruning)
    }

    /// A prune is over.
    pub(super) fn pruned(
        &mut self,
        outcome: Result<Box<PruneReport>, Refusal>,
        fx: &mut Vec<Effect>,
    ) {
        let pruning = match std::mem::take(&mut self.screen) {
            Screen::Pruning(pruning) => pruning,
            screen => {
                self.screen = screen;
                return;
            }
        };
        if pruning.ending == Ending::Quitting {
            fx.push(Effect::Quit);
        }
        self.screen = match outcome {
            Ok(report) => Screen::Report(Box::new(Report {
                done: report,
                scroll: Scroll::default(),
                expected: pruning.expected,
            })),
            Err(refusal) => Screen::Boxed(Boxed::refused(
                "Nothing was removed",
                &refusal,
                Screen::Preview(pruning.preview),
            )),
        };
        fx.push(Effect::ListTrash);
        self.look_again(fx);
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
