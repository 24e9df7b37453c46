//! The keys. These tables feed the handling, the hint line and the help alike, so none can lie.
//!
//! Invariants: no single key of any table removes anything; the keys of what is not built are in none.

mod tables;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::scroll::Step;
pub(crate) use tables::*;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Go(Step),
    Fold,
    Unfold,
    FoldAll,
    Resume,
    Fork,
    Filter,
    Sort,
    Reverse,
    Reader,
    Select,
    SelectSubtree,
    SelectAll,
    Prune,
    PruneThese,
    Trash,
    Pin,
    Rename,
    Export,
    /// Inside transcripts.
    Search,
    CopyId,
    CopyCommand,
    Runs,
    Here,
    Refresh,
    Help,
    Quit,
    /// On with it: keep the filter, start the dry run, open what is under the cursor, restore.
    Enter,
    Complete,
    Back,
    PreviousSection,
    NextSection,
    PreviousHit,
    NextHit,
    PreviousUser,
    NextUser,
    View,
    Secrets,
    TakeOut,
    Warnings,
    Confirm,
    /// Delete now instead of to the trash, or the other way round.
    DeleteNow,
    /// Empty a batch of the trash.
    Empty,
    Yes,
    Undo,
    Stop,
}

/// Keys that do something.
#[derive(Debug)]
pub(crate) struct Binding {
    /// Their names, see [`name`], with spaces between them.
    pub(crate) keys: &'static str,
    pub(crate) action: Action,
    /// How the help names the keys; empty: the entry before names them too.
    pub(crate) label: &'static str,
    /// What the help says.
    pub(crate) help: &'static str,
    /// What the hint line says.
    pub(crate) hint: Option<Hint>,
}

/// An entry of the hint line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hint {
    pub(crate) key: &'static str,
    pub(crate) word: &'static str,
    /// What stays longest as the line gets narrow: 0.
    pub(crate) rank: u8,
}

/// What a key does by a table.
pub(crate) fn find(table: &[Binding], event: KeyEvent) -> Option<Action> {
    let typed = name(event)?;
    let bound = table
        .iter()
        .find(|binding| binding.keys.split(' ').any(|key| key == typed))?;
    Some(bound.action)
}

/// Ctrl-c: cancel what is being typed, else end.
pub(crate) fn interrupts(event: KeyEvent) -> bool {
    name(event).as_deref() == Some("Ctrl-c")
}

/// Ctrl-z: stop the process, wherever one is.
pub(crate) fn suspends(event: KeyEvent) -> bool {
    name(event).as_deref() == Some("Ctrl-z")
}

/// A key's name: `x`, `X`, `Ctrl-x`, `Space`, `Up` …; `None`: no table has such a key. Shift is in
/// the character already.
fn name(event: KeyEvent) -> Option<String> {
    let named = match event.code {
        KeyCode::Char(' ') => "Space",
        KeyCode::Enter => "Enter",
        KeyCode::Esc => "Esc",
        KeyCode::Tab => "Tab",
        KeyCode::Up => "Up",
        KeyCode::Down => "Down",
        KeyCode::Left => "Left",
        KeyCode::Right => "Right",
        KeyCode::Home => "Home",
        KeyCode::End => "End",
        KeyCode::PageUp => "PgUp",
        KeyCode::PageDown => "PgDn",
        KeyCode::Char(c) => return character(c, event.modifiers - KeyModifiers::SHIFT),
        _ => return None,
    };
    let plain = (event.modifiers - KeyModifiers::SHIFT).is_empty();
    plain.then(|| named.to_owned())
}

fn character(c: char, modifiers: KeyModifiers) -> Option<String> {
    match modifiers {
        KeyModifiers::NONE => Some(c.to_string()),
        KeyModifiers::CONTROL => Some(format!("Ctrl-{c}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_bound_twice() {
        for (table_name, table) in ALL {
            let keys: Vec<&str> = table.iter().flat_map(|b| b.keys.split(' ')).collect();
            for (i, key) in keys.iter().enumerate() {
                assert!(!keys[..i].contains(key), "{table_name}: {key}");
            }
        }
    }

    #[test]
    fn shift_changes_the_character_only() {
        let typed = KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT);
        assert_eq!(find(TREE, typed), Some(Action::Go(Step::Last)));
        for modifiers in [KeyModifiers::ALT, KeyModifiers::CONTROL] {
            let typed = KeyEvent::new(KeyCode::Char('y'), modifiers);
            assert_eq!(find(CONFIRM, typed), None);
            let typed = KeyEvent::new(KeyCode::Enter, modifiers);
            assert_eq!(find(TREE, typed), None);
        }
    }

    #[test]
    fn every_key_of_a_table_can_be_typed() {
        let codes = [
            KeyCode::Char(' '),
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Tab,
            KeyCode::Up,
            KeyCode::Down,
            KeyCode::Left,
            KeyCode::Right,
            KeyCode::Home,
            KeyCode::End,
            KeyCode::PageUp,
            KeyCode::PageDown,
        ];
        let named = codes.map(|code| name(KeyEvent::new(code, KeyModifiers::NONE)).unwrap());
        for key in ALL
            .iter()
            .flat_map(|(_, table)| *table)
            .flat_map(|b| b.keys.split(' '))
        {
            let plain = key.strip_prefix("Ctrl-").unwrap_or(key);
            assert!(
                plain.chars().count() == 1 || named.contains(&key.to_owned()),
                "{key}"
            );
        }
    }
}
