//! What a prune would do, session by session.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::format::{age, bytes, count, counted, cut, known_bytes, left, right, width};
use super::name::{ancestor_of, name, project};
use super::{Theme, Ui, after, expired, pane, put, rows};
use crate::app::known::Mark;
use crate::app::plan::{Preview, Section, Tally, TrashPart};
use crate::prune::plan::{Candidate, KeepReason, Verdict};
use crate::prune::policy::Scope;
use crate::prune::warning::Warning;

pub(super) fn draw(ui: &Ui, frame: &mut Frame, preview: &Preview) {
    let area = ui.layout.body;
    let policy = preview.plan.policy();
    let title = match &policy.scope {
        Scope::All => format!(
            "Preview · not active for {} · nothing removed yet",
            policy.age
        ),
        Scope::Chosen(ids) => {
            format!(
                "Preview · {} · nothing removed yet",
                counted(ids.len(), "chosen session")
            )
        }
    };
    frame.render_widget(pane(&title, area.width), area);
    let inside = ui.layout.inside();
    sections(ui, frame, inside, preview);
    warnings(
        ui,
        frame,
        Rect {
            y: inside.y + 1,
            height: 1,
            ..inside
        },
        preview,
    );
    let items = ui.layout.items();
    if let Some(candidate) = preview.current() {
        let (_, why, style) = verdict(ui, candidate);
        let end = More::at(items.width, preview.section).columns();
        let said = (name(&candidate.session), why);
        in_full(frame, ui.layout.detail(), (&said.0, &said.1), end, style);
    }
    if let Some(batch) = preview.batch(preview.scroll.at) {
        expired::detail(ui, frame, preview, batch);
    }
    if preview.len() == 0 {
        return put(frame, after(items, 1), &nothing(preview), Theme::DIM);
    }
    let from = preview.scroll.top;
    for (place, area) in (from..preview.len()).zip(rows(items)) {
        if let Some(candidate) = preview.at(place) {
            let more = More::at(area.width, preview.section);
            item(ui, frame, area, candidate, more, place == preview.scroll.at);
        }
        if let Some(batch) = preview.batch(place) {
            expired::item(ui, frame, area, preview, batch, place == preview.scroll.at);
        }
    }
}

fn sections(ui: &Ui, frame: &mut Frame, area: Rect, preview: &Preview) {
    let mut at = after(area, 1);
    let told = |words: Words| -> Vec<_> {
        let sections = preview.sections();
        sections
            .map(|section| (section, tab(section, preview, words)))
            .collect()
    };
    let fits = |tabs: &Vec<(Section, String)>| {
        let needed: usize = tabs.iter().map(|(_, text)| width(text) + 3).sum();
        needed <= usize::from(at.width) + 1
    };
    let ways = [Words::All, Words::Few, Words::Fewest].map(told);
    let tabs = ways.into_iter().find(fits).unwrap_or_else(|| {
        // What is cut off at the end is never the one whose list is shown.
        let mut tabs = told(Words::Fewest);
        tabs.sort_by_key(|(section, _)| *section != preview.section);
        tabs
    });
    for (section, text) in tabs {
        let style = if section == preview.section {
            ui.theme.accent().patch(Theme::CURSOR)
        } else {
            Theme::PLAIN
        };
        let text = format!(" {text} ");
        put(frame, at, &text, style);
        at = after(at, width(&text) + 1);
    }
    for (number, what) in [
        (preview.younger().unwrap_or(0), "younger"),
        (preview.tally.gone, "gone already"),
    ] {
        let text = format!("· {} {what} ", count(number));
        if number > 0 && width(&text) <= at.width.into() {
            put(frame, at, &text, Theme::DIM);
            at = after(at, width(&text));
        }
    }
}

/// How much is said of a section.
#[derive(Clone, Copy)]
enum Words {
    All,
    Few,
    /// No sizes.
    Fewest,
}

/// What a section is called, with how much is in it.
fn tab(section: Section, preview: &Preview, words: Words) -> String {
    let tally: Tally = preview.tally;
    let (called, number) = match (section, words) {
        (Section::Removed, Words::All) => ("Would remove", tally.removed),
        (Section::Removed, _) => ("Remove", tally.removed),
        (Section::Kept, _) => ("Kept", tally.kept),
        (Section::Unchecked, Words::All) => ("Could not check", tally.unchecked),
        (Section::Unchecked, _) => ("Unchecked", tally.unchecked),
        (Section::Trash, Words::All) => ("Trash to empty", tally.emptied),
        (Section::Trash, _) => ("Trash", tally.emptied),
    };
    let mut parts = vec![format!("{called} {}", count(number))];
    let size = match section {
        Section::Removed => Some(tally.bytes),
        Section::Trash if tally.emptied > 0 => Some(tally.freed),
        _ => None,
    };
    parts.extend(size.filter(|_| !matches!(words, Words::Fewest)).map(bytes));
    let out = match section {
        Section::Removed => tally.taken_out,
        Section::Trash if preview.trash == TrashPart::TakenOut => {
            preview.plan.trash().going().count()
        }
        _ => 0,
    };
    if out > 0 {
        parts.push(match words {
            Words::Fewest => format!("{} out", count(out)),
            _ => format!("{} taken out", count(out)),
        });
    }
    parts.join(" · ")
}

/// What is to be said besides, as much of it as fits.
fn warnings(ui: &Ui, frame: &mut Frame, area: Rect, preview: &Preview) {
    let all: Vec<Warning> = preview.plan.warnings().collect();
    let area = after(area, 2);
    let full = match &all[..] {
        [] => return,
        [one] => format!("! {one}"),
        _ => String::new(),
    };
    let brief = all.iter().map(Warning::brief).collect::<Vec<_>>();
    let brief = format!("! {}", brief.join(" · "));
    let more = format!("{brief} · w: in full");
    let number = format!("! {}: w shows them", counted(all.len(), "warning"));
    let fits = |text: &String| !text.is_empty() && width(text) <= area.width.into();
    let ways = [full, more, brief];
    let text = ways.into_iter().find(fits).unwrap_or(number);
    put(frame, area, &text, ui.theme.warn());
}

fn nothing(preview: &Preview) -> String {
    match preview.section {
        Section::Removed if preview.tally.unchecked > 0 => format!(
            "nothing to remove: {} could not be checked",
            count(preview.tally.unchecked)
        ),
        Section::Removed => format!(
            "nothing to remove: nothing last active before {} can go",
            super::format::day(Some(preview.plan.policy().cutoff()))
        ),
        Section::Kept => "nothing that is old enough stays".to_owned(),
        Section::Unchecked => "all of it could be checked".to_owned(),
        Section::Trash => "nothing in the trash is expired".to_owned(),
    }
}

const KIND: usize = 10;
const PROJECT: usize = 12;

/// Whether an item's end tells of more than age and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum More {
    No,
    /// Its kind and its project.
    Yes,
}

impl More {
    /// Reasons need more room than titles alone.
    fn at(columns: u16, section: Section) -> Self {
        let needed = if section == Section::Removed { 70 } else { 98 };
        if columns < needed {
            Self::No
        } else {
            Self::Yes
        }
    }

    /// Columns of an item's end.
    fn columns(self) -> usize {
        match self {
            Self::No => 15,
            Self::Yes => 15 + KIND + PROJECT + 2,
        }
    }
}

/// Says in full what the row under the cursor, which ends with so many columns, has to cut; whether
/// it had to.
pub(super) fn in_full(
    frame: &mut Frame,
    area: Rect,
    (name, why): (&str, &str),
    end: usize,
    style: Style,
) -> bool {
    let room = room(area.width.into(), end);
    let (text, most) = if name.contains(why) {
        (name, room)
    } else {
        (why, room.saturating_sub(least_name(room) + 2))
    };
    let cuts = width(text) > most;
    if cuts {
        put(frame, after(area, 1), text, style);
    }
    cuts
}

/// Columns of a row for a name and a reason.
fn room(columns: usize, end: usize) -> usize {
    columns.saturating_sub(4 + end)
}

/// Columns that a name gets beside the longest reason.
fn least_name(room: usize) -> usize {
    room * 2 / 5
}

fn verdict(ui: &Ui, candidate: &Candidate) -> (&'static str, String, Style) {
    match candidate.verdict() {
        Verdict::Remove => {
            let note = candidate.finishes().unwrap_or_default();
            ("✂", note.to_owned(), Style::new())
        }
        Verdict::Keep(KeepReason::Pinned) => (
            "⚑",
            KeepReason::Pinned.to_string(),
            ui.theme.mark(Mark::Pinned),
        ),
        Verdict::Keep(reason) => (" ", why_kept(ui, reason), Theme::DIM),
        Verdict::Gone => (" ", "already gone".to_owned(), Theme::DIM),
        Verdict::Failed(why) => ("!", why.to_string(), ui.theme.danger()),
    }
}

fn why_kept(ui: &Ui, reason: &KeepReason) -> String {
    match reason {
        KeepReason::AncestorOf(id) => ancestor_of(ui, id),
        _ => reason.to_string(),
    }
}

/// `✂ title            why it stays  fork  api          61d  38 MiB`
fn item(ui: &Ui, frame: &mut Frame, area: Rect, candidate: &Candidate, more: More, at: bool) {
    let session = &candidate.session;
    let (glyph, why, style) = verdict(ui, candidate);
    let more = match more {
        More::No => String::new(),
        More::Yes => format!(
            " {} {}",
            left(session.kind.word(), KIND),
            left(&project(ui, session), PROJECT)
        ),
    };
    let end = format!(
        "{more} {} {}",
        right(&age(ui.model.now, session.activity_at), 5),
        right(&known_bytes(session.bytes), 8)
    );
    let line = two_columns(glyph, &name(session), &why, area.width.into(), &end);
    let style = if at {
        style.patch(Theme::CURSOR)
    } else {
        style
    };
    let bar = if at { "▌" } else { " " };
    put(frame, area, &format!("{bar}{line}"), style);
}

/// A name and a reason that share what is left beside `end`; a reason needs at least half of it.
pub(super) fn two_columns(glyph: &str, name: &str, why: &str, columns: usize, end: &str) -> String {
    let room = room(columns, width(end));
    // What is damaged says so in its name already.
    let text = if name.contains(why) {
        left(name, room)
    } else {
        let first = room
            .saturating_sub(width(why) + 2)
            .clamp(least_name(room), room);
        let name = left(name, first);
        left(
            &format!("{name}  {}", cut(why, room.saturating_sub(first + 2))),
            room,
        )
    };
    format!("{glyph} {text}{end}")
}
