//! A log's pages, as it is and as Zero would go on with it.
//!
//! Must never read a whole log to show a part of it, and never hold more than a part.
//!
//! **The continued view.** The last compaction counts, and no other. The events it lists are left
//! out (if it lists none: those up to its sequence), and it stands at the place of the first of
//! them, or first of all if none is there. A compaction that cannot be used (no summary, not
//! decodable, longer than a line may be) leaves the log as it is. A page of this view is a page
//! of the log with that done to it, so pages follow one another without a gap as those of the log
//! do; one that would be empty goes on until it says something.
//!
//! **How much is read.** Events behind the last compaction are the same in both views, so it is looked
//! for in the page and in what follows the page, but not before it: the tail of any log costs two
//! reads of one part. How far the search goes at most is said in [`super::compaction`].

use std::fs::File;
use std::io;

use super::compaction::{Compaction, Found, Place, Search};
use super::events::Event;
use super::messages::message;
use crate::session::SessionId;
use crate::store::dir::{Access, Dir};
use crate::store::jsonl::{Lines, Part, REACH};
use crate::text::Secrets;
use crate::transcript::{Page, View, Window};

/// A part of a session's log. A session without one has said nothing yet.
pub(super) fn read(
    root: &Dir,
    id: &SessionId,
    view: View,
    window: Window,
    secrets: Secrets,
) -> io::Result<Page> {
    let folder = root.open_dir(id.as_str())?;
    match folder.open_file("events.jsonl", Access::Read) {
        Ok(log) => read_page(&log, view, window, secrets),
        Err(error) if error.is_missing() => Ok(Page::default()),
        Err(error) => Err(error.into()),
    }
}

/// A part of a log that is open for reading.
fn read_page(log: &File, view: View, window: Window, secrets: Secrets) -> io::Result<Page> {
    let lines = Lines::of(log)?;
    let mut search = Search::of(&lines, secrets);
    let part = match window {
        Window::Tail => lines.before(lines.size())?,
        Window::Before(offset) => lines.before(offset)?,
        Window::From(offset) => lines.from(offset)?,
    };
    let mut page = Page {
        start: part.start,
        end: part.end,
        size: lines.size(),
        ..Page::default()
    };
    let mut next = Some(part);
    while let Some(part) = next.take() {
        page.start = page.start.min(part.start);
        page.end = page.end.max(part.end);
        let found = match view {
            View::Continued => search.down_to(part.start)?,
            View::Raw => Found::None,
        };
        page.fell_back = matches!(found, Found::Unusable);
        add(&mut page, &lines, &part, found, secrets)?;
        if page.messages.is_empty() && page.end - page.start < REACH {
            next = match window {
                Window::From(_) if page.end < page.size => Some(lines.from(page.end)?),
                Window::From(_) => None,
                Window::Tail | Window::Before(_) if page.start == 0 => None,
                Window::Tail | Window::Before(_) => Some(lines.before(page.start)?),
            };
        }
    }
    Ok(page)
}

/// Adds the messages of a part.
fn add(
    page: &mut Page,
    lines: &Lines<'_>,
    part: &Part,
    found: Found<'_>,
    secrets: Secrets,
) -> io::Result<()> {
    page.unreadable += part.too_long.len();
    if let Found::Usable(compaction) = found
        && part.start == 0
        && compaction.place(lines)? == Place::First
    {
        page.messages.push(compaction.message().clone());
    }
    for line in part.lines() {
        let text = String::from_utf8_lossy(line.bytes);
        let Some(event) = Event::read(&text) else {
            page.unreadable += 1;
            continue;
        };
        let place = match found {
            Found::Usable(compaction) => in_place(&event, line.offset, compaction, lines)?,
            Found::None | Found::Unusable => InPlace::Itself,
        };
        page.messages.extend(match place {
            InPlace::Itself => Some(message(&event, line.offset, secrets)),
            InPlace::Compaction(compaction) => Some(compaction.message().clone()),
            InPlace::Nothing => None,
        });
    }
    Ok(())
}

/// What the continued view shows at the place of an event.
enum InPlace<'c> {
    Itself,
    Compaction(&'c Compaction),
    Nothing,
}

fn in_place<'c>(
    event: &Event<'_>,
    offset: u64,
    compaction: &'c Compaction,
    lines: &Lines<'_>,
) -> io::Result<InPlace<'c>> {
    let own = compaction.message().offset;
    if offset == own {
        return Ok(InPlace::Nothing);
    }
    if offset > own || !compaction.replaces(event) {
        return Ok(InPlace::Itself);
    }
    Ok(if compaction.place(lines)? == Place::At(offset) {
        InPlace::Compaction(compaction)
    } else {
        InPlace::Nothing
    })
}

#[cfg(test)]
mod tests;
