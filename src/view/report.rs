//! What a prune did.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::format::{bytes, count, width};
use super::name::{self, ancestor_of};
use super::plan::{in_full, two_columns};
use super::{Theme, Ui, after, pane, put, rows};
use crate::app::confirm::{Outcome, Report};
use crate::prune::report::Entry;

pub(super) fn draw(ui: &Ui, frame: &mut Frame, shown: &Report) {
    let area = ui.layout.body;
    frame.render_widget(pane("Report", area.width), area);
    let inside = after(ui.layout.inside(), 1);
    let line = |n| Rect {
        y: inside.y + n,
        height: 1,
        ..inside
    };
    put(frame, line(0), &sums(shown), Theme::STRONG);
    let report = &shown.done;
    let space = format!("freed now: 0 B · in trash: {}", bytes(report.bytes()));
    put(frame, line(1), &(space + &difference(shown)), Theme::PLAIN);
    if let Some((outcome, entry)) = shown.lines(shown.scroll.at, 1).first() {
        let (why, style) = verdict(ui, *outcome, entry);
        let name = name::of(ui, &entry.session_id, &entry.title);
        let (why, end) = match entry.reason.as_str() {
            reason if name.contains(reason) => ("", END + width(&why) + 2),
            _ => (why.as_str(), END),
        };
        in_full(frame, ui.layout.detail(), (&name, why), end, style);
    }
    let items = ui.layout.items();
    let from = shown.scroll.top;
    let lines = shown.lines(from, items.height.into());
    for ((place, (outcome, entry)), area) in (from..).zip(lines).zip(rows(items)) {
        item(
            ui,
            frame,
            area,
            shown,
            (outcome, entry),
            place == shown.scroll.at,
        );
    }
}

fn sums(shown: &Report) -> String {
    let report = &shown.done;
    let parts = [
        ("removed", report.removed.len()),
        ("kept", report.kept.len()),
        ("gone", report.gone.len()),
        ("failed", report.failed.len()),
        ("not reached", report.not_reached.len()),
    ];
    let told = parts
        .iter()
        .filter(|(word, n)| *n > 0 || matches!(*word, "removed" | "kept"));
    let told: Vec<String> = told
        .map(|(word, n)| format!("{} {word}", count(*n)))
        .collect();
    told.join(" · ")
}

fn difference(shown: &Report) -> String {
    match shown.expected() - shown.done.removed.len().min(shown.expected()) {
        0 => String::new(),
        n => format!(" · {} fewer than in the preview (!)", count(n)),
    }
}

/// Columns of a line's end: the size.
const END: usize = 9;

/// What became of a session, and why.
fn verdict(ui: &Ui, outcome: Outcome, entry: &Entry) -> (String, Style) {
    let (word, style) = match outcome {
        Outcome::Failed => ("failed", ui.theme.danger()),
        Outcome::Kept => ("kept", Theme::PLAIN),
        Outcome::Gone => ("gone", Theme::PLAIN),
        Outcome::NotReached => ("not reached", Theme::PLAIN),
        Outcome::Removed => ("removed", Theme::DIM),
    };
    let name = name::of(ui, &entry.session_id, &entry.title);
    let reason = match &entry.ancestor_of {
        Some(id) => ancestor_of(ui, id),
        None => entry.reason.clone(),
    };
    let why = match (outcome, reason.as_str()) {
        (Outcome::Removed, _) | (_, "") => word.to_owned(),
        // What is damaged says so in its name already.
        (_, reason) if name.contains(reason) => word.to_owned(),
        (_, reason) if reason.contains(word) => reason.to_owned(),
        (_, reason) => format!("{word}: {reason}"),
    };
    (why, style)
}

fn item(ui: &Ui, frame: &mut Frame, area: Rect, shown: &Report, line: (Outcome, &Entry), at: bool) {
    let (outcome, entry) = line;
    let (why, style) = verdict(ui, outcome, entry);
    let glyph = if shown.differs(entry, outcome) {
        "!"
    } else {
        " "
    };
    let name = name::of(ui, &entry.session_id, &entry.title);
    let end = format!(" {}", super::format::right(&bytes(entry.bytes), 8));
    let text = two_columns(glyph, &name, &why, usize::from(area.width), &end);
    let style = if at {
        style.patch(Theme::CURSOR)
    } else {
        style
    };
    let bar = if at { "▌" } else { " " };
    put(frame, area, &format!("{bar}{text}"), style);
}
