//! The keys of this screen, or what there is to say.

use ratatui::Frame;

use super::format::width;
use super::{Ui, after, popup, put};
use crate::app::Screen;
use crate::app::keymap::{self, Binding, Hint};
use crate::app::known::Mark;

pub(super) fn draw(ui: &Ui, frame: &mut Frame) {
    let area = ui.layout.hints;
    if let Some(note) = &ui.model.note {
        return put(frame, area, note.as_str(), ui.theme.warn());
    }
    let columns = usize::from(area.width);
    let legend = match ui.model.screen {
        Screen::Tree => legend(ui, columns),
        _ => Vec::new(),
    };
    let hints = fitting(
        table(&ui.model.screen),
        columns.saturating_sub(needed(&legend)),
    );
    popup::draw_keys(ui, frame, area, &words(&hints));
    let mut at = after(area, columns.saturating_sub(needed(&legend)));
    for (mark, text) in &legend {
        put(frame, at, text, ui.theme.mark(*mark));
        at = after(at, width(text) + 2);
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

/// What the marks mean, if that leaves room for the keys that matter most.
fn legend(ui: &Ui, columns: usize) -> Vec<(Mark, String)> {
    let mut marks = vec![
        (Mark::Open, "● open".to_owned()),
        (Mark::Ancestor, "◆ ancestor of one that stays".to_owned()),
    ];
    if let Some(cutoff) = ui.model.known.cutoff {
        marks.push((Mark::Goes, format!("✂ a {cutoff} prune would take it")));
    }
    let most = keymap::TREE.iter().filter_map(|binding| binding.hint);
    let keys: usize = most
        .filter(|hint| hint.rank <= 3)
        .map(|hint| room(&hint))
        .sum();
    if keys + needed(&marks) > columns {
        marks.clear();
    }
    marks
}

fn needed(marks: &[(Mark, String)]) -> usize {
    let columns: usize = marks.iter().map(|(_, text)| width(text) + 2).sum();
    columns.saturating_sub(2)
}
