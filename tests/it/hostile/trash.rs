//! Something else in the place of our own folder, the trash, a batch or what is in one.

use std::fs;
use std::path::{Path, PathBuf};

use super::{DRY, Hostile, PRUNE, THINGS, link, verdicts};
use crate::support::binary::{Ran, json, run};
use crate::support::make_folder;
use crate::support::whole::{Whole, undo_all};

/// A run may fail, but not in any way.
fn ends(ran: &Ran, what: &str) {
    assert!(
        matches!(ran.code, 0..=2),
        "{what}: {} {}",
        ran.code,
        ran.err
    );
    let told = ran.code == 0 || ran.err.starts_with("sesstree: ") || !ran.out.is_empty();
    assert!(told, "{what}: it does not say why");
}

/// Nothing can be moved: all stays, the dry run says so too, and nothing is made anywhere.
#[test]
fn without_a_trash_of_our_own_all_stays() {
    for place in [".sesstree", ".sesstree/trash"] {
        // A folder would be a trash.
        for (thing, make) in THINGS.iter().filter(|(thing, _)| *thing != "folder") {
            let hostile = Hostile::new();
            let at = hostile.store.path(place);
            make_folder(at.parent().unwrap());
            make(&at);
            let what = format!("{place} is a {thing}");
            let whole = Whole::of(&hostile.store);
            let before = hostile.store.snapshot();
            if place == ".sesstree" {
                // Nobody can tell what is pinned.
                let says = "nothing is pruned, because the pins in ";
                for ran in [&DRY[..], &PRUNE].map(|arguments| run(&hostile.store, arguments)) {
                    assert_eq!(ran.code, 1, "{what}: {}", ran.err);
                    assert!(ran.err.contains(says), "{what}: {}", ran.err);
                }
            } else {
                let dry = verdicts(&json(&hostile.store, &DRY));
                let real = verdicts(&json(&hostile.store, &PRUNE));
                assert_eq!(dry, real, "{what}");
                let says = "kept: cannot be moved to the trash: it is a ";
                assert!(real["plain"].starts_with(says), "{what}: {real:?}");
            }
            for arguments in [&["trash", "list"][..], &["trash", "restore", "victim"]] {
                ends(&run(&hostile.store, arguments), &what);
            }
            whole.all_back(&hostile.store, &what);
            assert_eq!(hostile.store.snapshot(), before, "{what}");
            hostile.check_canary(&what);
        }
    }
}

/// Prunes, puts a thing in the place of something in the trash, and looks at the trash and
/// restores; gives what restore said.
fn with(place: &str, thing: &str, make: fn(&Path)) -> (Hostile, PathBuf, Ran) {
    let hostile = Hostile::new();
    hostile.store.add_aged("other", "", 50);
    let report = json(&hostile.store, &PRUNE);
    let batch = report["batch"].as_str().unwrap().to_owned();
    let folder = hostile.store.path(".sesstree/trash").join(&batch);
    let at = match place {
        "" => folder,
        place => folder.join(place),
    };
    // What was there is put aside, where nothing looks.
    fs::rename(&at, hostile.store.beside("aside")).unwrap();
    make(&at);
    let what = format!("{place} is a {thing}");
    let trash = hostile.store.path(".sesstree");
    let before = crate::support::snapshot(&trash);
    for arguments in [&["trash", "list"][..], &DRY] {
        let ran = run(&hostile.store, arguments);
        assert_eq!(ran.code, 0, "{what}: {arguments:?}: {}", ran.err);
    }
    assert_eq!(
        crate::support::snapshot(&trash),
        before,
        "{what}: looking changed the trash"
    );
    let ran = run(&hostile.store, &["trash", "restore", &batch]);
    ends(&ran, &what);
    hostile.check_canary(&what);
    (hostile, at, ran)
}

#[test]
fn a_trashed_session_that_is_none_stays_in_the_trash_and_the_rest_comes_back() {
    for (thing, make) in THINGS {
        let (hostile, at, ran) = with("plain", thing, make);
        assert_eq!(ran.code, 0, "{thing}: {}", ran.err);
        assert!(hostile.store.has("other") && !hostile.store.has("plain"));
        assert!(fs::symlink_metadata(at).is_ok(), "{thing} is gone");
        let again = run(&hostile.store, &["trash", "restore", "plain"]);
        // A folder without metadata is told, so it cannot be said that there is nothing.
        let code = if thing == "folder" { 1 } else { 2 };
        assert_eq!(again.code, code, "{thing}: {}", again.err);
    }
}

#[test]
fn a_batch_that_is_none_is_not_restored() {
    for (thing, make) in THINGS {
        let (hostile, at, ran) = with("", thing, make);
        // A link is told, so it cannot be said that there is nothing.
        let code = if thing.starts_with("link") { 1 } else { 2 };
        assert_eq!(ran.code, code, "{thing}: {}", ran.err);
        assert!(!hostile.store.has("plain"));
        assert!(fs::symlink_metadata(at).is_ok(), "{thing} is gone");
    }
}

/// Where a folder lies is the truth; the record is only a story.
#[test]
fn a_record_that_is_none_costs_nothing() {
    for (thing, make) in THINGS {
        let (hostile, _, ran) = with("batch.json", thing, make);
        assert_eq!(ran.code, 0, "{thing}: {}", ran.err);
        assert!(hostile.store.has("plain") && hostile.store.has("other"));
    }
}

/// What cannot be locked cannot be locked by anybody else's prune either: it comes back.
#[test]
fn a_trashed_sessions_files_are_not_followed() {
    for file in [
        "lease.lock",
        "session.lock",
        "events.jsonl",
        "metadata.json",
    ] {
        for (thing, make) in THINGS {
            let (hostile, _, ran) = with(&format!("plain/{file}"), thing, make);
            assert_eq!(ran.code, 0, "{file}, {thing}: {}", ran.err);
            let back = fs::symlink_metadata(hostile.store.path("plain/metadata.json"));
            assert!(back.is_ok(), "{file}, {thing}");
        }
    }
}

/// A link where a session is to come back is not followed and not replaced.
#[test]
fn a_place_that_is_taken_is_not_followed() {
    for (thing, make) in THINGS {
        let hostile = Hostile::new();
        let whole = Whole::of(&hostile.store);
        let batch = json(&hostile.store, &PRUNE)["batch"]
            .as_str()
            .unwrap()
            .to_owned();
        let at = hostile.store.path("plain");
        make(&at);
        let ran = run(&hostile.store, &["trash", "restore", &batch]);
        hostile.check_canary(thing);
        // An empty folder is a late writer's stub and makes room; anything else is a clash.
        if thing != "folder" {
            assert_eq!(ran.code, 1, "{thing}: {}", ran.out);
            assert!(fs::symlink_metadata(&at).is_ok_and(|seen| !seen.is_dir()));
            fs::remove_file(&at).unwrap();
            undo_all(&hostile.store, thing);
        }
        whole.all_back(&hostile.store, thing);
    }
}

/// A folder of the trash that is on another filesystem or elsewhere is no place to move to.
#[test]
fn a_trash_that_becomes_a_link_is_not_followed_by_the_next_prune() {
    let hostile = Hostile::new();
    json(&hostile.store, &PRUNE);
    hostile.store.add_aged("other", "", 50);
    let trash = hostile.store.path(".sesstree/trash");
    fs::rename(&trash, hostile.store.beside("aside")).unwrap();
    link(&trash, "trash");
    let told = verdicts(&json(&hostile.store, &PRUNE));
    assert!(
        told["other"].starts_with("kept: cannot be moved"),
        "{told:?}"
    );
    hostile.check_canary("a trash that is a link");
    fs::remove_file(&trash).unwrap();
    fs::rename(hostile.store.beside("aside"), &trash).unwrap();
    undo_all(&hostile.store, "the trash is back");
    assert!(hostile.store.has("plain") && hostile.store.has("other"));
}
