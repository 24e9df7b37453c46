//! `m`: pins on the screen, and on the disk.

use sesstree::app::msg::Msg;
use sesstree::session::Refusal;
use sesstree::text::SafeText;

use super::super::data::{id, sample};
use super::super::desk::{Setup, desk};
use super::open;
use crate::support::TestStore;

fn store() -> TestStore {
    let store = TestStore::new();
    store.add("old", "", 90);
    store.add("other", "", 80);
    for name in ["new1", "new2", "new3"] {
        store.add(name, "", 1);
    }
    store
}

#[test]
fn m_pins_the_row_and_a_prune_keeps_it() {
    let store = store();
    let mut desk = open(&store);
    desk.press("Gm");
    desk.sees("⚑ title of old");
    desk.sees("⚑ pinned: no prune takes it");
    desk.sees("kept by a prune: pinned");
    assert!(store.path(".sesstree/pins/old").is_file());
    desk.press("p<Enter>");
    desk.sees("Would remove 1");
    desk.press("<Right>");
    desk.sees("pinned");
    desk.press("<Esc>d");
    desk.sees("Would remove 0");
    desk.press("<Esc>m");
    desk.sees_not("⚑");
    desk.sees("no longer pinned");
    assert!(!store.path(".sesstree/pins/old").exists());
}

#[test]
fn m_pins_the_selected_and_lets_go_of_all_if_all_are_pinned() {
    let store = store();
    let pins = |names: &[&str]| {
        let is_pinned = |name: &&str| store.path(".sesstree/pins").join(name).is_file();
        names.iter().filter(|name| is_pinned(name)).count()
    };
    let mut desk = open(&store);
    desk.press("Gm");
    desk.press("GV");
    desk.press("m");
    desk.sees("5 sessions pinned");
    assert_eq!(pins(&["old", "other", "new1", "new2", "new3"]), 5);
    desk.press("m");
    desk.sees("5 sessions no longer pinned");
    assert_eq!(pins(&["old", "other", "new1", "new2", "new3"]), 0);
}

#[test]
fn a_pin_that_fails_is_told_and_not_shown() {
    let mut setup = Setup::new(sample());
    setup.keep = |effect| matches!(effect, sesstree::app::msg::Effect::Pin(_));
    let mut desk = setup.sit();
    desk.press("m");
    desk.sees_not("⚑");
    desk.show(Msg::Pinned {
        pins: vec![(id("login"), true)],
        outcome: Err(Refusal::NotPinned(SafeText::line("EROFS"))),
    });
    desk.sees("the pin cannot be changed: EROFS");
    desk.sees_not("⚑");
}

/// A lane has room for one that waits: what replaces it must bring it along.
#[test]
fn pins_that_have_no_answer_are_asked_for_again_with_the_next() {
    let mut setup = Setup::new(sample());
    setup.keep = |effect| matches!(effect, sesstree::app::msg::Effect::Pin(_));
    let mut desk = setup.sit();
    desk.press("mjm");
    let last = desk.waiting.back().map(|effect| format!("{effect:?}"));
    let last = last.unwrap();
    assert_eq!(last.matches("true").count(), 2, "{last}");
    desk.press("m");
    let last = desk.waiting.back().map(|effect| format!("{effect:?}"));
    let last = last.unwrap();
    assert_eq!(last.matches("true").count(), 1, "{last}");
    assert_eq!(last.matches("false").count(), 1, "{last}");
}

#[test]
fn the_help_and_the_hints_tell_of_it() {
    let mut desk = desk();
    desk.press("?");
    desk.sees("pinned: no prune takes it or its ancestors");
}
