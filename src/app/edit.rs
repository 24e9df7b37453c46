//! One-line inputs.
//!
//! Invariant: nothing that text in a session may not hold gets into an input either, however it was pasted.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_input::{Input, InputRequest};

use crate::text::SafeText;

/// Lets a key act on an input; `false`: it means nothing there.
pub(crate) fn key(input: &mut Input, key: KeyEvent) -> bool {
    let Some(request) = request(key) else {
        return false;
    };
    input.handle(request);
    true
}

/// Puts pasted text in; line breaks become spaces.
pub(crate) fn paste(input: &mut Input, text: &str) {
    for c in text.chars() {
        let c = if c.is_whitespace() { ' ' } else { c };
        if harmless(c) {
            input.handle(InputRequest::InsertChar(c));
        }
    }
}

fn request(key: KeyEvent) -> Option<InputRequest> {
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let request = match key.code {
        KeyCode::Char('a') if ctrl => InputRequest::GoToStart,
        KeyCode::Char('e') if ctrl => InputRequest::GoToEnd,
        KeyCode::Char('b') if ctrl => InputRequest::GoToPrevChar,
        KeyCode::Char('f') if ctrl => InputRequest::GoToNextChar,
        KeyCode::Char('w') if ctrl => InputRequest::DeletePrevWord,
        KeyCode::Char('u') if ctrl => InputRequest::DeleteFromStart,
        KeyCode::Char('k') if ctrl => InputRequest::DeleteTillEnd,
        KeyCode::Char('h') if ctrl => InputRequest::DeletePrevChar,
        KeyCode::Char('d') if ctrl => InputRequest::DeleteNextChar,
        KeyCode::Char('y') if ctrl => InputRequest::Yank,
        KeyCode::Char('b') if alt => InputRequest::GoToPrevWord,
        KeyCode::Char('f') if alt => InputRequest::GoToNextWord,
        KeyCode::Char(c) if !ctrl && !alt && harmless(c) => InputRequest::InsertChar(c),
        KeyCode::Backspace if alt || ctrl => InputRequest::DeletePrevWord,
        KeyCode::Backspace => InputRequest::DeletePrevChar,
        KeyCode::Delete => InputRequest::DeleteNextChar,
        KeyCode::Left if ctrl || alt => InputRequest::GoToPrevWord,
        KeyCode::Right if ctrl || alt => InputRequest::GoToNextWord,
        KeyCode::Left => InputRequest::GoToPrevChar,
        KeyCode::Right => InputRequest::GoToNextChar,
        KeyCode::Home => InputRequest::GoToStart,
        KeyCode::End => InputRequest::GoToEnd,
        _ => return None,
    };
    Some(request)
}

/// Whether a character is shown as itself.
fn harmless(c: char) -> bool {
    let text = c.encode_utf8(&mut [0; 4]).to_owned();
    c == ' ' || SafeText::line(&text).as_str() == text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_brings_no_control_characters() {
        let mut input = Input::default();
        paste(&mut input, "a\u{1b}[31mb\r\nc\td\u{7}");
        assert_eq!(input.value(), "a[31mb  c d");
    }

    #[test]
    fn keys_edit_as_in_a_shell() {
        let mut input = Input::new("fix the login".to_owned());
        let ctrl = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL);
        assert!(key(&mut input, ctrl('w')));
        assert_eq!(input.value(), "fix the ");
        assert!(key(&mut input, ctrl('u')));
        assert_eq!(input.value(), "");
        let shift = KeyEvent::new(KeyCode::Char('A'), KeyModifiers::SHIFT);
        assert!(key(&mut input, shift));
        assert_eq!(input.value(), "A");
        assert!(!key(&mut input, ctrl('x')));
    }
}
