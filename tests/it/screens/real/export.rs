//! `e`: a transcript in a file, which never was there before.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use sesstree::app::msg::Effect;

use super::super::desk::Desk;
use super::{Real, open};
use crate::support::TestStore;

fn token() -> String {
    ["ghp_", "aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"].concat()
}

fn store() -> TestStore {
    let store = TestStore::new();
    let session = store.session("a").field("title", "Fix the login!");
    session
        .message("user", &format!("take {}", token()))
        .write();
    store
}

/// The name that the box offers, in place of which a whole path is typed.
fn typed(desk: &mut Desk<Real>, store: &TestStore, name: &str) {
    desk.press("<C-u>");
    let path = store.beside(name).to_str().unwrap().to_owned();
    desk.show(sesstree::app::msg::Msg::Paste(path));
}

#[test]
fn e_offers_a_name_and_tab_another_format() {
    let store = store();
    let mut desk = open(&store);
    desk.press("e");
    insta::assert_snapshot!(desk.text());
    desk.press("<Tab>");
    desk.sees("As text: its secrets are taken out");
    desk.sees("fix-the-login.txt");
    desk.press("<Tab>");
    desk.sees("As JSONL: its log as it is: nothing is taken out");
    desk.sees("fix-the-login.jsonl");
    desk.press("<C-u>mine<Tab>");
    desk.sees("As Markdown");
    desk.sees("File: ▏mine ");
    desk.press("<Esc>");
    desk.sees("Sessions");
}

#[test]
fn it_is_written_and_told_and_nobody_else_may_read_it() {
    let store = store();
    let mut desk = open(&store);
    desk.press("e");
    typed(&mut desk, &store, "a.md");
    desk.press("<Enter>");
    desk.sees("exported to ");
    let path = store.beside("a.md");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("take ghp_[redacted]"), "{text}");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn what_exists_is_left_and_a_free_name_offered() {
    let store = store();
    fs::write(store.beside("a.md"), "mine").unwrap();
    let mut desk = open(&store);
    desk.press("e");
    typed(&mut desk, &store, "a.md");
    desk.press("<Enter>");
    desk.sees("exists and is left as it is");
    desk.press("<Enter>");
    desk.sees("exported to ~/a-2.md");
    assert_eq!(fs::read_to_string(store.beside("a.md")).unwrap(), "mine");
    assert!(store.beside("a-2.md").is_file());
}

#[test]
fn what_cannot_be_made_is_said_and_what_was_typed_stays() {
    let store = store();
    let mut desk = open(&store);
    desk.press("e");
    typed(&mut desk, &store, "nowhere/a.md");
    desk.press("<Enter>");
    desk.sees("cannot make ");
    desk.sees("os error 2");
    desk.press("<C-u><Enter>");
    desk.sees("name a file");
    // There is no folder that we were started in.
    desk.press("a.md<Enter>");
    desk.sees("started in is gone: name one");
}

/// Whoever shows a conversation with its secrets exports it with them, and is told so.
#[test]
fn from_the_reader_it_is_what_the_reader_shows() {
    let store = store();
    let mut desk = open(&store);
    desk.press("<Tab>xe");
    desk.sees("its secrets are in it");
    typed(&mut desk, &store, "a.md");
    desk.press("<Enter>");
    desk.sees(&format!("take {}", token()));
    let text = fs::read_to_string(store.beside("a.md")).unwrap();
    assert!(text.contains(&token()));
}

#[test]
fn esc_stops_it_and_says_that_the_file_is_incomplete() {
    let store = store();
    let mut desk = open(&store);
    desk.keep_waiting(|effect| matches!(effect, Effect::Export { .. }));
    desk.press("e");
    typed(&mut desk, &store, "a.md");
    desk.press("<Enter>");
    desk.sees("writing … Esc stops");
    desk.press("x<Enter>");
    for key in ["<Esc>", "<C-c>"] {
        desk.press(key);
        assert!(desk.asked("StopExport"));
        assert!(!desk.asked("Quit"));
        desk.asked.clear();
    }
    desk.sees("writing …");
    desk.release();
    desk.sees("exported to ");
}
