//! What the list tells beside its rows: what is hidden, what is selected, and what keys do then.

use sesstree::session::{Session, SessionKind};

use super::data::{sample, session};
use super::desk::{Setup, desk};

/// An agent's own run.
fn run(name: &str, parent: &str, hours: i64) -> Session {
    let mut run = session(name, &format!("a run, {name}"), parent, hours);
    run.kind = SessionKind::Child;
    run
}

#[test]
fn the_title_tells_how_many_runs_are_hidden() {
    let mut desk = desk();
    desk.sees("Sessions · activity ↓ · 1 agent run hidden (a) ");
    desk.press("a");
    desk.sees_not("hidden (a)");
    desk.press("a/queue");
    desk.sees_not("hidden (a)");
    let mut sessions = sample();
    sessions.push(run("deep", "run", 5));
    sessions.push(session("below", "went on by hand", "deep", 1));
    let desk = Setup::new(sessions).sit();
    desk.sees_not("hidden (a)");
}

#[test]
fn the_title_drops_whole_parts_that_do_not_fit() {
    let mut desk = Setup::new(sample()).size(40, 10).sit();
    desk.sees("╭ Sessions · activity ↓ · 1 hidden (a) ╮");
    desk.press("O.");
    desk.sees("╭ Sessions · activity ↑ · in ~/src/web ╮");
}

#[test]
fn no_match_tells_of_runs_that_would() {
    let mut desk = desk();
    desk.press("/look for");
    desk.sees("1 agent run matches: Enter, then a shows it.");
    desk.press("<Enter>");
    desk.sees("1 agent run matches: a shows it.");
    desk.press("a");
    desk.sees("child");
}

#[test]
fn a_long_filter_is_cut_where_nothing_matches() {
    let mut desk = Setup::new(sample()).size(60, 15).sit();
    desk.press("/a text that is much longer than anything anybody would look for");
    let line = desk.line("Nothing matches “");
    assert!(line.contains("…”."), "{line}");
    desk.sees("Esc clears the filter.");
}

#[test]
fn a_row_tells_of_newer_activity_that_has_no_row() {
    let mut sessions = sample();
    sessions.push(run("fresh", "pg-a", 1));
    let mut desk = Setup::new(sessions).sit();
    assert!(desk.line("with a queue").contains("40d·1h"));
    assert!(desk.line("◆ Migrate to postgres").contains("61d·1h"));
    assert!(desk.line("─  with a view").contains(" 9d "));
    desk.press("a");
    assert!(!desk.line("with a queue").contains("·1h"));
    assert!(!desk.line("◆ Migrate to postgres").contains("·1h"));
    desk.press("/queue");
    assert!(desk.line("◆ with a queue").contains("40d·1h"));
}

#[test]
fn a_selection_leads_the_hints_at_any_width() {
    for (width, height) in [(120, 35), (80, 24), (60, 15), (40, 10)] {
        let mut desk = Setup::new(sample()).size(width, height).sit();
        desk.sees_not("prune 3 selected");
        desk.press("jjv");
        let line = desk.text().lines().last().unwrap().to_owned();
        assert!(line.starts_with("d prune 3 selected  Esc clear"), "{line}");
        desk.press("<Esc>");
        desk.sees_not("3 selected");
    }
}

#[test]
fn hints_never_touch_what_follows() {
    let mut before = String::new();
    for width in 40..200 {
        let desk = Setup::new(sample()).size(width, 20).sit();
        let line = desk.text().lines().last().unwrap().to_owned();
        for mark in ["● open", "◆ ancestor"] {
            if let Some((hints, _)) = line.split_once(mark) {
                assert!(hints.ends_with("  "), "{width}: {line}");
            }
        }
        let hints = line.split("  ");
        for hint in hints.filter(|hint| !hint.trim().is_empty()) {
            assert!(!hint.contains('…') && hint.contains(' '), "{width}: {line}");
        }
        before = line;
    }
    assert!(before.contains("✂ a 30d prune would take it"));
}

#[test]
fn columns_stay_where_they_are_when_a_row_is_selected() {
    let mut desk = desk();
    let list = |line: String| line.split("││").next().unwrap().to_owned();
    let names = list(desk.line("TITLE"));
    let row = list(desk.line("Migrate to postgres"));
    desk.press("<Space>");
    assert_eq!(list(desk.line("TITLE")), names);
    assert_eq!(list(desk.line("Migrate to postgres")), row);
    assert!(desk.line("Fix login redirect").starts_with("│ ✓▾● Fix"));
}

#[test]
fn what_is_copied_is_shown_whole() {
    let mut desk = Setup::new(sample()).size(60, 15).sit();
    desk.press("Y");
    desk.sees("╭ Clipboard");
    desk.sees("cd /home/you/src/api");
    desk.press("<Esc>y");
    desk.sees("sent to the terminal's clipboard: login");
}

#[test]
fn a_preview_that_begins_inside_a_message_says_so() {
    let mut desk = Setup::new(sample()).size(100, 10).sit();
    desk.press("j");
    desk.sees("││ …       ");
    desk.resize(120, 35);
    desk.sees_not("││ …       ");
}

#[test]
fn damage_has_one_name_everywhere() {
    let mut desk = desk();
    desk.press("G");
    assert!(desk.cursor().contains("! damaged: metadata unreadable"));
    desk.sees("╮╭ damaged: metadata unreadable ─");
    desk.sees("never pruned: damaged");
    desk.press("<Tab>");
    desk.sees("╭ damaged: metadata unreadable ─");
    desk.press("qp<Enter>ll");
    assert!(
        desk.cursor()
            .starts_with("│▌  damaged: metadata unreadable   ")
    );
    desk.press("<Esc>p<Enter>cy");
    desk.sees("3 removed");
    let row = desk.line("  damaged: metadata unreadable   ");
    assert!(row.contains("  kept  "), "{row}");
}
