//! What is said when there is no row to show, and what to do next.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::format::{count, cut, path};
use super::{Theme, Ui, put, rows};
use crate::app::Screen;
use crate::app::msg::ScanTrouble;
use crate::app::wrap::wrap;
use crate::text::SafeText;

pub(super) fn draw(ui: &Ui, frame: &mut Frame, area: Rect) {
    let inner = Rect {
        x: area.x + 1,
        width: area.width.saturating_sub(2),
        ..area
    };
    let lines = wrap(&sentence(ui, inner.width.into()), inner.width.into());
    for (line, area) in lines
        .iter()
        .zip(rows(inner).skip(usize::from(area.height > 5)))
    {
        put(frame, area, line, Theme::PLAIN);
    }
}

/// Why there is no list, and what to do next; `None`: there is one.
pub(super) fn not_listed(ui: &Ui) -> Option<String> {
    let start = &ui.model.start;
    let (agent, root) = (start.agent, path(&start.root, start.home.as_deref()));
    let why = why_not_listed(ui)?;
    Some(match ui.model.known.trouble {
        Some(ScanTrouble::Missing) => format!(
            "Looked for sessions of {agent} in {root}: {why}.\n\
             sesstree --demo shows invented ones, --root DIR looks elsewhere."
        ),
        _ => format!("{root} cannot be listed: {why}.\nOnce that is mended, R reloads."),
    })
}

/// Why the store cannot be listed, without its name.
pub(super) fn why_not_listed(ui: &Ui) -> Option<String> {
    let root = SafeText::path(&ui.model.start.root);
    Some(match ui.model.known.trouble.as_ref()? {
        ScanTrouble::Missing => "there is no such folder".to_owned(),
        ScanTrouble::Unreadable(why) => {
            let named = format!("cannot list {root}: ");
            let why = why.as_str();
            why.strip_prefix(&named).unwrap_or(why).to_owned()
        }
    })
}

fn sentence(ui: &Ui, columns: usize) -> String {
    let model = ui.model;
    let root = path(&model.start.root, model.start.home.as_deref());
    let agent = model.start.agent;
    if let Some(sentence) = not_listed(ui) {
        return sentence;
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
