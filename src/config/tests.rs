use std::fs;
use std::process::Command;

use super::*;

fn env(vars: &[(&str, &str)]) -> Env {
    vars.iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

#[test]
fn blank_variables_count_as_unset_and_relative_xdg_paths_are_ignored() {
    let root = |vars: &[_]| zero_root(&env(vars)).map(|path| path.display().to_string());
    let home = ("HOME", "/h");
    assert_eq!(root(&[home]).unwrap(), "/h/.local/share/zero/sessions");
    assert_eq!(
        root(&[home, ("XDG_DATA_HOME", " ")]).unwrap(),
        "/h/.local/share/zero/sessions"
    );
    assert_eq!(
        root(&[home, ("XDG_DATA_HOME", "rel")]).unwrap(),
        "/h/.local/share/zero/sessions"
    );
    assert_eq!(
        root(&[home, ("XDG_DATA_HOME", "/d")]).unwrap(),
        "/d/zero/sessions"
    );
    assert_eq!(root(&[("HOME", "")]), None);
}

#[test]
fn the_agents_command_may_have_leading_arguments() {
    assert_eq!(command(Agent::Zero, &env(&[])), ["zero"]);
    assert_eq!(
        command(Agent::Zero, &env(&[("SESSTREE_ZERO_COMMAND", " ")])),
        ["zero"]
    );
    let command = env(&[("SESSTREE_ZERO_COMMAND", "/opt/zero  --profile work")]);
    assert_eq!(
        super::command(Agent::Zero, &command),
        ["/opt/zero", "--profile", "work"]
    );
}

#[test]
fn a_broken_retention_setting_is_an_error_that_names_the_file_and_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.json");
    let read = |text: &str| {
        fs::write(&file, text).unwrap();
        zero_retention(&file).map_err(|error| error.to_string())
    };
    assert_eq!(
        read(r#"{"sessions":{"retentionDays":30}}"#),
        Ok(Some(Age::days(30).unwrap()))
    );
    for none in [
        "{}",
        "null",
        r#"{"sessions":{}}"#,
        r#"{"sessions":{"retentionDays":0}}"#,
    ] {
        assert_eq!(read(none), Ok(None), "{none}");
    }
    for bad in ["-1", "1.5", "\"30\"", "true", "[]", "36501", "1e3"] {
        let error = read(&format!(r#"{{"sessions":{{"retentionDays":{bad}}}}}"#)).unwrap_err();
        assert!(
            error.contains("config.json") && error.contains("retentionDays"),
            "{bad}: {error}"
        );
    }
    for bad in ["", "{", "[1", "\u{feff}{}"] {
        assert!(read(bad).unwrap_err().contains("config.json"), "{bad}");
    }
    assert!(read("[]").is_err() && read("3").is_err());
    assert_eq!(zero_retention(&folder.path().join("none")).unwrap(), None);
    assert!(
        Command::new("mkfifo")
            .arg(folder.path().join("fifo"))
            .status()
            .unwrap()
            .success()
    );
    fs::write(folder.path().join("large"), vec![b' '; 2 << 20]).unwrap();
    for (bad, why) in [("fifo", "not a file"), ("large", "larger than 1 MiB")] {
        let error = zero_retention(&folder.path().join(bad))
            .unwrap_err()
            .to_string();
        assert!(error.contains(why), "{bad}: {error}");
    }
    assert!(
        zero_retention(folder.path())
            .unwrap_err()
            .to_string()
            .contains("cannot read")
    );
}
