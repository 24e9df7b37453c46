//! `X` in the trash: a batch goes for good, after a look and a yes.
//!
//! Invariant: what is emptied is what the question showed, and it is asked by a look that is not old.

use chrono::{DateTime, Utc};
use crossterm::event::KeyEvent;

use super::boxes::Boxed;
use super::confirm::Ending;
use super::keymap::{self, Action};
use super::msg::{Effect, Generation};
use super::number::emptied;
use super::trash::{Work, Working};
use super::{Model, Screen};
use crate::prune::expiry::{TrashPlan, Wanted};
use crate::prune::report::{BatchId, EmptyReport};
use crate::prune::warning::Warning;
use crate::session::Refusal;

/// Asking for the yes.
#[derive(Debug)]
pub(crate) struct Empty {
    pub(crate) plan: TrashPlan,
    /// When it was looked at.
    taken_at: DateTime<Utc>,
    /// Where it was asked for.
    pub(crate) back: Screen,
}

impl Model {
    /// `X`: looks what would become of a batch.
    pub(super) fn look_to_empty(
        &mut self,
        batch: BatchId,
        back: Screen,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        let generation = self.next();
        fx.push(Effect::CheckTrash {
            generation,
            wanted: Wanted::Batches([batch].into()),
        });
        Screen::Working(Working::new(Work::Looking, back, generation))
    }

    /// What would become of it.
    pub(super) fn trash_checked(
        &mut self,
        from: Generation,
        outcome: Result<Box<TrashPlan>, Refusal>,
        fx: &mut Vec<Effect>,
    ) {
        let Screen::Working(Working {
            generation, ending, ..
        }) = &self.screen
        else {
            return;
        };
        if *generation != from {
            return;
        }
        let stopped = *ending != Ending::Full;
        let Some(back) = self.worked(Work::Looking, fx) else {
            return;
        };
        self.screen = match outcome {
            _ if stopped => {
                self.tell("stopped; nothing was changed");
                back
            }
            Ok(plan) if plan.going().next().is_some() => Screen::Empty(Box::new(Empty {
                plan: *plan,
                taken_at: self.now,
                back,
            })),
            Ok(plan) if plan.batches().is_empty() => {
                self.tell("this batch is not in the trash any more");
                fx.push(Effect::ListTrash);
                back
            }
            Ok(plan) => Screen::Boxed(Boxed::Emptied {
                report: plan.report(),
                back: Box::new(back),
            }),
            Err(refusal) => Screen::Boxed(Boxed::refused("Nothing can be emptied", &refusal, back)),
        };
    }

    pub(super) fn empty_key(
        &mut self,
        empty: Box<Empty>,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        let Empty {
            plan,
            taken_at,
            back,
        } = *empty;
        match keymap::find(keymap::CONFIRM, key) {
            Some(Action::Yes) if self.outdated(taken_at) => {
                self.tell("the question was more than 10 minutes old: this is a new one");
                let first = plan
                    .going()
                    .next()
                    .map(|shelved| shelved.batch.batch.clone());
                match first {
                    Some(batch) => self.look_to_empty(batch, back, fx),
                    None => back,
                }
            }
            Some(Action::Yes) => {
                let generation = self.next();
                let mut working = Working::new(Work::Emptying, back, generation);
                working.told = plan.report().warnings;
                fx.push(Effect::EmptyTrash {
                    generation,
                    trash: Box::new(plan.confirm()),
                });
                Screen::Working(working)
            }
            Some(Action::Back) => back,
            _ => Screen::Empty(Box::new(Empty {
                plan,
                taken_at,
                back,
            })),
        }
    }

    /// The trash was emptied.
    pub(super) fn emptied(
        &mut self,
        mut outcome: Result<EmptyReport, Refusal>,
        fx: &mut Vec<Effect>,
    ) {
        if let (Ok(report), Screen::Working(working)) = (&mut outcome, &self.screen) {
            let told = &working.told;
            let new = |warning: &Warning| told.iter().all(|told| warning.adds_to(told));
            report.warnings.retain(new);
        }
        let Some(back) = self.worked(Work::Emptying, fx) else {
            return;
        };
        self.screen = match outcome {
            Ok(report)
                if !report.is_failure() && report.kept.is_empty() && report.warnings.is_empty() =>
            {
                self.tell(&format!("emptied for good: {}", emptied(&report)));
                back
            }
            Ok(report) => Screen::Boxed(Boxed::Emptied {
                report,
                back: Box::new(back),
            }),
            Err(refusal) => Screen::Boxed(Boxed::refused("Nothing was emptied", &refusal, back)),
        };
        fx.push(Effect::ListTrash);
    }
}
