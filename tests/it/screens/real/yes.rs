//! `p` on a real store: what a yes moves, and all that moves nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{Real, open};
use crate::prune::contents;
use crate::screens::desk::Desk;
use crate::support::binary::Flock;
use crate::support::{TestStore, days_ago, snapshot};

/// Ten sessions: `one`, `two` and `three` are old and go, `root` is old and stays for its fork.
pub(super) fn store() -> TestStore {
    let store = TestStore::new();
    store.add("one", "", 90);
    store.add("two", "", 120);
    store.add("three", "two", 100);
    store.add("root", "", 60);
    store.add("fork", "root", 3);
    for recent in ["new1", "new2", "new3", "new4", "new5"] {
        store.add(recent, "", 1);
    }
    store
}

fn at_preview(store: &TestStore) -> Desk<Real> {
    let mut desk = open(store);
    desk.press("p<Enter>");
    desk.sees("Would remove 3");
    desk
}

#[test]
fn y_moves_what_was_shown_and_nothing_else() {
    let store = store();
    let before = contents(&store);
    let mut desk = at_preview(&store);
    desk.press("cy");
    desk.sees("3 removed · 1 kept");
    desk.sees("trash");

    let [batch] = &batches(&store)[..] else {
        panic!("one batch")
    };
    for gone in ["one", "two", "three"] {
        assert!(!store.path(gone).exists(), "{gone}");
        assert!(batch.join(gone).join("events.jsonl").is_file(), "{gone}");
    }
    let mut left = before;
    left.retain(|path, _| {
        !["one", "two", "three"]
            .iter()
            .any(|id| path.starts_with(id))
    });
    assert_eq!(contents(&store), left);
    desk.press("<Esc>");
    desk.sees("7 sessions");
    desk.sees_not("title of one");
}

fn batches(store: &TestStore) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(store.path(".sesstree/trash")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn n_escape_and_enter_move_nothing() {
    for no in ["n", "<Esc>", "<Enter>"] {
        let store = store();
        let before = store.snapshot();
        let mut desk = at_preview(&store);
        desk.press("c").press(no);
        desk.sees("Would remove 3");
        desk.press("<Esc>");
        desk.sees("10 sessions");
        assert_eq!(store.snapshot(), before, "{no}");
    }
}

#[test]
fn a_yes_that_cannot_have_been_meant_moves_nothing() {
    let store = store();
    let before = store.snapshot();
    let mut desk = at_preview(&store);
    desk.burst("cy");
    desk.sees("Move 3 sessions");
    assert_eq!(store.snapshot(), before);
}

#[test]
fn most_of_a_store_goes_only_for_the_word() {
    let store = TestStore::new();
    store.add("one", "", 90);
    store.add("two", "", 90);
    let before = store.snapshot();
    let mut desk = open(&store);
    desk.press("p<Enter>cy<Enter>");
    assert_eq!(store.snapshot(), before);
    desk.press("cprune<Enter>");
    desk.sees("2 removed");
    assert!(!store.has("one") && !store.has("two"));
}

#[test]
fn one_opened_between_the_preview_and_the_yes_stays_and_is_told() {
    let store = store();
    let mut desk = at_preview(&store);
    let holder = Flock::shared(&store.path("three/lease.lock"));
    desk.press("cy");
    let why = format!("open in another process (flock, pid {})", holder.pid());
    assert!(
        desk.line("title of three").contains(&why),
        "{}",
        desk.text()
    );
    desk.sees("1 removed · 3 kept");
    desk.sees("2 fewer than in the preview (!)");
    assert!(store.has("three") && store.has("two"), "and its ancestor");
    assert!(!store.has("one"));
    desk.press("<Esc>");
    assert!(desk.line("title of three").contains('●'));
}

#[test]
fn one_written_between_the_preview_and_the_yes_stays_and_is_told() {
    let store = store();
    let mut desk = at_preview(&store);
    let session = store.session("one").at(days_ago(0));
    session.message("user", "one more thing").write();
    desk.press("cy");
    let line = desk.line("title of one");
    assert!(line.contains("updated while pruning"), "{line}");
    assert!(store.has("one") && !store.has("two"));
}

#[test]
fn a_root_that_is_another_folder_by_then_is_left_alone() {
    replaced_root(|at, other| fs::rename(other, at).unwrap());
}

#[test]
fn a_root_that_is_a_link_to_another_store_by_then_is_left_alone() {
    replaced_root(|at, other| symlink(other, at).unwrap());
}

/// Puts another store's root in the place of the previewed one before the yes.
fn replaced_root(put: impl Fn(&Path, &Path)) {
    let (store, other) = (store(), store());
    let mut desk = at_preview(&store);
    desk.press("c");
    let aside = store.beside("aside");
    fs::rename(store.root(), &aside).unwrap();
    put(&store.root(), &other.root());
    let both = || {
        let root = fs::canonicalize(store.root()).unwrap();
        (snapshot(&aside), snapshot(&root))
    };
    let before = both();
    desk.press("y");
    desk.sees("Nothing was removed");
    desk.sees("the sessions folder was replaced");
    assert_eq!(both(), before);
}
