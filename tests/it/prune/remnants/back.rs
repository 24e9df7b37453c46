//! What is left of a session comes back from the trash as it was.

use std::fs;

use sesstree::prune::execute::remove;
use sesstree::prune::report::{Restore, Step};
use sesstree::store::Store as _;

use super::super::{At, contents, grace, id, old, plan, prune, quiet, told, zero};
use super::{FINISH, remnant};
use crate::support::{TestStore, days_ago, now, set_age};

/// Neither the way to the trash nor the way back leaves anything behind in it.
#[test]
fn one_without_lock_files_comes_back_without() {
    let store = TestStore::new();
    remnant(&store, "r", "", 60);
    for lock in ["lease.lock", "session.lock"] {
        fs::remove_file(store.path("r").join(lock)).unwrap();
    }
    set_age(&store.path("r"), days_ago(60));
    let all = |store: &TestStore| {
        let mut all = store.snapshot();
        all.retain(|path, _| path.starts_with("r"));
        for line in all.values_mut() {
            let (head, tail) = line.split_once(" ctime ").unwrap();
            *line = format!("{head} {}", tail.split_once(' ').unwrap().1);
        }
        all
    };
    let before = all(&store);
    assert_eq!(told(&prune(&store, old()))["r"], FINISH);
    let what = Restore::Session(id("r"));
    let back = zero(&store).restore(&what, &quiet()).unwrap();
    assert_eq!(back.restored, [id("r")]);
    assert_eq!(all(&store), before);
    // One that stays after all is as it was too.
    let confirmed = plan(&store, old()).confirm();
    let watch = At(|step: Step<'_>| {
        if step == Step::BatchMoved {
            store.add("late", "r", 0);
        }
    });
    let report = remove(&zero(&store), confirmed, now(), grace(), &watch).unwrap();
    assert_eq!(report.removed, []);
    assert_eq!(all(&store), before);
}

/// Where a folder lies is the truth; the record is only a story.
#[test]
fn one_in_the_trash_comes_back_without_the_record() {
    for record in [None, Some("{"), Some("{}")] {
        let store = TestStore::new();
        remnant(&store, "r", "", 60);
        let before = contents(&store);
        let batch = prune(&store, old()).batch.unwrap();
        let place = store.path(".sesstree/trash").join(batch.as_str());
        match record {
            None => fs::remove_file(place.join("batch.json")).unwrap(),
            Some(text) => fs::write(place.join("batch.json"), text).unwrap(),
        }
        let (listed, _) = zero(&store).trash().unwrap();
        assert_eq!(listed[0].sessions[0].id, id("r"), "{record:?}");
        assert!(listed[0].sessions[0].remnant);
        let what = Restore::Batch(batch);
        let back = zero(&store).restore(&what, &quiet()).unwrap();
        assert_eq!(back.restored, [id("r")]);
        assert_eq!(contents(&store), before);
    }
}
