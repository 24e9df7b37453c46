//! Emptying the trash and deleting at once on a real store: nothing goes but what was shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sesstree::prune::report::BatchId;

use super::yes::store as ten;
use super::{Real, sit};
use crate::commands::empty::expire;
use crate::prune::purge::trash;
use crate::prune::{alone, contents};
use crate::screens::desk::Desk;
use crate::support::TestStore;

fn open(store: &TestStore) -> Desk<Real> {
    sit(store, Arc::new(alone(store)), (120, 35))
}

fn folder(store: &TestStore, batch: &BatchId) -> PathBuf {
    store.path(".sesstree/trash").join(batch.as_str())
}

/// Ten sessions, and two expired batches: `x` and `y`, and `up`, from which `kid` in the store descends.
fn expired() -> (TestStore, BatchId, BatchId) {
    let store = ten();
    for (name, days) in [("x", 200), ("y", 210), ("up", 220)] {
        store.add(name, "", days);
    }
    let free = trash(&store, &["x", "y"]);
    let kept = trash(&store, &["up"]);
    store.add("kid", "up", 1);
    for batch in [&free, &kept] {
        expire(&store, batch.as_str());
    }
    (store, free, kept)
}

#[test]
fn the_yes_empties_what_is_expired_and_nothing_else() {
    let (store, free, kept) = expired();
    let before = store.snapshot();
    let mut desk = open(&store);
    desk.press("p<Enter>");
    desk.sees("Would remove 3");
    desk.sees("Trash to empty 1");
    desk.press("lll");
    assert!(
        desk.line("1 session ")
            .contains("“title of kid” in the store descends from it")
    );
    desk.press("c");
    desk.sees("And empties 1 expired batch");
    assert_eq!(store.snapshot(), before, "nothing before the yes");
    desk.press("y");
    desk.sees("3 removed · 1 kept · 1 batch emptied, 1 kept");
    desk.sees("freed now: ");
    desk.sees_not("freed now: 0 B");
    assert!(!folder(&store, &free).exists());
    assert!(folder(&store, &kept).join("up/metadata.json").is_file());
    assert!(!store.has("one") && store.has("kid"));
    desk.press("<Esc>u");
    desk.sees("4 sessions ·");
    desk.sees("title of up");
    desk.sees_not("title of x");
}

#[test]
fn a_chosen_prune_is_about_the_chosen_and_not_about_the_trash() {
    let (store, free, _) = expired();
    let mut desk = open(&store);
    desk.press("/title of kid<Enter>d");
    assert!(
        desk.cursor().contains("active in the last 24 hours"),
        "{}",
        desk.text()
    );
    desk.sees_not("Trash");
    desk.press("<Esc><Esc>/title of one<Enter>dcy");
    desk.sees("1 removed · 0 kept ");
    assert!(folder(&store, &free).is_dir());
}

#[test]
fn what_expired_or_changed_after_the_preview_stays() {
    let (store, free, kept) = expired();
    store.add("z", "", 300);
    let late = trash(&store, &["z"]);
    let mut desk = open(&store);
    desk.press("p<Enter>c");
    desk.sees("And empties 1 expired batch");
    // One more is expired now, and in the place of the one that was shown is another folder.
    expire(&store, late.as_str());
    let shown = folder(&store, &free);
    fs::rename(&shown, store.beside("shown")).unwrap();
    copy(&store.beside("shown"), &shown);
    desk.press("y");
    desk.sees("3 removed · 1 kept · 2 batches kept");
    let line = desk.line("changed since it was shown");
    assert!(
        line.contains("▌! trash of") || line.contains(" ! trash of"),
        "{line}"
    );
    desk.sees("freed now: 0 B");
    for (batch, name) in [(&free, "x"), (&free, "y"), (&kept, "up"), (&late, "z")] {
        let there = folder(&store, batch).join(name).join("metadata.json");
        assert!(there.is_file(), "{name}");
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn what_became_an_ancestor_after_the_preview_stays() {
    let (store, free, _) = expired();
    let mut desk = open(&store);
    desk.press("p<Enter>c");
    store.add("born", "x", 0);
    desk.press("y");
    desk.sees("2 batches kept");
    desk.sees("“title of born” in the store descends from it");
    assert!(folder(&store, &free).join("x/metadata.json").is_file());
}

#[test]
fn a_trash_taken_out_is_left_as_it_is() {
    let (store, free, kept) = expired();
    let mut desk = open(&store);
    desk.press("p<Enter>lll<Space>cy");
    desk.sees("3 removed · 1 kept");
    desk.sees_not("emptied");
    assert!(folder(&store, &free).is_dir() && folder(&store, &kept).is_dir());
    desk.press("u");
    desk.sees("3 sessions restored");
}

#[test]
fn trash_alone_goes_for_a_yes() {
    let (store, free, _) = expired();
    let living = contents(&store);
    let mut desk = open(&store);
    desk.press("p<BS><BS><BS>900d<Enter>");
    desk.sees("Would remove 0");
    desk.press("c");
    desk.sees("Empty 1 expired batch of the trash?");
    desk.press("n");
    assert!(folder(&store, &free).is_dir());
    desk.press("cy");
    desk.sees("1 batch emptied, 1 kept");
    assert!(!folder(&store, &free).exists());
    assert_eq!(contents(&store), living);
}

#[test]
fn x_empties_one_batch_for_a_yes_and_keeps_an_ancestor_of_the_living() {
    let (store, free, kept) = expired();
    let living = contents(&store);
    let mut desk = open(&store);
    desk.press("u");
    desk.sees("3 sessions ·");
    // The newest batch, `kept`, comes first: both were made at one time, so by name.
    let order = if kept > free { "X" } else { "lX" };
    desk.press(order);
    desk.sees("Not emptied");
    desk.sees("It stays: “title of kid” in the store descends from it.");
    desk.press("<Enter>");
    desk.sees("3 sessions ·");
    let other = if kept > free { "lX" } else { "hX" };
    desk.press(other);
    desk.sees("Empty this batch of 2 sessions");
    desk.press("n");
    assert!(folder(&store, &free).is_dir());
    desk.press("Xy");
    desk.sees("emptied for good: 1 batch, 2 sessions");
    desk.sees("1 session ·");
    assert!(!folder(&store, &free).exists() && folder(&store, &kept).is_dir());
    assert_eq!(contents(&store), living);
    let header = desk.text().lines().next().unwrap().to_owned();
    assert!(header.contains("trash "), "{header}");
}

#[test]
fn delete_now_deletes_what_was_shown_and_makes_no_trash() {
    let store = ten();
    let mut left = contents(&store);
    let mut desk = open(&store);
    desk.press("p<Enter>cD");
    desk.sees("Delete 3 sessions");
    desk.press("y");
    desk.sees("3 deleted · 1 kept");
    desk.sees("gone for good, no undo");
    left.retain(|path, _| {
        !["one", "two", "three"]
            .iter()
            .any(|id| path.starts_with(id))
    });
    assert_eq!(contents(&store), left);
    assert!(!store.path(".sesstree/trash").exists());
    desk.press("u");
    desk.sees("there is no undo");
}

/// Has the system tell of a `zero` process that holds no lease.
fn run_zero(store: &TestStore, pid: u32) {
    let folder = store.beside("proc").join(pid.to_string());
    fs::create_dir_all(folder.join("fd")).unwrap();
    fs::write(folder.join("comm"), "zero\n").unwrap();
    let user = rustix::process::getuid().as_raw();
    let status =
        format!("Name:\tzero\nState:\tS (sleeping)\nUid:\t{user}\t{user}\t{user}\t{user}\n");
    fs::write(folder.join("status"), status).unwrap();
}

#[test]
fn delete_now_is_refused_while_an_agent_without_leases_runs() {
    let store = ten();
    let mut desk = open(&store);
    run_zero(&store, 4242);
    let before = store.snapshot();
    desk.press("p<Enter>");
    desk.sees("! zero without a lease (pid 4242) · 3 read within a day");
    desk.press("w");
    desk.sees("zero (pid 4242) runs without a lease here");
    desk.press("<Enter>cD");
    desk.sees("nothing is deleted at once: zero (pid 4242)");
    desk.sees("Move 3 sessions");
    desk.press("n");
    assert_eq!(store.snapshot(), before);
}

#[test]
fn an_agent_that_came_after_the_question_stops_a_deletion() {
    let store = ten();
    let mut desk = open(&store);
    desk.press("p<Enter>cD");
    desk.sees("Delete 3 sessions");
    run_zero(&store, 4242);
    let before = store.snapshot();
    desk.press("y");
    desk.sees("Nothing was removed");
    desk.sees("zero (pid 4242)");
    assert_eq!(store.snapshot(), before);
}
