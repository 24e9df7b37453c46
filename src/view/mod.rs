//! Draws the state; changes nothing, reads nothing else.
//!
//! ```text
//! header                                   who, where, how much
//! ╭ list ───────────────╮╭ preview ──────╮ or one pane: reader, plan, report, trash, help
//! │       ╭ popup ─────╮││               │ a question over it: cutoff, confirm, boxes
//! ╰───────╰────────────╯╯╰───────────────╯
//! hints                                    keys of this screen, or a note
//! ```
//!
//! Invariants: widgets are made for what is visible only; no screen is so small, and no text so odd,
//! that drawing fails.

mod boxes;
mod confirm;
mod cutoff;
mod empty;
mod expired;
mod format;
mod header;
mod help;
mod hints;
mod list;
mod name;
mod plan;
mod popup;
mod preview;
mod progress;
mod reader;
mod report;
mod row;
mod search;
mod states;
mod theme;
mod trash;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType};

use crate::app::layout::{Layout, MIN};
use crate::app::{Below, Model, Screen};
use theme::Theme;

/// What every part of the screen is drawn from.
struct Ui<'a> {
    model: &'a Model,
    layout: Layout,
    theme: Theme,
}

/// Draws the whole screen.
pub fn draw(model: &Model, frame: &mut Frame) {
    let area = frame.area();
    let ui = Ui {
        model,
        // The terminal may have another size than it said last.
        layout: model.layout_for((area.width, area.height)),
        theme: if model.start.no_color {
            Theme::Plain
        } else {
            Theme::Sixteen
        },
    };
    if ui.layout.page() == 0 {
        return too_small(frame);
    }
    header::draw(&ui, frame);
    screen(&ui, frame, &model.screen);
    hints::draw(&ui, frame);
}

fn screen(ui: &Ui, frame: &mut Frame, screen: &Screen) {
    match screen.below() {
        Below::Screen(below) => self::screen(ui, frame, below),
        Below::Preview(preview) => plan::draw(ui, frame, preview),
        Below::List => {
            list::draw(ui, frame);
            preview::draw(ui, frame);
        }
        Below::Nothing => {}
    }
    match screen {
        Screen::Reader(reader) => reader::draw(ui, frame, reader),
        Screen::Search(search) => search::draw(ui, frame, search),
        Screen::Preview(preview) => plan::draw(ui, frame, preview),
        Screen::Report(report) => report::draw(ui, frame, report),
        Screen::Trash(trash) => trash::draw(ui, frame, trash),
        Screen::Help(help) => help::draw(ui, frame, help),
        Screen::Cutoff(cutoff) => cutoff::draw(ui, frame, cutoff),
        Screen::Checking(checking) => progress::checking(ui, frame, checking),
        Screen::Confirm(confirm) => confirm::draw(ui, frame, confirm),
        Screen::Pruning(pruning) => progress::pruning(ui, frame, pruning),
        Screen::Empty(empty) => empty::draw(ui, frame, empty),
        Screen::Working(working) => progress::working(ui, frame, working),
        Screen::Prompt(prompt) => boxes::prompt(ui, frame, prompt),
        Screen::Export(export) => boxes::export(ui, frame, export),
        Screen::Rename(rename) => boxes::rename(ui, frame, rename),
        Screen::Boxed(boxed) => boxes::draw(ui, frame, boxed),
        Screen::Tree | Screen::Filter(_) => {}
    }
}

fn too_small(frame: &mut Frame) {
    let area = frame.area();
    let text = format!(
        "too small: sesstree needs {}×{}, this is {}×{}",
        MIN.0, MIN.1, area.width, area.height
    );
    let lines = crate::app::wrap::wrap(&text, area.width.into());
    for (line, y) in lines.iter().zip(0..area.height) {
        put(
            frame,
            Rect {
                y,
                height: 1,
                ..area
            },
            line,
            Theme::PLAIN,
        );
    }
}

/// Writes a line of text at the beginning of an area, cut at its end.
fn put(frame: &mut Frame, area: Rect, text: &str, style: Style) {
    if area.is_empty() {
        return;
    }
    let text = format::cut(text, area.width.into());
    frame
        .buffer_mut()
        .set_stringn(area.x, area.y, text, area.width.into(), style);
}

/// What is left of an area behind so many columns.
fn after(area: Rect, columns: usize) -> Rect {
    let columns = u16::try_from(columns).unwrap_or(u16::MAX).min(area.width);
    Rect {
        x: area.x + columns,
        width: area.width - columns,
        ..area
    }
}

/// The rows of an area, one area each.
fn rows(area: Rect) -> impl Iterator<Item = Rect> {
    (area.top()..area.bottom()).map(move |y| Rect {
        y,
        height: 1,
        ..area
    })
}

/// A pane with a title.
fn pane<'a>(title: &str, columns: u16) -> Block<'a> {
    let room = usize::from(columns.saturating_sub(4));
    let title = Line::styled(format!(" {} ", format::cut(title, room)), Theme::STRONG);
    Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(Theme::DIM)
        .title(title)
}
