//! The trash: batches above, what is in the one under the cursor below.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::format::{age, bytes, counted, day, left, right};
use super::{Theme, Ui, after, pane, put, rows};
use crate::app::layout::below;
use crate::app::scroll::Scroll;
use crate::prune::report::{TrashBatch, Trashed};

pub(super) fn draw(ui: &Ui, frame: &mut Frame, scroll: Scroll) {
    let area = ui.layout.body;
    frame.render_widget(pane("Trash", area.width), area);
    let inside = after(ui.layout.inside(), 1);
    let batches = match &ui.model.trash {
        Err(why) => {
            return put(
                frame,
                inside,
                &format!("the trash cannot be read: {why}"),
                ui.theme.danger(),
            );
        }
        Ok(batches) if batches.is_empty() => {
            return put(frame, inside, "the trash is empty", Theme::DIM);
        }
        Ok(batches) => batches,
    };
    put(frame, inside, &sum(batches), Theme::STRONG);
    let list = ui.layout.batches();
    let drawn = batches.iter().enumerate().skip(scroll.top);
    for ((place, batch), area) in drawn.zip(rows(list)) {
        let at = place == scroll.at;
        let style = if at { Theme::CURSOR } else { Theme::PLAIN };
        let bar = if at { "▌" } else { " " };
        put(
            frame,
            area,
            &format!("{bar} {}", line(ui, batch, area)),
            style,
        );
    }
    if let Some(batch) = batches.get(scroll.at) {
        let used = u16::try_from(batches.len())
            .unwrap_or(u16::MAX)
            .min(list.height);
        contents(ui, frame, below(ui.layout.items(), used), batch);
    }
}

fn sum(batches: &[TrashBatch]) -> String {
    let all: u64 = batches.iter().map(|batch| batch.bytes).sum();
    let sessions: usize = batches.iter().map(|batch| batch.sessions.len()).sum();
    format!("{} · {}", counted(sessions, "session"), bytes(all))
}

fn line(ui: &Ui, batch: &TrashBatch, area: Rect) -> String {
    let made = match batch.at {
        Some(at) => format!("pruned {} ago", age(ui.model.now, Some(at))),
        None => format!("batch {}", batch.batch),
    };
    let kept = match batch.expires_at {
        Some(at) => format!("kept until {}", day(Some(at))),
        None => "kept".to_owned(),
    };
    let count = counted(batch.sessions.len(), "session");
    let text = format!("{made} · {count} · {} · {kept}", bytes(batch.bytes));
    left(&text, usize::from(area.width).saturating_sub(2))
}

fn contents(ui: &Ui, frame: &mut Frame, area: Rect, batch: &TrashBatch) {
    let rule = "─".repeat(area.width.into());
    put(frame, area, &rule, Theme::DIM);
    for (session, area) in batch.sessions.iter().zip(rows(below(area, 1))) {
        put(
            frame,
            after(area, 2),
            &trashed(ui, session, area),
            Theme::PLAIN,
        );
    }
}

fn trashed(ui: &Ui, session: &Trashed, area: Rect) -> String {
    let name = if session.title.is_empty() {
        session.id.as_str()
    } else {
        session.title.as_str()
    };
    let at = session.updated_at.as_deref();
    let at = at.and_then(|at| chrono::DateTime::parse_from_rfc3339(at).ok());
    let age = age(ui.model.now, at.map(Into::into));
    let room = usize::from(area.width).saturating_sub(19);
    format!(
        "{}  {} {} ",
        left(name, room),
        right(&age, 5),
        right(&bytes(session.bytes), 8)
    )
}
