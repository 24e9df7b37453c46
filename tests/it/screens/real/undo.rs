//! The way back: every file as it was.

use super::open;
use super::yes::store;
use crate::prune::contents;

#[test]
fn u_in_the_report_brings_every_file_back() {
    let store = store();
    let before = contents(&store);
    let mut desk = open(&store);
    desk.press("p<Enter>cy");
    assert_ne!(contents(&store), before);
    desk.press("u");
    desk.sees("3 sessions restored");
    desk.sees("10 sessions");
    assert_eq!(contents(&store), before);
}

#[test]
fn enter_in_the_trash_brings_every_file_back_later_too() {
    let store = store();
    let before = contents(&store);
    open(&store).press("p<Enter>cy");
    let mut desk = open(&store);
    desk.sees_not("title of one");
    desk.press("u");
    desk.sees("title of one");
    desk.press("<Enter>");
    desk.sees("3 sessions restored");
    assert_eq!(contents(&store), before);
    desk.press("u");
    desk.sees("the trash is empty");
}

#[test]
fn what_was_made_again_meanwhile_is_not_replaced() {
    let store = store();
    let mut desk = open(&store);
    desk.press("p<Enter>cy");
    store.add("one", "", 0);
    let again = std::fs::read(store.path("one/metadata.json")).unwrap();
    desk.press("u");
    desk.sees("2 sessions restored, not these:");
    desk.sees("one: a session of this id is in the store already");
    assert!(store.has("two") && store.has("three"));
    let now = std::fs::read(store.path("one/metadata.json")).unwrap();
    assert_eq!(now, again);
    desk.press("<Enter>u");
    desk.sees("1 session ·");
}
