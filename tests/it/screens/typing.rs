//! Keys from text.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Keys from text: characters, or `<Enter>`, `<C-u>` and the like.
pub(super) fn parse(keys: &str) -> Vec<KeyEvent> {
    let mut parsed = Vec::new();
    let mut rest = keys;
    while let Some(c) = rest.chars().next() {
        let named = rest
            .strip_prefix('<')
            .and_then(|named| named.split_once('>'));
        let (code, modifiers) = if let Some((name, tail)) = named {
            rest = tail;
            named_key(name)
        } else {
            rest = &rest[c.len_utf8()..];
            (KeyCode::Char(c), KeyModifiers::NONE)
        };
        parsed.push(KeyEvent::new(code, modifiers));
    }
    parsed
}

fn named_key(name: &str) -> (KeyCode, KeyModifiers) {
    if let Some(c) = name.strip_prefix("C-") {
        return (
            KeyCode::Char(c.chars().next().unwrap()),
            KeyModifiers::CONTROL,
        );
    }
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "Space" => KeyCode::Char(' '),
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "PgUp" => KeyCode::PageUp,
        "PgDn" => KeyCode::PageDown,
        "BS" => KeyCode::Backspace,
        other => panic!("no key <{other}>"),
    };
    (code, KeyModifiers::NONE)
}
