//! Asking how old.

use ratatui::Frame;

use super::format::{bytes, count};
use super::popup::{self, Part};
use super::{Theme, Ui, hints};
use crate::app::keymap::CUTOFF;
use crate::app::prune::Cutoff;

pub(super) fn draw(ui: &Ui, frame: &mut Frame, cutoff: &Cutoff) {
    let mut parts = Vec::new();
    if let Some(wrong) = &cutoff.setting {
        parts.push(Part::Text(wrong.to_string(), ui.theme.danger()));
        parts.push(Part::Gap);
    }
    parts.push(Part::Input("not active for", &cutoff.input));
    parts.push(Part::Aside(
        "type an age (45d, 2w, 720h) ·\u{a0}↑\u{a0}longer\u{a0}↓\u{a0}shorter".to_owned(),
        Theme::DIM,
    ));
    parts.push(match &cutoff.age {
        Ok(_) => Part::Text(would(ui, cutoff), Theme::PLAIN),
        Err(e) if cutoff.input.value().is_empty() => {
            Part::Text(format!("{e}: an age like 30d"), ui.theme.warn())
        }
        Err(e) => Part::Text(e.to_string(), ui.theme.warn()),
    });
    parts.push(Part::Text(scope(ui), Theme::DIM));
    if ui.model.known.scanning() {
        let waits = "prune starts when the scan is done";
        parts.push(Part::Text(waits.to_owned(), ui.theme.warn()));
    }
    parts.push(Part::Gap);
    parts.push(Part::Keys(hints::keys(CUTOFF)));
    popup::draw(ui, frame, "Prune by age", parts);
}

fn would(ui: &Ui, cutoff: &Cutoff) -> String {
    let (going, sum) = cutoff.going;
    let all = ui.model.known.lineage.len();
    format!(
        "would remove about {} of {} · {}",
        count(going),
        count(all),
        bytes(sum)
    )
}

/// A prune covers the whole store; that has to be said while less of it is shown.
fn scope(ui: &Ui) -> String {
    let all = ui.model.known.lineage.len();
    match ui.model.tree.count {
        shown if shown < all => format!("all {}, not only the {} shown", count(all), count(shown)),
        _ => "the whole store".to_owned(),
    }
}
