//! The question before a batch of the trash is emptied.

use ratatui::Frame;

use super::expired;
use super::format::{bytes, counted, short_day};
use super::popup::{self, Part};
use super::{Theme, Ui};
use crate::app::empty::Empty;

pub(super) fn draw(ui: &Ui, frame: &mut Frame, empty: &Empty) {
    let report = empty.plan.report();
    let mut parts = Vec::new();
    for shelved in empty.plan.going() {
        let batch = &shelved.batch;
        let sessions = counted(batch.sessions.len(), "session");
        let since = expired::since(ui, batch);
        let head = format!("Empty this batch of {sessions}, {since}?");
        parts.push(Part::Text(head, Theme::STRONG));
        parts.push(Part::Aside(expired::titles(&batch.sessions), Theme::PLAIN));
        parts.push(Part::Gap);
        let until = batch.expires_at.filter(|at| *at > ui.model.now);
        if let Some(until) = until.map(|until| short_day(ui.model.now, until)) {
            let text = format!("Without this it can be restored at least until {until}.");
            parts.push(Part::Aside(text, Theme::PLAIN));
        }
    }
    let text = format!("This cannot be undone. It frees {}.", bytes(report.bytes));
    parts.push(Part::Text(text, ui.theme.warn()));
    for warning in report.warnings {
        parts.push(Part::Text(format!("! {warning}"), ui.theme.warn()));
    }
    parts.push(Part::Gap);
    let keys = [("y", "yes, empty it"), ("n Esc Enter", "no")];
    let keys = keys.map(|(key, word)| (key.to_owned(), word.to_owned()));
    parts.push(Part::Keys(keys.into()));
    popup::draw(ui, frame, "Empty", parts);
}
