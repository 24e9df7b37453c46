//! Searching inside transcripts: what is typed, how far it is, and what was found.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::format::{age, count, counted, cut, joined, left, right, time, width};
use super::{Theme, Ui, after, name, pane, popup, put, rows};
use crate::app::layout::below;
use crate::app::search::{Found, Line, Missed, Run, Searching, State};
use crate::search::found::Hit;
use crate::text::SafeText;

/// Columns before what is around a hit: the role of its message.
const MARGIN: usize = 10;
/// The narrowest list that tells the project too.
const WITH_PROJECT: usize = 68;
const PROJECT: usize = 14;
const MATCHES: usize = 13;

pub(super) fn draw(ui: &Ui, frame: &mut Frame, search: &Searching) {
    let area = ui.layout.body;
    frame.render_widget(pane("Search inside transcripts", area.width), area);
    let inside = after(ui.layout.inside(), 1);
    let columns = usize::from(inside.width).saturating_sub(1);
    put(frame, inside, "Search:", Theme::PLAIN);
    let field = after(inside, 8);
    if search.typing {
        popup::input(frame, field, &search.input);
    } else {
        let text = search.run.as_ref().map_or("", |run| &run.text);
        put(frame, field, &left(text, field.width.into()), Theme::STRONG);
    }
    let (text, style) = status(ui, search, columns);
    put(frame, below(inside, 1), &text, style);
    let Some(run) = &search.run else {
        return;
    };
    let (text, style) = detail(ui, run, columns);
    put(frame, after(ui.layout.detail(), 1), &text, style);
    if run.results.len() == 0 {
        return nothing(frame, after(ui.layout.items(), 1), run.state);
    }
    let drawn = (run.scroll.top..).zip(run.results.lines(run.scroll.top));
    for ((at, line), area) in drawn.zip(rows(ui.layout.items())) {
        let cursor = at == run.scroll.at && !search.typing;
        match line {
            Line::Session(found) => session(ui, frame, area, found, cursor),
            Line::Hit(_, hit) => self::hit(ui, frame, area, hit, cursor),
        }
    }
}

/// What is wrong with what is typed, what can be, or how far the search is.
fn status(ui: &Ui, search: &Searching, columns: usize) -> (String, Style) {
    if let Some(wrong) = &search.wrong {
        let piece = wrong
            .place
            .clone()
            .and_then(|place| search.input.value().get(place));
        let piece = piece.filter(|piece| !piece.is_empty());
        let text = match piece {
            Some(piece) => format!("{}: “{piece}”", wrong.what),
            None => wrong.what.to_string(),
        };
        return (text, ui.theme.warn());
    }
    match &search.run {
        Some(run) if !search.typing => (progress(run, columns), Theme::STRONG),
        _ => {
            let shown = format!("in the {} shown", counted(search.shown, "session"));
            let all = "words, all in one message, or /a regular expression/";
            let short = "words, or /a regular expression/";
            let how = if width(all) <= columns { all } else { short };
            (joined([how.to_owned(), shown], columns), Theme::DIM)
        }
    }
}

/// `12 matches in 4 sessions · 37 of 1,284 searched · Esc stops`
fn progress(run: &Run, columns: usize) -> String {
    let all = run.ids.len();
    let found = match run.results.sessions() {
        0 if run.state == State::Running => "nothing found yet".to_owned(),
        0 => "nothing found".to_owned(),
        sessions => {
            let matches = usize::try_from(run.results.matches).unwrap_or(usize::MAX);
            let matches = match matches {
                1 => "1 match".to_owned(),
                n => format!("{} matches", count(n)),
            };
            format!("{matches} in {}", counted(sessions, "session"))
        }
    };
    let searched = match run.state {
        State::Done => format!("all {} searched", count(all)),
        State::Running => format!("{} of {} searched", count(run.searched), count(all)),
        State::Stopped => format!(
            "stopped: {} of {} searched",
            count(run.searched),
            count(all)
        ),
    };
    let stop = match run.state {
        State::Running => "Esc stops".to_owned(),
        State::Done | State::Stopped => String::new(),
    };
    let whole = format!("{found} · {searched}");
    if width(&whole) <= columns {
        return joined([whole, stop], columns);
    }
    let (matches, sessions) = (run.results.matches, run.results.sessions());
    let searched = format!("{}/{}", count(run.searched), count(all));
    joined(
        [format!("{matches} in {sessions}"), searched, stop],
        columns,
    )
}

/// What was not searched, or more about the line under the cursor.
fn detail(ui: &Ui, run: &Run, columns: usize) -> (String, Style) {
    if let Some(missed) = missed(&run.missed, columns) {
        return (missed, ui.theme.warn());
    }
    let text = match run.results.lines(run.scroll.at).next() {
        Some(Line::Session(_)) => "Enter reads the first of them there".to_owned(),
        Some(Line::Hit(_, hit)) => {
            let at = hit.at.map(|at| format!("{} UTC", time(at, None)));
            let enter = "Enter reads it there".to_owned();
            joined([at.unwrap_or_default(), enter], columns)
        }
        None => String::new(),
    };
    (text, Theme::DIM)
}

fn missed(missed: &Missed, columns: usize) -> Option<String> {
    let sessions = match (missed.sessions, &missed.why) {
        (0, _) | (_, None) => String::new(),
        (n, Some(why)) => format!("{} not searched: {why}", counted(n, "session")),
    };
    let lines = |n: u64, what: &str| match n {
        0 => String::new(),
        n => {
            let n = usize::try_from(n).unwrap_or(usize::MAX);
            format!("{} {what}", counted(n, "line"))
        }
    };
    let too_long = lines(missed.too_long, "longer than 1 MiB not searched");
    let unreadable = lines(missed.unreadable, "unreadable");
    let text = joined([sessions, too_long, unreadable], columns.saturating_sub(2));
    (!text.is_empty()).then(|| format!("! {text}"))
}

/// What to do where there is nothing to show.
fn nothing(frame: &mut Frame, area: Rect, state: State) {
    if state == State::Running {
        return;
    }
    let text = "s searches for something else, Esc goes back to the list. What is searched is what the \
                list shows: without a filter all of it, and with a the agents' own runs too.";
    let lines = crate::app::wrap::wrap(text, area.width.saturating_sub(1).into());
    for (line, area) in lines.iter().zip(rows(area)) {
        put(frame, area, line, Theme::DIM);
    }
}

fn bar(frame: &mut Frame, area: Rect, cursor: bool) -> Style {
    let style = if cursor { Theme::CURSOR } else { Style::new() };
    let blank = " ".repeat(area.width.into());
    put(frame, area, &blank, style);
    put(frame, area, if cursor { "▌" } else { " " }, style);
    style
}

/// `▌Fix login redirect              api              2h   12 matches`
fn session(ui: &Ui, frame: &mut Frame, area: Rect, found: &Found, cursor: bool) {
    let style = bar(frame, area, cursor).patch(Theme::STRONG);
    let session = ui.model.known.lineage.session(&found.id);
    let columns = usize::from(area.width).saturating_sub(2);
    let matches = match found.count {
        Some(1) => "1 match".to_owned(),
        Some(n) => format!(
            "{} matches",
            count(usize::try_from(n).unwrap_or(usize::MAX))
        ),
        None => "…".to_owned(),
    };
    let age = age(
        ui.model.now,
        session.and_then(|session| session.activity_at),
    );
    let mut end = format!(" {} {}", right(&age, 5), right(&matches, MATCHES));
    if let Some(session) = session.filter(|_| columns >= WITH_PROJECT) {
        end = format!(" {}{end}", left(&name::project(ui, session), PROJECT));
    }
    let title = name::of(ui, &found.id, &SafeText::default());
    let title = left(&title, columns.saturating_sub(width(&end)));
    put(frame, after(area, 1), &format!("{title}{end}"), style);
}

/// `▌  you      … why does the login page loop …`
fn hit(ui: &Ui, frame: &mut Frame, area: Rect, hit: &Hit, cursor: bool) {
    let style = bar(frame, area, cursor);
    let role = after(area, 3);
    put(
        frame,
        role,
        hit.role.word(),
        style.patch(ui.theme.role(hit.role)),
    );
    let place = after(area, 1 + MARGIN);
    let room = usize::from(place.width).saturating_sub(1);
    let first = hit.marks.first().map_or(0, |mark| mark.start);
    let piece = hit.context.around(first, room);
    let text = cut(piece.text.as_str(), room);
    put(frame, place, &text, style);
    for mark in hit.marks.iter().filter_map(|mark| piece.place(mark)) {
        let Some(found) = text.get(mark.clone()) else {
            continue;
        };
        let at = after(place, width(&text[..mark.start]));
        put(frame, at, found, style.patch(ui.theme.found()));
    }
}
