//! What is said when there is no row to show, and what to do next.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::format::path;
use super::{Theme, Ui, put, rows};
use crate::app::msg::ScanTrouble;
use crate::app::wrap::wrap;

pub(super) fn draw(ui: &Ui, frame: &mut Frame, area: Rect) {
    let inner = Rect {
        x: area.x + 1,
        width: area.width.saturating_sub(2),
        ..area
    };
    let lines = wrap(&sentence(ui), inner.width.into());
    for (line, area) in lines
        .iter()
        .zip(rows(inner).skip(usize::from(area.height > 4)))
    {
        put(frame, area, line, Theme::PLAIN);
    }
}

fn sentence(ui: &Ui) -> String {
    let model = ui.model;
    let root = path(&model.start.root, model.start.home.as_deref());
    let agent = model.start.agent;
    match &model.known.trouble {
        Some(ScanTrouble::Missing) => {
            return format!(
                "No sessions folder at {root}.\n\
                 {agent} makes it with its first session; sesstree --root DIR looks elsewhere."
            );
        }
        Some(ScanTrouble::Unreadable(why)) => {
            return format!("{root} cannot be read: {why}.\nOnce that is mended, R looks again.");
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
    if !model.query.is_empty() {
        return format!("Nothing matches “{}”.\nEsc clears the filter.", model.query);
    }
    if model.chosen.here.is_some() {
        return "No sessions of this folder.\n. shows those of all folders.".to_owned();
    }
    "Only agents' own runs here.\na shows them.".to_owned()
}
