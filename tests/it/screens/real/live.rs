//! A session that an agent goes on with is shown as it is, though nothing shows in the root.

use chrono::TimeDelta;
use sesstree::app::msg::Msg;

use super::open;
use super::sample::session;
use crate::support::{TestStore, now};

#[test]
fn what_is_written_in_a_drawn_session_is_seen() {
    let store = TestStore::new();
    session(&store, "fresh", "Fix login redirect", 1).write();
    let old = || session(&store, "old", "Migrate to postgres", 24 * 90);
    old().message("user", "the question").write();
    let mut desk = open(&store);
    desk.press("G");
    assert!(desk.cursor().contains("✂"), "{}", desk.text());
    desk.sees("the question");

    let continued = old().at(now()).message("user", "the question");
    continued.message("assistant", "the late answer").write();
    desk.asked.clear();
    desk.show(Msg::Tick(now() + TimeDelta::seconds(2)));
    assert!(!desk.asked("Scan"), "only what is shown is read");
    assert!(!desk.cursor().contains("✂"), "{}", desk.text());
    assert!(desk.cursor().contains("Migrate to postgres"));
    assert!(desk.cursor().contains(" 2s "), "{}", desk.cursor());
    desk.sees("the late answer");

    desk.asked.clear();
    desk.show(Msg::Tick(now() + TimeDelta::seconds(4)));
    assert!(desk.asked("Compare"));
    assert!(!desk.asked("Read"), "nothing has changed since");
}
