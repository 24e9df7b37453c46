//! A conversation, over the whole body.

use ratatui::Frame;
use ratatui::layout::Alignment;
use ratatui::text::Line;

use super::format::{counted, cut, left, width};
use super::{Theme, Ui, after, name, pane, preview, put, rows};
use crate::app::reader::{MARGIN, Reader, State};
use crate::text::SafeText;
use crate::transcript::View;

pub(super) fn draw(ui: &Ui, frame: &mut Frame, reader: &Reader) {
    let area = ui.layout.body;
    let lineage = &ui.model.known.lineage;
    let node = lineage.find(&reader.id);
    let name = name::of(ui, &reader.id, &SafeText::default());
    let block = pane(&name, area.width).title_bottom(
        Line::styled(foot(reader, area.width.into()), Theme::DIM).alignment(Alignment::Right),
    );
    frame.render_widget(block, area);
    let head = ui.layout.inside();
    if let Some(node) = node {
        let facts = preview::facts(ui, node, lineage.get(node));
        let facts: Vec<String> = facts.into_iter().map(|(text, _)| text).collect();
        put(frame, after(head, 1), &facts.join(" · "), Theme::DIM);
    }
    text(ui, frame, reader);
}

fn foot(reader: &Reader, columns: usize) -> String {
    let mut parts = vec![match (reader.view, reader.fell_back()) {
        (View::Continued, false) => "as the agent would continue it".to_owned(),
        (View::Continued, true) => "every event: its summary cannot be used".to_owned(),
        (View::Raw, _) => "every event".to_owned(),
    }];
    match reader.unreadable() {
        0 => {}
        n => parts.push(counted(n, "unreadable line")),
    }
    if let Some(percent) = reader.percent() {
        parts.push(format!("{percent} %"));
    }
    // What is at the end of the line changes most.
    let room = columns.saturating_sub(4);
    while parts.len() > 1 && width(&parts.join(" · ")) > room {
        parts.remove(0);
    }
    format!(" {} ", cut(&parts.join(" · "), room))
}

fn text(ui: &Ui, frame: &mut Frame, reader: &Reader) {
    let area = ui.layout.text();
    let said = match &reader.state {
        State::Loading => Some("reading …".to_owned()),
        State::Missing(why) => Some(format!("no transcript: {why}")),
        State::Shown if reader.lines.is_empty() => Some("no transcript".to_owned()),
        State::Shown => None,
    };
    if let Some(said) = said {
        return put(frame, area, &said, Theme::DIM);
    }
    for (line, area) in reader.lines.iter().skip(reader.top).zip(rows(area)) {
        let role = if line.part == 0 { line.role.word() } else { "" };
        put(
            frame,
            area,
            &left(role, MARGIN.into()),
            ui.theme.role(line.role),
        );
        put(
            frame,
            after(area, MARGIN.into()),
            &line.text,
            ui.theme.body(line.role),
        );
    }
}
