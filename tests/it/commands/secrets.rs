//! `--no-redact`: what is printed shows its secrets, and what is written down does not.

use std::fs;
use std::path::Path;

use chrono::{TimeDelta, Utc};

use crate::support::TestStore;
use crate::support::binary::{json, run};

/// In parts, or those who look for tokens in repositories would find it.
fn token() -> String {
    ["glpat-", "x9Yz8Ab7Cd6Ef5Gh4Ij"].concat()
}

fn store() -> TestStore {
    let store = TestStore::new();
    let at = Utc::now() - TimeDelta::days(60);
    store
        .session("a")
        .at(at)
        .field("title", format!("with {}\u{1b}[2J", token()))
        .field("cwd", format!("/src/{}", token()))
        .message("user", &format!("take with {} and go", token()))
        .write();
    store
}

#[test]
fn it_may_stand_anywhere_and_without_it_secrets_are_hidden() {
    let store = store();
    for command in [
        &["list"][..],
        &["list", "--json"],
        &["tree"],
        &["tree", "a", "--json"],
        &["search", "take"],
        // What it is part of can be searched for by who knows it.
        &["search", &token()[6..12]],
        &["search", "take", "--json"],
        &["export", "a"],
        &["export", "a", "--format", "text"],
    ] {
        let out = run(&store, command).out;
        assert!(out.contains("with glpat-[redacted]"), "{command:?}: {out}");
        assert!(!out.contains(&token()), "{command:?}: {out}");
        let behind = [command, &["--no-redact"]].concat();
        let before = [&["--no-redact"], command].concat();
        for shown in [before, behind] {
            let out = run(&store, &shown).out;
            assert!(
                out.contains(&format!("with {}", token())),
                "{shown:?}: {out}"
            );
            assert!(!out.contains('\u{1b}'), "{shown:?}: {out}");
        }
    }
    // The log as it is was asked for as it is.
    let log = run(&store, &["export", "a", "--format", "jsonl"]).out;
    assert!(log.contains(&token()), "{log}");
    let shown = json(&store, &["list", "--no-redact"]);
    let session = &shown["sessions"][0];
    assert_eq!(session["title"], format!("with {}", token()));
    assert_eq!(session["cwd"], format!("/src/{}", token()));
}

#[test]
fn the_record_and_the_trash_never_hold_a_secret() {
    let store = store();
    for more in [&[][..], &["--delete-now"]] {
        let prune = ["prune", "--older-than", "30d", "--yes-most", "--no-redact"];
        let prune = [&prune, more].concat();
        let ran = run(&store, &prune);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains(&token()), "{}", ran.out);
        assert_eq!(
            holds_none(&store.path(".sesstree")),
            usize::from(more.is_empty())
        );
        assert_eq!(holds_none(&store.beside("home")), 1);
        for told in [
            &["trash", "list", "--no-redact"],
            &["trash", "log", "--no-redact"],
        ] {
            let out = run(&store, told).out;
            assert!(!out.contains(&token()), "{told:?}: {out}");
        }
        run(&store, &["trash", "restore", "a"]);
    }
    let log = run(&store, &["trash", "log", "--json"]).out;
    assert!(log.contains("with glpat-[redacted]"), "{log}");
}

/// No file below holds the token, but the session's own; how many there are.
fn holds_none(folder: &Path) -> usize {
    let mut looked = 0;
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if !path.starts_with(folder.join("trash")) || path.ends_with("batch.json") {
            looked += 1;
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            assert!(!text.contains(&token()), "{}: {text}", path.display());
        }
    }
    looked
}
