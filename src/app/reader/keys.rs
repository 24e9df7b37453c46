//! Keys for the reader, and the pages that it asked for.

use crossterm::event::KeyEvent;

use super::search::{self, Search};
use super::{Action, Effect, Generation, Page, Reader, SafeText, Screen, Usage};
use crate::app::Model;
use crate::app::export::Export;
use crate::app::help::Help;
use crate::app::{edit, keymap};

impl Model {
    pub(in crate::app) fn reader_key(
        &mut self,
        mut reader: Box<Reader>,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        if let Some(mut input) = reader.typing.take() {
            match keymap::find(keymap::FIND, key) {
                Some(Action::Enter) => reader.find(input.value()),
                Some(_) => {}
                None => {
                    edit::key(&mut input, key);
                    reader.typing = Some(input);
                }
            }
            let next = self.next();
            fx.extend(reader.more(next));
            return Screen::Reader(reader);
        }
        let action = keymap::find(keymap::READER, key);
        if let Search::Looking(way, wanted, _) = reader.search {
            // The same key once more means the same.
            if action.and_then(search::meant) != Some((way, wanted)) {
                reader.stop_looking();
            }
            return Screen::Reader(reader);
        }
        match action {
            Some(Action::Back) => return *reader.back,
            Some(Action::Export) => {
                let (id, secrets) = (reader.id.clone(), reader.secrets);
                return self.ask_export(id, secrets, Screen::Reader(reader));
            }
            Some(Action::Help) => return Screen::Help(Help::over(Screen::Reader(reader))),
            Some(action) => {
                let next = self.next();
                fx.extend(reader.act(action, next));
            }
            None => {}
        }
        Screen::Reader(reader)
    }

    /// A part of a log was read, for the reader or for the preview beside the list.
    pub(in crate::app) fn read(
        &mut self,
        generation: Generation,
        page: Result<Page, SafeText>,
        fx: &mut Vec<Effect>,
    ) {
        let next = self.next();
        match self.reader() {
            Some(reader) if reader.awaits(generation) => {
                reader.read(page);
                fx.extend(reader.more(next));
            }
            _ => self.peek.read(generation, page),
        }
    }

    /// The tokens of a log were counted. Not knowing them is no trouble to the one who reads.
    pub(in crate::app) fn counted(
        &mut self,
        generation: Generation,
        usage: Result<Usage, SafeText>,
    ) {
        if let Some(reader) = self.reader()
            && reader.counting == generation
        {
            reader.usage = usage.ok();
        }
    }

    /// The reader, though the help or a box may be over it.
    fn reader(&mut self) -> Option<&mut Reader> {
        match &mut self.screen {
            Screen::Reader(reader) => Some(reader),
            Screen::Help(Help { back, .. }) | Screen::Export(Export { back, .. }) => {
                match &mut **back {
                    Screen::Reader(reader) => Some(reader),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
