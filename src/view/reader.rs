//! A conversation, over the whole body.

use ratatui::Frame;
use ratatui::layout::{Alignment, Margin, Rect};
use ratatui::text::Line;

use super::format::{counted, cut, joined, left, short, time, width};
use super::{Theme, Ui, after, name, pane, preview, put, rows};
use crate::app::layout::below;
use crate::app::reader::search::{Search, Wanted, Way};
use crate::app::reader::{Fold, MARGIN, Reader, State};
use crate::lineage::{Lineage, Node};
use crate::session::Session;
use crate::text::{SafeText, Secrets};
use crate::transcript::{Usage, View};

pub(super) fn draw(ui: &Ui, frame: &mut Frame, reader: &Reader) {
    let area = ui.layout.body;
    let lineage = &ui.model.known.lineage;
    let node = lineage.find(&reader.id);
    let mut room = usize::from(area.width);
    let title = match node {
        Some(node) => descent(lineage, node, room.saturating_sub(4)),
        None => name::of(ui, &reader.id, &SafeText::default()),
    };
    let mut block = pane(&title, area.width);
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
    let head = ui.layout.inside().inner(Margin::new(1, 0));
    if let Some(node) = node {
        let session = lineage.get(node);
        let facts = preview::facts(ui, node, session);
        let facts: Vec<String> = facts.into_iter().map(|(text, _)| text).collect();
        put(frame, head, &facts.join(" · "), Theme::DIM);
        let course = joined(course(session, reader), head.width.into());
        put(frame, below(head, 1), &course, Theme::DIM);
    }
    text(ui, frame, reader);
}

/// Where a session comes from: `root › … › parent › this`, with as much of it as there is room for.
fn descent(lineage: &Lineage, node: Node, columns: usize) -> String {
    const BETWEEN: &str = " › ";
    let own = name::name(lineage.get(node));
    let called = |node| cut(&name::name(lineage.get(node)), columns / 3);
    let above: Vec<Node> = lineage.ancestors(node).collect();
    let ways = match above.as_slice() {
        [] => return own,
        [parent] => vec![vec![called(*parent)]],
        [parent, root] => vec![
            vec![called(*root), called(*parent)],
            vec![called(*root), "…".to_owned()],
        ],
        [parent, .., root] => vec![
            vec![called(*root), "…".to_owned(), called(*parent)],
            vec![called(*root), "…".to_owned()],
        ],
    };
    let whole = |mut way: Vec<String>| {
        way.push(own.clone());
        way.join(BETWEEN)
    };
    let fits = |text: &String| width(text) <= columns;
    let way = ways.into_iter().map(whole).find(fits);
    way.unwrap_or_else(|| ["…", &own].join(BETWEEN))
}

/// When it began and was last active, as `2026-11-01 14:03 to 16:20 UTC`; and the tokens it took.
fn course(session: &Session, reader: &Reader) -> [String; 2] {
    let (began, last) = (session.created_at, session.activity_at);
    let times = match (began, last) {
        (Some(began), Some(last)) => {
            format!("{} to {} UTC", time(began, None), time(last, Some(began)))
        }
        (Some(began), None) => format!("began {} UTC", time(began, None)),
        (None, Some(last)) => format!("last active {} UTC", time(last, None)),
        (None, None) => "no times".to_owned(),
    };
    let tokens = match reader.usage {
        Some(Usage {
            input: 0,
            output: 0,
        })
        | None => String::new(),
        Some(Usage { input, output }) => {
            format!("{} tokens in, {} out", short(input), short(output))
        }
    };
    [times, tokens]
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
    let at = reader.lines.get(reader.top).and_then(|line| line.at);
    let mut parts: Vec<String> = at.map(|at| time(at, None)).into_iter().collect();
    parts.push(match (reader.view, reader.fell_back()) {
        (View::Continued, false) => "as the agent would continue it".to_owned(),
        (View::Continued, true) => "every event: its summary cannot be used".to_owned(),
        (View::Raw, _) => "every event".to_owned(),
    });
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
