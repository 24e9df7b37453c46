//! A store that belongs to somebody else: what can be read is shown; nothing is removed, brought back
//! or made in it, neither by another user nor by root, who may.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, lchown};
use std::path::Path;
use std::process::Command;

use rustix::process::geteuid;
use sesstree::store::Store as _;

use crate::prune::{id, zero};
use crate::support::binary::{Ran, bounded, json, program, sesstree, unprivileged};
use crate::support::{TestStore, skipped};

/// A user that has nothing, and another one.
const OWNER: u32 = 23_456;
const OTHER: u32 = 34_567;

const REFUSED: [&[&str]; 6] = [
    &["prune", "--older-than", "30d", "--yes-most"],
    &["prune", "--older-than", "30d", "--dry-run"],
    &["prune", "--older-than", "30d", "--delete-now", "--yes-most"],
    &["trash", "restore", "old"],
    &["trash", "empty", "--all", "--yes"],
    &["trash", "empty", "--all", "--dry-run"],
];

/// A store with something in its trash, a session without a lease's file, and a remnant.
fn store() -> TestStore {
    let store = TestStore::new();
    store.add_aged("old", "", 90);
    json(&store, &["prune", "--older-than", "30d", "--yes-most"]);
    store.add_aged("stays", "", 80);
    store.add_aged("bare", "stays", 70);
    fs::remove_file(store.path("bare/lease.lock")).unwrap();
    fs::create_dir(store.path("remnant")).unwrap();
    store
}

/// Gives a folder away with all that is in it; everybody may read it then.
fn give(at: &Path, owner: u32) {
    lchown(at, Some(owner), Some(owner)).unwrap();
    let mode = if at.is_dir() { 0o755 } else { 0o644 };
    fs::set_permissions(at, fs::Permissions::from_mode(mode)).unwrap();
    if at.is_dir() {
        for entry in fs::read_dir(at).unwrap() {
            give(&entry.unwrap().path(), owner);
        }
    }
}

/// Only root can give a folder away.
fn can_give() -> bool {
    let can = geteuid().is_root();
    if !can {
        skipped("only root can make a store that belongs to somebody else");
    }
    can
}

/// Whoever `command` runs the binary as, it shows the store and refuses the rest.
fn shown_and_never_touched(store: &TestStore, who: &str, command: impl Fn() -> Command) {
    let run = |arguments: &[&str]| -> Ran { bounded(command().args(arguments)).into() };
    let before = store.snapshot();
    let list = run(&["list"]);
    assert_eq!(list.code, 0, "{who}: {}", list.err);
    for id in ["stays", "bare"] {
        assert!(list.out.contains(id), "{who}: {}", list.out);
    }
    for look in [&["tree"][..], &["trash", "list"], &["list", "--json"]] {
        let ran = run(look);
        assert_eq!(ran.code, 0, "{who}: {look:?}: {}", ran.err);
    }
    for refused in REFUSED {
        let ran = run(refused);
        let said = format!("{who}: {refused:?}: {}{}", ran.out, ran.err);
        assert_eq!(ran.code, 1, "{said}");
        assert_eq!(ran.out, "", "{said}");
        assert!(ran.err.contains("it belongs to another user"), "{said}");
        assert!(ran.err.lines().count() == 1, "{said}");
        assert_eq!(store.snapshot(), before, "{said}");
    }
    assert_eq!(store.snapshot(), before, "{who}");
}

#[test]
fn root_shows_a_users_store_and_touches_nothing() {
    if !can_give() {
        return;
    }
    let store = store();
    give(&store.root(), OWNER);
    shown_and_never_touched(&store, "as root", || sesstree(&store));
    // Not even where only the folder itself is somebody else's.
    give(&store.root(), 0);
    lchown(store.root(), Some(OWNER), None).unwrap();
    shown_and_never_touched(&store, "as root, the folder alone", || sesstree(&store));
    let before = store.snapshot();
    let refused = zero(&store).pin(&[(id("stays"), true)]).unwrap_err();
    assert!(refused.to_string().contains("another user"), "{refused}");
    assert_eq!(store.snapshot(), before, "pinned");
}

#[test]
fn a_user_shows_another_ones_store_and_touches_nothing() {
    if !can_give() {
        return;
    }
    for (owner, whose) in [(0, "root's store"), (OWNER, "a user's store")] {
        let store = store();
        give(&store.root(), owner);
        // All may enter what it lies in; where the binary lies not everybody may.
        fs::set_permissions(store.home(), fs::Permissions::from_mode(0o755)).unwrap();
        give(&store.beside("home"), OTHER);
        let binary = store.beside("sesstree");
        let cp = Command::new("cp")
            .arg(env!("CARGO_BIN_EXE_sesstree"))
            .arg(&binary)
            .status();
        assert!(cp.unwrap().success());
        fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).unwrap();
        let other = || {
            let mut command = program(&store, "setpriv");
            let id = OTHER.to_string();
            command
                .args(["--reuid", &id, "--regid", &id, "--clear-groups"])
                .arg(&binary)
                .arg("--root")
                .arg(store.root());
            command
        };
        shown_and_never_touched(&store, whose, other);
        // Even where everybody may write.
        let mut open = vec![store.root()];
        while let Some(at) = open.pop() {
            fs::set_permissions(&at, fs::Permissions::from_mode(0o777)).unwrap();
            let entries = fs::read_dir(&at)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            open.extend(entries.filter(|path| path.is_dir()));
        }
        shown_and_never_touched(&store, &format!("{whose}, writable"), other);
    }
}

/// What cannot be read is told.
#[test]
fn a_private_store_of_another_user_is_told_to_be_unreadable() {
    if !can_give() {
        return;
    }
    let store = store();
    let ran: Ran = bounded(unprivileged(&store).arg("list")).into();
    assert_eq!(ran.code, 0, "{}", ran.err);
    lchown(store.root(), Some(OWNER), Some(OWNER)).unwrap();
    fs::set_permissions(store.root(), fs::Permissions::from_mode(0o700)).unwrap();
    let before = store.snapshot();
    let binary = store.beside("sesstree");
    for arguments in [
        &["list"][..],
        &["prune", "--older-than", "30d", "--yes-most"],
    ] {
        let mut command = program(&store, "setpriv");
        command
            .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
            .arg(&binary)
            .arg("--root")
            .arg(store.root())
            .args(arguments);
        let ran: Ran = bounded(&mut command).into();
        assert_eq!(ran.code, 1, "{arguments:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("Permission denied"), "{}", ran.err);
    }
    assert_eq!(store.snapshot(), before);
}

/// By the binary as a user who is not root, who reads everything.
#[test]
fn what_may_not_be_read_is_damaged() {
    let store = TestStore::new();
    for id in ["file", "folder"] {
        store.add_aged(id, "", 60);
    }
    let mut command = unprivileged(&store);
    let paths = ["file/metadata.json", "folder"].map(|below| store.path(below));
    let set = |mode| {
        for path in &paths {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    set(0o000);
    let ran: Ran = bounded(command.args(["list", "--json"])).into();
    set(0o700);
    for (id, says) in [
        ("file", "damaged: its metadata cannot be read: "),
        ("folder", "damaged: its folder cannot be opened: "),
    ] {
        let list: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let mut sessions = list["sessions"].as_array().unwrap().iter();
        let session = sessions.find(|session| session["id"] == id).unwrap();
        assert!(
            session["fault"].as_str().unwrap().starts_with(says),
            "{session}"
        );
    }
}
