//! The trash: each batch with its sessions below it.

use ratatui::Frame;
use ratatui::style::Style;

use super::expired::{called as made_of, since, trashed_title};
use super::format::{age, bytes, counted, cut, joined, left, right, short_day, width};
use super::{Theme, Ui, after, pane, put, rows};
use crate::app::trash::{Line, Trash, lines};
use crate::prune::report::{TrashBatch, Trashed};

pub(super) fn draw(ui: &Ui, frame: &mut Frame, trash: &Trash) {
    let area = ui.layout.body;
    frame.render_widget(pane("Trash", area.width), area);
    let inside = after(ui.layout.inside(), 1);
    if let Some(why) = ui.model.trash_trouble() {
        let text = format!("the trash cannot be read: {why}");
        return put(frame, inside, &text, ui.theme.danger());
    }
    let batches = ui.model.batches();
    if batches.is_empty() {
        return put(frame, inside, "the trash is empty", Theme::DIM);
    }
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
            let sessions = counted(batch.sessions.len(), "session");
            let restores = format!("Enter restores {sessions}");
            match kept(ui, batch).filter(|kept| !fits(&made(ui, batch), kept, columns)) {
                Some(kept) => joined([restores, kept], columns),
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
    format!("{} · {}", made_of(ui, batch), bytes(batch.bytes))
}

/// Until when it is certain to be there; when it goes after that depends on later prunes.
fn kept(ui: &Ui, batch: &TrashBatch) -> Option<String> {
    let at = batch.expires_at?;
    Some(if at < ui.model.now {
        "expired: the next prune may empty it".to_owned()
    } else {
        format!("kept at least until {}", short_day(ui.model.now, at))
    })
}

/// `pruned 2h ago · 3 sessions · 1.9 MiB · kept at least until 7 Dec · “one”, “another”`; where that
/// is too long, `kept until 7 Dec · 3 sessions · 1.9 MiB · pruned 2h ago`
fn batch_line(ui: &Ui, batch: &TrashBatch, columns: usize) -> String {
    let mut text = made(ui, batch);
    match (kept(ui, batch), batch.expires_at) {
        (Some(kept), _) if fits(&text, &kept, columns) => text = format!("{text} · {kept}"),
        (_, Some(at)) => {
            let kept = if at < ui.model.now {
                "expired".to_owned()
            } else {
                format!("kept until {}", short_day(ui.model.now, at))
            };
            let count = counted(batch.sessions.len(), "session");
            let parts = [kept, count, bytes(batch.bytes), since(ui, batch)];
            return joined(parts, columns);
        }
        _ => {}
    }
    let titles = batch.sessions.iter().take(TITLES).map(trashed_title);
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

fn session_line(ui: &Ui, session: &Trashed, columns: usize) -> String {
    let at = session.updated_at.as_deref();
    let at = at.and_then(|at| chrono::DateTime::parse_from_rfc3339(at).ok());
    let age = age(ui.model.now, at.map(Into::into));
    let room = columns.saturating_sub(19);
    format!(
        "   {} {} {} ",
        left(trashed_title(session), room),
        right(&age, 5),
        right(&bytes(session.bytes), 8)
    )
}
