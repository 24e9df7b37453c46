//! `trash empty`, and the expired batches in `prune`.

use std::ffi::OsString;
use std::fs;

use serde_json::{Value, json};

use super::add;
use crate::support::TestStore;
use crate::support::apart::{Disk, apart, mount, unmount};
use crate::support::binary::{ids, json, run};
use crate::support::terminal::Terminal;

/// Prunes everything older than 30 days; the name of the batch.
fn prune(store: &TestStore) -> String {
    let report = json(store, &["prune", "--older-than", "30d", "--yes-most"]);
    report["batch"].as_str().unwrap().to_owned()
}

/// Ends the grace of a batch.
pub(crate) fn expire(store: &TestStore, batch: &str) {
    keep_until(store, batch, "2026-01-01T00:00:00Z");
}

/// Lets the grace of a batch end at a time.
pub(crate) fn keep_until(store: &TestStore, batch: &str, at: &str) {
    let file = store.path(".sesstree/trash").join(batch).join("batch.json");
    let mut record: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    record["expiresAt"] = at.into();
    fs::write(&file, record.to_string()).unwrap();
}

/// Two batches, the first one expired: (store, expired, fresh).
fn two() -> (TestStore, String, String) {
    let store = TestStore::new();
    add(&store, "a", "", 90);
    add(&store, "b", "a", 80);
    let expired = prune(&store);
    expire(&store, &expired);
    add(&store, "c", "", 90);
    // Whatever is expired would go with it.
    let hidden = store.path(".sesstree/trash").join(&expired);
    fs::rename(&hidden, store.beside("hidden")).unwrap();
    let fresh = prune(&store);
    fs::rename(store.beside("hidden"), &hidden).unwrap();
    (store, expired, fresh)
}

fn there(store: &TestStore) -> Vec<String> {
    let mut names = ids(&json(store, &["trash"]), "batches", "batch");
    names.sort();
    names
}

#[test]
fn only_what_is_expired_goes_unless_others_are_named() {
    let (store, expired, fresh) = two();
    let before = store.snapshot();
    let dry = json(&store, &["trash", "empty", "--dry-run"]);
    assert_eq!(store.snapshot(), before, "a dry run changes nothing");
    let bytes = dry["bytes"].as_u64().unwrap();
    assert!(bytes > 0);
    let entry = json!({"batch": expired, "sessions": 2, "bytes": bytes});
    let report = json!({
        "schema": 1, "dryRun": true, "emptied": [entry], "kept": [], "failed": [], "bytes": bytes,
    });
    assert_eq!(dry, report);
    let mut real = json(&store, &["trash", "empty", "--expired", "--yes"]);
    assert_eq!(real["dryRun"], false);
    real["dryRun"] = true.into();
    assert_eq!(real, dry, "as the dry run said");
    assert_eq!(there(&store), [fresh.as_str()]);
    let none = run(&store, &["trash", "empty", "--yes"]);
    assert_eq!(
        (none.code, none.out.as_str()),
        (
            0,
            "Nothing in the trash is expired. 1 batch is kept for now; `sesstree trash empty \
             --all` takes every one.\n"
        )
    );
    let named = run(&store, &["trash", "empty", "--yes", &fresh]);
    assert_eq!(named.code, 0, "{}", named.err);
    let none = run(&store, &["trash", "empty", "--all", "--yes"]);
    assert_eq!((none.code, none.out.as_str()), (0, "The trash is empty.\n"));
    assert!(
        named
            .out
            .starts_with("Emptied from the trash (1 batch, 1 session, "),
        "{}",
        named.out
    );
    assert_eq!(there(&store), [] as [&str; 0]);
}

#[test]
fn all_means_all() {
    let (store, _, _) = two();
    let report = json(&store, &["trash", "empty", "--all", "--yes"]);
    assert_eq!(report["emptied"].as_array().unwrap().len(), 2);
    assert_eq!(there(&store), [] as [&str; 0]);
}

#[test]
fn what_stays_is_told_and_fails_only_who_named_it() {
    let (store, expired, _) = two();
    add(&store, "late", "b", 1);
    let reason = "b is an ancestor of late, which is in the store";
    let kept = json(&store, &["trash", "empty", "--yes"]);
    assert_eq!(kept["emptied"], json!([]));
    assert_eq!(kept["kept"], json!([{"batch": expired, "reason": reason}]));
    let unnamed = run(&store, &["trash", "empty", "--yes"]);
    assert_eq!(unnamed.code, 0, "{}", unnamed.err);
    let named = run(&store, &["trash", "empty", "--yes", &expired]);
    assert_eq!(named.code, 1);
    let line = format!("Kept in the trash 1 batch:\n  {expired}  {reason}\n");
    assert_eq!(named.out, line);
    assert_eq!(there(&store).len(), 2);
}

#[test]
fn wrong_use_exits_2_and_removes_nothing() {
    let (store, expired, _) = two();
    let before = store.snapshot();
    let table: &[(&[&str], &str)] = &[
        (
            &["trash", "empty"],
            "off a terminal say --yes, or --dry-run to look",
        ),
        (&["trash", "empty", "--all"], "off a terminal say --yes"),
        (
            &["trash", "empty", "--yes", "nothing"],
            "no batch in the trash is called \"nothing\"",
        ),
        (
            &["trash", "empty", "--yes", "2026\x1b[2J"],
            "no batch in the trash is called",
        ),
        (
            &["trash", "empty", "--yes", &expired, "2026"],
            "is called \"2026\"",
        ),
        (
            &["trash", "empty", "--yes", "--all", &expired],
            "cannot be used with",
        ),
        (
            &["trash", "empty", "--yes", "--all", "--expired"],
            "cannot be used with",
        ),
        (&["trash", "empty", "--yes", ""], "no batch in the trash"),
    ];
    for (arguments, says) in table {
        let ran = run(&store, arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(says), "{arguments:?}: {}", ran.err);
        assert!(!ran.err.contains('\x1b'), "{arguments:?}");
    }
    assert_eq!(store.snapshot(), before);
}

#[test]
fn a_prune_tells_what_is_expired_and_takes_it_with_its_own_yes() {
    let (store, expired, fresh) = two();
    add(&store, "d", "", 90);
    let before = store.snapshot();
    let dry = json(&store, &["prune", "--older-than", "30d", "--dry-run"]);
    assert_eq!(store.snapshot(), before);
    assert_eq!(ids(&dry["trash"], "expired", "batch"), [expired.as_str()]);
    let text = run(&store, &["prune", "--older-than", "30d", "--dry-run"]).out;
    let told = "\nTrash to empty (1 batch, 2 sessions, ";
    assert!(text.contains(told) && text.contains(&expired), "{text}");
    assert!(text.ends_with("Dry run: nothing was removed.\n"), "{text}");
    let real = json(&store, &["prune", "--older-than", "30d", "--yes-most"]);
    assert_eq!(real["trash"], dry["trash"]);
    assert_eq!(ids(&real, "removed", "sessionId"), ["d"]);
    let batch = real["batch"].as_str().unwrap();
    let mut left = [fresh.as_str(), batch];
    left.sort_unstable();
    assert_eq!(there(&store), left);
    let none = json(&store, &["prune", "--older-than", "30d", "--yes-most"]);
    assert_eq!(none.get("trash"), None);
}

/// Nobody is asked whether what cannot be read may lose an ancestor.
#[test]
fn a_yes_beforehand_keeps_what_something_unreadable_may_descend_from() {
    let (store, expired, _) = two();
    fs::create_dir(store.path("torn")).unwrap();
    fs::write(store.path("torn/metadata.json"), "{").unwrap();
    let reason = "a session cannot be read and may descend from it: torn";
    let warning = format!("with --yes nothing of the trash goes: {reason}");
    let both: [&[&str]; 2] = [&["trash", "empty"], &["prune", "--older-than", "30d"]];
    for command in both {
        let words = |more: &[&'static str]| [command, more].concat();
        let prune = command[0] == "prune";
        let part = |report: Value| {
            if prune {
                report["trash"].clone()
            } else {
                report
            }
        };
        let dry = json(&store, &words(&["--dry-run"]));
        let warnings = dry["warnings"].as_array().unwrap();
        assert!(warnings.contains(&json!(warning)), "{dry}");
        for flags in [&["--dry-run", "--yes"][..], &["--yes"]] {
            let report = part(json(&store, &words(flags)));
            assert_eq!(
                report["kept"],
                json!([{"batch": expired, "reason": reason}])
            );
        }
    }
    assert_eq!(there(&store).len(), 2);
}

#[test]
fn a_prune_leaves_the_trash_alone_if_told_to() {
    let (store, expired, fresh) = two();
    add(&store, "d", "", 90);
    let prune = ["prune", "--older-than", "30d", "--keep-trash"];
    let dry = json(&store, &[&prune[..], &["--dry-run"]].concat());
    assert_eq!(dry.get("trash"), None);
    let real = json(&store, &[&prune[..], &["--yes-most"]].concat());
    assert_eq!(real.get("trash"), None);
    assert_eq!(ids(&real, "removed", "sessionId"), ["d"]);
    let left = there(&store);
    assert!(left.contains(&expired) && left.contains(&fresh), "{left:?}");
    let help = run(&store, &["prune", "--help"]).out;
    let told = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("expired batches of the trash are emptied too"),
        "{help}"
    );
    assert!(
        told.contains("--keep-trash Leave the trash as it is"),
        "{help}"
    );
}

/// Starts it in a terminal.
pub(super) fn in_terminal(store: &TestStore, arguments: &[&str]) -> Terminal {
    let root = store.root();
    let mut all = vec!["--root", root.to_str().unwrap()];
    all.extend(arguments);
    let home = store.beside("home");
    fs::create_dir_all(&home).unwrap();
    let env = [
        ("HOME", home.into_os_string()),
        ("TERM", OsString::from("xterm-256color")),
    ];
    Terminal::start(env!("CARGO_BIN_EXE_sesstree"), all, &env)
}

/// Runs it in a terminal, answers, and waits for its end.
fn answer(store: &TestStore, arguments: &[&str], question: &[&str], key: &str) {
    let mut terminal = in_terminal(store, arguments);
    for text in question {
        terminal.wait_for_text(text);
    }
    terminal.keys(key);
    terminal.end();
}

#[test]
fn on_a_terminal_it_asks_and_only_a_yes_counts() {
    let (store, expired, fresh) = two();
    let question = ["1 batch, 2 sessions, ", "cannot be undone. [y/N]"];
    for no in ["n\r", "\r", "sure\r"] {
        answer(&store, &["trash", "empty"], &question, no);
        assert_eq!(there(&store).len(), 2, "{no:?}");
    }
    answer(&store, &["trash", "empty"], &question, "y\r");
    assert_eq!(there(&store), [fresh.as_str()], "{expired}");
}

#[test]
fn one_yes_of_a_prune_on_a_terminal_is_for_both() {
    let (store, expired, fresh) = two();
    add(&store, "d", "", 90);
    add(&store, "fresh", "", 2);
    let prune = ["prune", "--older-than", "30d"];
    let question = [
        "Move 1 session",
        "empty the trash of what",
        "cannot be undone)? [y/N]",
    ];
    answer(&store, &prune, &question, "n\r");
    assert!(store.has("d") && there(&store).len() == 2);
    answer(&store, &prune, &question, "y\r");
    assert!(!store.has("d"));
    assert!(!there(&store).contains(&expired) && there(&store).contains(&fresh));
}

/// What is mounted where we unlink is not ours.
#[test]
fn what_is_mounted_in_the_place_of_our_own_folders_is_left_alone() {
    apart(Disk::Plain, || {
        for name in [".sesstree", ".sesstree/purge"] {
            let store = TestStore::new();
            let canary = store.beside("canary");
            fs::create_dir_all(canary.join("purge/folder")).unwrap();
            fs::write(canary.join("purge/folder/file"), "alive").unwrap();
            fs::create_dir_all(store.path(".sesstree/purge")).unwrap();
            let folder = match name {
                ".sesstree" => canary.clone(),
                _ => canary.join("purge"),
            };
            mount(&["--bind"], &folder, &store.path(name));
            let ran = run(&store, &["trash", "empty", "--yes"]);
            assert_eq!(ran.code, 1, "{name}: {}{}", ran.out, ran.err);
            let text = fs::read_to_string(canary.join("purge/folder/file"));
            assert_eq!(text.unwrap(), "alive", "{name}");
            unmount(&store.path(name));
        }
    });
}

/// Another part of the very same filesystem may be mounted in what is to go.
#[test]
fn what_is_mounted_in_a_session_is_not_entered() {
    apart(Disk::Plain, || {
        let (store, expired, _) = two();
        let canary = store.beside("canary");
        fs::create_dir(&canary).unwrap();
        fs::write(canary.join("file"), "alive").unwrap();
        let mounted = store
            .path(".sesstree/trash")
            .join(&expired)
            .join("a/mounted");
        fs::create_dir(&mounted).unwrap();
        mount(&["--bind"], &canary, &mounted);
        let report = json(&store, &["trash", "empty", "--yes"]);
        let reason = report["failed"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("mounted: "), "{reason}");
        assert_eq!(fs::read_to_string(canary.join("file")).unwrap(), "alive");
        assert_eq!(there(&store).len(), 1, "it is in no list any more");
        let left = store
            .path(".sesstree/purge")
            .join(format!("{expired}.0"))
            .join("a/mounted");
        unmount(&left);
        run(&store, &["trash", "empty", "--yes"]);
        let purge = store.path(".sesstree/purge");
        assert_eq!(fs::read_dir(purge).unwrap().count(), 0);
        assert_eq!(fs::read_to_string(canary.join("file")).unwrap(), "alive");
    });
}
