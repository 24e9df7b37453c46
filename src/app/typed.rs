//! What is typed or pasted as a whole, whichever screen has an input: pastes, and Ctrl-c.
//!
//! Invariant: a paste is never a command, and never a yes.

use std::mem;

use tui_input::Input;

use super::confirm::Answer;
use super::export::Stage;
use super::msg::Effect;
use super::{Model, Screen, edit};

impl Model {
    /// Puts a text into the input there is, if there is one.
    pub(super) fn paste(&mut self, text: &str) {
        match mem::take(&mut self.screen) {
            Screen::Filter(mut input) => {
                edit::paste(&mut input, text);
                self.filter_by(input.value().to_owned());
                self.screen = Screen::Filter(input);
            }
            Screen::Cutoff(mut cutoff) => {
                edit::paste(&mut cutoff.input, text);
                self.measure_cutoff(&mut cutoff);
                self.screen = Screen::Cutoff(cutoff);
            }
            mut screen => {
                if let Some(input) = screen.input() {
                    edit::paste(input, text);
                }
                self.screen = screen;
            }
        }
    }

    /// Ctrl-c: cancels what is being typed, or ends the program.
    pub(super) fn interrupt(&mut self, fx: &mut Vec<Effect>) {
        if self.layout.page() == 0 {
            return self.quit(fx);
        }
        self.screen = match mem::take(&mut self.screen) {
            Screen::Filter(_) => {
                self.filter_by(String::new());
                Screen::Tree
            }
            Screen::Search(search) if search.typing => search.leave_input(),
            Screen::Export(export) => match export.stage {
                Stage::Asking | Stage::Again(_) => *export.back,
                // Half a file is not left behind in silence.
                Stage::Writing(_) => {
                    fx.push(Effect::StopExport);
                    Screen::Export(export)
                }
            },
            Screen::Cutoff(_) | Screen::Rename(_) => Screen::Tree,
            Screen::Prompt(_) => {
                self.let_go(fx);
                Screen::Tree
            }
            Screen::Confirm(confirm) if matches!(confirm.answer, Answer::Word(..)) => {
                Screen::Preview(confirm.preview)
            }
            screen => {
                self.screen = screen;
                return self.quit(fx);
            }
        };
    }
}

impl Screen {
    /// The input of a screen on which nothing follows from what is typed before Enter.
    fn input(&mut self) -> Option<&mut Input> {
        match self {
            Self::Prompt(prompt) => Some(&mut prompt.input),
            Self::Rename(rename) if !rename.asked => Some(&mut rename.input),
            Self::Search(search) if search.typing => Some(&mut search.input),
            Self::Export(export) if !matches!(export.stage, Stage::Writing(_)) => {
                Some(&mut export.input)
            }
            Self::Reader(reader) => reader.typing.as_mut(),
            _ => None,
        }
    }
}
