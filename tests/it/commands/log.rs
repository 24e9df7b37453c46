//! `trash log`: what was removed, after the trash is empty too.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::{add, forest};
use crate::support::TestStore;
use crate::support::binary::{ids, json, run, sesstree};

fn record(store: &TestStore) -> PathBuf {
    store.beside("home/.local/state/sesstree/removals.jsonl")
}

#[test]
fn it_outlives_the_trash() {
    let store = forest();
    assert_eq!(
        run(&store, &["trash", "log"]).out,
        "Nothing was removed yet.\n"
    );
    let prune = ["prune", "--older-than", "30d", "--yes-most"];
    let batch = json(&store, &prune)["batch"].as_str().unwrap().to_owned();
    run(&store, &["trash", "empty", "--all", "--yes"]);
    let log = json(&store, &["trash", "log"]);
    assert_eq!((&log["schema"], &log["unreadable"]), (&1.into(), &0.into()));
    let entries = log["entries"].as_array().unwrap();
    let told: Vec<&str> = entries
        .iter()
        .map(|e| e["action"].as_str().unwrap())
        .collect();
    assert_eq!(told, ["purge", "trash"], "newest first");
    for entry in entries {
        assert_eq!(entry["stage"], "outcome");
        assert_eq!(entry["batch"], batch.as_str());
        assert_eq!(ids(entry, "sessions", "id"), ["alone"]);
        assert_eq!(entry["sessions"][0]["title"], "title of alone");
        assert!(entry["sessions"][0]["bytes"].as_u64().unwrap() > 0);
    }
    let text = run(&store, &["trash", "log"]).out;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(
        lines[0].contains("  purge  1 session, ") && lines[0].contains(&batch),
        "{text}"
    );
    assert!(lines[2].contains("  trash  1 session, "), "{text}");
    assert!(lines[2].contains("  all older than 30d  in "), "{text}");
    assert!(lines[3].starts_with("  alone  20") && lines[3].ends_with("title of alone"));
}

#[test]
fn it_lies_where_the_environment_says() {
    let store = forest();
    let elsewhere = store.beside("elsewhere");
    let status = sesstree(&store)
        .args(["prune", "--older-than", "30d", "--yes-most"])
        .env("XDG_STATE_HOME", &elsewhere)
        .output();
    assert!(status.unwrap().status.success());
    assert!(elsewhere.join("sesstree/removals.jsonl").exists());
    assert!(!record(&store).exists());
}

#[test]
fn bad_lines_are_passed_over_and_told() {
    let store = forest();
    run(&store, &["prune", "--older-than", "30d", "--yes-most"]);
    let text = fs::read_to_string(record(&store)).unwrap();
    fs::write(
        record(&store),
        format!("\u{1b}[2J nonsense\n{text}{{\"torn\": "),
    )
    .unwrap();
    let ran = run(&store, &["trash", "log"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.err,
        "sesstree: 2 unreadable lines in the record of removals passed over\n"
    );
    assert_eq!(ran.out.lines().count(), 2, "{}", ran.out);
    add(&store, "alone", "", 90);
    run(&store, &["prune", "--older-than", "30d", "--yes-most"]);
    let log = json(&store, &["trash", "log"]);
    assert_eq!(
        log["entries"].as_array().unwrap().len(),
        2,
        "the torn line took nothing along"
    );
}

#[test]
fn parts_of_one_prune_are_told_as_one() {
    let store = forest();
    run(&store, &["prune", "--older-than", "30d", "--yes-most"]);
    let text = fs::read_to_string(record(&store)).unwrap();
    let again = text.replace("alone", "alone2");
    fs::write(record(&store), format!("{text}{again}")).unwrap();
    let told = run(&store, &["trash", "log"]).out;
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 3, "{told}");
    assert!(lines[0].contains("  trash  2 sessions, "), "{told}");
    assert!(lines[1].starts_with("  alone2  ") && lines[2].starts_with("  alone  "));
    let entries = &json(&store, &["trash", "log"])["entries"];
    assert_eq!(entries.as_array().unwrap().len(), 2, "as it was written");
}

#[test]
fn what_was_killed_half_way_is_told_as_interrupted() {
    let store = forest();
    run(&store, &["prune", "--older-than", "30d", "--yes-most"]);
    let text = fs::read_to_string(record(&store)).unwrap();
    let intent = text.lines().next().unwrap();
    let read: Value = serde_json::from_str(intent).unwrap();
    assert_eq!(read["stage"], "intent");
    fs::write(record(&store), intent).unwrap();
    let text = run(&store, &["trash", "log"]).out;
    assert!(
        text.contains("  trash  interrupted, or still running: up to 1 session  "),
        "{text}"
    );
}

#[test]
fn a_home_that_cannot_be_written_stops_no_prune() {
    let store = forest();
    fs::create_dir_all(store.beside("home")).unwrap();
    fs::write(store.beside("home/.local"), "").unwrap();
    let ran = run(&store, &["prune", "--older-than", "30d", "--yes-most"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out
            .contains("Warning: this is missing in the record of removals: "),
        "{}",
        ran.out
    );
    assert!(!store.has("alone"));
}
