//! What is said when there is nothing to show.

use std::path::PathBuf;

use sesstree::app::msg::{Effect, Msg, ScanTrouble};
use sesstree::session::Fault;
use sesstree::text::SafeText;

use super::data::{now, sample, session};
use super::desk::{Setup, desk};

#[test]
fn an_unreadable_root_says_why() {
    let mut setup = Setup::new(Vec::new());
    setup.scan = Err(ScanTrouble::Unreadable(SafeText::line("permission denied")));
    let mut desk = setup.sit();
    desk.sees("cannot be listed: permission denied");
    desk.scan = Ok(());
    desk.sessions = sample();
    desk.press("R");
    desk.sees("Fix login redirect");
}

#[test]
fn a_root_that_vanishes_keeps_its_rows_and_says_so() {
    let mut desk = desk();
    desk.scan = Err(ScanTrouble::Missing);
    desk.press("R");
    desk.sees("Fix login redirect");
    desk.sees("the store cannot be listed any more");
}

#[test]
fn an_empty_store_says_what_to_do() {
    let desk = Setup::new(Vec::new()).sit();
    desk.sees("No sessions in ~/.local/share/zero/sessions yet.");
    desk.sees("0 sessions");
}

#[test]
fn no_match_says_how_to_get_back() {
    let mut desk = desk();
    desk.press("/nothing like it");
    desk.sees("Nothing matches “nothing like it”.");
    desk.sees("Esc clears the filter.");
    desk.press("<Enter><Enter>");
    assert!(!desk.asked("Hold"));
    desk.press("<Esc>.");
    desk.sees("No sessions of this folder.");
}

#[test]
fn rows_appear_while_the_store_is_scanned_and_never_vanish_in_a_refresh() {
    let mut setup = Setup::new(sample());
    setup.keep = |effect| matches!(effect, Effect::Scan { .. });
    let mut desk = setup.sit();
    desk.sees("Looking for sessions");
    let Some(Effect::Scan { generation, .. }) = desk.waiting.front() else {
        panic!("no scan");
    };
    let generation = *generation;
    let batch = |from: usize, to: usize| Msg::Scanned {
        generation,
        sessions: sample()[from..to].to_vec(),
        same: Vec::new(),
        faults: Vec::new(),
    };
    desk.show(batch(0, 3));
    desk.sees("Fix login redirect");
    desk.sees("scanning …");
    assert!(!desk.asked("Size"), "sizes come after the scan");
    desk.show(batch(3, 4));
    desk.sees_not("Migrate");
    desk.show(Msg::Tick(now()));
    desk.sees("Migrate");
    desk.release();
    desk.sees_not("scanning …");
    desk.keep_waiting(|effect| matches!(effect, Effect::Scan { .. }));
    desk.press("R");
    desk.sees("9 sessions");
    desk.sees("scratch");
    desk.show(Msg::StoreChanged);
    assert_eq!(desk.waiting.len(), 1, "a scan under way is not given up");
    desk.release();
    let scans = desk.asked.iter().filter(|asked| asked.starts_with("Scan"));
    assert_eq!(scans.count(), 3, "one more, for the change meanwhile");
}

#[test]
fn a_stale_scan_is_dropped() {
    let mut desk = desk();
    desk.show(Msg::Scanned {
        generation: 999,
        sessions: vec![session("ghost", "ghost", "", 0)],
        same: Vec::new(),
        faults: Vec::new(),
    });
    desk.show(Msg::ScanEnded {
        generation: 999,
        outcome: Ok(()),
    });
    desk.sees_not("ghost");
}

#[test]
fn faults_are_told_in_one_line_and_listed_in_the_help() {
    let mut setup = Setup::new(sample());
    setup.faults = ["a.b", " sp", "é"]
        .map(|name| Fault {
            path: PathBuf::from(name),
            what: SafeText::line("not a session's name"),
        })
        .to_vec();
    let mut desk = setup.sit();
    desk.sees("3 things here are not sessions");
    desk.press("?G");
    desk.sees("a.b: not a session's name");
}

#[test]
fn trouble_is_shown_until_the_next_key() {
    let mut desk = desk();
    desk.show(Msg::Trouble(SafeText::line("a worker died")));
    desk.sees("a worker died");
    desk.press("j");
    desk.sees_not("a worker died");
    desk.tell(Msg::Trouble(SafeText::line("another died")));
    desk.press("j");
    desk.sees("another died");
}

#[test]
fn a_trash_that_cannot_be_read_says_why() {
    let mut desk = desk();
    desk.press("u");
    desk.show(Msg::Trash(Err(SafeText::line("permission denied"))));
    desk.sees("the trash cannot be read: permission denied");
    desk.press("<Enter>j");
    assert!(!desk.asked("Restore"));
}
