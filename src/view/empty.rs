//! The question before a batch of the trash is emptied.

use ratatui::Frame;

use super::boxes::{TITLE, named};
use super::expired;
use super::format::{bytes, counted, cut, short_day};
use super::popup::{self, Part};
use super::{Theme, Ui};
use crate::app::empty::Empty;
use crate::prune::report::Trashed;

pub(super) fn draw(ui: &Ui, frame: &mut Frame, empty: &Empty) {
    let report = empty.plan.report();
    let mut parts = Vec::new();
    for shelved in empty.plan.going() {
        let batch = &shelved.batch;
        let sessions = counted(batch.sessions.len(), "session");
        let since = expired::since(ui, batch);
        let head = format!("Empty this batch of {sessions}, {since}?");
        parts.push(Part::Text(head, Theme::STRONG));
        let titles = batch.sessions.iter().map(called);
        parts.push(Part::Aside(named(titles), Theme::PLAIN));
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

fn called(session: &Trashed) -> String {
    let name = if session.title.is_empty() {
        session.id.as_str()
    } else {
        session.title.as_str()
    };
    cut(name, TITLE)
}
