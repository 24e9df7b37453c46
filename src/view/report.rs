//! What a prune did.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::format::{bytes, count, counted, joined, right, short_day, width};
use super::name::{self, ancestor_of};
use super::plan::{in_full, two_columns};
use super::{Theme, Ui, after, expired, pane, put, rows};
use crate::app::number::batches;
use crate::app::report::{Line, Outcome, Report};
use crate::prune::report::{BatchId, Entry, TrashBatch};

pub(super) fn draw(ui: &Ui, frame: &mut Frame, shown: &Report) {
    let area = ui.layout.body;
    frame.render_widget(pane("Report", area.width), area);
    let inside = after(ui.layout.inside(), 1);
    let line = |n| Rect {
        y: inside.y + n,
        height: 1,
        ..inside
    };
    let columns = usize::from(inside.width);
    put(frame, line(0), &head(shown, columns), Theme::STRONG);
    put(frame, line(1), &space(ui, shown, columns), Theme::PLAIN);
    if let Some(line) = shown.lines(shown.scroll.at, 1).first() {
        let row = row(ui, shown, *line);
        let (why, end) = if row.name.contains(&row.reason) {
            ("", END + width(&row.why) + 2)
        } else {
            (row.why.as_str(), END)
        };
        in_full(frame, ui.layout.detail(), (&row.name, why), end, row.style);
    }
    let items = ui.layout.items();
    let from = shown.scroll.top;
    let lines = shown.lines(from, items.height.into());
    for ((place, line), area) in (from..).zip(lines).zip(rows(items)) {
        item(frame, area, &row(ui, shown, line), place == shown.scroll.at);
    }
}

/// What became of all; where that is too long, what is gone for good stays longest, then what needs
/// attention.
fn head(shown: &Report, columns: usize) -> String {
    let report = &shown.done;
    let part = |n: usize, word: &str| match n {
        0 => String::new(),
        n => format!("{} {word}", count(n)),
    };
    let went = if report.delete_now {
        "deleted"
    } else {
        "removed"
    };
    let removed = format!("{} {went}", count(report.removed.len()));
    let kept = shown.kept(Outcome::Kept).count();
    let unchecked = part(report.kept.len() - kept, "unchecked");
    let kept = format!("{} kept", count(kept));
    let gone = part(report.gone.len(), "gone");
    let failed = part(report.failed.len(), "failed");
    let left = part(report.not_reached.len(), "not reached");
    let emptied = emptied(shown);
    let expected = shown.expected.sessions.len();
    let fewer = expected.saturating_sub(report.removed.len());
    let than = part(fewer, "fewer than in the preview (!)");
    let whole = [
        &removed, &kept, &unchecked, &gone, &failed, &left, &emptied, &than,
    ];
    let whole = joined(whole.map(String::clone), usize::MAX);
    if width(&whole) <= columns {
        return whole;
    }
    let fewer = part(fewer, "fewer (!)");
    let parts = [removed, emptied, failed, left, fewer, kept, unchecked, gone];
    joined(parts, columns)
}

/// `2 batches emptied, 1 kept`
fn emptied(shown: &Report) -> String {
    let trash = &shown.done.trash;
    match (
        trash.emptied.len(),
        trash.kept.len() + trash.failed.len() + trash.not_reached.len(),
    ) {
        (0, 0) => String::new(),
        (0, kept) => format!("{} kept", batches(kept)),
        (gone, 0) => format!("{} emptied", batches(gone)),
        (gone, kept) => format!("{} emptied, {} kept", batches(gone), count(kept)),
    }
}

/// What became of the space, and until when there is a way back: the date stays longest.
fn space(ui: &Ui, shown: &Report, columns: usize) -> String {
    let freed = format!("freed now: {}", bytes(shown.freed()));
    let Some(until) = shown.done.until else {
        return if shown.freed() > 0 {
            format!("{freed} · gone for good, no undo")
        } else {
            freed
        };
    };
    let until = short_day(ui.model.now, until);
    let trash = format!("in trash: {}", bytes(shown.done.bytes()));
    let whole = format!("{freed} · {trash} · can be undone until {until}");
    if width(&whole) <= columns {
        return whole;
    }
    joined([format!("undo until {until}"), trash, freed], columns)
}

/// Columns of a line's end: the size.
const END: usize = 9;

/// What is said of a line.
struct Row {
    glyph: &'static str,
    name: String,
    /// What became of it, and why.
    why: String,
    /// Only why; what is damaged says so in its name already.
    reason: String,
    bytes: Option<u64>,
    style: Style,
}

fn row(ui: &Ui, shown: &Report, line: Line<'_>) -> Row {
    match line {
        Line::Warning(warning) => Row {
            glyph: "!",
            name: warning.to_string(),
            why: String::new(),
            reason: String::new(),
            bytes: None,
            style: ui.theme.warn(),
        },
        Line::Unfinished(left) => Row {
            glyph: "!",
            name: left.name.clone(),
            why: left.reason.clone(),
            reason: left.reason.clone(),
            bytes: None,
            style: ui.theme.danger(),
        },
        Line::NotReached(batch) => {
            let (word, style) = word(ui, shown, Outcome::NotReached);
            let known = shown.batch(batch);
            Row {
                glyph: "!",
                name: batch_name(ui, known, batch),
                why: word.to_owned(),
                reason: String::new(),
                bytes: known.map(|known| known.bytes),
                style,
            }
        }
        Line::Session(outcome, entry) => session(ui, shown, outcome, entry),
        Line::Batch(outcome, kept) => {
            let reason = expired::why_kept(ui, kept);
            let (word, style) = word(ui, shown, outcome);
            let batch = shown.batch(&kept.batch);
            Row {
                glyph: if shown.was_to_go(&kept.batch) {
                    "!"
                } else {
                    " "
                },
                name: batch_name(ui, batch, &kept.batch),
                why: format!("{word}: {reason}"),
                reason,
                bytes: batch.map(|batch| batch.bytes),
                style,
            }
        }
        Line::Emptied(emptied) => {
            let known = shown.batch(&emptied.batch);
            let before = known.map_or(emptied.sessions, |batch| batch.sessions.len());
            let (glyph, why) = if before == emptied.sessions {
                (" ", "emptied".to_owned())
            } else {
                ("!", format!("emptied; {} in the preview", count(before)))
            };
            let name = batch_day(ui, known, &emptied.batch);
            Row {
                glyph,
                name: format!("{name} · {}", counted(emptied.sessions, "session")),
                why,
                reason: String::new(),
                bytes: Some(emptied.bytes),
                style: Theme::DIM,
            }
        }
    }
}

/// `trash of 12 Oct · 3 sessions`
fn batch_name(ui: &Ui, batch: Option<&TrashBatch>, id: &BatchId) -> String {
    let name = batch_day(ui, batch, id);
    match batch {
        Some(batch) => format!("{name} · {}", counted(batch.sessions.len(), "session")),
        None => name,
    }
}

/// `trash of 12 Oct`
fn batch_day(ui: &Ui, batch: Option<&TrashBatch>, id: &BatchId) -> String {
    match batch.and_then(|batch| batch.at) {
        Some(at) => format!("trash of {}", short_day(ui.model.now, at)),
        None => format!("trash batch {id}"),
    }
}

fn word(ui: &Ui, shown: &Report, outcome: Outcome) -> (&'static str, Style) {
    match outcome {
        Outcome::Failed => ("failed", ui.theme.danger()),
        Outcome::Kept | Outcome::Unchecked => ("kept", Theme::PLAIN),
        Outcome::Gone => ("gone", Theme::PLAIN),
        Outcome::NotReached => ("not reached", Theme::PLAIN),
        Outcome::Removed if shown.done.delete_now => ("deleted", Theme::DIM),
        Outcome::Removed => ("removed", Theme::DIM),
    }
}

fn session(ui: &Ui, shown: &Report, outcome: Outcome, entry: &Entry) -> Row {
    let (word, style) = word(ui, shown, outcome);
    let name = name::of(ui, &entry.session_id, &entry.title);
    let reason = match &entry.ancestor_of {
        Some(id) => ancestor_of(ui, id),
        None => entry.reason.clone(),
    };
    let why = match (outcome, reason.as_str()) {
        (Outcome::Removed, _) | (_, "") => word.to_owned(),
        (_, reason) if name.contains(reason) => word.to_owned(),
        (_, reason) if reason.contains(word) => reason.to_owned(),
        (_, reason) => format!("{word}: {reason}"),
    };
    Row {
        glyph: if shown.differs(entry, outcome) {
            "!"
        } else {
            " "
        },
        name,
        why,
        reason,
        bytes: Some(entry.bytes),
        style,
    }
}

fn item(frame: &mut Frame, area: Rect, row: &Row, at: bool) {
    let size = row.bytes.map(bytes).unwrap_or_default();
    let end = format!(" {}", right(&size, END - 1));
    let columns = usize::from(area.width);
    let text = two_columns(row.glyph, &row.name, &row.why, columns, &end);
    let (bar, style) = if at {
        ("▌", row.style.patch(Theme::CURSOR))
    } else {
        (" ", row.style)
    };
    put(frame, area, &format!("{bar}{text}"), style);
}
