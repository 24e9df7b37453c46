//! From `p` or `d` to the preview: an age, a dry run, and what it found.
//!
//! Invariants: a dry run that was stopped shows nothing; a broken retention setting never turns into
//! an age; what is previewed is what the store said under its locks.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use crossterm::event::KeyEvent;
use tui_input::Input;

use super::boxes::Boxed;
use super::confirm::Confirm;
use super::help::Help;
use super::keymap::{self, Action};
use super::msg::{CheckTrouble, Effect, Generation};
use super::plan::Preview;
use super::scroll::Step;
use super::{Model, Screen, edit};
use crate::prune::plan::PrunePlan;
use crate::prune::policy::{Age, AgeError, Policy, Scope};
use crate::prune::report::Progress;
use crate::session::SessionId;
use crate::text::SafeText;

/// The ages that ↑↓ step through, in days.
const STEPS: [u32; 6] = [1, 7, 30, 90, 180, 365];

/// How long what a dry run found is good for.
fn good_for() -> TimeDelta {
    TimeDelta::minutes(10)
}

/// Asking for an age.
#[derive(Debug)]
pub(crate) struct Cutoff {
    pub(crate) input: Input,
    /// What is typed, or what is wrong with it.
    pub(crate) age: Result<Age, AgeError>,
    /// Sessions and bytes that would go, as far as known.
    pub(crate) going: (usize, u64),
    /// What is wrong with the agent's own setting.
    pub(crate) setting: Option<SafeText>,
}

impl Cutoff {
    fn set(&mut self, age: Age) {
        self.input = Input::new(age.to_string());
    }

    /// The next age of the steps above or below what is typed.
    fn step(&self, step: Step) -> Option<Age> {
        let steps: Vec<Age> = STEPS.iter().filter_map(|d| Age::days(*d).ok()).collect();
        let Ok(typed) = self.age else {
            return Age::days(30).ok();
        };
        match step {
            Step::Up => steps.into_iter().find(|age| *age > typed),
            _ => steps.into_iter().rev().find(|age| *age < typed),
        }
    }
}

/// What a dry run is to be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All that is older.
    All(Age),
    /// These.
    Chosen(HashSet<SessionId>),
}

/// A dry run under way.
#[derive(Debug)]
pub(crate) struct Checking {
    pub(crate) stage: Stage,
    wanted: Wanted,
    /// The preview that this one replaces.
    replaces: Option<Box<Preview>>,
}

/// How far a dry run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The store is still being listed.
    Scanning,
    /// It runs.
    Running(Generation, Progress),
}

impl Model {
    /// `p`: asks for an age.
    pub(super) fn cutoff_box(&mut self) -> Screen {
        let setting = self.start.retention.as_ref().err().cloned();
        let text = match (&setting, self.known.cutoff) {
            (None, Some(age)) => age.to_string(),
            _ => String::new(),
        };
        let mut cutoff = Cutoff {
            input: Input::new(text),
            age: Err(AgeError::Empty),
            going: (0, 0),
            setting,
        };
        self.measure_cutoff(&mut cutoff);
        Screen::Cutoff(cutoff)
    }

    /// Counts what would go by what is typed.
    pub(super) fn measure_cutoff(&self, cutoff: &mut Cutoff) {
        cutoff.age = cutoff.input.value().parse();
        cutoff.going = match cutoff.age {
            Ok(age) => self.known.would_go(age, self.now),
            Err(_) => (0, 0),
        };
    }

    pub(super) fn cutoff_key(
        &mut self,
        mut cutoff: Cutoff,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        match keymap::find(keymap::CUTOFF, key) {
            Some(Action::Back) => return Screen::Tree,
            Some(Action::Enter) => {
                if let Ok(age) = cutoff.age {
                    self.known.cut(age, self.now);
                    return self.check(Wanted::All(age), None, fx);
                }
            }
            Some(Action::Go(step)) => {
                if let Some(age) = cutoff.step(step) {
                    cutoff.set(age);
                }
                self.measure_cutoff(&mut cutoff);
            }
            _ => {
                edit::key(&mut cutoff.input, key);
                self.measure_cutoff(&mut cutoff);
            }
        }
        Screen::Cutoff(cutoff)
    }

    /// Begins a dry run, or waits for the scan to end first.
    pub(super) fn check(
        &mut self,
        wanted: Wanted,
        replaces: Option<Box<Preview>>,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        if self.known.trouble.is_some() {
            return Screen::Boxed(Boxed::NotListed);
        }
        let mut checking = Checking {
            stage: Stage::Scanning,
            wanted,
            replaces,
        };
        if !self.known.scanning() {
            self.start_check(&mut checking, fx);
        }
        Screen::Checking(checking)
    }

    /// The store is listed: a dry run that waits for that begins.
    pub(super) fn start_check(&mut self, checking: &mut Checking, fx: &mut Vec<Effect>) {
        if checking.stage != Stage::Scanning {
            return;
        }
        let policy = match &checking.wanted {
            Wanted::All(age) => Policy::all(*age, self.now),
            Wanted::Chosen(ids) => Policy::chosen(ids.clone(), self.now),
        };
        let plan = Box::new(PrunePlan::new(&self.known.lineage, policy));
        let generation = self.next();
        checking.stage = Stage::Running(generation, Progress::default());
        fx.push(Effect::DryRun { generation, plan });
    }

    pub(super) fn checking_key(
        &mut self,
        checking: Checking,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        if keymap::find(keymap::WORKING, key) != Some(Action::Stop) {
            return Screen::Checking(checking);
        }
        if let Stage::Running(..) = checking.stage {
            fx.push(Effect::Stop);
        }
        self.tell("dry run stopped; nothing was changed");
        checking.replaces.map_or(Screen::Tree, Screen::Preview)
    }

    /// A dry run is over.
    pub(super) fn checked(
        &mut self,
        from: Generation,
        outcome: Result<Box<PrunePlan>, CheckTrouble>,
    ) {
        let Screen::Checking(checking) = &mut self.screen else {
            return;
        };
        if !matches!(checking.stage, Stage::Running(generation, _) if generation == from) {
            return;
        }
        let old = checking.replaces.take();
        self.screen = match outcome {
            Ok(plan) => {
                let taken_out = old.as_ref().map(|old| old.taken_out());
                let preview = Preview::new(*plan, self.now, &taken_out.unwrap_or_default());
                if old.is_some() {
                    self.tell("the preview was more than 10 minutes old: this is a new one");
                }
                Screen::Preview(Box::new(preview))
            }
            Err(trouble) => {
                let back = old.map_or(Screen::Tree, Screen::Preview);
                match trouble {
                    CheckTrouble::Stopped => back,
                    CheckTrouble::Refused(refusal) => {
                        Screen::Boxed(Boxed::refused("Nothing can be pruned", &refusal, back))
                    }
                }
            }
        };
    }

    pub(super) fn preview_key(
        &mut self,
        mut preview: Box<Preview>,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        let page = self.layout.items().height.into();
        match keymap::find(keymap::PREVIEW, key) {
            Some(Action::Back) => return Screen::Tree,
            Some(Action::Go(step)) => preview.go(step, page),
            Some(Action::PreviousSection) => preview.turn(Step::Up),
            Some(Action::NextSection) => preview.turn(Step::Down),
            Some(Action::TakeOut) => {
                if let Some(what) = preview.toggle() {
                    self.tell(&what);
                }
            }
            Some(Action::Help) => return Screen::Help(Help::over(Screen::Preview(preview))),
            Some(Action::Enter) => {
                if let Some(id) = preview.current().map(|c| c.session.id.clone()) {
                    return self.open_reader(id, Screen::Preview(preview), fx);
                }
            }
            Some(Action::Warnings) if preview.plan.warnings().next().is_some() => {
                return Screen::Boxed(Boxed::Warnings { preview });
            }
            Some(Action::Confirm) => return self.confirm(preview, fx),
            _ => {}
        }
        preview.follow(page);
        Screen::Preview(preview)
    }

    /// `c`: asks for the yes, unless there is nothing to say yes to or the preview is too old.
    fn confirm(&mut self, preview: Box<Preview>, fx: &mut Vec<Effect>) -> Screen {
        if !preview.does_something() {
            self.tell("nothing to remove");
            return Screen::Preview(preview);
        }
        if self.too_old(&preview) {
            return self.check_again(preview, fx);
        }
        Screen::Confirm(Box::new(Confirm::new(preview)))
    }

    /// Whether what a dry run found may not be true any more.
    pub(super) fn too_old(&self, preview: &Preview) -> bool {
        self.outdated(preview.taken_at)
    }

    /// The same of whatever was looked at then.
    pub(super) fn outdated(&self, at: DateTime<Utc>) -> bool {
        let age = self.now.signed_duration_since(at);
        age > good_for() || age < TimeDelta::zero()
    }

    /// Takes a preview again, for the same sessions and with the same ones taken out.
    pub(super) fn check_again(&mut self, preview: Box<Preview>, fx: &mut Vec<Effect>) -> Screen {
        let policy = preview.plan.policy();
        let wanted = match &policy.scope {
            Scope::All => Wanted::All(policy.age),
            Scope::Chosen(ids) => Wanted::Chosen(ids.clone()),
        };
        self.check(wanted, Some(preview), fx)
    }

    /// `d`: the selected, or this one; asks about the subtree if there is one.
    pub(super) fn prune_these(&mut self, fx: &mut Vec<Effect>) -> Screen {
        let lineage = &self.known.lineage;
        if !self.selected.is_empty() {
            let ids = self.selected.clone();
            return self.check(Wanted::Chosen(ids), None, fx);
        }
        let Some(row) = self.tree.current() else {
            return Screen::Tree;
        };
        let id = lineage.get(row.node).id.clone();
        if lineage.children(row.node).is_empty() {
            return self.check(Wanted::Chosen(HashSet::from([id])), None, fx);
        }
        let below = lineage.subtree(row.node).skip(1);
        let below = below.map(|node| lineage.get(node).id.clone()).collect();
        Screen::Boxed(Boxed::Subtree { id, below })
    }

    /// How far something long is.
    pub(super) fn progress(&mut self, from: Generation, now: Progress) {
        match &mut self.screen {
            Screen::Checking(Checking {
                stage: Stage::Running(generation, progress),
                ..
            }) if *generation == from => *progress = now,
            Screen::Pruning(pruning) if pruning.generation == from => pruning.progress = now,
            Screen::Working(working) if working.generation == from => working.progress = now,
            _ => {}
        }
    }
}
