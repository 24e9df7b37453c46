//! `d` on a real store: the selected, or this one, or all that descends from it.

use super::yes::store;
use super::{Real, open};
use crate::prune::contents;
use crate::screens::desk::Desk;
use crate::support::TestStore;

/// With the cursor on a session.
fn on(store: &TestStore, id: &str) -> Desk<Real> {
    let mut desk = open(store);
    desk.press(&format!("/title of {id}<Enter>"));
    assert!(desk.cursor().contains(id), "{}", desk.text());
    desk
}

#[test]
fn a_selection_goes_after_a_yes_and_stays_after_a_no() {
    let store = store();
    let before = store.snapshot();
    let mut desk = on(&store, "one");
    desk.press("<Space><Esc>/title of three<Enter><Space><Esc>d");
    desk.sees("Would remove 2");
    desk.press("cn<Esc>");
    assert_eq!(store.snapshot(), before);
    desk.press("dcy");
    desk.sees("2 removed");
    assert!(!store.has("one") && !store.has("three"));
    assert!(store.has("two"), "it was not selected");
}

#[test]
fn a_parent_goes_with_its_subtree_or_not_at_all() {
    let store = store();
    let before = store.snapshot();
    let mut desk = on(&store, "two");
    desk.press("d");
    desk.sees("1 session below");
    desk.press("t");
    desk.sees("Would remove 0");
    desk.sees("ancestor of “title of three”, which stays");
    desk.press("c<Esc>");
    desk.press("ds");
    desk.sees("Would remove 2");
    desk.press("c<Enter><Esc>");
    assert_eq!(store.snapshot(), before);

    let before = contents(&store);
    desk.press("dscy");
    assert!(!store.has("two") && !store.has("three"));
    assert!(store.has("one"), "it was not asked for");
    desk.press("u");
    assert_eq!(contents(&store), before);
}

#[test]
fn one_of_the_last_day_stays_whatever_was_asked() {
    let store = store();
    store.add("today", "", 0);
    let before = store.snapshot();
    let mut desk = on(&store, "today");
    desk.press("d");
    desk.sees("active in the last 24 hours");
    desk.press("cy");
    assert_eq!(store.snapshot(), before);
}
