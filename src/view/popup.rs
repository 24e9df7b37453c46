//! A box over the screen.

use ratatui::Frame;
use ratatui::layout::{Margin, Rect};
use ratatui::style::Style;
use ratatui::widgets::Clear;
use tui_input::Input;
use unicode_segmentation::UnicodeSegmentation;

use super::format::{count, left, width};
use super::{Theme, Ui, after, pane, put, rows};
use crate::app::wrap::wrap;

/// The widest a box gets.
const WIDEST: u16 = 66;

/// What a box says, from the top.
pub(super) enum Part<'a> {
    Text(String, Style),
    /// The same, but if there is no room it is left out.
    Aside(String, Style),
    /// A place for a blank line, if there is room for it.
    Gap,
    /// Keys and what they do.
    Keys(Vec<(String, String)>),
    /// A label and what is typed.
    Input(&'static str, &'a Input),
    /// Done of all, as a bar.
    Bar(usize, usize),
}

/// Draws a box in the middle of the screen. If it is too high, blank lines go first, then asides,
/// then other text; keys and inputs always stay.
pub(super) fn draw(ui: &Ui, frame: &mut Frame, title: &str, parts: Vec<Part>) {
    let screen = ui.layout.area;
    let outer = screen.width.min(WIDEST);
    let inside = usize::from(outer.saturating_sub(4));
    let mut parts: Vec<Vec<Part>> = parts.into_iter().map(|p| lay_out(p, inside)).collect();
    shorten(&mut parts, usize::from(screen.height.saturating_sub(2)));
    let lines: Vec<Part> = parts.into_iter().flatten().collect();
    let height = u16::try_from(lines.len() + 2).unwrap_or(screen.height);
    let area = Rect::new(
        screen.x + (screen.width - outer) / 2,
        screen.y + (screen.height - height.min(screen.height)) / 2,
        outer,
        height.min(screen.height),
    );
    make_way(frame, area);
    frame.render_widget(pane(title, outer).border_style(Theme::PLAIN), area);
    for (line, area) in lines.iter().zip(rows(area.inner(Margin::new(2, 1)))) {
        draw_row(ui, frame, area, line);
    }
}

/// Leaves out gaps, then asides, then the ends of texts, always from below, until the rest fits.
fn shorten(parts: &mut Vec<Vec<Part>>, room: usize) {
    let too_long = |parts: &[Vec<Part>]| parts.iter().map(Vec::len).sum::<usize>() > room;
    let first = |rows: &Vec<Part>, of: fn(&Part) -> bool| rows.first().is_some_and(of);
    let kinds: [fn(&Part) -> bool; 2] = [
        |row| matches!(row, Part::Gap),
        |row| matches!(row, Part::Aside(..)),
    ];
    for kind in kinds {
        while too_long(parts)
            && let Some(last) = parts.iter().rposition(|rows| first(rows, kind))
        {
            parts.remove(last);
        }
    }
    let text = |row: &Part| matches!(row, Part::Text(..));
    while too_long(parts)
        && let Some(last) = parts.iter_mut().rfind(|rows| first(rows, text))
    {
        last.pop();
    }
}

/// Breaks a part into rows.
fn lay_out(part: Part, columns: usize) -> Vec<Part> {
    match part {
        Part::Text(text, style) => {
            let lines = wrap(&text, columns).into_iter();
            lines.map(|line| Part::Text(line, style)).collect()
        }
        Part::Aside(text, style) => {
            let lines = wrap(&text, columns).into_iter();
            lines.map(|line| Part::Aside(line, style)).collect()
        }
        Part::Keys(keys) => key_rows(keys, columns),
        Part::Gap | Part::Input(..) | Part::Bar(..) => vec![part],
    }
}

fn key_rows<'a>(keys: Vec<(String, String)>, columns: usize) -> Vec<Part<'a>> {
    let mut rows = Vec::new();
    let mut line: Vec<(String, String)> = Vec::new();
    let mut used = 0;
    for (key, word) in keys {
        let wide = width(&key) + 1 + width(&word) + 2;
        if used + wide > columns + 2 && !line.is_empty() {
            rows.push(Part::Keys(std::mem::take(&mut line)));
            used = 0;
        }
        used += wide;
        line.push((key, word));
    }
    rows.push(Part::Keys(line));
    rows
}

/// Clears an area. What is wide and reaches into it from the left goes too: a terminal would show all of
/// that, and not the border.
fn make_way(frame: &mut Frame, area: Rect) {
    let buffer = frame.buffer_mut();
    for y in area.top()..area.bottom() {
        if let Some(before) = area.left().checked_sub(1)
            && let Some(cell) = buffer.cell_mut((before, y))
            && width(cell.symbol()) > 1
        {
            cell.set_symbol(" ");
        }
    }
    frame.render_widget(Clear, area);
}

fn draw_row(ui: &Ui, frame: &mut Frame, area: Rect, row: &Part) {
    match row {
        Part::Gap => {}
        Part::Text(text, style) | Part::Aside(text, style) => put(frame, area, text, *style),
        Part::Keys(keys) => draw_keys(ui, frame, area, keys),
        Part::Input(label, typed) => {
            put(frame, area, label, Theme::PLAIN);
            let field = after(area, width(label) + 1);
            put(frame, field, "▏", ui.theme.accent());
            input(frame, after(field, 1), typed);
        }
        Part::Bar(done, total) => bar(ui, frame, area, *done, *total),
    }
}

/// Writes keys and their words; what does not fit is left out.
pub(super) fn draw_keys(ui: &Ui, frame: &mut Frame, area: Rect, keys: &[(String, String)]) {
    let mut at = area;
    for (key, word) in keys {
        put(frame, at, key, ui.theme.accent());
        at = after(at, width(key) + 1);
        put(frame, at, word, Theme::PLAIN);
        at = after(at, width(word) + if word.is_empty() { 0 } else { 2 });
    }
}

/// Writes what is typed, scrolled so that the terminal's cursor is in it.
pub(super) fn input(frame: &mut Frame, area: Rect, typed: &Input) {
    if area.is_empty() {
        return;
    }
    let columns = usize::from(area.width);
    let scroll = typed.visual_scroll(columns - 1);
    let mut skipped = 0;
    let visible: String = typed
        .value()
        .graphemes(true)
        .skip_while(|grapheme| {
            let skip = skipped < scroll;
            skipped += width(grapheme);
            skip
        })
        .collect();
    let visible = fitting(&visible, columns);
    put(frame, area, &left(&visible, columns), Theme::FIELD);
    let x = typed
        .visual_cursor()
        .saturating_sub(scroll)
        .min(columns - 1);
    frame.set_cursor_position((area.x + u16::try_from(x).unwrap_or(0), area.y));
}

/// What fits, without an ellipsis.
fn fitting(text: &str, columns: usize) -> String {
    let mut used = 0;
    let fits = |grapheme: &&str| {
        used += width(grapheme);
        used <= columns
    };
    text.graphemes(true).take_while(fits).collect()
}

fn bar(ui: &Ui, frame: &mut Frame, area: Rect, done: usize, total: usize) {
    let numbers = format!(" {} of {}", count(done), count(total));
    let columns = usize::from(area.width).saturating_sub(width(&numbers));
    let full = (columns * done.min(total)).checked_div(total).unwrap_or(0);
    let bar = "█".repeat(full) + &"░".repeat(columns - full);
    put(frame, area, &bar, ui.theme.good());
    put(frame, after(area, columns), &numbers, Theme::PLAIN);
}
