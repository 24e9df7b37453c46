//! `rename`: nothing but the title changes, wholly or not at all, and never under a prune.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::support::TestStore;
use crate::support::binary::{Flock, json, run};
use crate::support::strace::{can_trace, strace};

fn store() -> TestStore {
    let store = TestStore::new();
    let first = store.session("first").message("user", "hello");
    first.field("unknown", 1.50).field("tag", "<b>").write();
    store.session("second").message("user", "hello").write();
    store
}

/// All files of a session by name, but the metadata; what its writer had not come to rename is
/// nobody's.
fn others(store: &TestStore) -> BTreeMap<PathBuf, String> {
    let mut seen = store.snapshot();
    seen.retain(|path, _| {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        !name.starts_with("metadata.json") && name != "first" && !name.is_empty()
    });
    seen
}

fn metadata(store: &TestStore) -> String {
    fs::read_to_string(store.path("first/metadata.json")).unwrap()
}

#[test]
fn only_the_title_changes() {
    let store = store();
    let path = store.path("first/metadata.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let (before, rest) = (metadata(&store), others(&store));
    let listed = json(&store, &["list"]);
    let done = run(&store, &["rename", "fi", "  a \"new\" <one> é "]);
    let told = "sesstree: first is called \"a \"new\" <one> é\" now\n";
    assert_eq!((done.code, &*done.out, &*done.err), (0, "", told));
    let wanted = before.replace("\"title of first\"", r#""a \"new\" \u003cone\u003e é""#);
    assert_ne!(wanted, before);
    assert_eq!(metadata(&store), wanted);
    assert_eq!(others(&store), rest);
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    let names = fs::read_dir(store.path("first")).unwrap().count();
    assert_eq!(names, 4, "nothing is left behind");
    // The list is ordered as before: it was not active.
    let mut wanted = listed;
    wanted["sessions"][0]["title"] = "a \"new\" <one> é".into();
    assert_eq!(json(&store, &["list"]), wanted);
}

#[test]
fn what_is_no_title_is_a_usage_error() {
    let store = store();
    let before = store.snapshot();
    for (title, why) in [
        ("", "a title cannot be blank"),
        (" \t ", "a title cannot be blank"),
        ("a\nb", "a title is one line, without control characters"),
        (
            "a\u{1b}[31mb",
            "a title is one line, without control characters",
        ),
    ] {
        let ran = run(&store, &["rename", "first", title]);
        assert_eq!(ran.code, 2, "{title:?}");
        assert!(
            ran.err.starts_with("sesstree: invalid TITLE \""),
            "{}",
            ran.err
        );
        assert!(ran.err.ends_with(&format!("\": {why}\n")), "{}", ran.err);
        assert!(!ran.err.contains('\u{1b}'));
    }
    assert_eq!(run(&store, &["rename", "third", "x"]).code, 2);
    assert_eq!(store.snapshot(), before);
}

#[test]
fn it_waits_for_no_prune_and_only_a_while_for_a_writer() {
    let store = store();
    let before = store.snapshot();
    for (lock, why) in [
        ("lease.lock", "locked by a prune; try again"),
        ("session.lock", "busy: being written"),
    ] {
        let holder = Flock::exclusive(&store.path("first").join(lock));
        let ran = run(&store, &["rename", "first", "x"]);
        assert_eq!(
            (ran.code, ran.err),
            (1, format!("sesstree: first: {why}\n"))
        );
        drop(holder);
    }
    // Who only has it open does not mind.
    let holder = Flock::open(&store, "first");
    assert_eq!(store.snapshot(), before);
    assert_eq!(run(&store, &["rename", "first", "x"]).code, 0);
    drop(holder);
}

#[test]
fn a_damaged_one_is_left_as_it_is() {
    for text in [
        "{\"sessionId\":\"first\",",
        "{\"sessionId\":\"first\",\"title\":1}",
        "",
        "[]",
    ] {
        let store = store();
        fs::write(store.path("first/metadata.json"), text).unwrap();
        let ran = run(&store, &["rename", "first", "x"]);
        let told = "sesstree: first: it cannot be renamed: its metadata is damaged\n";
        assert_eq!((ran.code, &*ran.err), (1, told), "{text}");
        assert_eq!(metadata(&store), text);
    }
}

/// Each call that could tear it apart kills it, or fails.
#[test]
fn it_is_done_wholly_or_not_at_all() {
    if !can_trace() {
        return;
    }
    let arguments = ["rename", "first", "new"].map(str::to_owned);
    let (mut old, mut new) = (0, 0);
    for call in [
        "openat",
        "?fchmod",
        "write",
        "fsync",
        "?renameat",
        "?renameat2",
        "?unlinkat",
    ] {
        for fault in ["signal=KILL", "error=EIO"] {
            for place in 1.. {
                let store = store();
                let (before, rest) = (metadata(&store), others(&store));
                let trace = format!("trace={call}");
                let inject = format!("inject={call}:{fault}:when={place}");
                let ran = strace(&store, &["-e", &trace, "-e", &inject], &arguments);
                let told = format!("{call} {place} {fault}: {}", ran.err);
                let after = metadata(&store);
                let renamed = before.replace("title of first", "new");
                assert!(after == before || after == renamed, "{told}");
                assert_eq!(others(&store), rest, "{told}");
                if ran.status.code() == Some(0) && !ran.err.is_empty() {
                    assert_eq!(after, renamed, "{told}");
                }
                // Whatever it left is in nobody's way.
                assert_eq!(run(&store, &["rename", "first", "again"]).code, 0, "{told}");
                if !ran.calls.iter().any(|call| call.contains("INJECTED")) && ran.status.success() {
                    break;
                }
                *(if after == before { &mut old } else { &mut new }) += 1;
            }
        }
    }
    assert!(old > 10 && new > 0, "{old} stayed, {new} were renamed");
}
