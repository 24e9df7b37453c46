//! Batches of the trash that are to be emptied, or stay: the same in the preview, the report and
//! the boxes.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::boxes::{TITLE, named};
use super::format::{ago, bytes, counted, cut, right};
use super::name;
use super::plan::{in_full, two_columns};
use super::{Theme, Ui, after, put};
use crate::app::plan::{Preview, TrashPart};
use crate::prune::expiry::{Descendant, Fate, KeepBatch};
use crate::prune::report::{KeptBatch, Shelved, TrashBatch, Trashed};
use crate::session::SessionId;

/// Columns of a row's end: the size.
pub(super) const END: usize = 9;

/// `pruned 20d ago · 3 sessions`
pub(super) fn called(ui: &Ui, batch: &TrashBatch) -> String {
    let sessions = counted(batch.sessions.len(), "session");
    format!("{} · {sessions}", since(ui, batch))
}

/// `pruned 20d ago`
pub(super) fn since(ui: &Ui, batch: &TrashBatch) -> String {
    match batch.at {
        Some(at) => format!("pruned {}", ago(ui.model.now, Some(at))),
        None => format!("batch {}", batch.batch),
    }
}

/// `“a”, “b”, “c” and 5 more`: what is in a batch, or in several.
pub(super) fn titles<'a>(sessions: impl IntoIterator<Item = &'a Trashed>) -> String {
    let titles = sessions.into_iter();
    let titles: Vec<String> = titles.map(|s| cut(trashed_title(s), TITLE)).collect();
    named(titles.into_iter())
}

/// What a session in the trash is called.
pub(super) fn trashed_title(session: &Trashed) -> &str {
    if session.title.is_empty() {
        session.id.as_str()
    } else {
        session.title.as_str()
    }
}

/// Why a batch stays, in the names of its sessions where they are known.
pub(super) fn why_kept(ui: &Ui, kept: &KeptBatch) -> String {
    match &kept.why {
        Some(why) => why_stays(ui, why),
        None => kept.reason.clone(),
    }
}

fn why_stays(ui: &Ui, why: &KeepBatch) -> String {
    match why {
        KeepBatch::Ancestor {
            of: Descendant { id, at },
            ..
        } => format!("“{}” {at} descends from it", title(ui, id)),
        _ => why.to_string(),
    }
}

/// What a session is called, wherever it is.
fn title(ui: &Ui, id: &SessionId) -> String {
    let mut trashed = ui.model.batches().iter().flat_map(|batch| &batch.sessions);
    let trashed = trashed.find(|session| session.id == *id);
    let title = trashed.map(|session| session.title.clone());
    cut(&name::of(ui, id, &title.unwrap_or_default()), 40)
}

/// What a row of the preview says of a batch: its glyph, its name, why it stays, its style.
pub(super) fn row(
    ui: &Ui,
    preview: &Preview,
    (shelved, fate): &(Shelved, Fate),
) -> (&'static str, String, String, Style) {
    let name = called(ui, &shelved.batch);
    match fate {
        Fate::Keep(why) => (" ", name, why_stays(ui, why), Theme::DIM),
        Fate::Empty if preview.trash == TrashPart::TakenOut => {
            (" ", name, "taken out of the preview".to_owned(), Theme::DIM)
        }
        Fate::Empty => ("✂", name, String::new(), Style::new()),
    }
}

/// Says below the rows what the one under the cursor has no room for, or what is in the batch.
pub(super) fn detail(ui: &Ui, frame: &mut Frame, preview: &Preview, batch: &(Shelved, Fate)) {
    let area = ui.layout.detail();
    let (_, name, why, style) = row(ui, preview, batch);
    if !in_full(frame, area, (&name, &why), END, style) {
        let titles = titles(&batch.0.batch.sessions);
        put(frame, after(area, 1), &titles, Theme::DIM);
    }
}

/// `✂ pruned 20d ago · 3 sessions     why it stays  38 MiB`
pub(super) fn item(
    ui: &Ui,
    frame: &mut Frame,
    area: Rect,
    preview: &Preview,
    batch: &(Shelved, Fate),
    at: bool,
) {
    let (glyph, name, why, style) = row(ui, preview, batch);
    let end = format!(" {}", right(&bytes(batch.0.batch.bytes), END - 1));
    let text = two_columns(glyph, &name, &why, area.width.into(), &end);
    let (bar, style) = if at {
        ("▌", style.patch(Theme::CURSOR))
    } else {
        (" ", style)
    };
    put(frame, area, &format!("{bar}{text}"), style);
}
