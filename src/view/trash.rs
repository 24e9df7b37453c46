//! The trash: each batch with its sessions below it.

use ratatui::Frame;
use ratatui::style::Style;

use super::format::{age, ago, bytes, counted, cut, left, right, short_day, width};
use super::{Theme, Ui, after, pane, put, rows};
use crate::app::trash::{Line, Trash, lines};
use crate::prune::report::{TrashBatch, Trashed};

pub(super) fn draw(ui: &Ui, frame: &mut Frame, trash: &Trash) {
    let area = ui.layout.body;
    frame.render_widget(pane("Trash", area.width), area);
    let inside = after(ui.layout.inside(), 1);
    let batches = match &ui.model.trash {
        Err(why) => {
            let text = format!("the trash cannot be read: {why}");
            return put(frame, inside, &text, ui.theme.danger());
        }
        Ok(batches) if batches.is_empty() => {
            return put(frame, inside, "the trash is empty", Theme::DIM);
        }
        Ok(batches) => batches,
    };
    put(frame, inside, &sum(batches), Theme::STRONG);
    let items = ui.layout.items();
    let columns = usize::from(items.width).saturating_sub(1);
    if let Some(line) = lines(batches, trash.scroll.at).next() {
        let detail = detail(ui, line, columns);
        put(frame, after(ui.layout.detail(), 1), &detail, Theme::DIM);
    }
    let drawn = (trash.scroll.top..).zip(lines(batches, trash.scroll.top));
    for ((place, line), area) in drawn.zip(rows(items)) {
        let (text, style) = match line {
            Line::Batch(batch) => (batch_line(ui, batch, columns), Theme::STRONG),
            Line::Session(_, session) => (session_line(ui, session, columns), Style::new()),
        };
        let (bar, style) = if place == trash.scroll.at {
            ("▌", style.patch(Theme::CURSOR))
        } else {
            (" ", style)
        };
        put(
            frame,
            area,
            &format!("{bar}{}", left(&text, columns)),
            style,
        );
    }
}

fn sum(batches: &[TrashBatch]) -> String {
    let all: u64 = batches.iter().map(|batch| batch.bytes).sum();
    let sessions: usize = batches.iter().map(|batch| batch.sessions.len()).sum();
    format!("{} · {}", counted(sessions, "session"), bytes(all))
}

/// What Enter does here, and what the line has no room for.
fn detail(ui: &Ui, line: Line, columns: usize) -> String {
    match line {
        Line::Batch(batch) => {
            let restores = format!(
                "Enter restores {}",
                counted(batch.sessions.len(), "session")
            );
            let kept = kept(ui, batch);
            match kept.filter(|kept| !fits(&made(ui, batch), kept, columns)) {
                Some(kept) => format!("{kept} · {restores}"),
                None => restores,
            }
        }
        Line::Session(_, session) if session.parent.is_some() => {
            "Enter restores this one, and its ancestors from the trash".to_owned()
        }
        Line::Session(..) => "Enter restores this one".to_owned(),
    }
}

fn fits(text: &str, more: &str, columns: usize) -> bool {
    width(text) + 3 + width(more) <= columns
}

/// `pruned 2h ago · 3 sessions · 1.9 MiB`
fn made(ui: &Ui, batch: &TrashBatch) -> String {
    let made = match batch.at {
        Some(at) => format!("pruned {}", ago(ui.model.now, Some(at))),
        None => format!("batch {}", batch.batch),
    };
    let count = counted(batch.sessions.len(), "session");
    format!("{made} · {count} · {}", bytes(batch.bytes))
}

/// Until when it is certain to be there; when it goes after that depends on later prunes.
fn kept(ui: &Ui, batch: &TrashBatch) -> Option<String> {
    let day = short_day(ui.model.now, batch.expires_at?);
    Some(format!("kept at least until {day}"))
}

/// `pruned 2h ago · 3 sessions · 1.9 MiB · kept at least until 7 Dec · “one”, “another”`
fn batch_line(ui: &Ui, batch: &TrashBatch, columns: usize) -> String {
    let mut text = made(ui, batch);
    let kept = kept(ui, batch);
    if let Some(kept) = kept.filter(|kept| fits(&text, kept, columns)) {
        text = format!("{text} · {kept}");
    }
    let titles = batch.sessions.iter().take(TITLES).map(called);
    let titles: Vec<String> = titles
        .map(|title| format!("“{}”", cut(title, 30)))
        .collect();
    let room = columns.saturating_sub(width(&text) + 3);
    if room >= TITLE {
        text = format!("{text} · {}", cut(&titles.join(", "), room));
    }
    text
}

/// Titles that a batch is told by, at most, and columns that they need at least.
const TITLES: usize = 3;
const TITLE: usize = 16;

fn called(session: &Trashed) -> &str {
    if session.title.is_empty() {
        session.id.as_str()
    } else {
        session.title.as_str()
    }
}

fn session_line(ui: &Ui, session: &Trashed, columns: usize) -> String {
    let at = session.updated_at.as_deref();
    let at = at.and_then(|at| chrono::DateTime::parse_from_rfc3339(at).ok());
    let age = age(ui.model.now, at.map(Into::into));
    let room = columns.saturating_sub(19);
    format!(
        "   {} {} {} ",
        left(called(session), room),
        right(&age, 5),
        right(&bytes(session.bytes), 8)
    )
}
