//! A store full of text that wants to act on a terminal, on the screen: every cell holds one thing
//! that is seen, every column is where it was, and a terminal does nothing but show it.

use std::cell::Cell;

use chrono::TimeDelta;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::{Buffer, CellWidth as _};
use ratatui::layout::Rect;
use ratatui::{TerminalOptions, Viewport};
use sesstree::app::msg::Effect;
use vt100::{Callbacks, Parser, Screen};

use super::super::desk::Desk;
use super::{Real, open};
use crate::support::hostile::{active, store};
use crate::support::{TestStore, now};

/// The screen on such a store. A kind that nobody knows may be an agent's own run: those are shown too.
fn open_all(store: &TestStore) -> Desk<Real> {
    let mut desk = open(store);
    desk.press("ag");
    desk.sees_not("hidden");
    desk
}

/// What is in each cell of a row, and where it is; what a wide one covers is empty.
fn cells<'b>(buffer: &'b Buffer, y: u16, what: &str) -> Vec<(u16, &'b str)> {
    let mut cells = Vec::new();
    let mut x = 0;
    while x < buffer.area.width {
        let cell = &buffer[(x, y)];
        let symbol = cell.symbol();
        assert_eq!(active(symbol), None, "{what}: {symbol:?} at {x}, {y}");
        assert!(!symbol.contains('\n'), "{what}: a line break at {x}, {y}");
        let width = cell.cell_width().max(1);
        let end = x + width;
        assert!(
            end <= buffer.area.width,
            "{what}: {symbol:?} at {x}, {y} leaves the screen"
        );
        for covered in x + 1..end {
            let under = buffer[(covered, y)].symbol();
            assert_eq!(under, " ", "{what}: covered by {symbol:?} at {x}, {y}");
        }
        cells.push((x, symbol));
        x = end;
    }
    cells
}

/// Checks every cell; in panes, too, that the borders of all rows are at the same columns.
fn check(desk: &Desk<Real>, panes: bool, what: &str) {
    let buffer = desk.buffer();
    let mut borders: Option<Vec<u16>> = None;
    for y in 0..buffer.area.height {
        let cells = cells(buffer, y, what);
        if !panes || cells.first().is_none_or(|(_, symbol)| *symbol != "│") {
            continue;
        }
        let here = cells.iter().filter(|(_, symbol)| *symbol == "│");
        let here: Vec<u16> = here.map(|(x, _)| *x).collect();
        assert_eq!(
            here.last(),
            Some(&(buffer.area.width - 1)),
            "{what}: row {y}"
        );
        assert_eq!(
            borders.get_or_insert(here.clone()),
            &here,
            "{what}: row {y}"
        );
    }
    assert!(
        !panes || buffer.area.width < 40 || borders.is_some(),
        "{what}: no panes"
    );
}

/// The sizes of all sessions stand below their head.
fn check_columns(desk: &Desk<Real>, sessions: usize, what: &str) {
    let buffer = desk.buffer();
    let row = |y| -> String { cells(buffer, y, what).into_iter().map(|(_, s)| s).collect() };
    let head = (0..buffer.area.height)
        .find(|y| row(*y).contains("TITLE"))
        .unwrap();
    // Nothing before it is wide, and one character of the head is one column.
    let Some(at) = row(head).find("SIZE") else {
        return;
    };
    let end = u16::try_from(row(head)[..at].chars().count() + 3).unwrap();
    let rows = (head + 1..).take_while(|y| buffer[(0, *y)].symbol() != "╰");
    for y in rows.take(sessions) {
        assert_eq!(buffer[(end, y)].symbol(), "B", "{what}: {}", row(y));
    }
}

#[test]
fn on_every_width_everything_is_in_its_cell() {
    let (store, ids) = store(now() - TimeDelta::days(60));
    let mut desk = open_all(&store);
    for width in (1..=80).chain([99, 120, 160]) {
        for height in [24, 70] {
            desk.resize(width, height);
            check(&desk, true, &format!("the list at {width}×{height}"));
        }
        if width >= 40 {
            check_columns(&desk, ids.len(), &format!("the list at {width}"));
        }
    }
}

#[test]
fn every_conversation_is_in_its_cells_beside_the_list_and_in_the_reader() {
    let (store, ids) = store(now() - TimeDelta::days(60));
    let mut desk = open_all(&store);
    for id in &ids {
        for keys in ["", "<Tab>", "x", "w"] {
            desk.press(keys);
            for width in [40, 53, 80, 120, 161] {
                desk.resize(width, 40);
                check(&desk, true, &format!("{id} after {keys:?} at {width}"));
            }
        }
        desk.press("<Esc>j");
    }
}

#[test]
fn a_prune_and_the_trash_are_in_their_cells() {
    let (store, _) = store(now() - TimeDelta::days(60));
    let mut desk = open_all(&store);
    let prune = [
        "p",
        "<Enter>",
        "<PgDn>",
        "c",
        "prune<Enter>",
        "<PgDn>",
        "<Esc>u",
        "<PgDn>",
        "<Esc>?",
    ];
    for keys in prune {
        desk.press(keys);
        for width in [40, 53, 80, 120, 161] {
            desk.resize(width, 40);
            check(&desk, false, &format!("after {keys:?} at {width}"));
        }
    }
    assert!(
        desk.asked("Prune") && desk.asked("ListTrash"),
        "{:?}",
        desk.asked
    );
}

#[test]
fn what_a_search_finds_and_the_boxes_are_in_their_cells() {
    let (store, ids) = store(now() - TimeDelta::days(60));
    let mut desk = open_all(&store);
    desk.press("s/./<Enter>");
    desk.sees(&format!("in {} sessions", ids.len() - 1));
    for _ in 0..ids.len() / 6 {
        for width in (1..=80).chain([120, 161]) {
            desk.resize(width, 60);
            check(&desk, true, &format!("what was found, at {width}"));
        }
        desk.press("<PgDn>");
    }
    desk.press("<Esc>g");
    for _ in &ids {
        for keys in ["e", "<Esc>r", "<Esc>"] {
            desk.press(keys);
            for width in [40, 53, 80, 120] {
                desk.resize(width, 24);
                check(&desk, false, &format!("after {keys:?} at {width}"));
            }
        }
        desk.press("j");
    }
}

#[test]
fn what_is_copied_is_safe_and_never_changed_on_the_way() {
    let (store, ids) = store(now() - TimeDelta::days(60));
    let mut desk = open_all(&store);
    desk.keep_waiting(|effect| matches!(effect, Effect::Copy(_)));
    let mut commands = 0;
    for _ in &ids {
        desk.press("yY");
        for effect in desk.waiting.drain(..) {
            let Effect::Copy(text) = effect else {
                panic!("{effect:?}");
            };
            assert_eq!(active(text.as_str()), None, "{text:?}");
            commands += usize::from(text.as_str().contains(" exec "));
        }
        desk.press("<Esc>j");
    }
    // The others have something in their folder that cannot be shown as it is.
    assert!(commands > 3 && commands < ids.len() / 2, "{commands}");
}

/// What a terminal was asked to do but to show text.
#[derive(Default)]
struct Acts(Cell<usize>);

impl Acts {
    fn act(&self) {
        self.0.set(self.0.get() + 1);
    }
}

impl Callbacks for Acts {
    fn audible_bell(&mut self, _: &mut Screen) {
        self.act();
    }
    fn visual_bell(&mut self, _: &mut Screen) {
        self.act();
    }
    fn resize(&mut self, _: &mut Screen, _: (u16, u16)) {
        self.act();
    }
    fn set_window_icon_name(&mut self, _: &mut Screen, _: &[u8]) {
        self.act();
    }
    fn set_window_title(&mut self, _: &mut Screen, _: &[u8]) {
        self.act();
    }
    fn copy_to_clipboard(&mut self, _: &mut Screen, _: &[u8], _: &[u8]) {
        self.act();
    }
    fn paste_from_clipboard(&mut self, _: &mut Screen, _: &[u8]) {
        self.act();
    }
    fn unhandled_control(&mut self, _: &mut Screen, _: u8) {
        self.act();
    }
    fn unhandled_escape(&mut self, _: &mut Screen, _: Option<u8>, _: Option<u8>, _: u8) {
        self.act();
    }
    fn unhandled_osc(&mut self, _: &mut Screen, _: &[&[u8]]) {
        self.act();
    }
}

#[test]
fn a_terminal_does_nothing_but_show_it() {
    const SIZE: (u16, u16) = (120, 70);
    let (store, ids) = store(now() - TimeDelta::days(60));
    let mut desk = open_all(&store);
    desk.resize(SIZE.0, SIZE.1);
    let mut ends = 0;
    for id in &ids {
        for keys in ["", "<Tab>", "<Esc>j"] {
            desk.press(keys);
            let mut sent = Vec::new();
            let area = Rect::new(0, 0, SIZE.0, SIZE.1);
            let viewport = Viewport::Fixed(area);
            let options = TerminalOptions { viewport };
            let backend = CrosstermBackend::new(&mut sent);
            let mut terminal = Terminal::with_options(backend, options).unwrap();
            terminal
                .draw(|frame| sesstree::view::draw(&desk.model, frame))
                .unwrap();
            drop(terminal);
            let mut parser = Parser::new_with_callbacks(SIZE.1, SIZE.0, 0, Acts::default());
            parser.process(&sent);
            ends += parser.screen().contents().matches("END").count();
            assert_eq!(parser.callbacks().0.get(), 0, "{id} after {keys:?}");
            let text = String::from_utf8(sent).unwrap();
            let others = |c: char| c.is_control() && c != '\u{1b}';
            assert!(!text.contains(others), "{id} after {keys:?}: {text:?}");
        }
    }
    assert!(ends > 10 * ids.len(), "{ends}");
}
