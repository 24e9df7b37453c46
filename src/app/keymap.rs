//! The keys. These tables feed the handling, the hint line and the help alike, so none can lie.
//!
//! Invariants: no single key of any table removes anything; the keys of what is not built are in none.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::scroll::Step;

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
    CopyId,
    CopyCommand,
    Runs,
    Here,
    Refresh,
    Help,
    Quit,
    /// On with it: keep the filter, start the dry run, open what is under the cursor, restore.
    Enter,
    Back,
    PreviousSection,
    NextSection,
    PreviousUser,
    NextUser,
    View,
    TakeOut,
    Confirm,
    Yes,
    Undo,
    Stop,
}

/// A key, whatever Shift adds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(KeyCode, KeyModifiers);

const fn key(code: KeyCode) -> Key {
    Key(code, KeyModifiers::NONE)
}

const fn char(c: char) -> Key {
    key(KeyCode::Char(c))
}

const fn ctrl(c: char) -> Key {
    Key(KeyCode::Char(c), KeyModifiers::CONTROL)
}

/// Keys that do something.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) keys: &'static [Key],
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

impl Binding {
    const fn new(
        keys: &'static [Key],
        action: Action,
        label: &'static str,
        help: &'static str,
    ) -> Self {
        Self {
            keys,
            action,
            label,
            help,
            hint: None,
        }
    }

    const fn hint(mut self, key: &'static str, word: &'static str, rank: u8) -> Self {
        self.hint = Some(Hint { key, word, rank });
        self
    }
}

/// What a key does by a table.
pub(crate) fn find(table: &[Binding], event: KeyEvent) -> Option<Action> {
    let typed = Key(event.code, event.modifiers - KeyModifiers::SHIFT);
    let bound = table.iter().find(|binding| binding.keys.contains(&typed))?;
    Some(bound.action)
}

/// Ctrl-c: end, wherever one is.
pub(crate) fn interrupts(event: KeyEvent) -> bool {
    Key(event.code, event.modifiers) == ctrl('c')
}

/// Ctrl-z: stop the process, wherever one is.
pub(crate) fn suspends(event: KeyEvent) -> bool {
    Key(event.code, event.modifiers) == ctrl('z')
}

const UP: Binding = Binding::new(
    &[key(KeyCode::Up), char('k')],
    Action::Go(Step::Up),
    "↑↓ jk",
    "move",
);
const DOWN: Binding = Binding::new(
    &[key(KeyCode::Down), char('j')],
    Action::Go(Step::Down),
    "",
    "",
);
const PAGE_UP: Binding = Binding::new(
    &[key(KeyCode::PageUp)],
    Action::Go(Step::PageUp),
    "PgUp PgDn",
    "a page up, down",
);
const PAGE_DOWN: Binding = Binding::new(
    &[key(KeyCode::PageDown)],
    Action::Go(Step::PageDown),
    "",
    "",
);
const FIRST: Binding = Binding::new(
    &[char('g'), key(KeyCode::Home)],
    Action::Go(Step::First),
    "g G Home End",
    "to the beginning, the end",
);
const LAST: Binding = Binding::new(
    &[char('G'), key(KeyCode::End)],
    Action::Go(Step::Last),
    "",
    "",
);
const HALF_UP: Binding = Binding::new(
    &[ctrl('u')],
    Action::Go(Step::HalfUp),
    "Ctrl-u Ctrl-d",
    "half a page up, down",
);
const HALF_DOWN: Binding = Binding::new(&[ctrl('d')], Action::Go(Step::HalfDown), "", "");
const ESC: Binding =
    Binding::new(&[key(KeyCode::Esc)], Action::Back, "Esc", "back").hint("Esc", "back", 1);

/// The list of sessions.
pub(crate) const TREE: &[Binding] = &[
    UP,
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
    HALF_UP,
    HALF_DOWN,
    FIRST,
    LAST,
    Binding::new(
        &[key(KeyCode::Left), char('h')],
        Action::Fold,
        "←→ hl",
        "fold or to the parent, unfold",
    ),
    Binding::new(&[key(KeyCode::Right), char('l')], Action::Unfold, "", ""),
    Binding::new(&[char('z')], Action::FoldAll, "z", "fold or unfold all"),
    Binding::new(
        &[key(KeyCode::Enter)],
        Action::Resume,
        "Enter",
        "resume the session, held open meanwhile",
    )
    .hint("Enter", "resume", 0),
    Binding::new(&[char('f')], Action::Fork, "f", "fork it").hint("f", "fork", 7),
    Binding::new(
        &[char('/')],
        Action::Filter,
        "/",
        "filter by title, project, id, model, kind",
    )
    .hint("/", "filter", 3),
    Binding::new(
        &[char('p')],
        Action::Prune,
        "p",
        "prune by age: dry run, preview, confirmation",
    )
    .hint("p", "prune", 1),
    Binding::new(
        &[char('d')],
        Action::PruneThese,
        "d",
        "prune the selected, or this one, in the same way",
    )
    .hint("d", "prune selected", 8),
    Binding::new(
        &[char('u')],
        Action::Trash,
        "u",
        "the trash: what was pruned and can be restored",
    )
    .hint("u", "trash", 6),
    Binding::new(&[char(' ')], Action::Select, "Space", "select, and go down")
        .hint("Space", "select", 4),
    Binding::new(
        &[char('v')],
        Action::SelectSubtree,
        "v",
        "select it and all that descends from it",
    ),
    Binding::new(&[char('V')], Action::SelectAll, "V", "select all shown"),
    Binding::new(
        &[key(KeyCode::Tab)],
        Action::Reader,
        "Tab",
        "read the conversation",
    )
    .hint("Tab", "read", 5),
    Binding::new(
        &[char('o')],
        Action::Sort,
        "o O",
        "sort by the next column, reverse",
    ),
    Binding::new(&[char('O')], Action::Reverse, "", ""),
    Binding::new(
        &[char('a')],
        Action::Runs,
        "a",
        "show or hide the agents' own runs",
    ),
    Binding::new(
        &[char('.')],
        Action::Here,
        ".",
        "only sessions of this folder, or all",
    ),
    Binding::new(
        &[char('y')],
        Action::CopyId,
        "y Y",
        "copy the id, the resume command",
    ),
    Binding::new(&[char('Y')], Action::CopyCommand, "", ""),
    Binding::new(&[char('R')], Action::Refresh, "R", "look again"),
    Binding::new(
        &[key(KeyCode::Esc)],
        Action::Back,
        "Esc",
        "clear the filter, then the selection",
    ),
    Binding::new(&[char('?')], Action::Help, "?", "this help").hint("?", "help", 2),
    Binding::new(&[char('q')], Action::Quit, "q Ctrl-c", "quit").hint("q", "quit", 9),
];

/// Typing a filter.
pub(crate) const FILTER: &[Binding] = &[
    Binding::new(
        &[key(KeyCode::Up), ctrl('p')],
        Action::Go(Step::Up),
        "↑↓ Ctrl-n Ctrl-p",
        "move",
    )
    .hint("↑↓", "move", 2),
    Binding::new(
        &[key(KeyCode::Down), ctrl('n')],
        Action::Go(Step::Down),
        "",
        "",
    ),
    Binding::new(
        &[key(KeyCode::Enter)],
        Action::Enter,
        "Enter",
        "keep the filter; Enter again resumes",
    )
    .hint("Enter", "keep", 0),
    Binding::new(
        &[key(KeyCode::Esc)],
        Action::Back,
        "Esc",
        "clear; again: leave",
    )
    .hint("Esc", "clear, leave", 1),
];

/// Reading a conversation.
pub(crate) const READER: &[Binding] = &[
    Binding {
        help: "scroll",
        ..UP
    }
    .hint("↑↓", "scroll", 2),
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
    HALF_UP,
    HALF_DOWN,
    FIRST,
    LAST,
    Binding::new(
        &[char('[')],
        Action::PreviousUser,
        "[ ]",
        "previous, next message of the user",
    )
    .hint("[ ]", "your messages", 3),
    Binding::new(&[char(']')], Action::NextUser, "", ""),
    Binding::new(
        &[char('w')],
        Action::View,
        "w",
        "every event, or as the agent would continue",
    )
    .hint("w", "raw or continued", 4),
    Binding::new(
        &[key(KeyCode::Esc), key(KeyCode::Tab)],
        Action::Back,
        "Esc Tab",
        "back",
    )
    .hint("Esc", "back", 1),
];

/// Asking for an age.
pub(crate) const CUTOFF: &[Binding] = &[
    Binding::new(
        &[key(KeyCode::Up)],
        Action::Go(Step::Up),
        "↑↓",
        "step through 1d 7d 30d 90d 180d 365d",
    )
    .hint("↑↓", "step", 2),
    Binding::new(&[key(KeyCode::Down)], Action::Go(Step::Down), "", ""),
    Binding::new(
        &[key(KeyCode::Enter)],
        Action::Enter,
        "Enter",
        "dry run: changes nothing",
    )
    .hint("Enter", "dry run", 0),
    ESC,
];

/// What a prune would do.
pub(crate) const PREVIEW: &[Binding] = &[
    UP,
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
    HALF_UP,
    HALF_DOWN,
    FIRST,
    LAST,
    Binding::new(
        &[key(KeyCode::Left), char('h')],
        Action::PreviousSection,
        "←→",
        "sections",
    )
    .hint("←→", "sections", 3),
    Binding::new(
        &[key(KeyCode::Right), char('l')],
        Action::NextSection,
        "",
        "",
    ),
    Binding::new(
        &[char(' ')],
        Action::TakeOut,
        "Space",
        "take one out, or put it back; its ancestors then stay too",
    )
    .hint("Space", "take out", 2),
    Binding::new(&[key(KeyCode::Enter)], Action::Enter, "Enter", "read it")
        .hint("Enter", "read", 4),
    Binding::new(
        &[char('c')],
        Action::Confirm,
        "c",
        "go on to the confirmation",
    )
    .hint("c", "confirm …", 0),
    ESC,
];

/// A yes or a no.
pub(crate) const CONFIRM: &[Binding] = &[
    Binding::new(&[char('y')], Action::Yes, "y", "yes"),
    Binding::new(
        &[char('n'), key(KeyCode::Esc), key(KeyCode::Enter)],
        Action::Back,
        "n Esc Enter",
        "no",
    ),
];

/// A no while a word is asked for.
pub(crate) const TYPED: &[Binding] = &[
    Binding::new(
        &[key(KeyCode::Enter)],
        Action::Yes,
        "Enter",
        "yes, once the word is typed",
    ),
    ESC,
];

/// While something long is done.
pub(crate) const WORKING: &[Binding] =
    &[
        Binding::new(&[key(KeyCode::Esc), char('q')], Action::Stop, "Esc", "stop")
            .hint("Esc", "stop", 0),
    ];

/// What a prune did.
pub(crate) const REPORT: &[Binding] = &[
    UP,
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
    FIRST,
    LAST,
    Binding::new(&[char('u')], Action::Undo, "u", "undo this prune").hint(
        "u",
        "undo this prune",
        0,
    ),
    Binding::new(
        &[key(KeyCode::Esc), key(KeyCode::Enter)],
        Action::Back,
        "Esc Enter",
        "back",
    )
    .hint("Esc", "back", 1),
];

/// What was pruned.
pub(crate) const TRASH: &[Binding] = &[
    UP,
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
    FIRST,
    LAST,
    Binding::new(
        &[key(KeyCode::Enter)],
        Action::Enter,
        "Enter",
        "restore the batch",
    )
    .hint("Enter", "restore", 0),
    ESC,
];

/// Asking for a text for the agent.
pub(crate) const PROMPT: &[Binding] = &[
    Binding::new(&[key(KeyCode::Enter)], Action::Enter, "Enter", "start").hint("Enter", "start", 0),
    Binding::new(&[key(KeyCode::Esc)], Action::Back, "Esc", "leave it").hint("Esc", "leave it", 1),
];

/// The help itself.
pub(crate) const HELP: &[Binding] = &[
    UP,
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
    HALF_UP,
    HALF_DOWN,
    FIRST,
    LAST,
    Binding::new(
        &[key(KeyCode::Esc), char('?'), char('q')],
        Action::Back,
        "Esc",
        "back",
    )
    .hint("Esc", "back", 0),
];

/// The tables by name, as the help lists them.
pub(crate) const ALL: &[(&str, &[Binding])] = &[
    ("Sessions", TREE),
    ("Filter", FILTER),
    ("Reader", READER),
    ("Cutoff", CUTOFF),
    ("Preview", PREVIEW),
    ("Confirmation", CONFIRM),
    ("Report", REPORT),
    ("Trash", TRASH),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_bound_twice() {
        for (name, table) in ALL {
            let keys: Vec<Key> = table.iter().flat_map(|b| b.keys).copied().collect();
            for (i, key) in keys.iter().enumerate() {
                assert!(!keys[..i].contains(key), "{name}: {key:?}");
            }
        }
    }

    #[test]
    fn shift_changes_the_character_only() {
        let typed = KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT);
        assert_eq!(find(TREE, typed), Some(Action::Go(Step::Last)));
        let typed = KeyEvent::new(KeyCode::Char('y'), KeyModifiers::ALT);
        assert_eq!(find(CONFIRM, typed), None);
    }
}
