//! How far it is, told as it goes.

use std::cell::RefCell;
use std::fs;

use sesstree::prune::execute::remove;
use sesstree::prune::report::{Progress, Restore, Watch};
use sesstree::store::Store as _;

use super::{Flock, grace, id, old, plan, prune, zero};
use crate::support::{TestStore, now};

/// Does something at the first word of progress, and remembers all of it.
struct Listener<F: Fn()> {
    first: F,
    told: RefCell<Vec<Progress>>,
}

impl<F: Fn()> Listener<F> {
    fn new(first: F) -> Self {
        let told = RefCell::default();
        Self { first, told }
    }
}

impl<F: Fn()> Watch for Listener<F> {
    fn progress(&self, progress: Progress) {
        if self.told.borrow().is_empty() {
            (self.first)();
        }
        self.told.borrow_mut().push(progress);
    }

    fn stopped(&self) -> bool {
        false
    }
}

#[test]
fn a_removal_counts_what_was_confirmed_session_by_session() {
    let store = TestStore::new();
    for name in ["a", "b", "c", "d"] {
        store.add(name, "", 90);
    }
    // Known to stay before anything is confirmed.
    store.add("old", "", 80);
    store.add("young", "old", 1);
    store.add("open", "", 80);
    let plan = plan(&store, old()).confirm();
    let _open = Flock::open(&store, "open");
    let listener = Listener::new(|| {});
    let report = remove(&zero(&store), plan, now(), grace(), &listener).unwrap();
    assert_eq!(report.removed.len(), 4);
    let told: Vec<_> = listener.told.take();
    assert!(told.iter().all(|now| now.total == 5), "{told:?}");
    let mut done: Vec<usize> = told.iter().map(|now| now.done).collect();
    done.dedup();
    assert_eq!(done, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_restore_says_how_many_before_it_reads_them() {
    let store = TestStore::new();
    store.add("root", "", 90);
    prune(&store, old());
    store.add("leaf", "", 80);
    let batch = prune(&store, old()).batch.unwrap();
    let leaf = store.path(&format!(".sesstree/trash/{batch}/leaf/metadata.json"));
    // What is read afterwards has a parent.
    let listener = Listener::new(|| {
        let text = fs::read_to_string(&leaf).unwrap();
        let begun = r#"{"parentSessionId":"root","#;
        fs::write(&leaf, text.replacen('{', begun, 1)).unwrap();
    });
    let report = zero(&store)
        .restore(&Restore::Batch(batch), &listener)
        .unwrap();
    assert_eq!(report.restored, [id("root"), id("leaf")]);
    let first = Progress { done: 0, total: 1 };
    assert_eq!(listener.told.take().first(), Some(&first));
}
