//! The question before anything is removed.

use ratatui::Frame;

use super::expired;
use super::format::{bytes, count, counted, day, short_day};
use super::popup::{self, Part};
use super::{Theme, Ui};
use crate::app::confirm::{Answer, Confirm, Way};
use crate::app::plan::{Preview, Tally};
use crate::prune::policy::GRACE;
use crate::prune::warning::Warning;
use crate::session::Refusal;

/// Rows from which on warnings are told in full.
const ROOMY: u16 = 24;
/// Rows below which only the first is.
const TIGHT: u16 = 12;

pub(super) fn draw(ui: &Ui, frame: &mut Frame, confirm: &Confirm) {
    let tally = confirm.preview.tally;
    let mut parts = match (&confirm.way, tally.removed) {
        (_, 0) => emptying(ui, &confirm.preview),
        (Way::Delete, _) => deleting(ui, &confirm.preview),
        (Way::Trash | Way::Asking(_) | Way::Refused(_), _) => moving(ui, &confirm.preview),
    };
    let said: Vec<Part> = warnings(ui, confirm)
        .into_iter()
        .chain(way(ui, &confirm.way))
        .collect();
    if !said.is_empty() || matches!(confirm.answer, Answer::Word(..)) {
        parts.push(Part::Gap);
    }
    parts.extend(said);
    let yes = match (&confirm.way, tally.removed) {
        (_, 0) => "yes, empty",
        (Way::Delete, _) => "yes, delete",
        _ => "yes, move",
    };
    let mut keys = match &confirm.answer {
        _ if matches!(confirm.way, Way::Asking(_)) => vec![("Esc", "no")],
        Answer::Key => vec![("y", yes), ("n Esc Enter", "no")],
        Answer::Word(most, input) => {
            parts.push(Part::Text(most.question(count), ui.theme.warn()));
            parts.push(Part::Input(">", input));
            vec![("Enter", "if the word is typed"), ("Esc", "no")]
        }
    };
    match (&confirm.way, tally.removed) {
        (_, 0) => {}
        (Way::Delete | Way::Asking(_), _) => keys.push(("D", "to the trash instead")),
        _ => keys.push(("D", "delete now instead")),
    }
    parts.push(Part::Gap);
    let keys = keys.into_iter();
    let keys = keys.map(|(key, word)| (key.to_owned(), word.to_owned()));
    parts.push(Part::Keys(keys.collect()));
    popup::draw(ui, frame, "Prune", parts);
}

fn batches(tally: Tally) -> String {
    match tally.emptied {
        1 => "1 expired batch".to_owned(),
        n => format!("{} expired batches", count(n)),
    }
}

/// What is in the batches that are emptied.
fn in_trash(preview: &Preview) -> String {
    let going = preview.plan.trash().going();
    expired::titles(going.flat_map(|shelved| &shelved.batch.sessions))
}

/// From when to when the sessions were active, and what goes besides.
fn besides<'a>(preview: &Preview) -> Vec<Part<'a>> {
    let tally = preview.tally;
    let mut parts = vec![Part::Aside(
        format!("last active {} to {}", day(tally.oldest), day(tally.newest)),
        Theme::PLAIN,
    )];
    if tally.emptied > 0 {
        let text = format!(
            "And empties {} ({}), for good.",
            batches(tally),
            bytes(tally.freed)
        );
        parts.push(Part::Text(text, Theme::STRONG));
        parts.push(Part::Aside(in_trash(preview), Theme::PLAIN));
    }
    parts.push(Part::Gap);
    parts
}

fn moving<'a>(ui: &Ui, preview: &Preview) -> Vec<Part<'a>> {
    let tally = preview.tally;
    let sessions = counted(tally.removed, "session");
    let until = short_day(ui.model.now, ui.model.now + GRACE);
    let head = format!("Move {sessions}, {}, to the trash?", bytes(tally.bytes));
    let mut parts = vec![Part::Text(head, Theme::STRONG)];
    parts.extend(besides(preview));
    parts.push(Part::Aside(
        format!("Can be undone until {until}: u, or sesstree trash restore."),
        Theme::PLAIN,
    ));
    parts.push(Part::Aside(
        "The first prune by age after that frees their space.".to_owned(),
        Theme::PLAIN,
    ));
    parts
}

fn deleting<'a>(ui: &Ui, preview: &Preview) -> Vec<Part<'a>> {
    let tally = preview.tally;
    let sessions = counted(tally.removed, "session");
    let head = format!(
        "Delete {sessions}, {}, now and for good?",
        bytes(tally.bytes)
    );
    let mut parts = vec![Part::Text(head, ui.theme.danger())];
    parts.extend(besides(preview));
    let freed = bytes(tally.bytes + tally.freed);
    parts.push(Part::Text(
        format!("This cannot be undone. It frees {freed} now."),
        ui.theme.warn(),
    ));
    parts
}

fn emptying<'a>(ui: &Ui, preview: &Preview) -> Vec<Part<'a>> {
    let tally = preview.tally;
    vec![
        Part::Text(
            format!("Empty {} of the trash?", batches(tally)),
            Theme::STRONG,
        ),
        Part::Aside(in_trash(preview), Theme::PLAIN),
        Part::Aside(
            "No session outside the trash goes.".to_owned(),
            Theme::PLAIN,
        ),
        Part::Gap,
        Part::Text(
            format!(
                "This cannot be undone. It frees {} now.",
                bytes(tally.freed)
            ),
            ui.theme.warn(),
        ),
    ]
}

fn warnings<'a>(ui: &Ui, confirm: &Confirm) -> Option<Part<'a>> {
    let warnings: Vec<Warning> = confirm.preview.plan.warnings().collect();
    let height = ui.layout.area.height;
    let told = warnings.iter().map(|warning| {
        if height >= ROOMY {
            format!("! {warning}")
        } else {
            format!("! {}", warning.brief())
        }
    });
    let mut told: Vec<String> = told.collect();
    if height < TIGHT && told.len() > 1 {
        let more = told.len() - 1;
        told.truncate(1);
        told.push(format!("! and {}", counted(more, "more warning")));
    }
    let text = told.join("\n");
    (!text.is_empty()).then(|| Part::Text(text, ui.theme.warn()))
}

/// What is to be said of deleting at once.
fn way<'a>(ui: &Ui, way: &Way) -> Option<Part<'a>> {
    let text = match way {
        Way::Trash | Way::Delete => return None,
        Way::Asking(_) => "asking whether it can be deleted now …".to_owned(),
        Way::Refused(why @ (Refusal::Unseen(_) | Refusal::AllUnseen)) => why.to_string(),
        Way::Refused(why) => format!("it cannot be deleted now: {why}"),
    };
    Some(Part::Text(text, ui.theme.warn()))
}
