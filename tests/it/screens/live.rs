//! What is shown is looked at again, for what is written in it meanwhile.

use std::collections::{BTreeSet, HashMap};

use chrono::TimeDelta;
use sesstree::app::msg::{Effect, Msg};
use sesstree::session::{Openness, Session, SessionId, Sighting};

use super::data::{id, now, sample, session};
use super::desk::{Desk, Setup, desk};

/// However large the store is; and one that is open may be far from what is drawn.
#[test]
fn what_is_drawn_and_what_is_open_is_compared_every_two_seconds() {
    let name = |i: i64| format!("s{i:03}");
    let many = (0..400).map(|i| session(&name(i), "", "", i));
    let mut desk = Setup::new(many.collect()).size(80, 12).sit();
    desk.open = HashMap::from([(id("s300"), Openness::Maybe)]);
    desk.show(Msg::Tick(now() + TimeDelta::seconds(2)));
    desk.asked.clear();
    desk.show(Msg::Tick(now() + TimeDelta::seconds(3)));
    assert!(!desk.asked("Compare"));
    desk.show(Msg::Tick(now() + TimeDelta::seconds(4)));
    let compared = desk.asked.iter().find(|asked| asked.starts_with("Compare"));
    let compared = compared.unwrap();
    for name in ["s000", "s300"] {
        assert!(compared.contains(name), "{name}: {compared}");
    }
    assert!(compared.matches("SessionId").count() < 15, "{compared}");
}

/// A scan under way may have seen it before it was written.
#[test]
fn what_was_written_during_a_scan_is_looked_at_after_it() {
    let mut desk = desk();
    desk.keep_waiting(|effect| matches!(effect, Effect::Scan { .. }));
    desk.press("R");
    desk.show(Msg::Rewritten(vec![session("notes", "renamed", "", 0)]));
    desk.sees_not("renamed");
    let Some(Effect::Scan { generation, .. }) = desk.waiting.pop_front() else {
        panic!("no scan");
    };
    desk.show(Msg::ScanEnded {
        generation,
        outcome: Ok(()),
    });
    assert!(matches!(
        desk.waiting.pop_front(),
        Some(Effect::Scan { .. })
    ));
}

/// Tells that the store changed and answers: these are as they were seen, with their pins, and these were read.
fn refresh(
    desk: &mut Desk,
    same: &[(&str, bool)],
    read: Vec<Session>,
) -> Vec<(SessionId, Sighting)> {
    desk.keep_waiting(|effect| matches!(effect, Effect::Scan { .. }));
    desk.show(Msg::StoreChanged);
    let Some(Effect::Scan { generation, seen }) = desk.waiting.pop_front() else {
        panic!("no scan");
    };
    desk.show(Msg::Scanned {
        generation,
        sessions: read,
        same: same
            .iter()
            .map(|(name, pinned)| (id(name), *pinned))
            .collect(),
        faults: Vec::new(),
    });
    desk.show(Msg::ScanEnded {
        generation,
        outcome: Ok(()),
    });
    seen
}

const SAME: [(&str, bool); 8] = [
    ("login", false),
    ("cookie", false),
    ("run", false),
    ("postgres", false),
    ("pg-a", false),
    ("pg-b", false),
    ("scratch", false),
    ("notes", false),
];

#[test]
fn a_refresh_asks_for_nothing_again_that_is_sound_and_as_it_was() {
    let mut desk = desk();
    let before = desk.text();
    let damaged = sample().pop().unwrap();
    let seen = refresh(&mut desk, &SAME, vec![damaged]);
    let asked: BTreeSet<&str> = seen.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(asked, SAME.map(|(name, _)| name).into());
    assert_eq!(desk.text(), before);
}

/// What was seen may hide a change of the same moment.
#[test]
fn a_refresh_by_hand_reads_everything_anew() {
    let mut desk = desk();
    desk.keep_waiting(|effect| matches!(effect, Effect::Scan { .. }));
    desk.press("R");
    let asked = desk.waiting.pop_front();
    assert!(matches!(asked, Some(Effect::Scan { seen, .. }) if seen.is_empty()));
}

#[test]
fn a_refresh_shows_what_came_and_what_is_another_and_drops_what_is_gone() {
    let mut desk = desk();
    desk.press("jj");
    assert!(desk.cursor().contains("Migrate to postgres"));
    let damaged = || sample().pop().unwrap();
    // In its old place.
    let other = session("notes", "notes on the kitchen", "", 1);
    refresh(&mut desk, &SAME[..7], vec![other, damaged()]);
    desk.sees("notes on the kitchen");
    desk.sees("9 sessions");
    // Below another one.
    let other = session("notes", "notes on the garden", "scratch", 1);
    refresh(&mut desk, &SAME[..7], vec![other, damaged()]);
    desk.sees("╰─  notes on the garden");
    // Come, and gone.
    let new = session("new", "begun just now", "", 0);
    refresh(&mut desk, &SAME[..7], vec![new, damaged()]);
    desk.sees("begun just now");
    desk.sees("9 sessions");
    desk.sees_not("notes on");
    assert!(desk.cursor().contains("Migrate to postgres"));
}

#[test]
fn a_refresh_takes_pins_from_the_store() {
    let mut desk = desk();
    let before = desk.text();
    let pinned = SAME.map(|(name, _)| (name, name == "pg-a"));
    let damaged = || sample().pop().unwrap();
    refresh(&mut desk, &pinned, vec![damaged()]);
    desk.sees("⚑ with a queue");
    refresh(&mut desk, &SAME, vec![damaged()]);
    assert_eq!(desk.text(), before);
}
