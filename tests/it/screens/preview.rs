//! What the preview tells, and what taking out of it leads to.

use super::data::{sample, session};
use super::desk::{Desk, Setup, desk};
use super::prune::wide;

/// The rows of the preview, by the titles they have.
fn order(desk: &Desk, titles: &[&str]) -> Vec<usize> {
    let text = desk.text();
    let place = |title: &&str| text.lines().position(|line| line.contains(*title)).unwrap();
    titles.iter().map(place).collect()
}

/// A chain of three that would go, and one beside it.
fn chain() -> Desk {
    let mut sessions = wide();
    sessions.push(session("top", "the top", "", 24 * 80));
    sessions.push(session("mid", "the middle", "top", 24 * 70));
    sessions.push(session("low", "the lowest", "mid", 24 * 95));
    let mut desk = Setup::new(sessions).sit();
    desk.press("p<Enter>");
    desk
}

#[test]
fn the_oldest_comes_first() {
    let desk = chain();
    let places = order(
        &desk,
        &[
            "the lowest",
            "scratch",
            "the top",
            "the middle",
            "notes",
            "queue",
        ],
    );
    assert!(places.is_sorted(), "{}", desk.text());
}

#[test]
fn ancestors_that_stay_are_told_and_named() {
    let mut desk = chain();
    desk.sees("Would remove 6");
    desk.press("<Space>");
    desk.sees("2 ancestors stay too");
    desk.sees("Would remove 3");
    desk.press("k<Space>");
    desk.sees("2 ancestors go again, too");
    desk.press("k<Space>l");
    assert!(
        desk.line("the middle")
            .contains("ancestor of “the lowest”, which stays")
    );
    desk.sees("Kept 3 ");
    desk.sees_not("taken out of the preview");
    desk.press("cy");
    assert!(
        desk.line("the middle")
            .contains("ancestor of “the lowest”, which stays")
    );
}

#[test]
fn the_younger_are_counted_for_the_whole_store_only() {
    let mut desk = desk();
    desk.press("p<Enter>");
    desk.sees("· 4 younger");
    desk.press("<Esc>/notes<Enter>d");
    desk.sees("1 chosen session");
    desk.sees_not("younger");
}

#[test]
fn kind_and_project_are_told_where_there_is_room() {
    let mut desk = desk();
    desk.press("p<Enter>");
    assert!(desk.line("with a queue").contains("fork       api  "));
    desk.resize(60, 15);
    assert!(!desk.line("with a queue").contains("api"));
}

#[test]
fn escape_leaves_the_cutoff_and_the_marks_as_they_were() {
    let mut desk = desk();
    desk.press("p<Up><Up>");
    desk.sees("not active for ▏180d");
    desk.sees("type an age (45d, 2w, 720h) ·\u{a0}↑\u{a0}longer\u{a0}↓\u{a0}shorter");
    desk.press("<Esc>");
    desk.sees("✂ a 30d prune would take it");
    desk.sees("✂ scratch");
    desk.press("p");
    desk.sees("not active for ▏30d");
    desk.press("<BS><BS><BS>2w<Enter><Esc>");
    desk.sees("a 14d prune would take it");
}

#[test]
fn a_parent_asks_about_what_is_below_it() {
    let mut desk = desk();
    desk.press("jjd");
    desk.sees("“Migrate to postgres” has 2 sessions below it:");
    desk.sees("“with a queue”. If it goes, they go too.");
    desk.sees("s all 3");
    desk.sees("t only this one (it would stay)");
    desk.sees("Esc cancel");
    let mut sessions = sample();
    for i in 0..4 {
        sessions.push(session(
            &format!("more{i}"),
            &format!("more {i}"),
            "postgres",
            24 * 50 + i,
        ));
    }
    let mut desk = Setup::new(sessions).sit();
    desk.press("jjd");
    desk.sees("and 3 more");
    desk.press("s");
    desk.sees("7 chosen sessions");
}

#[test]
fn what_could_not_be_checked_is_shown_if_nothing_else_is() {
    let damaged = sample().pop().unwrap();
    let mut desk = Setup::new(vec![damaged, session("a", "of today", "", 1)]).sit();
    for keys in ["p<Enter>", "/damaged<Enter>d"] {
        desk.press(keys);
        assert!(desk.cursor().contains("metadata unreadable"), "{keys}");
        desk.press("hh");
        desk.sees("nothing to remove: 1 could not be checked");
        desk.press("<Esc>");
    }
}
