//! `e`: a whole transcript in a file.
//!
//! Invariants: nothing is ever written over; what is written says in the box whether secrets are in it; a
//! box that writes stays until that is over, or a key stops it.

use std::path::{Path, PathBuf};

use crossterm::event::KeyEvent;
use tui_input::Input;

use super::boxes::Boxed;
use super::keymap::{self, Action};
use super::msg::{Effect, Exported, Generation, NotExported};
use super::{Model, Screen, edit};
use crate::export::format::Format;
use crate::session::SessionId;
use crate::text::{SafeText, Secrets};

/// Asking for a file.
#[derive(Debug)]
pub(crate) struct Export {
    pub(crate) id: SessionId,
    pub(crate) format: Format,
    pub(crate) secrets: Secrets,
    pub(crate) input: Input,
    pub(crate) stage: Stage,
    /// Where one comes from.
    pub(crate) back: Box<Screen>,
}

/// How far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Asking,
    /// What was wrong with the last try.
    Again(SafeText),
    Writing(Generation),
}

/// The longest name that is made of a title, in bytes.
const NAME: usize = 60;

impl Model {
    /// `e` in the list or the reader.
    pub(super) fn ask_export(&self, id: SessionId, secrets: Secrets, back: Screen) -> Screen {
        let title = self.known.lineage.session(&id);
        let title = title.map_or("", |session| session.title.as_str());
        let format = Format::default();
        let name = file_name(title, &id);
        Screen::Export(Export {
            id,
            format,
            secrets,
            input: Input::new(format!("{name}.{}", format.extension())),
            stage: Stage::Asking,
            back: Box::new(back),
        })
    }

    pub(super) fn export_key(
        &mut self,
        mut export: Export,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        let action = keymap::find(keymap::EXPORT, key);
        if let Stage::Writing(_) = export.stage {
            if action == Some(Action::Back) {
                fx.push(Effect::StopExport);
            }
            return Screen::Export(export);
        }
        match action {
            Some(Action::Back) => return *export.back,
            Some(Action::Complete) => export.turn(),
            Some(_) => match self.path(export.input.value()) {
                Ok(path) => {
                    let generation = self.next();
                    export.stage = Stage::Writing(generation);
                    fx.push(Effect::Export {
                        generation,
                        id: export.id.clone(),
                        format: export.format,
                        secrets: export.secrets,
                        path,
                    });
                }
                Err(why) => export.stage = Stage::Again(SafeText::line(why)),
            },
            None => {
                edit::key(&mut export.input, key);
                export.stage = Stage::Asking;
            }
        }
        Screen::Export(export)
    }

    /// Where a name leads to, as a shell would take it in the folder we were started in.
    fn path(&self, typed: &str) -> Result<PathBuf, &'static str> {
        let typed = typed.trim();
        if typed.is_empty() || typed.ends_with('/') {
            return Err("name a file");
        }
        if let Some(below) = typed.strip_prefix("~/") {
            let home = self.start.home.as_ref().ok_or("HOME is not set")?;
            return Ok(home.join(below));
        }
        let path = Path::new(typed);
        match &self.start.here {
            _ if path.is_absolute() => Ok(path.to_owned()),
            Some(here) => Ok(here.join(path)),
            None => Err("the folder sesstree was started in is gone: name one that begins with /"),
        }
    }

    /// An export is over.
    pub(super) fn exported(&mut self, from: Generation, outcome: Result<Exported, NotExported>) {
        let Screen::Export(export) = &mut self.screen else {
            return;
        };
        if export.stage != Stage::Writing(from) {
            return;
        }
        match outcome {
            Ok(Exported { path, missing }) => {
                let missing = missing.map_or_else(String::new, |missing| format!("; {missing}"));
                let home = self.start.home.as_deref();
                let below = home.and_then(|home| path.strip_prefix(home).ok());
                let path = match below {
                    Some(below) => format!("~/{}", SafeText::path(below)),
                    None => SafeText::path(&path).to_string(),
                };
                let said = format!("exported to {path}{missing}");
                self.screen = std::mem::take(&mut *export.back);
                self.tell(&said);
                self.in_full("Exported");
            }
            Err(NotExported { why, free }) => {
                export.stage = Stage::Again(why);
                // In the folder that was typed, as it was typed.
                let free = free.as_deref().and_then(Path::file_name);
                if let Some(name) = free {
                    let path = Path::new(export.input.value().trim()).with_file_name(name);
                    export.input = Input::new(path.to_string_lossy().into_owned());
                }
            }
        }
    }

    /// What is told, in a box if its line is too short for it.
    fn in_full(&mut self, title: &str) {
        let columns = usize::from(self.size.0);
        if let Some(note) = self.note.take_if(|note| note.width() > columns) {
            let back = std::mem::take(&mut self.screen);
            self.screen = Screen::Boxed(Boxed::Notice {
                title: SafeText::line(title),
                text: note,
                back: Box::new(back),
            });
        }
    }
}

impl Export {
    /// The next format; a name that ends as the last one's files do goes along.
    fn turn(&mut self) {
        let at = Format::ALL.iter().position(|format| *format == self.format);
        let next = Format::ALL[(at.unwrap_or(0) + 1) % Format::ALL.len()];
        let end = format!(".{}", self.format.extension());
        if let Some(name) = self.input.value().strip_suffix(&end) {
            self.input = Input::new(format!("{name}.{}", next.extension()));
        }
        self.format = next;
        self.stage = Stage::Asking;
    }
}

/// A name that is none too long and needs no quotes in a shell: of the title, or the id.
fn file_name(title: &str, id: &SessionId) -> String {
    let mut name = String::new();
    for c in title.chars() {
        match c {
            c if c.is_alphanumeric() => name.extend(c.to_lowercase()),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
        if name.len() >= NAME {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() {
        return id.to_string();
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_name_is_made_of_the_title() {
        let id = SessionId::parse("zero_1").unwrap();
        for (title, name) in [
            ("Fix the login redirect!", "fix-the-login-redirect"),
            ("../../etc/passwd", "etc-passwd"),
            ("-rf *", "rf"),
            ("Ünïcode  日本", "ünïcode-日本"),
            ("…", "zero_1"),
            ("", "zero_1"),
        ] {
            assert_eq!(file_name(title, &id), name);
        }
        assert!(file_name(&"long ".repeat(100), &id).len() <= NAME);
    }
}
