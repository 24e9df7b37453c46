//! The keys of this screen, or what there is to say.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::format::width;
use super::{Ui, after, popup, put};
use crate::app::Screen;
use crate::app::keymap::{self, Binding, Hint};
use crate::app::known::Mark;

pub(super) fn draw(ui: &Ui, frame: &mut Frame) {
    let area = after(ui.layout.hints, 1);
    if let Some(note) = &ui.model.note {
        return put(frame, area, note.as_str(), ui.theme.warn());
    }
    let hints = fitting(table(&ui.model.screen), area.width.into());
    let used: usize = hints.iter().map(|hint| room(hint)).sum();
    popup::draw_keys(ui, frame, area, &words(&hints));
    if let Screen::Tree = ui.model.screen {
        legend(ui, frame, after(area, used));
    }
}

fn table(screen: &Screen) -> &'static [Binding] {
    match screen {
        Screen::Tree => keymap::TREE,
        Screen::Filter(_) => keymap::FILTER,
        Screen::Reader(_) => keymap::READER,
        Screen::Preview(_) => keymap::PREVIEW,
        Screen::Report(_) => keymap::REPORT,
        Screen::Trash(_) => keymap::TRASH,
        Screen::Help(_) => keymap::HELP,
        // Their keys are in the box.
        Screen::Cutoff(_)
        | Screen::Checking(_)
        | Screen::Confirm(_)
        | Screen::Pruning(_)
        | Screen::Restoring(_)
        | Screen::Prompt(_)
        | Screen::Boxed(_) => &[],
    }
}

/// The keys of a table and their words, for a box.
pub(super) fn keys(table: &'static [Binding]) -> Vec<(String, String)> {
    words(&fitting(table, usize::MAX))
}

fn words(hints: &[Hint]) -> Vec<(String, String)> {
    let words = hints.iter();
    words
        .map(|hint| (hint.key.to_owned(), hint.word.to_owned()))
        .collect()
}

fn room(hint: &Hint) -> usize {
    width(hint.key) + 1 + width(hint.word) + 2
}

/// The hints that fit, the most needed first, in the order of the table.
fn fitting(table: &'static [Binding], columns: usize) -> Vec<Hint> {
    let mut hints: Vec<Hint> = table.iter().filter_map(|binding| binding.hint).collect();
    while hints.iter().map(room).sum::<usize>() > columns.saturating_add(2)
        && let Some(least) = hints.iter().map(|hint| hint.rank).max()
    {
        hints.retain(|hint| hint.rank != least);
    }
    hints
}

/// What the marks mean, as far as there is room.
fn legend(ui: &Ui, frame: &mut Frame, area: Rect) {
    let goes = ui.model.known.cutoff;
    let goes = goes.map(|cutoff| (Mark::Goes, format!("✂ a {cutoff} prune would take it")));
    let marks = [
        Some((Mark::Open, "● open".to_owned())),
        Some((Mark::Ancestor, "◆ ancestor of one that stays".to_owned())),
        goes,
    ];
    let mut marks: Vec<(Mark, String)> = marks.into_iter().flatten().collect();
    let needed =
        |marks: &[(Mark, String)]| marks.iter().map(|(_, text)| width(text) + 2).sum::<usize>();
    while needed(&marks) > area.width.into() && !marks.is_empty() {
        marks.remove(0);
    }
    let mut at = after(area, usize::from(area.width).saturating_sub(needed(&marks)));
    for (mark, text) in &marks {
        put(frame, at, text, ui.theme.mark(*mark));
        at = after(at, width(text) + 2);
    }
}
