//! A prune, or an emptying of the trash, killed half way.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
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
            .args(["prune", "--older-than", "30d", "--yes-most"])
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

/// How many names are in a folder; none if it is not there.
fn count(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}

/// In the trash or gone from every list, and what was begun is finished by the next run.
#[test]
fn a_killed_emptying_is_finished_by_the_next_run() {
    const BATCHES: usize = 4;
    const EACH: usize = 150;
    let store = TestStore::new();
    let outside = store.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("canary"), "alive").unwrap();
    let (trash, purge) = (store.path(".sesstree/trash"), store.path(".sesstree/purge"));
    let mut half_way = 0;
    // Sessions unlinked before the kill: at once, and later and later.
    for goal in [0, 1, 100, 300, 550] {
        for batch in 0..BATCHES {
            for number in 0..EACH {
                add(&store, &format!("s{batch}-{number}"), "", 40);
            }
            let link = store.path(&format!("s{batch}-0/out"));
            std::os::unix::fs::symlink(&outside, link).unwrap();
            json(&store, &["prune", "--older-than", "30d", "--yes-most"]);
        }
        assert_eq!(count(&trash), BATCHES);
        let mut child = sesstree(&store)
            .args(["trash", "empty", "--all", "--yes"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_mins(1);
        let left = || {
            let batches = fs::read_dir(&purge).into_iter().flatten().flatten();
            let begun: usize = batches.map(|batch| count(&batch.path())).sum();
            begun + count(&trash) * (EACH + 1)
        };
        let all = BATCHES * (EACH + 1);
        while left() + goal > all || count(&purge) == 0 {
            if child.try_wait().unwrap().is_some() {
                break;
            }
            assert!(
                Instant::now() < deadline,
                "the emptying never came to {goal}"
            );
        }
        child.kill().unwrap();
        child.wait().unwrap();
        half_way += usize::from(count(&purge) > 0);
        let listed = json(&store, &["trash", "list"]);
        let listed: BTreeSet<String> = ids(&listed, "batches", "batch").into_iter().collect();
        assert_eq!(listed.len(), count(&trash));
        for batch in fs::read_dir(&purge).unwrap() {
            let name = batch.unwrap().file_name().into_string().unwrap();
            assert!(
                !listed.contains(&name),
                "{name} is in the trash and on its way out"
            );
            assert_eq!(run(&store, &["trash", "restore", &name]).code, 2);
        }
        for batch in &listed {
            assert_eq!(count(&trash.join(batch)), EACH + 1, "{batch} is not whole");
        }
        let next = run(&store, &["trash", "empty", "--all", "--yes"]);
        assert_eq!(next.code, 0, "{}{}", next.out, next.err);
        assert_eq!((count(&trash), count(&purge)), (0, 0));
        assert_eq!(fs::read_to_string(outside.join("canary")).unwrap(), "alive");
    }
    assert!(
        half_way > 0,
        "no emptying was killed half way: nothing was shown"
    );
}
