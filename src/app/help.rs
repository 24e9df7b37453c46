//! The help: the key tables, the marks, and what the scan came upon that is no session.

use crossterm::event::KeyEvent;

use super::keymap::{self, Action};
use super::number::count;
use super::scroll::Step;
use super::wrap::wrap;
use super::{Model, Screen};
use crate::text::SafeText;

/// Columns for the keys.
pub(crate) const KEYS: usize = 18;

/// Faults that are listed one by one.
const FAULTS: usize = 50;

/// The help over another screen.
#[derive(Debug)]
pub(crate) struct Help {
    /// The first line drawn.
    pub(crate) top: usize,
    pub(super) back: Box<Screen>,
}

/// A line of the help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HelpLine {
    Blank,
    Head(&'static str),
    /// Keys or a mark, and what they mean; a line that goes on has none.
    Entry(&'static str, String),
    Text(String),
}

impl Help {
    pub(super) fn over(back: Screen) -> Self {
        Self {
            top: 0,
            back: Box::new(back),
        }
    }
}

impl Model {
    /// All that the help says, in lines that fit.
    pub(crate) fn help_lines(&self) -> Vec<HelpLine> {
        let mut lines = Vec::new();
        self.section(&mut lines, "Marks and kinds", MARKS.iter().copied());
        for (name, table) in keymap::ALL {
            let told = table.iter().filter(|binding| !binding.label.is_empty());
            let entries = told.map(|binding| (binding.label, binding.help));
            self.section(&mut lines, name, entries);
        }
        self.section(&mut lines, "Mouse", MOUSE.iter().copied());
        self.fault_lines(&mut lines);
        lines
    }

    fn section(
        &self,
        lines: &mut Vec<HelpLine>,
        name: &'static str,
        entries: impl Iterator<Item = (&'static str, &'static str)>,
    ) {
        if !lines.is_empty() {
            lines.push(HelpLine::Blank);
        }
        lines.push(HelpLine::Head(name));
        let room = usize::from(self.layout.inside().width).saturating_sub(3 + KEYS);
        for (label, text) in entries {
            for (part, text) in wrap(text, room).into_iter().enumerate() {
                lines.push(HelpLine::Entry(if part == 0 { label } else { "" }, text));
            }
        }
    }

    fn fault_lines(&self, lines: &mut Vec<HelpLine>) {
        let faults = &self.known.faults;
        if faults.is_empty() {
            return;
        }
        lines.push(HelpLine::Blank);
        lines.push(HelpLine::Head("Not sessions"));
        let room = usize::from(self.layout.inside().width).saturating_sub(3);
        for fault in faults.iter().take(FAULTS) {
            let path = SafeText::path(&fault.path);
            let text = SafeText::line(&format!("{path}: {}", fault.what));
            lines.extend(wrap(text.as_str(), room).into_iter().map(HelpLine::Text));
        }
        if let Some(more) = faults.len().checked_sub(FAULTS).filter(|more| *more > 0) {
            lines.push(HelpLine::Text(format!("and {} more", count(more))));
        }
    }

    pub(super) fn help_key(&mut self, mut help: Help, key: KeyEvent) -> Screen {
        match keymap::find(keymap::HELP, key) {
            Some(Action::Back) => return *help.back,
            Some(Action::Go(step)) => help.top = self.help_from(help.top, step),
            _ => {}
        }
        Screen::Help(help)
    }

    /// Goes a step through the help, if that is what is shown.
    pub(super) fn scroll_help(&mut self, step: Step) {
        let Screen::Help(Help { top, .. }) = self.screen else {
            return;
        };
        let top_now = self.help_from(top, step);
        if let Screen::Help(help) = &mut self.screen {
            help.top = top_now;
        }
    }

    /// The first line drawn after a step from another one.
    fn help_from(&self, top: usize, step: Step) -> usize {
        let page = usize::from(self.layout.inside().height);
        let len = self.help_lines().len();
        step.from(top, len, page).min(len.saturating_sub(page))
    }
}

/// The marks of the list, and the words beside its titles.
const MARKS: &[(&str, &str)] = &[
    ("●", "open in a process"),
    ("?", "perhaps open: locked, but nobody can be named"),
    ("◆", "old, but an ancestor of one that stays"),
    ("✂", "a prune at the current cutoff would take it"),
    ("⚑", "pinned: no prune takes it or its ancestors"),
    ("!", "damaged, undated or dated in the future: never pruned"),
    ("✓", "selected"),
    ("▾ ▸", "others descend from it: shown below it, folded away"),
    ("(4)", "so many sessions are folded away in it"),
    (
        "61d·9d",
        "its own age, and that of the newest below it, which has no row",
    ),
    ("5·", "so deep in its tree that it is not indented further"),
    (
        "fork",
        "a person's copy of the one above it, from some event on",
    ),
    ("child", "an agent's own run: a task given to another agent"),
    ("side", "an agent's own run: a side question"),
    ("spec-draft", "an agent's own run: drafting a specification"),
    ("spec-impl", "an agent's own run: building one"),
];

/// What the mouse does.
const MOUSE: &[(&str, &str)] = &[
    ("click, wheel", "go to a row, scroll"),
    ("Shift-drag", "the terminal's own selection"),
];
