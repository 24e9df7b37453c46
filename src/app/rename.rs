//! `r`: another title for a session.
//!
//! Invariants: what is written is what was typed, never a title as it is shown, which may be cut or
//! have a secret taken out; the list shows the new one once the store has it.

use crossterm::event::KeyEvent;
use tui_input::Input;

use super::msg::Effect;
use super::{Model, Screen, edit, keymap};
use crate::session::{Condition, Refusal, SessionId, Title};
use crate::text::SafeText;

/// Asking for a title.
#[derive(Debug)]
pub(crate) struct Rename {
    pub(crate) id: SessionId,
    pub(crate) input: Input,
    /// The store was asked for it.
    pub(crate) asked: bool,
    /// Why what was typed is no title, or was not taken.
    pub(crate) wrong: Option<SafeText>,
}

impl Model {
    /// `r` in the list.
    pub(super) fn ask_title(&mut self) -> Screen {
        let Some(session) = self.current() else {
            return Screen::Tree;
        };
        if !matches!(session.condition, Condition::Sound | Condition::Copy(_)) {
            let why = SafeText::line(&session.condition.to_string());
            self.tell(&Refusal::NotRenamed(why).to_string());
            return Screen::Tree;
        }
        let id = session.id.clone();
        let title = session.title.as_str();
        let mut input = Input::default();
        if !title.ends_with('…') && !session.title.hides_secrets() {
            edit::paste(&mut input, title);
        }
        Screen::Rename(Rename {
            id,
            input,
            asked: false,
            wrong: None,
        })
    }

    pub(super) fn rename_key(
        &mut self,
        mut rename: Rename,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        match keymap::find(keymap::RENAME, key) {
            // What is under way is told when it is done.
            Some(keymap::Action::Back) => return Screen::Tree,
            _ if rename.asked => return Screen::Rename(rename),
            Some(_) => {}
            None => {
                edit::key(&mut rename.input, key);
                rename.wrong = None;
                return Screen::Rename(rename);
            }
        }
        let session = self.known.lineage.session(&rename.id);
        match Title::parse(rename.input.value()) {
            Ok(title) if session.is_some_and(|s| s.title.as_str() == title.as_str()) => {
                return Screen::Tree;
            }
            Ok(title) => {
                rename.asked = true;
                fx.push(Effect::Rename {
                    id: rename.id.clone(),
                    title,
                });
            }
            Err(wrong) => rename.wrong = Some(SafeText::line(&wrong.to_string())),
        }
        Screen::Rename(rename)
    }

    /// The store has answered.
    pub(super) fn renamed(&mut self, outcome: &Result<(), Refusal>, fx: &mut Vec<Effect>) {
        if matches!(outcome, Err(Refusal::Gone | Refusal::RemovedWhileOpening)) {
            self.look_again(fx);
        }
        let told = match outcome {
            Ok(()) => "renamed".to_owned(),
            Err(refusal) => refusal.to_string(),
        };
        match &mut self.screen {
            Screen::Rename(rename) if rename.asked && outcome.is_err() => {
                rename.asked = false;
                rename.wrong = Some(SafeText::line(&told));
            }
            Screen::Rename(rename) if rename.asked => {
                self.screen = Screen::Tree;
                self.tell(&told);
            }
            _ => self.tell(&told),
        }
    }
}
