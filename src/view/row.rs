//! One session of the list.
//!
//! ```text
//! ▌✓ ╰─✂ title                    fork  project       61d·9d  38 MiB
//! │││││└ mark                     kind                its own age, the newest that has no row
//! ││└┴┴─ place in the tree
//! │└ selected
//! └ cursor
//! ```

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation as _;

use super::format::{age, count, cut, known_bytes, left, right, sum, width};
use super::name::{name, project};
use super::{Theme, Ui, put, theme};
use crate::app::known::Mark;
use crate::app::tree::{Fold, LEVELS, Row};
use crate::filter::Finder;
use crate::session::{Condition, Session};

const AGE: usize = 9;
const SIZE: usize = 8;
/// The least that a title gets, and what the deepest place in the tree takes.
const TITLE: usize = 20 + 5 + 2 * LEVELS as usize;

/// How the width is shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// From the cursor to the end of the title.
    title: usize,
    project: Option<usize>,
    size: Option<usize>,
}

impl Columns {
    pub(super) fn of(ui: &Ui) -> Self {
        let columns = usize::from(ui.layout.rows.width);
        let screen = ui.layout.area.width;
        let size = (screen >= 50).then_some(SIZE);
        let rest = columns.saturating_sub(1 + AGE + size.map_or(0, |size| size + 1));
        let spare = rest.saturating_sub(TITLE + 1);
        let project = Some(spare.min((columns / 6).max(8))).filter(|p| screen >= 70 && *p >= 7);
        Self {
            title: rest.saturating_sub(project.map_or(0, |project| project + 1)),
            project,
            size,
        }
    }

    /// The line above the rows.
    pub(super) fn names(&self) -> String {
        self.line(&left("     TITLE", self.title), "PROJECT", "AGE", "SIZE")
    }

    fn line(&self, title: &str, project: &str, age: &str, size: &str) -> String {
        let mut line = title.to_owned();
        if let Some(columns) = self.project {
            line = line + " " + &left(project, columns);
        }
        line = line + " " + &right(age, AGE);
        if let Some(columns) = self.size {
            line = line + " " + &right(size, columns);
        }
        line
    }
}

pub(super) fn draw(ui: &Ui, frame: &mut Frame, area: Rect, columns: &Columns, row: Row, at: bool) {
    let session = ui.model.known.lineage.get(row.node);
    let mark = mark(ui, row, session);
    let base = style(row, mark);
    let lead = lead(ui, row, session, at);
    let room = columns.title.saturating_sub(width(&lead) + 2);
    let title = title(ui, row, session, room);
    let line = columns.line(
        &left(
            &format!("{lead}{} {title}", theme::glyph(mark)),
            columns.title,
        ),
        &project(ui, session),
        &ages(ui, row, session),
        &size(ui, row, session),
    );
    let cursor = if at { Theme::CURSOR } else { Style::new() };
    put(
        frame,
        area,
        &left(&line, area.width.into()),
        base.patch(cursor),
    );
    let x = area.x + u16::try_from(width(&lead)).unwrap_or(0);
    if x < area.right() {
        let mark_style = ui.theme.mark(mark).patch(cursor);
        frame.buffer_mut()[(x, area.y)].set_style(mark_style);
    }
}

/// Marks the letters that the filter found in a row that is drawn.
pub(super) fn mark_letters(
    ui: &Ui,
    frame: &mut Frame,
    area: Rect,
    columns: &Columns,
    row: Row,
    finder: &mut Finder,
) {
    if row.dim {
        return;
    }
    let session = ui.model.known.lineage.get(row.node);
    let lead = width(&lead(ui, row, session, false)) + 2 + width(&deep(row));
    let title = (session.name(), lead);
    let project = columns
        .project
        .map(|_| (session.project(), columns.title + 1));
    for (text, start) in std::iter::once(title).chain(project) {
        let found = finder.found_in(text);
        let mut x = usize::from(area.x) + start;
        for (at, grapheme) in (0..).zip(text.graphemes(true)) {
            let place = Position::new(u16::try_from(x).unwrap_or(u16::MAX), area.y);
            // From where it is cut on, other things stand there.
            let drawn = frame.buffer_mut().cell_mut(place);
            let Some(cell) = drawn.filter(|cell| cell.symbol() == grapheme) else {
                break;
            };
            if found.binary_search(&at).is_ok() {
                cell.set_style(ui.theme.found());
            }
            x += width(grapheme);
        }
    }
}

fn mark(ui: &Ui, row: Row, session: &Session) -> Mark {
    if ui.model.holds(&session.id) {
        return Mark::Open;
    }
    ui.model.known.mark(row.node)
}

fn style(row: Row, mark: Mark) -> Style {
    if row.dim || mark == Mark::Goes {
        Theme::DIM
    } else if mark == Mark::Open {
        Style::new().add_modifier(Modifier::BOLD)
    } else {
        Style::new()
    }
}

/// Everything before the mark.
fn lead(ui: &Ui, row: Row, session: &Session, at: bool) -> String {
    let mut lead = String::from(if at { "▌" } else { " " });
    let selected = ui.model.selected.contains(&session.id);
    lead.push(if selected { '✓' } else { ' ' });
    let levels = row.depth.min(LEVELS);
    for level in 1..=levels {
        let goes_on = row.guides & (1 << (level - 1)) != 0;
        lead.push_str(match (level == levels, goes_on) {
            (false, false) => "  ",
            (false, true) => " │",
            (true, false) => " ╰",
            (true, true) => " ├",
        });
    }
    lead.push(match row.fold {
        Fold::Closed => '▸',
        Fold::Open => '▾',
        Fold::Leaf if levels > 0 => '─',
        Fold::Leaf => ' ',
    });
    lead
}

/// How deep it lies, where the place in the tree does not show it.
fn deep(row: Row) -> String {
    if row.depth > LEVELS {
        format!("{}· ", row.depth)
    } else {
        String::new()
    }
}

/// The title, with what else has to be said of the session if there is room for it.
fn title(ui: &Ui, row: Row, session: &Session, room: usize) -> String {
    let mut title = deep(row) + &name(session);
    if let (Condition::Sound, Some(odd)) = (&session.condition, ui.model.known.odd_time(session)) {
        title = format!("{title} · {odd}");
    }
    let mut tail = String::new();
    if row.fold == Fold::Closed {
        let inside = ui.model.tree.inside(row.node).count.saturating_sub(1);
        tail = format!(" ({})", count(inside));
    }
    let kind = session.kind.word();
    let text_room = room.saturating_sub(width(&tail));
    let kind_room = width(kind) + 3;
    if kind.is_empty() || text_room < 20 + kind_room {
        return cut(&title, text_room) + &tail;
    }
    let text = cut(&title, text_room - kind_room) + &tail;
    left(&text, room - kind_room) + "  " + kind
}

fn ages(ui: &Ui, row: Row, session: &Session) -> String {
    let own = age(ui.model.now, session.activity_at);
    let hidden = ui.model.tree.hidden(row.node, &ui.model.known.lineage);
    let newest = age(ui.model.now, hidden);
    if hidden > session.activity_at && newest != own {
        format!("{own}·{newest}")
    } else {
        own
    }
}

fn size(ui: &Ui, row: Row, session: &Session) -> String {
    let measured = session.bytes;
    match row.fold {
        Fold::Closed => {
            let inside = ui.model.tree.inside(row.node);
            sum(inside.bytes, inside.unmeasured)
        }
        Fold::Open | Fold::Leaf => known_bytes(measured),
    }
}
