//! The list of sessions: filter line, column names, rows.

use ratatui::Frame;
use ratatui::layout::{Alignment, Rect};
use ratatui::text::Line;

use super::format::{bytes, count, counted, cut, left, path, right, width};
use super::{Theme, Ui, pane, popup, put, row, rows, states};
use crate::app::Screen;
use crate::filter::Finder;
use crate::lineage::Sort;

pub(super) fn draw(ui: &Ui, frame: &mut Frame) {
    let area = ui.layout.list;
    let mut block = pane(&title(ui), area.width);
    if let Some(line) = selected(ui) {
        let line = cut(&line, usize::from(area.width).saturating_sub(4));
        block =
            block.title_bottom(Line::styled(line, ui.theme.accent()).alignment(Alignment::Right));
    } else if let Some(line) = faults(ui) {
        block = block.title_bottom(Line::styled(line, Theme::DIM));
    }
    frame.render_widget(block, area);
    filter(ui, frame);
    if ui.model.tree.rows.is_empty() {
        return states::draw(ui, frame, ui.layout.columns.union(ui.layout.rows));
    }
    let columns = row::Columns::of(ui);
    put(frame, ui.layout.columns, &columns.names(), Theme::DIM);
    let page = ui.layout.page();
    let tree = &ui.model.tree;
    let hits = ui.model.chosen.hits.as_ref();
    let mut finder = hits.map(|hits| Finder::new(&hits.filter));
    for (place, (entry, area)) in tree
        .drawn(page)
        .iter()
        .zip(rows(ui.layout.rows))
        .enumerate()
    {
        let at = tree.scroll.top + place == tree.scroll.at;
        row::draw(ui, frame, area, &columns, *entry, at);
        if let Some(finder) = &mut finder {
            row::mark_letters(ui, frame, area, &columns, *entry, finder);
        }
    }
}

fn title(ui: &Ui) -> String {
    let known = &ui.model.known;
    if let Some(why) = states::why_not_listed(ui).filter(|_| !known.lineage.is_empty()) {
        return format!("Sessions · cannot be listed: {why}");
    }
    let hits = ui.model.chosen.hits.as_ref();
    let ranked = hits.is_some_and(|hits| hits.filter.ranks());
    let falling = matches!(known.sort, Sort::Activity | Sort::Created | Sort::Size);
    let arrow = if falling == known.reversed {
        '↑'
    } else {
        '↓'
    };
    let mut title = if ranked {
        "Sessions · best match".to_owned()
    } else {
        format!("Sessions · {} {arrow}", known.sort.word())
    };
    let room = usize::from(ui.layout.list.width).saturating_sub(4);
    for ways in [scanning(ui), folder(ui), runs(ui)] {
        // The longest way to say it that fits whole.
        let mut ways = ways.iter().map(|part| format!("{title} · {part}"));
        if let Some(longer) = ways.find(|longer| width(longer) <= room) {
            title = longer;
        }
    }
    title
}

fn scanning(ui: &Ui) -> Vec<String> {
    let scanning = ui.model.known.first_scan();
    Vec::from_iter(scanning.then(|| "scanning …".to_owned()))
}

fn folder(ui: &Ui) -> Vec<String> {
    let Some(here) = &ui.model.chosen.here else {
        return Vec::new();
    };
    let whole = format!("in {}", path(here, ui.model.start.home.as_deref()));
    vec![whole, "this folder".to_owned()]
}

fn runs(ui: &Ui) -> Vec<String> {
    match ui.model.tree.runs_hidden {
        _ if ui.model.chosen.runs => vec!["agents' runs too".to_owned()],
        0 => Vec::new(),
        n => vec![
            format!("{} hidden (a)", counted(n, "agent run")),
            format!("{} hidden (a)", count(n)),
        ],
    }
}

fn selected(ui: &Ui) -> Option<String> {
    let model = ui.model;
    let selected = Some(model.selected.len()).filter(|selected| *selected > 0)?;
    Some(format!(
        " {} selected · {} ",
        count(selected),
        bytes(model.selected_bytes)
    ))
}

fn faults(ui: &Ui) -> Option<String> {
    match ui.model.known.faults.len() {
        0 => None,
        1 => Some(" 1 thing here is not a session (see ?) ".to_owned()),
        n => Some(format!(
            " {} here are not sessions (see ?) ",
            counted(n, "thing")
        )),
    }
}

/// ` / words                     12 of 1,284`
fn filter(ui: &Ui, frame: &mut Frame) {
    let Some(area) = ui.layout.filter else {
        return;
    };
    let model = ui.model;
    let shown = format!(
        "{} of {} ",
        count(model.tree.count),
        count(model.known.lineage.len())
    );
    let room = usize::from(area.width).saturating_sub(width(&shown));
    put(frame, area, " / ", ui.theme.accent());
    let input = Rect {
        x: area.x + 3,
        width: u16::try_from(room).unwrap_or(0).saturating_sub(4),
        ..area
    };
    if let Screen::Filter(typed) = &model.screen {
        popup::input(frame, input, typed);
    } else {
        put(
            frame,
            input,
            &left(&model.query, input.width.into()),
            Theme::STRONG,
        );
    }
    let end = Rect {
        x: area.x + u16::try_from(room).unwrap_or(0),
        width: u16::try_from(width(&shown)).unwrap_or(0).min(area.width),
        ..area
    };
    put(frame, end, &right(&shown, end.width.into()), Theme::DIM);
}
