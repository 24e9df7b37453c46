//! A prune killed half way.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::add;
use crate::support::TestStore;
use crate::support::binary::{ids, json, run, sesstree};

/// Every session wholly in its place or wholly in the trash, wherever the prune was killed.
#[test]
fn a_killed_prune_leaves_each_session_whole() {
    const COUNT: usize = 1_000;
    let store = TestStore::new();
    let id = |number: usize| format!("s{number:04}");
    for number in 0..COUNT {
        add(&store, &id(number), "", 40);
    }
    let mut killed_half_way = 0;
    for goal in [1, 300, 700] {
        let mut child = sesstree(&store)
            .args(["prune", "--older-than", "30d", "--yes"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_mins(1);
        let in_store = || (0..COUNT).filter(|n| store.has(&id(*n))).count();
        while COUNT - in_store() < goal && child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "the prune never came to {goal}");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let trash = json(&store, &["trash", "list"]);
        let batches = trash["batches"].as_array().unwrap();
        let trashed: Vec<(String, String)> = batches
            .iter()
            .flat_map(|batch| {
                let name = batch["batch"].as_str().unwrap().to_owned();
                ids(batch, "sessions", "id")
                    .into_iter()
                    .map(move |id| (name.clone(), id))
            })
            .collect();
        for number in 0..COUNT {
            let id = id(number);
            let copies = trashed.iter().filter(|(_, trashed)| *trashed == id).count();
            assert_eq!(
                copies + usize::from(store.has(&id)),
                1,
                "{id} is in {copies} batches"
            );
        }
        for (batch, id) in &trashed {
            let folder = store.path(".sesstree/trash").join(batch).join(id);
            for file in [
                "metadata.json",
                "events.jsonl",
                "session.lock",
                "lease.lock",
            ] {
                assert!(folder.join(file).is_file(), "{id} lost {file}");
            }
        }
        killed_half_way += usize::from(!trashed.is_empty() && trashed.len() < COUNT);
        let list = json(&store, &["list", "--no-size"]);
        assert_eq!(
            list["sessions"].as_array().unwrap().len(),
            COUNT - trashed.len()
        );
        assert_eq!(list["faults"], Value::Array(vec![]));
        for batch in batches {
            let ran = run(
                &store,
                &["trash", "restore", batch["batch"].as_str().unwrap()],
            );
            assert_eq!(ran.code, 0, "{}", ran.err);
        }
        assert!(
            (0..COUNT).all(|number| store.has(&id(number))),
            "a restore left some behind"
        );
    }
    assert!(
        killed_half_way > 0,
        "no prune was killed half way: nothing was shown"
    );
}
