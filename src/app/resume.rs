//! Getting back into a session: it is held first, and let go again if nothing comes of it.
//!
//! Invariants: an agent is never started in a folder that the user did not see named; who has a
//! session open, and a hold that could not be had, is said before anything starts.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crossterm::event::KeyEvent;
use tui_input::Input;

use super::boxes::{Boxed, HoldFirst, Pick};
use super::keymap;
use super::msg::{self, Effect, Generation, Held};
use super::prune::Wanted;
use super::{Model, Screen, edit};
use crate::session::{Condition, Holder, Launch, Openness, Refusal, Session, SessionId};
use crate::text::SafeText;

/// What a session is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    Continue,
    Fork,
}

/// Asking for a text for the agent.
#[derive(Debug)]
pub(crate) struct Prompt {
    pub(crate) id: SessionId,
    pub(crate) intent: Intent,
    /// Where the agent is to run.
    pub(crate) folder: PathBuf,
    /// Why a prune by another program could take it meanwhile.
    pub(crate) unprotected: Option<SafeText>,
    pub(crate) input: Input,
}

impl Model {
    /// Enter or `f` in the list.
    pub(super) fn resume(&mut self, intent: Intent, fx: &mut Vec<Effect>) -> Screen {
        let Some(session) = self.current() else {
            return Screen::Tree;
        };
        let id = session.id.clone();
        if let Some(why) = not_resumable(session) {
            self.tell(&why);
            return self.open_reader(id, Screen::Tree, fx);
        }
        if intent == Intent::Fork && self.start.launch == Launch::Screen {
            return self.no_fork();
        }
        let holder = match &session.open {
            Openness::Open(holder) => Some(Some(holder.clone())),
            Openness::Maybe => Some(None),
            Openness::NoSign | Openness::Unknown => None,
        };
        match holder {
            Some(holder) if intent == Intent::Continue => Screen::Boxed(Boxed::Elsewhere {
                id,
                intent,
                holder,
                hold: HoldFirst::Yes,
                launch: self.start.launch,
            }),
            _ => self.hold(id, intent, 0, fx),
        }
    }

    /// Asks to hold a session; `tries`: how often a prune had it before.
    fn hold(
        &mut self,
        id: SessionId,
        intent: Intent,
        tries: usize,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        let Some(session) = self.known.lineage.session(&id) else {
            return Screen::Boxed(Boxed::notice("Gone", &Refusal::Gone.to_string()));
        };
        let folder = session.folder().map(Path::to_path_buf);
        let generation = self.next();
        fx.push(Effect::Hold {
            generation,
            id: id.clone(),
            folder,
        });
        Screen::Boxed(Boxed::Holding {
            generation,
            id,
            intent,
            tries,
        })
    }

    /// A session is held, or not.
    pub(super) fn held(
        &mut self,
        from: Generation,
        outcome: Result<Held, Refusal>,
        fx: &mut Vec<Effect>,
    ) {
        let (id, intent, tries) = match &self.screen {
            Screen::Boxed(Boxed::Holding {
                generation,
                id,
                intent,
                tries,
            }) if *generation == from => (id.clone(), *intent, *tries + 1),
            _ => return,
        };
        self.screen = match outcome {
            Ok(held) => self.ready(id, intent, held, fx),
            Err(Refusal::Open(holder)) => self.elsewhere(id, intent, Some(holder)),
            Err(Refusal::OpenOrLocked) => self.elsewhere(id, intent, None),
            Err(Refusal::LockedByPrune) => Screen::Boxed(Boxed::Locked { id, intent, tries }),
            Err(refusal) => {
                if matches!(refusal, Refusal::Gone | Refusal::RemovedWhileOpening) {
                    self.look_again(fx);
                }
                Screen::Boxed(Boxed::notice("Not opened", &refusal.to_string()))
            }
        };
    }

    fn ready(&mut self, id: SessionId, intent: Intent, held: Held, fx: &mut Vec<Effect>) -> Screen {
        let before = self.known.lineage.session(&id).map(|s| s.open.clone());
        self.held = Some((id.clone(), before.unwrap_or_default()));
        let unprotected = held.unprotected;
        if let Some(program) = held.missing_program {
            self.let_go(fx);
            return Screen::Boxed(Boxed::NoProgram { program });
        }
        let cwd = self.known.lineage.session(&id).and_then(|s| s.cwd.clone());
        match (held.missing_folder, cwd) {
            (None, Some(cwd)) => self.go_on(id, intent, cwd.path().to_path_buf(), unprotected, fx),
            (missing, _) => Screen::Boxed(Boxed::NoFolder {
                id,
                intent,
                missing: missing.unwrap_or(msg::MissingFolder {
                    folder: None,
                    home: None,
                    nearest: None,
                }),
                here: self.start.here.clone(),
                unprotected,
            }),
        }
    }

    fn elsewhere(&self, id: SessionId, intent: Intent, holder: Option<Holder>) -> Screen {
        Screen::Boxed(Boxed::Elsewhere {
            id,
            intent,
            holder,
            hold: HoldFirst::Refused,
            launch: self.start.launch,
        })
    }

    fn no_fork(&mut self) -> Screen {
        let agent = self.start.agent.program();
        self.tell(&format!("{agent} has no way to fork from outside"));
        Screen::Tree
    }

    /// In a folder that was named: with a text, or at once where the agent takes none.
    fn go_on(
        &mut self,
        id: SessionId,
        intent: Intent,
        folder: PathBuf,
        unprotected: Option<SafeText>,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        match self.start.launch {
            Launch::Replies => prompt(id, intent, folder, unprotected),
            Launch::Screen => {
                let action = msg::Action::OpenScreen;
                fx.push(Effect::Run { id, action, folder });
                Screen::Tree
            }
        }
    }

    pub(super) fn prompt_key(
        &mut self,
        mut prompt: Prompt,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        match keymap::find(keymap::PROMPT, key) {
            Some(keymap::Action::Back) => {
                self.let_go(fx);
                return Screen::Tree;
            }
            Some(_) => {}
            None => {
                edit::key(&mut prompt.input, key);
                return Screen::Prompt(prompt);
            }
        }
        let text = prompt.input.value().trim().to_owned();
        let action = match (prompt.intent, text.is_empty()) {
            (Intent::Continue, true) => msg::Action::OpenScreen,
            (Intent::Continue, false) => msg::Action::Continue(text),
            (Intent::Fork, false) => msg::Action::Fork(text),
            (Intent::Fork, true) => {
                self.tell("a fork begins with a text: type one");
                return Screen::Prompt(prompt);
            }
        };
        fx.push(Effect::Run {
            id: prompt.id,
            action,
            folder: prompt.folder,
        });
        Screen::Tree
    }

    pub(super) fn boxed_key(
        &mut self,
        boxed: Boxed,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        match (boxed.pick(key), boxed) {
            (None, boxed) => Screen::Boxed(boxed),
            (Some(Pick::Close), boxed) => {
                let holding = matches!(boxed, Boxed::Holding { .. } | Boxed::NoFolder { .. });
                if holding {
                    self.let_go(fx);
                }
                match boxed {
                    Boxed::Warnings { preview } => Screen::Preview(preview),
                    Boxed::Notice { back, .. }
                    | Boxed::Restored { back, .. }
                    | Boxed::Emptied { back, .. } => *back,
                    _ => Screen::Tree,
                }
            }
            (Some(Pick::Subtree), Boxed::Subtree { id, below }) => {
                let all = below.into_iter().chain([id]).collect();
                self.check(Wanted::Chosen(all), None, fx)
            }
            (Some(Pick::This), Boxed::Subtree { id, .. }) => {
                self.check(Wanted::Chosen(HashSet::from([id])), None, fx)
            }
            (Some(Pick::Fork), Boxed::Elsewhere { id, .. }) => self.hold(id, Intent::Fork, 0, fx),
            (Some(Pick::OpenAnyway), boxed) => self.open_anyway(boxed, fx),
            (Some(Pick::Again), Boxed::Locked { id, intent, tries }) => {
                self.hold(id, intent, tries, fx)
            }
            (Some(pick), boxed) => self.in_folder(pick, boxed, fx),
        }
    }

    fn open_anyway(&mut self, boxed: Boxed, fx: &mut Vec<Effect>) -> Screen {
        let Boxed::Elsewhere {
            id, intent, hold, ..
        } = boxed
        else {
            return Screen::Boxed(boxed);
        };
        let cwd = self.known.lineage.session(&id).and_then(|s| s.cwd.clone());
        match (hold, cwd) {
            (HoldFirst::Refused, Some(cwd)) => {
                let why = SafeText::line("somebody else has it");
                self.go_on(id, intent, cwd.path().to_path_buf(), Some(why), fx)
            }
            _ => self.hold(id, intent, 0, fx),
        }
    }

    /// A key of the box about a missing folder.
    fn in_folder(&mut self, pick: Pick, boxed: Boxed, fx: &mut Vec<Effect>) -> Screen {
        let Boxed::NoFolder {
            id,
            intent,
            missing,
            here,
            unprotected,
        } = &boxed
        else {
            return Screen::Boxed(boxed);
        };
        let folder = match pick {
            Pick::Here => here.clone(),
            Pick::Nearest => missing.nearest.clone(),
            _ => {
                // Its own folder is not there to go to.
                self.copy_command(id, None, fx);
                None
            }
        };
        match folder {
            Some(folder) => self.go_on(id.clone(), *intent, folder, unprotected.clone(), fx),
            None => Screen::Boxed(boxed),
        }
    }

    /// Lets go of what is held.
    pub(super) fn let_go(&mut self, fx: &mut Vec<Effect>) {
        fx.push(Effect::LetGo);
        self.forget_hold(fx);
    }

    /// What was seen of our own hold is void: it must not pass for somebody else's.
    pub(super) fn forget_hold(&mut self, fx: &mut Vec<Effect>) {
        if let Some((id, before)) = self.held.take() {
            self.known.open_again(&id, before, self.now);
        }
        fx.push(Effect::Openness);
    }

    /// Who else has a session that we hold: whoever is seen, or was when only we are.
    pub(crate) fn other_holder<'a>(&'a self, session: &'a Session) -> Option<&'a Holder> {
        let (_, before) = self.held.as_ref().filter(|(id, _)| *id == session.id)?;
        let seen = session.open.holder()?;
        if seen.pid == self.start.pid {
            before.holder()
        } else {
            Some(seen)
        }
    }
}

fn prompt(id: SessionId, intent: Intent, folder: PathBuf, unprotected: Option<SafeText>) -> Screen {
    Screen::Prompt(Prompt {
        id,
        intent,
        folder,
        unprotected,
        input: Input::default(),
    })
}

/// What has to be typed in the agent's own screen.
pub(crate) fn screen_command(id: &SessionId) -> SafeText {
    SafeText::line(&format!("/resume {id}"))
}

/// Why a person cannot go on with a session.
fn not_resumable(session: &Session) -> Option<String> {
    if session.condition != Condition::Sound {
        Some(format!("cannot be resumed: {}", session.condition))
    } else if session.kind.resumable() {
        None
    } else {
        let kind = session.kind.word();
        Some(format!("an agent's own run ({kind}) cannot be resumed"))
    }
}
