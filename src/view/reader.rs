//! A conversation, over the whole body.

use ratatui::Frame;
use ratatui::layout::{Alignment, Rect};
use ratatui::text::Line;

use super::format::{counted, cut, left, width};
use super::{Theme, Ui, after, name, pane, preview, put, rows};
use crate::app::reader::search::{Search, Wanted, Way};
use crate::app::reader::{Fold, MARGIN, Reader, State};
use crate::text::{SafeText, Secrets};
use crate::transcript::View;

pub(super) fn draw(ui: &Ui, frame: &mut Frame, reader: &Reader) {
    let area = ui.layout.body;
    let lineage = &ui.model.known.lineage;
    let node = lineage.find(&reader.id);
    let name = name::of(ui, &reader.id, &SafeText::default());
    let mut room = usize::from(area.width);
    let mut block = pane(&name, area.width);
    if reader.secrets == Secrets::Shown {
        let shown = format!(
            " {} ",
            cut("secrets shown: x hides them", room.saturating_sub(4))
        );
        room = room.saturating_sub(width(&shown) + 1);
        block = block.title_bottom(Line::styled(shown, ui.theme.warn()));
    }
    let foot = Line::styled(foot(reader, room), Theme::DIM);
    let block = block.title_bottom(foot.alignment(Alignment::Right));
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
    let room = columns.saturating_sub(4);
    let needle = reader.needle.as_ref().map_or("", |needle| &needle.text);
    let what = |way, wanted| match (way, wanted) {
        (Way::Earlier, Wanted::User) => "earlier message of yours".to_owned(),
        (Way::Later, Wanted::User) => "later message of yours".to_owned(),
        (Way::Earlier, Wanted::Needle) => format!("earlier “{needle}”"),
        (Way::Later, Wanted::Needle) => format!("later “{needle}”"),
    };
    let search = match reader.search {
        Search::Looking(way, wanted, _) => {
            let article = if way == Way::Earlier { "an" } else { "a" };
            let what = what(way, wanted);
            Some(format!(
                "looking for {article} {what} … any other key stops"
            ))
        }
        Search::Nothing(way, wanted) => Some(format!("no {}", what(way, wanted))),
        Search::Idle | Search::Found(..) => None,
    };
    if let Some(search) = search {
        return format!(" {} ", cut(&search, room));
    }
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
    let foldable = reader.foldable();
    let lines = reader.lines.iter().enumerate().skip(reader.top);
    for ((at, line), area) in lines.zip(rows(area)) {
        let role = if line.part == 0 { line.role.word() } else { "" };
        put(
            frame,
            area,
            &left(role, MARGIN.into()),
            ui.theme.role(line.role),
        );
        let area = after(area, MARGIN.into());
        put(frame, area, &line.text, ui.theme.body(line.role));
        if let Some(needle) = &reader.needle {
            for place in needle.places(&line.text) {
                let found = after(area, width(&line.text[..place.start]));
                put(frame, found, &line.text[place], ui.theme.found());
            }
        }
        let style = if foldable == Some(at) {
            ui.theme.accent()
        } else {
            Theme::DIM
        };
        if let Some((mark, more)) = folded(line.fold) {
            let mark_at = Rect {
                x: area.x.saturating_sub(2),
                width: 1,
                ..area
            };
            put(frame, mark_at, mark, style);
            let room = usize::from(area.width).saturating_sub(width(&more));
            put(
                frame,
                after(area, width(&line.text).min(room)),
                &more,
                Theme::DIM,
            );
        }
    }
}

/// The sign of something folded, and how much that is.
fn folded(fold: Fold) -> Option<(&'static str, String)> {
    match fold {
        Fold::None => None,
        Fold::Open => Some(("▾", String::new())),
        Fold::Closed(lines) => Some(("▸", format!("  … {}", counted(lines, "more line")))),
    }
}
