//! `agents`, and whose sessions are shown if nobody says.

use std::fs;

use serde_json::Value;

use crate::support::TestStore;
use crate::support::binary::{Ran, SESSTREE, bounded, program};

fn run(store: &TestStore, arguments: &[&str]) -> Ran {
    bounded(program(store, SESSTREE).args(arguments)).into()
}

fn agents(store: &TestStore) -> Vec<(String, Value)> {
    let ran = run(store, &["agents", "--json"]);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (ran.code, &told["schema"]),
        (0, &Value::from(1)),
        "{}",
        ran.err
    );
    let agents = told["agents"].as_array().unwrap().iter();
    let agent = |place: &Value| {
        let name = place["agent"].as_str().unwrap().to_owned();
        (name, place["sessions"].clone())
    };
    agents.map(agent).collect()
}

#[test]
fn each_agent_is_told_with_what_there_is() {
    let store = TestStore::new();
    let pair = |name: &str, sessions: Value| (name.to_owned(), sessions);
    let none = [pair("zero", Value::Null), pair("magi", Value::Null)];
    assert_eq!(agents(&store), none);
    let text = run(&store, &["agents"]).out;
    assert_eq!(text.matches("not found").count(), 2, "{text}");
    let home = store.beside("home");
    let magi = home.join(".magi-code/sessions");
    fs::create_dir_all(&magi).unwrap();
    fs::write(magi.join("m.jsonl"), "").unwrap();
    // It is the only one that is there.
    assert!(run(&store, &["list"]).out.contains("\nm  "));
    let zero = home.join(".local/share/zero");
    fs::create_dir_all(&zero).unwrap();
    store.add("z", "", 1);
    fs::rename(store.root(), zero.join("sessions")).unwrap();
    let both = [pair("zero", 1.into()), pair("magi", 1.into())];
    assert_eq!(agents(&store), both);
    assert!(run(&store, &["list"]).out.contains("\nz  "));
    assert!(
        run(&store, &["list", "--agent", "magi"])
            .out
            .contains("\nm  ")
    );
    let text = run(&store, &["agents", "--agent", "magi"]).out;
    let line = format!("magi   1 session      {}\n", magi.display());
    assert_eq!(text, line);
    assert_eq!(run(&store, &["agents", "--root", "/"]).code, 2);
}
