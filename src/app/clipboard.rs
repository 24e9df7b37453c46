//! What is copied: an id, or a command for a shell.
//!
//! Invariant: a command is copied as it is meant, or not at all: nothing in it was made harmless for
//! the screen after it was quoted for the shell.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use unicode_width::UnicodeWidthStr;

use super::boxes::Boxed;
use super::msg::Effect;
use super::{Model, Screen};
use crate::session::{Launch, SessionId};
use crate::text::{SafeText, Secrets};

impl Model {
    /// No terminal says whether it took it, so the text is there to be read.
    pub(super) fn copy(&mut self, text: SafeText, fx: &mut Vec<Effect>) {
        let said = format!("sent to the terminal's clipboard: {text}");
        self.note = Some(SafeText::line_with(&said, self.start.secrets));
        fx.push(Effect::Copy(text));
    }

    /// Copies the command that resumes a session; it goes to `folder` first.
    pub(super) fn copy_command(
        &mut self,
        id: &SessionId,
        folder: Option<&Path>,
        fx: &mut Vec<Effect>,
    ) {
        let start = &self.start;
        match command((start.launch, &start.command), id, folder, start.secrets) {
            Ok(command) => self.copy(command, fx),
            Err(odd) => self.tell(&format!(
                "not copied: this has something in it that cannot be shown as it is: {odd}"
            )),
        }
    }

    /// The note in a box, if its line is too short for it.
    pub(super) fn note_in_full(&mut self) -> Screen {
        let columns = usize::from(self.size.0);
        match self.note.take_if(|note| note.as_str().width() > columns) {
            Some(note) => Screen::Boxed(Boxed::notice("Clipboard", note.as_str())),
            None => Screen::Tree,
        }
    }
}

/// `cd folder && program exec --resume id -- ''`, where the text goes between the quotes, or without `exec`
/// and a text. `Err`: the word
/// that cannot be part of it.
fn command(
    (launch, program): (Launch, &[OsString]),
    id: &SessionId,
    folder: Option<&Path>,
    secrets: Secrets,
) -> Result<SafeText, SafeText> {
    let mut words = Vec::new();
    if let Some(folder) = folder.filter(|folder| folder.is_absolute()) {
        words.extend([
            "cd".to_owned(),
            quoted(folder.as_os_str(), secrets)?,
            "&&".to_owned(),
        ]);
    }
    for word in program {
        words.push(quoted(word, secrets)?);
    }
    match launch {
        Launch::Replies => {
            words.extend(["exec", "--resume", id.as_str(), "--", "''"].map(str::to_owned));
        }
        Launch::Screen => words.extend(["--resume", id.as_str()].map(str::to_owned)),
    }
    whole(&words.join(" "), secrets)
}

/// A word as a shell takes it.
fn quoted(word: &OsStr, secrets: Secrets) -> Result<String, SafeText> {
    let safe = SafeText::path_with(Path::new(word), secrets);
    let Some(text) = word.to_str().filter(|text| *text == safe.as_str()) else {
        return Err(safe);
    };
    // Not `=`: in front of a command `a=b` would be an assignment.
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return Ok(text.to_owned());
    }
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

/// Text that is already safe, spaces and all; `Err`: it is not.
fn whole(text: &str, secrets: Secrets) -> Result<SafeText, SafeText> {
    let safe = SafeText::path_with(Path::new(text), secrets);
    if safe.as_str() == text {
        Ok(safe)
    } else {
        Err(safe)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    fn of(folder: &[u8]) -> Result<SafeText, SafeText> {
        let id = SessionId::parse("s1").unwrap();
        let folder = Path::new(OsStr::from_bytes(folder));
        let program = ["zero".into(), "a=b".into()];
        command(
            (Launch::Replies, &program),
            &id,
            Some(folder),
            Secrets::Hidden,
        )
    }

    #[test]
    fn a_command_is_quoted_for_a_shell() {
        for (folder, cd) in [
            ("/src/api", "cd /src/api && "),
            ("/my  code/$(x)", "cd '/my  code/$(x)' && "),
            ("/it's", r"cd '/it'\''s' && "),
            ("/日本", "cd '/日本' && "),
            ("relative", ""),
        ] {
            let command = of(folder.as_bytes()).unwrap();
            let expected = format!("{cd}zero 'a=b' exec --resume s1 -- ''");
            assert_eq!(command.as_str(), expected);
        }
    }

    #[test]
    fn a_folder_that_cannot_be_shown_as_it_is_makes_no_command() {
        for odd in ["/a\nrm -rf x", "/a\u{1b}[2J", "/a\u{202e}b", "/a\u{7}"] {
            assert!(of(odd.as_bytes()).is_err(), "{odd:?}");
        }
        assert!(of(b"/a\xff").is_err());
        // A command without its secret would be another one.
        let token = ["/src/ghp_", "aB3dEfGh1jKl"].concat();
        assert!(of(token.as_bytes()).is_err());
    }
}
