//! Something else in the place of what is to go for good: only what was shown goes, nothing is
//! followed, and nothing outside is touched.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::{Hostile, PRUNE, THINGS};
use crate::support::binary::{Ran, SESSTREE, json, program, run};
use crate::support::make_folder;
use crate::support::terminal::Terminal;

const EMPTY: [&str; 4] = ["trash", "empty", "--all", "--yes"];

/// `plain` and `other` in a batch of the trash; its name.
fn trashed(hostile: &Hostile) -> String {
    hostile.store.add_aged("other", "", 50);
    let report = json(&hostile.store, &PRUNE);
    report["batch"].as_str().unwrap().to_owned()
}

fn ends(ran: &Ran, what: &str) {
    assert!(
        matches!(ran.code, 0 | 1),
        "{what}: {} {}",
        ran.code,
        ran.err
    );
    let told = !ran.out.is_empty() || ran.err.starts_with("sesstree: ");
    assert!(told, "{what}: silence");
}

/// Puts a thing in the place of something in the trash, and empties it; what was there is aside.
fn with(place: &str, thing: &str, make: fn(&Path)) -> Hostile {
    let hostile = Hostile::new();
    let batch = trashed(&hostile);
    let at = hostile
        .store
        .path(&place.replace("BATCH", &format!(".sesstree/trash/{batch}")));
    if fs::rename(&at, hostile.store.beside("aside")).is_err() {
        make_folder(at.parent().unwrap());
    }
    make(&at);
    let what = format!("{place} is a {thing}");
    let before = hostile.store.snapshot();
    ends(
        &run(&hostile.store, &["trash", "empty", "--all", "--dry-run"]),
        &what,
    );
    assert_eq!(hostile.store.snapshot(), before, "{what}: a dry run");
    ends(&run(&hostile.store, &EMPTY), &what);
    hostile.check_canary(&what);
    // Whatever a killed run may have left is not followed by the next one either.
    ends(&run(&hostile.store, &PRUNE), &what);
    hostile.check_canary(&what);
    hostile
}

#[test]
fn what_is_in_a_batch_is_never_followed() {
    for (thing, make) in THINGS {
        for place in [
            "BATCH/plain",
            "BATCH/plain/metadata.json",
            "BATCH/plain/lease.lock",
            "BATCH/plain/more",
            "BATCH/batch.json",
            "BATCH/stray",
        ] {
            with(place, thing, make);
        }
    }
}

#[test]
fn a_batch_that_is_none_stays() {
    for (thing, make) in THINGS {
        let hostile = with("BATCH", thing, make);
        let aside = hostile.store.beside("aside");
        assert!(aside.join("plain/metadata.json").is_file(), "{thing}");
    }
}

/// What is not a folder of our own is no place to unlink in.
#[test]
fn without_folders_of_our_own_nothing_goes() {
    for place in [".sesstree", ".sesstree/trash", ".sesstree/purge"] {
        for (thing, make) in THINGS.iter().filter(|(thing, _)| *thing != "folder") {
            let hostile = with(place, thing, *make);
            let at = hostile.store.path(place);
            let there = fs::symlink_metadata(&at);
            assert!(there.is_ok_and(|seen| !seen.is_dir()), "{place}: {thing}");
        }
    }
}

/// The names of what is on its way out, given to what is not.
#[test]
fn what_has_the_name_of_something_on_its_way_out_is_not_followed() {
    for (thing, make) in THINGS {
        let hostile = Hostile::new();
        trashed(&hostile);
        make_folder(&hostile.store.path(".sesstree/purge"));
        make(&hostile.store.path(".sesstree-gone.victim"));
        make(
            &hostile
                .store
                .path(".sesstree/purge/20260101T000000Z-abcdef"),
        );
        let whole = hostile.store.path(".sesstree-gone.half/in");
        make_folder(&whole);
        make(&whole.join("thing"));
        ends(&run(&hostile.store, &PRUNE), thing);
        hostile.check_canary(thing);
        let half = hostile.store.path(".sesstree-gone.half");
        assert!(!half.exists(), "{thing}: it was not finished");
    }
}

/// The binary in a terminal, asked to empty the trash.
fn asked(hostile: &Hostile) -> Terminal {
    let home = program(&hostile.store, SESSTREE);
    let env = [("HOME", home.get_current_dir().unwrap().into())];
    let root = hostile.store.root();
    let args = ["--root", root.to_str().unwrap(), "trash", "empty", "--all"];
    let terminal = Terminal::start(SESSTREE, args, &env);
    terminal.wait_for_text("cannot be undone. [y/N]");
    terminal
}

/// Only what was shown goes, and not what a link in its place leads to.
#[test]
fn what_is_swapped_while_the_question_is_on_screen_stays() {
    for (place, to, says) in [
        ("", "", "replaced since the preview"),
        (".sesstree", "", ""),
        (".sesstree/trash", "trash", ""),
        ("BATCH", "trash/20260101T000000Z-abcdef", ""),
        // The other session goes, and the link.
        ("BATCH/plain", "victim", "1 session, "),
    ] {
        let hostile = Hostile::new();
        let batch = trashed(&hostile);
        let mut terminal = asked(&hostile);
        let place = place.replace("BATCH", &format!(".sesstree/trash/{batch}"));
        let at = hostile.store.path(&place);
        let at = Path::new(at.to_str().unwrap().trim_end_matches('/'));
        fs::rename(at, hostile.store.beside("aside")).unwrap();
        symlink(hostile.outside().join(to), at).unwrap();
        terminal.keys("y\r");
        terminal.end();
        hostile.check_canary(&place);
        terminal.wait_for_text(says);
        let aside = hostile.store.beside("aside");
        let under = [
            format!(".sesstree/trash/{batch}/plain"),
            format!("trash/{batch}/plain"),
            format!("{batch}/plain"),
            "plain".to_owned(),
            String::new(),
        ];
        let found = under.iter().map(|below| aside.join(below));
        let found = found
            .filter(|at| at.join("metadata.json").is_file())
            .count();
        assert_eq!(found, 1, "{place}: it went, though nobody saw it");
    }
}
