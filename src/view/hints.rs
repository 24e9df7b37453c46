//! The keys of this screen, or what there is to say.

use ratatui::Frame;
use ratatui::style::Style;

use super::format::{count, cut, width};
use super::{Theme, Ui, after, popup, put};
use crate::app::Screen;
use crate::app::keymap::{self, Action, Binding, Hint};
use crate::app::known::Mark;
use crate::app::plan::{Section, TrashPart};

pub(super) fn draw(ui: &Ui, frame: &mut Frame) {
    let area = ui.layout.hints;
    if let Some(note) = &ui.model.note {
        return put(frame, area, note.as_str(), ui.theme.warn());
    }
    if let Some((text, style)) = about_filter(ui) {
        return put(frame, area, &cut(&text, area.width.into()), style);
    }
    if let Screen::Reader(reader) = &ui.model.screen
        && let Some(typed) = &reader.typing
    {
        put(frame, area, " / ", ui.theme.accent());
        return popup::input(frame, after(area, 3), typed);
    }
    let columns = usize::from(area.width);
    let legend = match ui.model.screen {
        Screen::Tree if !ui.model.tree.rows.is_empty() => legend(ui, columns),
        _ => Vec::new(),
    };
    let taken = match needed(&legend) {
        0 => 0,
        legend => legend + 2,
    };
    let first = first(ui);
    let told: usize = first
        .iter()
        .map(|(key, word)| width(key) + width(word) + 3)
        .sum();
    let mut hints: Vec<Hint> = hints(table(&ui.model.screen))
        .filter(|(_, action)| works(ui, *action))
        .map(|(hint, action)| Hint {
            word: instead(ui, action).unwrap_or(hint.word),
            ..hint
        })
        .collect();
    fit(&mut hints, columns.saturating_sub(taken + told));
    let all: Vec<(String, String)> = first.into_iter().chain(words(&hints)).collect();
    popup::draw_keys(ui, frame, area, &all);
    let mut at = after(area, columns.saturating_sub(needed(&legend)));
    for (mark, text) in &legend {
        put(frame, at, text, ui.theme.mark(*mark));
        at = after(at, width(text) + 2);
    }
}

/// What is wrong with what is typed as a filter, or how it may go on.
fn about_filter(ui: &Ui) -> Option<(String, Style)> {
    let Screen::Filter(_) = ui.model.screen else {
        return None;
    };
    let completion = &ui.model.completion;
    let filter = ui.model.chosen.hits.as_ref().map(|hits| &hits.filter);
    if !completion.choices.is_empty() {
        let choices = format!(" Tab  {}", completion.choices.join("  "));
        return Some((choices, ui.theme.accent()));
    }
    if let Some(mistake) = filter.and_then(|filter| filter.mistakes().last()) {
        let what = format!(" {}: expected {}", mistake.term, mistake.expected);
        return Some((what, ui.theme.warn()));
    }
    let expected = Some(completion.expected).filter(|_| completion.text.is_none())?;
    (!expected.is_empty()).then(|| (format!(" {expected}"), Theme::DIM))
}

fn table(screen: &Screen) -> &'static [Binding] {
    match screen {
        Screen::Tree => keymap::TREE,
        Screen::Filter(_) => keymap::FILTER,
        Screen::Reader(_) => keymap::READER,
        Screen::Search(search) if search.typing => keymap::SEARCH,
        Screen::Search(_) => keymap::FOUND,
        Screen::Preview(_) => keymap::PREVIEW,
        Screen::Report(_) => keymap::REPORT,
        Screen::Trash(_) => keymap::TRASH,
        Screen::Help(_) => keymap::HELP,
        // Their keys are in the box.
        Screen::Cutoff(_)
        | Screen::Checking(_)
        | Screen::Confirm(_)
        | Screen::Pruning(_)
        | Screen::Empty(_)
        | Screen::Working(_)
        | Screen::Prompt(_)
        | Screen::Export(_)
        | Screen::Rename(_)
        | Screen::Boxed(_) => &[],
    }
}

/// The keys of a table and their words, for a box.
pub(super) fn keys(table: &'static [Binding]) -> Vec<(String, String)> {
    let hints: Vec<Hint> = hints(table).map(|(hint, _)| hint).collect();
    words(&hints)
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

fn hints(table: &'static [Binding]) -> impl Iterator<Item = (Hint, Action)> {
    table
        .iter()
        .filter_map(|binding| Some((binding.hint?, binding.action)))
}

/// Leaves out whole hints, the least needed first, until the rest fits.
fn fit(hints: &mut Vec<Hint>, columns: usize) {
    while hints.iter().map(room).sum::<usize>() > columns.saturating_add(2)
        && let Some(least) = hints.iter().map(|hint| hint.rank).max()
    {
        hints.retain(|hint| hint.rank != least);
    }
}

/// What comes first while something is selected, however narrow the screen.
fn first(ui: &Ui) -> Vec<(String, String)> {
    let model = ui.model;
    if !matches!(model.screen, Screen::Tree) || model.selected.is_empty() {
        return Vec::new();
    }
    let prune = format!("prune {} selected", count(model.selected.len()));
    let clear = if model.query.is_empty() {
        "clear"
    } else {
        "clear filter"
    };
    let keys = [("d", prune), ("Esc", clear.to_owned())];
    keys.map(|(key, word)| (key.to_owned(), word)).to_vec()
}

/// A word that says better than the table's what a key does just here.
fn instead(ui: &Ui, action: Action) -> Option<&'static str> {
    match (&ui.model.screen, action) {
        (Screen::Preview(preview), Action::TakeOut) if preview.section == Section::Trash => {
            Some(match preview.trash {
                TrashPart::Goes => "keep all of it",
                TrashPart::TakenOut => "empty it after all",
            })
        }
        _ => None,
    }
}

/// Whether a key does something now that is not told already.
fn works(ui: &Ui, action: Action) -> bool {
    let model = ui.model;
    match (&model.screen, action) {
        (
            Screen::Tree,
            Action::Resume | Action::Fork | Action::Reader | Action::Select | Action::PruneThese,
        ) if model.tree.rows.is_empty() => false,
        (Screen::Tree, Action::Filter | Action::Prune) => !model.known.lineage.is_empty(),
        (Screen::Tree, Action::PruneThese) => model.selected.is_empty(),
        (Screen::Preview(preview), Action::Confirm) => preview.does_something(),
        (Screen::Preview(preview), Action::Warnings) => preview.plan.warnings().next().is_some(),
        (Screen::Preview(preview), Action::Enter) => preview.current().is_some(),
        (Screen::Preview(preview), Action::TakeOut) => match preview.section {
            Section::Removed => preview.current().is_some(),
            Section::Trash => preview.plan.trash().going().next().is_some(),
            Section::Kept | Section::Unchecked => false,
        },
        (Screen::Trash(_), Action::Enter | Action::PreviousSection | Action::Empty) => {
            !model.batches().is_empty()
        }
        (Screen::Report(report), Action::Undo) => report.done.batch.is_some(),
        _ => true,
    }
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
    if !ui.model.selected.is_empty() || keys + needed(&marks) > columns {
        marks.clear();
    }
    marks
}

fn needed(marks: &[(Mark, String)]) -> usize {
    let columns: usize = marks.iter().map(|(_, text)| width(text) + 2).sum();
    columns.saturating_sub(2)
}
