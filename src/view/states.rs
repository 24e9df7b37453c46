//! What is said when there is no row to show, and what to do next.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::format::{count, cut, path};
use super::{Theme, Ui, put, rows};
use crate::app::Screen;
use crate::app::msg::ScanTrouble;
use crate::app::wrap::wrap;

pub(super) fn draw(ui: &Ui, frame: &mut Frame, area: Rect) {
    let inner = Rect {
        x: area.x + 1,
        width: area.width.saturating_sub(2),
        ..area
    };
    let lines = wrap(&sentence(ui, inner.width.into()), inner.width.into());
    for (line, area) in lines
        .iter()
        .zip(rows(inner).skip(usize::from(area.height > 4)))
    {
        put(frame, area, line, Theme::PLAIN);
    }
}

fn sentence(ui: &Ui, columns: usize) -> String {
    let model = ui.model;
    let root = path(&model.start.root, model.start.home.as_deref());
    let agent = model.start.agent;
    match &model.known.trouble {
        Some(ScanTrouble::Missing) => {
            return format!(
                "No sessions folder at {root}.\n\
                 {agent} makes it with its first session; sesstree --root DIR looks elsewhere.\n\
                 sesstree --demo shows it on invented sessions."
            );
        }
        Some(ScanTrouble::Unreadable(why)) => {
            return format!("{root} cannot be read: {why}.\nOnce that is mended, R reloads.");
        }
        None => {}
    }
    if model.known.lineage.is_empty() {
        return if model.known.scanning() {
            format!("Looking for sessions in {root} …")
        } else {
            format!("No sessions in {root} yet.\nStart {agent}, and they appear here.")
        };
    }
    let runs = model.tree.runs_hidden;
    let a = match &model.screen {
        Screen::Filter(_) => "Enter, then a",
        _ => "a",
    };
    if !model.query.is_empty() {
        // What was typed has a line to itself above; here a part of it is enough.
        let query = cut(&model.query, columns.saturating_sub(19).max(8));
        let found = match runs {
            0 => String::new(),
            1 => format!("\n1 agent run matches: {a} shows it."),
            n => format!("\n{} agent runs match: {a} shows them.", count(n)),
        };
        return format!("Nothing matches “{query}”.{found}\nEsc clears the filter.");
    }
    match (&model.chosen.here, runs) {
        (Some(_), 0) => "No sessions of this folder.\n. shows those of all folders.".to_owned(),
        (Some(_), _) => {
            "Only agents' own runs in this folder.\na shows them; . shows all folders.".to_owned()
        }
        (None, _) => "Only agents' own runs here.\na shows them.".to_owned(),
    }
}
