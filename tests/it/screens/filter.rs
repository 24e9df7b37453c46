//! `/`: what matches, what of it, how it may go on.

use ratatui::style::Modifier;

use super::desk::{Desk, desk};

/// The letters that are marked in the rows.
fn marked(desk: &Desk) -> String {
    let buffer = desk.buffer();
    let cells = buffer.content().iter();
    let found = Modifier::BOLD | Modifier::UNDERLINED;
    let marked = cells.filter(|cell| cell.modifier.contains(found));
    marked.map(ratatui::buffer::Cell::symbol).collect()
}

#[test]
fn letters_that_matched_are_marked_and_the_best_match_comes_first() {
    let mut desk = desk();
    desk.press("j/lgn");
    assert!(
        desk.cursor().contains("Fix login redirect"),
        "{}",
        desk.text()
    );
    desk.sees("best match");
    assert!(marked(&desk).starts_with("lgn"), "{}", marked(&desk));
    desk.press("<Esc><Esc>");
    assert_eq!(marked(&desk), "");
}

#[test]
fn keys_and_values_are_completed_by_tab() {
    let mut desk = desk();
    desk.press("/is:o");
    desk.sees(" Tab  old  open");
    desk.press("l<Tab>");
    desk.sees("/ is:old ");
    desk.press("pr<Tab>");
    desk.sees("/ is:old project:");
    desk.press("<Tab>");
    desk.sees("/ is:old project:");
}

#[test]
fn a_term_that_says_nothing_chooses_nothing_and_says_what_would() {
    let mut desk = desk();
    desk.press("/older:x");
    desk.sees("older:x: expected an age: 12h, 3d, 2w, 1y");
    desk.sees("notes on the build");
    desk.press("<C-u>size:");
    desk.sees("a size: >10mb, <1gb");
}

#[test]
fn what_is_selected_stays_in_the_list_as_long_as_it_is() {
    let mut desk = desk();
    desk.press("<Space>/is:selected<Enter>");
    desk.sees("1 of 9");
    desk.press("k<Space>");
    desk.sees("0 of 9");
}
