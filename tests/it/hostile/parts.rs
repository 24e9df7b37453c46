//! Something else in the place of a session, or of one of its files.

use std::fs;
use std::os::unix::fs::symlink;

use super::{Hostile, THINGS, check};
use crate::support::{make_folder, write_file};

/// Whatever is in the place of one file of a session: what the prune says of it.
fn in_the_place_of(file: &str, says: &str) {
    let hostile = Hostile::new();
    let id = |thing: &str| format!("with-{thing}");
    for (thing, make) in THINGS {
        hostile.odd(&id(thing), file, make);
    }
    let told = hostile.goes_through();
    check(&told, "plain", "removed");
    for (thing, _) in THINGS {
        check(&told, &id(thing), says);
    }
    assert_eq!(told.len(), THINGS.len() + 1, "{told:?}");
}

#[test]
fn of_the_metadata() {
    in_the_place_of("metadata.json", "kept: damaged: its metadata is a ");
}

#[test]
fn of_the_log() {
    in_the_place_of(
        "events.jsonl",
        "kept: its last update time could not be read",
    );
}

#[test]
fn of_the_lease() {
    in_the_place_of(
        "lease.lock",
        "kept: its lease could not be checked: it is a ",
    );
}

#[test]
fn of_the_write_lock() {
    in_the_place_of(
        "session.lock",
        "kept: its write lock could not be checked: it is a ",
    );
}

/// What is in a session besides goes and comes with it, whatever it is.
#[test]
fn of_what_is_not_looked_into() {
    in_the_place_of("checkpoints", "removed");
    in_the_place_of("anything", "removed");
}

#[test]
fn of_a_session() {
    let hostile = Hostile::new();
    for (thing, make) in THINGS {
        make(&hostile.store.path(&format!("it-is-{thing}")));
        make(&hostile.store.path(&format!("{thing} of no name")));
    }
    symlink(".", hostile.store.path("link-to-the-root")).unwrap();
    symlink("/", hostile.store.path("link-to-all")).unwrap();
    symlink("plain", hostile.store.path("link-to-plain")).unwrap();
    let told = hostile.goes_through();
    check(&told, "plain", "kept: a linked folder leads to it");
    check(&told, "it-is-link-folder", "kept: linked folder");
    check(&told, "it-is-folder", "kept: remnant: younger than a day");
    check(&told, "link-to-plain", "kept: linked folder");
    let nowhere = "kept: damaged: linked folder; its folder cannot be opened";
    check(&told, "it-is-link-nowhere", nowhere);
    assert_eq!(told.len(), 5, "{told:?}");
}

/// A file of a session may have another name outside, and keeps it.
#[test]
fn hard_links_lead_outside() {
    let hostile = Hostile::new();
    for file in ["lease.lock", "session.lock", "other"] {
        let outside = hostile.outside().join("file");
        hostile.odd(&format!("with-{}", &file[..5]), file, |at| {
            fs::hard_link(outside, at).unwrap();
        });
    }
    // A new name changes the ctime of what has it.
    let hostile = Hostile {
        canary: crate::support::snapshot(&hostile.outside()),
        ..hostile
    };
    let told = hostile.goes_through();
    assert!(
        told.values().all(|verdict| verdict == "removed"),
        "{told:?}"
    );
    assert_eq!(told.len(), 4);
}

/// A fork that cannot be read keeps what it descends from, if only that can be made out.
#[test]
fn what_cannot_be_read_keeps_its_ancestors() {
    let hostile = Hostile::new();
    for (thing, make) in THINGS {
        let (parent, child) = (format!("of-{thing}"), format!("is-{thing}"));
        hostile.store.add_aged(&parent, "", 90);
        let fork = hostile.store.session(&child).at(chrono::Utc::now());
        let origin = serde_json::json!({"parentSessionId": parent});
        fork.event("session_fork", &origin).write();
        let metadata = hostile.store.path(&child).join("metadata.json");
        fs::remove_file(&metadata).unwrap();
        make(&metadata);
    }
    let told = hostile.goes_through();
    for (thing, _) in THINGS {
        let reason = format!("kept: ancestor of a session that stays: is-{thing}");
        check(&told, &format!("of-{thing}"), &reason);
    }
    check(&told, "plain", "removed");
}

/// Deeper than any recursion, with a link up in every folder.
#[test]
fn a_session_of_any_depth_goes_and_comes_back() {
    let hostile = Hostile::new();
    hostile.store.add_aged("deep", "", 60);
    let mut at = hostile.store.path("deep");
    for _ in 0..400 {
        symlink("..", at.join("up")).unwrap();
        at.push("d");
        make_folder(&at);
    }
    write_file(&at.join("last"), b"last");
    let told = hostile.goes_through();
    check(&told, "deep", "removed");
}
