//! So many sessions that some are looked at while others are moved: what comes of it is the same.

use std::collections::BTreeSet;

use crate::support::TestStore;
use crate::support::binary::{Flock, ids, json};

const PAIRS: usize = 150;

/// Parents with a child each, all old.
fn store() -> TestStore {
    let store = TestStore::new();
    for pair in 0..PAIRS {
        store.add_aged(&format!("p{pair}"), "", 90);
        store.add_aged(&format!("c{pair}"), &format!("p{pair}"), 80);
    }
    store
}

#[test]
fn what_is_written_or_open_in_the_midst_of_many_stays_with_its_ancestors() {
    let store = store();
    let lock = |id: &str, name: &str| Flock::exclusive(&store.path(id).join(name));
    let held = [
        lock("c7", "session.lock"),
        lock("c70", "session.lock"),
        lock("p90", "session.lock"),
        Flock::open(&store, "c99"),
    ];
    let stays = ["c7", "p7", "c70", "p70", "p90", "c99", "p99"];
    let prune = ["prune", "--older-than", "30d", "--yes-most"];
    let dry = json(&store, &[&prune[..], &["--dry-run"]].concat());
    let real = json(&store, &prune);
    drop(held);
    let set = |report: &_, list| -> BTreeSet<String> {
        ids(report, list, "sessionId").into_iter().collect()
    };
    for report in [&dry, &real] {
        let kept: BTreeSet<String> = stays.map(str::to_owned).into();
        assert_eq!(set(report, "kept"), kept);
        assert_eq!(set(report, "removed").len(), 2 * PAIRS - stays.len());
        assert!(set(report, "failed").is_empty());
    }
    let reasons = |report: &serde_json::Value| {
        let kept = report["kept"].as_array().unwrap().clone();
        let reason = |entry: &serde_json::Value| {
            let id = entry["sessionId"].as_str().unwrap().to_owned();
            (id, entry["reason"].as_str().unwrap().to_owned())
        };
        kept.iter().map(reason).collect::<BTreeSet<_>>()
    };
    assert_eq!(reasons(&dry), reasons(&real));
    for pair in 0..PAIRS {
        for id in [format!("p{pair}"), format!("c{pair}")] {
            assert_eq!(store.has(&id), stays.contains(&&*id), "{id}");
        }
    }
    let batch = real["batch"].as_str().unwrap();
    let back = json(&store, &["trash", "restore", batch]);
    assert_eq!(
        back["restored"].as_array().unwrap().len(),
        2 * PAIRS - stays.len()
    );
}
