//! What is shown is looked at again, for what is written in it meanwhile.

use std::collections::HashMap;

use chrono::TimeDelta;
use sesstree::app::msg::{Effect, Msg};
use sesstree::session::Openness;

use super::data::{id, now, session};
use super::desk::{Setup, desk};

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
