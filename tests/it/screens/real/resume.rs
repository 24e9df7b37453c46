//! Enter on a real store: the session is held before anything starts, or it is said why not.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use super::sample::session;
use super::{Real, open};
use crate::screens::desk::Desk;
use crate::support::TestStore;
use crate::support::binary::{Flock, lockable};
use crate::support::terminal::until;

/// A store with the session `s1`, whose folder is there, and an agent that is never started.
fn store() -> TestStore {
    let store = TestStore::new();
    for folder in ["api", "bin"] {
        fs::create_dir(store.beside(folder)).unwrap();
    }
    let agent = store.beside("bin/zero");
    fs::write(&agent, "").unwrap();
    fs::set_permissions(agent, fs::Permissions::from_mode(0o755)).unwrap();
    session(&store, "s1", "Fix login redirect", 2).write();
    store
}

fn lease(store: &TestStore) -> PathBuf {
    store.path("s1/lease.lock")
}

fn at_prompt(store: &TestStore) -> Desk<Real> {
    let mut desk = open(store);
    desk.press("<Enter>");
    desk.sees("Continue with:");
    desk
}

/// Another test that is just starting a program may keep a lease's file for a moment longer.
fn is_freed(store: &TestStore) {
    until("the lease", || lockable(&lease(store)));
}

#[test]
fn the_lease_is_held_while_the_box_is_open_and_free_after_escape() {
    let store = store();
    assert!(lockable(&lease(&store)));
    let mut desk = at_prompt(&store);
    desk.sees("“Fix login redirect” in ~/api");
    desk.sees("held open by sesstree");
    assert!(desk.line("▌").contains('●'));
    assert!(!lockable(&lease(&store)));
    desk.press("go on<Esc>");
    is_freed(&store);
    desk.press("R");
    assert!(!desk.cursor().contains('●'));
}

/// What a prune by another sesstree meets meanwhile.
#[test]
fn a_session_that_we_hold_cannot_be_pruned() {
    let store = store();
    let old = session(&store, "s1", "Fix login redirect", 24 * 90);
    old.write();
    let before = store.snapshot();
    let _held = at_prompt(&store);
    let mut other = open(&store);
    other.press("p<Enter>");
    other.sees("Would remove 0");
    other.sees(&format!("pid {}", std::process::id()));
    other.press("cy");
    assert_eq!(store.snapshot(), before);
}

#[test]
fn one_that_is_open_elsewhere_is_told_with_who_and_can_be_opened_beside_it() {
    let store = store();
    let holder = Flock::shared(&lease(&store));
    let mut desk = open(&store);
    assert!(desk.cursor().contains('●'));
    desk.sees(&format!("open in flock (pid {})", holder.pid()));
    desk.press("<Enter>");
    desk.sees("Open elsewhere");
    desk.press("<Esc><Enter>o");
    desk.sees("Continue with:");
    drop(holder);
    assert!(!lockable(&lease(&store)), "ours is a hold of its own");
    desk.press("<Esc>");
    is_freed(&store);
}

#[test]
fn one_under_a_foreign_exclusive_lock_can_be_tried_again() {
    let store = store();
    let prune = Flock::exclusive(&lease(&store));
    let mut desk = open(&store);
    desk.press("<Enter>");
    desk.sees("locked by a prune; try again");
    desk.press("r");
    desk.sees("locked by a prune; try again");
    drop(prune);
    desk.press("r");
    desk.sees("Continue with:");
    assert!(!lockable(&lease(&store)));
}

#[test]
fn one_that_is_gone_is_told_and_leaves_the_list_and_no_trace() {
    let store = store();
    store.add("s2", "", 5);
    let mut desk = open(&store);
    fs::rename(store.path("s1"), store.beside("s1")).unwrap();
    desk.press("<Enter>");
    desk.sees("Not opened");
    desk.sees("already gone");
    desk.press("<Esc>");
    desk.sees_not("Fix login redirect");
    assert!(!store.path("s1").exists());
}

/// Another program's prune takes the metadata away first.
#[test]
fn one_that_is_half_gone_is_told_and_nothing_of_ours_is_left_in_it() {
    let store = store();
    let mut desk = open(&store);
    for file in ["metadata.json", "lease.lock"] {
        fs::remove_file(store.path("s1").join(file)).unwrap();
    }
    let before = store.snapshot();
    desk.press("<Enter>");
    desk.sees("removed while it was being opened");
    assert_eq!(
        store.snapshot().keys().collect::<Vec<_>>(),
        before.keys().collect::<Vec<_>>()
    );
}

#[test]
fn a_missing_folder_and_a_missing_program_are_told_and_the_session_is_let_go_of() {
    let store = store();
    fs::remove_dir(store.beside("api")).unwrap();
    let mut desk = open(&store);
    desk.press("<Enter>");
    desk.sees("~/api is not there any more");
    assert!(!lockable(&lease(&store)));
    desk.press("<Esc>");
    is_freed(&store);
    fs::remove_file(store.beside("bin/zero")).unwrap();
    desk.press("<Enter>");
    desk.sees("zero cannot be found on PATH");
    is_freed(&store);
}
