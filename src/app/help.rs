//! The help: the key tables, the marks, and what the scan came upon that is no session.

use crossterm::event::KeyEvent;

use super::keymap::{self, Action};
use super::scroll::Step;
use super::{Model, Screen};
use crate::text::SafeText;

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
    Entry(&'static str, &'static str),
    Text(SafeText),
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
    /// All that the help says.
    pub(crate) fn help_lines(&self) -> Vec<HelpLine> {
        let mut lines = Vec::new();
        for (name, table) in keymap::ALL {
            lines.push(HelpLine::Head(name));
            let told = table.iter().filter(|binding| !binding.label.is_empty());
            lines.extend(told.map(|binding| HelpLine::Entry(binding.label, binding.help)));
            lines.push(HelpLine::Blank);
        }
        lines.push(HelpLine::Head("Marks"));
        lines.extend(MARKS.map(|(glyph, word)| HelpLine::Entry(glyph, word)));
        lines.push(HelpLine::Blank);
        lines.push(HelpLine::Head("Mouse"));
        lines.push(HelpLine::Entry("click, wheel", "go to a row, scroll"));
        lines.push(HelpLine::Entry(
            "Shift-drag",
            "the terminal's own selection",
        ));
        self.fault_lines(&mut lines);
        lines
    }

    fn fault_lines(&self, lines: &mut Vec<HelpLine>) {
        let faults = &self.known.faults;
        if faults.is_empty() {
            return;
        }
        lines.push(HelpLine::Blank);
        lines.push(HelpLine::Head("Not sessions"));
        lines.extend(faults.iter().take(FAULTS).map(|fault| {
            let path = SafeText::path(&fault.path);
            HelpLine::Text(SafeText::line(&format!("{path}: {}", fault.what)))
        }));
        if let Some(more) = faults.len().checked_sub(FAULTS).filter(|more| *more > 0) {
            lines.push(HelpLine::Text(SafeText::line(&format!("and {more} more"))));
        }
    }

    pub(super) fn help_key(&mut self, mut help: Help, key: KeyEvent) -> Screen {
        match keymap::find(keymap::HELP, key) {
            Some(Action::Back) => return *help.back,
            Some(Action::Go(step)) => self.scroll_help(&mut help, step),
            _ => {}
        }
        Screen::Help(help)
    }

    pub(super) fn scroll_help(&self, help: &mut Help, step: Step) {
        let page = usize::from(self.layout.inside().height);
        let len = self.help_lines().len();
        help.top = step.from(help.top, len, page).min(len.saturating_sub(page));
    }
}

/// The marks and their words.
pub(crate) const MARKS: [(&str, &str); 6] = [
    ("●", "open in a process"),
    ("?", "perhaps open: locked, but nobody can be named"),
    ("◆", "old, but an ancestor of one that stays"),
    ("✂", "a prune at the current cutoff would take it"),
    ("!", "damaged or undated: never pruned"),
    ("✓", "selected"),
];
