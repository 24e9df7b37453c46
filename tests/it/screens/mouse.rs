//! The mouse goes to what is drawn under it, and never does more.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use sesstree::app::msg::Msg;

use super::data::sample;
use super::desk::{Desk, Setup, desk};
use super::prune::wide;

fn mouse(column: u16, row: u16, kind: MouseEventKind) -> Msg {
    Msg::Mouse(MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    })
}

pub(super) fn click(column: u16, row: u16) -> Msg {
    mouse(column, row, MouseEventKind::Down(MouseButton::Left))
}

/// The screen's row with this in it.
fn row(desk: &Desk, part: &str) -> u16 {
    let text = desk.text();
    let row = text.lines().position(|line| line.contains(part)).unwrap();
    u16::try_from(row).unwrap()
}

#[test]
fn the_mouse_goes_to_rows_and_scrolls() {
    let mut desk = desk();
    desk.show(click(9, 5));
    assert!(desk.cursor().contains("Migrate"));
    desk.show(mouse(9, 5, MouseEventKind::ScrollDown));
    assert!(desk.cursor().contains("notes on the build"));
    desk.show(mouse(9, 5, MouseEventKind::ScrollUp));
    assert!(desk.cursor().contains("Migrate"));
    desk.show(click(9, 34));
    assert!(desk.cursor().contains("Migrate"));
}

#[test]
fn a_click_goes_to_a_row_of_a_preview_a_report_and_the_trash() {
    let mut desk = Setup::new(wide()).sit();
    for keys in ["p<Enter>", "cy", "<Esc>u"] {
        desk.press(keys);
        for title in ["notes on the build", "with a queue"] {
            desk.asked.clear();
            let at = row(&desk, title);
            desk.show(click(9, at));
            assert!(desk.cursor().contains(title), "{keys}: {}", desk.text());
            assert!(desk.asked.is_empty(), "{:?}", desk.asked);
        }
        desk.show(click(9, 0));
        desk.show(click(9, 33));
        assert!(desk.cursor().contains("with a queue"), "{keys}");
    }
}

#[test]
fn a_click_in_a_scrolled_list_goes_to_what_is_drawn_there() {
    let old =
        |i: i64| super::data::session(&format!("s{i:02}"), &format!("title {i:02}"), "", 2_400 + i);
    let mut desk = Setup::new((0..60).map(old).collect()).size(80, 24).sit();
    desk.press("p<Enter>G");
    let at = row(&desk, "title 10");
    desk.show(click(9, at));
    assert!(desk.cursor().contains("title 10"), "{}", desk.text());
}

#[test]
fn the_wheel_over_the_preview_leaves_the_list_alone() {
    for (size, at) in [((120, 35), (100, 9)), ((80, 40), (9, 35))] {
        let mut desk = Setup::new(sample()).size(size.0, size.1).sit();
        desk.show(mouse(at.0, at.1, MouseEventKind::ScrollDown));
        assert!(desk.cursor().contains("Fix login"), "{}", desk.text());
        desk.show(mouse(9, 4, MouseEventKind::ScrollDown));
        assert!(!desk.cursor().contains("Fix login"), "{}", desk.text());
    }
}

#[test]
fn the_wheel_scrolls_the_help() {
    let mut desk = desk();
    desk.press("?");
    desk.sees("Marks and kinds");
    desk.show(mouse(9, 9, MouseEventKind::ScrollDown));
    desk.sees_not("Marks and kinds");
}
