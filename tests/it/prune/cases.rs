//! What goes and what stays: each case as a dry run and for real, from the same start.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use chrono::TimeDelta;
use rustix::fs::{CWD, Mode};
use serde_json::Value;
use sesstree::prune::policy::Policy;

use super::{Flock, both, id, old, prune, told};
use crate::support::binary::unprivileged;
use crate::support::{TestStore, days_ago, now, set_age};

/// What is told of each session; sessions that are simply recent are not in it.
fn check(build: impl Fn(&TestStore) -> Vec<Flock>, expected: &[(&str, &str)]) {
    let told = both(&old(), build);
    let mut rest = told.clone();
    for (id, says) in expected {
        let line = rest.remove(*id).unwrap_or_default();
        assert!(line.starts_with(says), "{id}: {line:?}, expected {says:?}");
    }
    assert!(rest.is_empty(), "also told: {rest:?}");
}

#[test]
fn recent_stays_and_old_goes() {
    let build = |store: &TestStore| {
        store.add("recent", "", 29);
        store.add("old", "", 31);
        vec![]
    };
    check(build, &[("old", "removed")]);
}

#[test]
fn exactly_at_the_cutoff_stays() {
    let build = |store: &TestStore| {
        store.add("at", "", 30);
        let before = days_ago(30) - TimeDelta::seconds(1);
        store.session("before").at(before).write();
        store.session("empty-log").at(before).write();
        vec![]
    };
    check(build, &[("before", "removed"), ("empty-log", "removed")]);
}

#[test]
fn open_stays_with_its_ancestors() {
    let build = |store: &TestStore| {
        store.add("grandparent", "", 90);
        store.add("parent", "grandparent", 80);
        store.add("open", "parent", 70);
        store.add("below", "open", 60);
        store.add("beside", "parent", 60);
        vec![Flock::open(store, "open")]
    };
    check(
        build,
        &[
            (
                "grandparent",
                "kept: ancestor of a session that stays: open",
            ),
            ("parent", "kept: ancestor of a session that stays: open"),
            ("open", "kept: open in another process ("),
            ("below", "removed"),
            ("beside", "removed"),
        ],
    );
}

#[test]
fn open_and_then_released_goes() {
    let store = TestStore::new();
    store.add("a", "", 60);
    let holder = Flock::open(&store, "a");
    assert!(told(&prune(&store, old()))["a"].starts_with("kept: open"));
    drop(holder);
    assert_eq!(told(&prune(&store, old()))["a"], "removed");
    assert!(!store.path("a").exists());
}

#[test]
fn an_exclusive_lease_of_another_program_keeps_too() {
    let build = |store: &TestStore| {
        store.add("a", "", 60);
        vec![Flock::exclusive(&store.path("a/lease.lock"))]
    };
    check(build, &[("a", "kept: open or locked by another process")]);
}

#[test]
fn every_ancestor_of_a_recent_one_stays() {
    let build = |store: &TestStore| {
        store.add("a", "", 90);
        store.add("b", "a", 80);
        store.add("c", "b", 70);
        store.add("d", "c", 1);
        store.add("e", "c", 70);
        vec![]
    };
    let ancestor = "kept: ancestor of a session that stays: d";
    check(
        build,
        &[
            ("a", ancestor),
            ("b", ancestor),
            ("c", ancestor),
            ("e", "removed"),
        ],
    );
}

#[test]
fn times_that_cannot_be_stay() {
    let build = |store: &TestStore| {
        store.session("undated").field("updatedAt", "soon").write();
        store.session("future").at(days_ago(-2)).write();
        store
            .session("ancient")
            .field("updatedAt", "1970-01-01T00:00:00Z")
            .write();
        vec![]
    };
    check(
        build,
        &[
            ("undated", "kept: its last update time could not be read"),
            (
                "future",
                "kept: its time cannot be right: dated in the future",
            ),
            (
                "ancient",
                "kept: its time cannot be right: dated before 2020",
            ),
        ],
    );
}

#[test]
fn a_log_ahead_of_its_metadata_stays() {
    let build = |store: &TestStore| {
        store.add("parent", "", 90);
        let ahead = store.session("ahead").parent("parent").at(days_ago(1));
        ahead
            .message("user", "written just before the crash")
            .field("updatedAt", crate::support::rfc3339(days_ago(60)))
            .write();
        vec![]
    };
    check(
        build,
        &[
            ("ahead", "kept: updated while pruning"),
            ("parent", "kept: ancestor of a session that stays: ahead"),
        ],
    );
}

#[test]
fn a_log_that_cannot_be_dated_stays() {
    let build = |store: &TestStore| {
        store.add("a", "", 60);
        fs::remove_file(store.path("a/events.jsonl")).unwrap();
        fs::create_dir(store.path("a/events.jsonl")).unwrap();
        store.add("no-log", "", 60);
        fs::remove_file(store.path("no-log/events.jsonl")).unwrap();
        vec![]
    };
    check(
        build,
        &[
            ("a", "kept: its last update time could not be read"),
            ("no-log", "removed"),
        ],
    );
}

#[test]
fn locks_that_are_no_files_stay() {
    let build = |store: &TestStore| {
        for (session, lock) in [("a", "lease.lock"), ("b", "session.lock")] {
            store.add(session, "", 60);
            fs::remove_file(store.path(session).join(lock)).unwrap();
            fs::create_dir(store.path(session).join(lock)).unwrap();
        }
        for (session, lock) in [("c", "lease.lock"), ("d", "session.lock")] {
            store.add(session, "", 60);
            let file = store.path(session).join(lock);
            fs::remove_file(&file).unwrap();
            rustix::fs::mkfifoat(CWD, &file, Mode::RUSR | Mode::WUSR).unwrap();
        }
        store.add("e", "", 60);
        fs::remove_file(store.path("e/lease.lock")).unwrap();
        symlink("session.lock", store.path("e/lease.lock")).unwrap();
        vec![]
    };
    check(
        build,
        &[
            ("a", "kept: its lease could not be checked: "),
            ("b", "kept: its write lock could not be checked: "),
            ("c", "kept: its lease could not be checked: "),
            ("d", "kept: its write lock could not be checked: "),
            ("e", "kept: its lease could not be checked: "),
        ],
    );
}

#[test]
fn what_a_linked_folder_leads_to_stays() {
    let build = |store: &TestStore| {
        store.add("parent", "", 90);
        store.add("target", "parent", 60);
        store.add("other", "", 60);
        symlink("target", store.path("link")).unwrap();
        vec![]
    };
    check(
        build,
        &[
            ("link", "kept: linked folder"),
            ("target", "kept: a linked folder leads to it: link"),
            ("parent", "kept: ancestor of a session that stays: "),
            ("other", "removed"),
        ],
    );
}

/// Root may write everywhere, so the product runs as somebody else.
#[test]
fn a_folder_that_is_not_writable_stays_dry_and_for_real() {
    let says = "cannot be moved to the trash: Permission denied (os error 13)";
    for (mode, with_lease) in [
        ("--dry-run", true),
        ("--yes-most", true),
        ("--dry-run", false),
        ("--yes-most", false),
    ] {
        let store = TestStore::new();
        store.add("a", "", 900);
        if !with_lease {
            fs::remove_file(store.path("a/lease.lock")).unwrap();
        }
        fs::set_permissions(store.path("a"), fs::Permissions::from_mode(0o500)).unwrap();
        let mut prune = unprivileged(&store);
        prune.args(["--json", "prune", "--older-than", "30d", mode]);
        let report: Value = serde_json::from_slice(&prune.output().unwrap().stdout).unwrap();
        assert_eq!(
            report["kept"][0]["reason"], says,
            "{mode} {with_lease}: {report}"
        );
        assert!(store.has("a"));
    }
}

#[test]
fn a_folder_that_cannot_be_opened_was_told_and_keeps_nobody() {
    let store = TestStore::new();
    store.add("a", "", 900);
    store.add("shut", "", 900);
    fs::set_permissions(store.path("shut"), fs::Permissions::from_mode(0o000)).unwrap();
    let mut prune = unprivileged(&store);
    prune.args(["--json", "prune", "--older-than", "30d", "--yes-most"]);
    let report: Value = serde_json::from_slice(&prune.output().unwrap().stdout).unwrap();
    assert_eq!(report["removed"][0]["sessionId"], "a", "{report}");
    assert_eq!(report["kept"][0]["sessionId"], "shut", "{report}");
}

#[test]
fn missing_locks_are_free() {
    let build = |store: &TestStore| {
        store.add("a", "", 60);
        fs::remove_file(store.path("a/lease.lock")).unwrap();
        fs::remove_file(store.path("a/session.lock")).unwrap();
        vec![]
    };
    check(build, &[("a", "removed")]);
}

#[test]
fn odd_folders_stay_and_keep_their_ancestors() {
    let build = |store: &TestStore| {
        for parent in ["of-copy", "of-damaged", "of-link"] {
            store.add(parent, "", 90);
        }
        let copy = store.session("copy").parent("of-copy").at(days_ago(60));
        copy.field("sessionId", "another").write();
        store.add("damaged", "of-damaged", 60);
        let metadata = store.path("damaged/metadata.json");
        let text = fs::read_to_string(&metadata).unwrap();
        fs::write(&metadata, &text[..text.len() - 4]).unwrap();
        store.add("elsewhere", "of-link", 60);
        fs::rename(store.path("elsewhere"), store.beside("elsewhere")).unwrap();
        symlink(store.beside("elsewhere"), store.path("link")).unwrap();
        store.add("cycle-a", "cycle-b", 60);
        store.add("cycle-b", "cycle-a", 60);
        crate::support::make_folder(&store.path("remnant"));
        set_age(&store.path("remnant"), now());
        vec![]
    };
    check(
        build,
        &[
            ("copy", "kept: copied folder"),
            ("of-copy", "kept: ancestor of a session that stays: copy"),
            ("damaged", "kept: damaged"),
            (
                "of-damaged",
                "kept: ancestor of a session that stays: damaged",
            ),
            ("link", "kept: linked folder"),
            ("of-link", "kept: ancestor of a session that stays: link"),
            ("cycle-a", "kept: descends from itself"),
            ("cycle-b", "kept: descends from itself"),
            ("remnant", "kept: remnant"),
        ],
    );
}

#[test]
fn the_chosen_only_and_none_younger_than_a_day() {
    let build = |store: &TestStore| {
        store.add("parent", "", 90);
        store.add("child", "parent", 5);
        store.add("young", "", 0);
        store.add("other", "", 90);
        vec![]
    };
    let chosen = |ids: &[&str]| Policy::chosen(ids.iter().map(|name| id(name)).collect(), now());
    let told = both(&chosen(&["child", "young"]), build);
    assert_eq!(told["child"], "removed");
    assert_eq!(told["young"], "kept: active in the last 24 hours");
    assert_eq!(told.len(), 2);
    let told = both(&chosen(&["parent"]), build);
    assert_eq!(
        told["parent"],
        "kept: ancestor of a session that stays: child"
    );
}

#[test]
fn a_session_that_is_being_written_stays_after_two_seconds_in_all() {
    let build = |store: &TestStore| {
        let mut held = Vec::new();
        store.add("parent", "", 90);
        for number in 0..20 {
            let name = format!("busy{number}");
            store.add(&name, "parent", 60);
            held.push(Flock::exclusive(&store.path(&name).join("session.lock")));
        }
        store.add("free", "parent", 60);
        held
    };
    let begun = std::time::Instant::now();
    let told = both(&old(), build);
    assert!(begun.elapsed().as_secs() < 15, "{:?}", begun.elapsed());
    assert_eq!(told["busy7"], "kept: busy: being written");
    assert!(told["parent"].starts_with("kept: ancestor"));
    assert_eq!(told["free"], "removed");
}

#[test]
fn without_a_place_for_the_trash_all_stays() {
    let build = |store: &TestStore| {
        store.add("a", "", 60);
        store.add("b", "a", 60);
        store.add("open", "", 60);
        crate::support::make_folder(&store.path(".sesstree"));
        crate::support::write_file(&store.path(".sesstree/trash"), b"");
        vec![Flock::open(store, "open")]
    };
    check(
        build,
        &[
            ("a", "kept: ancestor of a session that stays: b"),
            ("b", "kept: cannot be moved to the trash: it is a file"),
            ("open", "kept: open in another process"),
        ],
    );
}
