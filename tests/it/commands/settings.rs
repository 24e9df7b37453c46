//! Where a cutoff comes from when none is given.

use std::fs;

use super::forest;
use crate::support::binary::{ids, json, run, sesstree};
use crate::support::write_file;

#[test]
fn the_users_own_retention_setting_is_the_default_cutoff() {
    let store = forest();
    let config = store.beside("home/.config/zero");
    fs::create_dir_all(&config).unwrap();
    let file = config.join("config.json");
    write_file(&file, br#"{"sessions":{"retentionDays":30},"other":[1]}"#);
    let report = json(&store, &["prune", "--dry-run"]);
    assert_eq!(ids(&report, "removed", "sessionId"), ["alone"]);
    for none in [
        r#"{"sessions":{"retentionDays":0}}"#,
        "{}",
        r#"{"sessions":null}"#,
    ] {
        write_file(&file, none.as_bytes());
        assert!(
            run(&store, &["prune", "--yes-most"])
                .err
                .contains("needs a cutoff"),
            "{none}"
        );
    }
    let before = store.snapshot();
    for broken in [
        "{",
        r#"{"sessions":{"retentionDays":-1}}"#,
        r#"{"sessions":{"retentionDays":"30"}}"#,
        r#"{"sessions":{"retentionDays":1.5}}"#,
        r#"{"sessions":{"retentionDays":36501}}"#,
        r#"{"sessions":3}"#,
        "",
    ] {
        write_file(&file, broken.as_bytes());
        let ran = run(&store, &["prune", "--yes-most"]);
        assert_eq!(ran.code, 2, "{broken}: {}", ran.err);
        assert!(ran.err.contains("config.json"), "{broken}: {}", ran.err);
    }
    assert_eq!(store.snapshot(), before);
}

#[test]
fn a_project_has_no_say_in_what_is_pruned() {
    let store = forest();
    let project = store.beside("project");
    fs::create_dir_all(project.join(".zero")).unwrap();
    write_file(
        &project.join(".zero/config.json"),
        br#"{"sessions":{"retentionDays":1}}"#,
    );
    let output = sesstree(&store)
        .args(["prune", "--yes-most"])
        .current_dir(&project)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a cutoff"));
    assert!(store.has("alone"));
}
