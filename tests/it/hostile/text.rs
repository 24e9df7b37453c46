//! Text that wants to act on a terminal, in every field of a session: nothing that is printed or
//! written down holds a control character, or what turns or hides text.

use std::collections::BTreeMap;
use std::fs;

use chrono::{TimeDelta, Utc};
use serde_json::Value;

use crate::support::TestStore;
use crate::support::binary::{Ran, ids, json, run};
use crate::support::hostile::{active, store};

fn check_text(what: &str, text: &str) {
    assert_eq!(active(text), None, "{what}: {text:?}");
}

fn check_ran(what: &[&str], ran: &Ran) {
    assert_eq!(ran.code, 0, "{what:?}: {}", ran.err);
    check_text(&format!("{what:?}"), &ran.out);
    check_text(&format!("{what:?}"), &ran.err);
}

/// Every text in it, keys too, and the texts of lines that are JSON by themselves.
fn check_json(what: &str, value: &Value) {
    match value {
        Value::String(text) => {
            check_text(what, text);
            assert!(!text.contains('\n'), "{what}: {text:?}");
        }
        Value::Array(items) => items.iter().for_each(|item| check_json(what, item)),
        Value::Object(fields) => {
            for (key, value) in fields {
                check_text(what, key);
                check_json(what, value);
            }
        }
        _ => {}
    }
}

/// Runs a command as people and as programs do, with secrets and without.
fn check(store: &TestStore, command: &[&str]) {
    for secrets in [&[][..], &["--no-redact"]] {
        let text = [command, secrets].concat();
        check_ran(&text, &run(store, &text));
        let text = [&text[..], &["--json"]].concat();
        let ran = run(store, &text);
        check_ran(&text, &ran);
        check_json(
            &format!("{text:?}"),
            &serde_json::from_str(&ran.out).unwrap(),
        );
    }
}

#[test]
fn nothing_that_is_printed_or_written_down_acts_on_a_terminal() {
    let (store, all) = store(Utc::now() - TimeDelta::days(60));
    for command in [
        &["list"][..],
        &["list", "--no-size"],
        &["tree"],
        &["tree", "s00"],
        &["search", "END"],
        &["search", "/./"],
        &["prune", "--older-than", "30d", "--dry-run"],
    ] {
        check(&store, command);
    }
    for id in &all {
        for format in ["md", "text"] {
            for secrets in [&[][..], &["--no-redact"]] {
                let export = [&["export", id, "--format", format][..], secrets].concat();
                let ran = run(&store, &export);
                check_ran(&export, &ran);
                assert!(!ran.out.is_empty(), "{export:?}");
            }
        }
    }
    let listed = ids(&json(&store, &["list"]), "sessions", "id");
    assert_eq!(listed.len(), all.len());
    let prune = ["prune", "--older-than", "30d", "--yes-most"];
    check_ran(&prune, &run(&store, &prune));
    check(&store, &["trash", "list"]);
    check(&store, &["trash", "log"]);
    check(&store, &["trash", "empty", "--all", "--dry-run"]);
    for batch in fs::read_dir(store.path(".sesstree/trash")).unwrap() {
        let text = fs::read_to_string(batch.unwrap().path().join("batch.json")).unwrap();
        check_text("batch.json", &text);
        check_json("batch.json", &serde_json::from_str(&text).unwrap());
    }
    let record = store.beside("home/.local/state/sesstree/removals.jsonl");
    let text = fs::read_to_string(record).unwrap();
    check_text("the record", &text);
    for line in text.lines() {
        check_json("the record", &serde_json::from_str(line).unwrap());
    }
    let trashed = ids(
        &json(&store, &["trash", "log"])["entries"][0],
        "sessions",
        "id",
    );
    assert!(trashed.len() > all.len() / 2, "{trashed:?}");
}

/// What a sequence is followed by is still read: nothing hides the rest of a title.
#[test]
fn what_follows_a_sequence_is_there() {
    let (store, _) = store(Utc::now() - TimeDelta::days(60));
    let list = json(&store, &["list"]);
    let sessions = list["sessions"].as_array().unwrap();
    let titles: BTreeMap<&str, &str> = sessions
        .iter()
        .map(|session| {
            (
                session["id"].as_str().unwrap(),
                session["title"].as_str().unwrap_or(""),
            )
        })
        .collect();
    let mut followed = 0;
    for (text, title) in crate::support::hostile::texts().iter().zip(titles.values()) {
        let whole = std::str::from_utf8(text).is_ok_and(|text| !text.contains(char::is_control));
        if text.ends_with(b"END") && whole {
            followed += 1;
            assert!(
                title.ends_with("END"),
                "{:?} is {title:?}",
                String::from_utf8_lossy(text)
            );
        }
    }
    assert!(followed > 30, "{followed}");
}

/// The columns of a listing are where its head says.
#[test]
fn columns_are_aligned_in_a_listing() {
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    let (store, _) = store(Utc::now() - TimeDelta::days(60));
    let out = run(&store, &["list"]).out;
    let mut lines = out.lines();
    let head = lines.next().unwrap();
    let title = head.find("TITLE").unwrap();
    for line in lines {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20_000, 1));
        buffer.set_stringn(0, 0, line, 20_000, ratatui::style::Style::default());
        let gap: String = (title - 2..title)
            .map(|x| buffer[(u16::try_from(x).unwrap(), 0)].symbol())
            .collect();
        assert_eq!(gap, "  ", "{line:?}");
    }
}
