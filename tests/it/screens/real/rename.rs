//! `r`: another title, on the screen and on the disk.

use super::open;
use crate::support::TestStore;
use crate::support::binary::Flock;

fn title(store: &TestStore) -> String {
    let text = std::fs::read_to_string(store.path("first/metadata.json")).unwrap();
    let metadata: serde_json::Value = serde_json::from_str(&text).unwrap();
    metadata["title"].as_str().unwrap().to_owned()
}

#[test]
fn r_edits_the_title_and_the_cursor_stays() {
    let store = TestStore::new();
    store.add("first", "", 2);
    store.add("second", "", 1);
    let mut desk = open(&store);
    desk.press("jr");
    insta::assert_snapshot!(desk.text());
    desk.press(" again<Enter>");
    assert_eq!(title(&store), "title of first again");
    desk.sees("renamed");
    assert!(desk.cursor().contains("title of first again"));
    // The same again is nothing to do, and Esc leaves it.
    let before = store.snapshot();
    desk.press("r<Enter>r<C-u>x<Esc>");
    assert_eq!(store.snapshot(), before);
}

#[test]
fn what_is_refused_is_said_and_what_was_typed_stays() {
    let store = TestStore::new();
    store.add("first", "", 2);
    let mut desk = open(&store);
    desk.press("r<C-u> <Enter>");
    desk.sees("a title cannot be blank");
    desk.press("new");
    desk.sees_not("blank");
    let prune = Flock::exclusive(&store.path("first/lease.lock"));
    desk.press("<Enter>");
    desk.sees("locked by a prune; try again");
    desk.sees("Title: ");
    assert_eq!(title(&store), "title of first");
    drop(prune);
    desk.press("<Enter>");
    assert_eq!(title(&store), "new");
}

/// What is shown of it is not what it says: nobody is to write that back.
#[test]
fn a_title_with_a_secret_is_not_put_in_to_be_edited() {
    let store = TestStore::new();
    let session = store.session("first").message("user", "hi");
    let key = format!("key sk-ant-{}", "a1B2".repeat(10));
    session.field("title", key).write();
    let mut desk = open(&store);
    desk.press("r");
    desk.sees("“key sk-ant-[redacted]”");
    desk.press("mine<Enter>");
    assert_eq!(title(&store), "mine");
}

#[test]
fn a_damaged_one_cannot_be_renamed() {
    let store = TestStore::new();
    store.add("first", "", 2);
    std::fs::write(store.path("first/metadata.json"), "{").unwrap();
    let mut desk = open(&store);
    desk.press("r");
    desk.sees("it cannot be renamed: damaged");
}
