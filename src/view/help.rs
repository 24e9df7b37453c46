//! The keys, the marks, and what is no session.

use ratatui::Frame;

use super::format::left;
use super::{Theme, Ui, after, pane, put, rows};
use crate::app::help::{Help, HelpLine, KEYS};

pub(super) fn draw(ui: &Ui, frame: &mut Frame, help: &Help) {
    let area = ui.layout.body;
    frame.render_widget(pane("Help", area.width), area);
    let inside = after(ui.layout.inside(), 1);
    let lines = ui.model.help_lines();
    for (line, area) in lines.iter().skip(help.top).zip(rows(inside)) {
        match line {
            HelpLine::Blank => {}
            HelpLine::Head(text) => put(frame, area, text, Theme::STRONG),
            HelpLine::Text(text) => put(frame, after(area, 2), text.as_str(), Theme::PLAIN),
            HelpLine::Entry(keys, text) => {
                put(frame, after(area, 2), &left(keys, KEYS), ui.theme.accent());
                put(frame, after(area, 2 + KEYS), text, Theme::PLAIN);
            }
        }
    }
}
