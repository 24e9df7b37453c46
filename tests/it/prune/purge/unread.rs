//! What cannot be read may descend from what is in the trash: only who was told so can say yes to that.

use std::fs;

use sesstree::prune::expiry::Wanted;
use sesstree::prune::purge::empty;
use sesstree::prune::report::{EmptyReport, Step};

use super::super::newcomers::unreadable;
use super::super::{At, quiet, zero};
use super::{batches, emptied, is_gone, kept, looked, trash};
use crate::support::TestStore;

fn stays(report: &EmptyReport, id: &str) {
    assert_eq!(batches(report), [""; 0], "{report:?}");
    let says = format!("a session cannot be read and may descend from it: {id}");
    assert_eq!(kept(report), [says.as_str(); 1]);
}

#[test]
fn one_that_appears_after_the_preview_keeps_all() {
    for late in [Step::Locked, Step::TrashTaken] {
        let store = TestStore::new();
        store.add("a", "", 90);
        let batch = trash(&store, &["a"]);
        unreadable(&store, "known");
        let watch = At(|step: Step<'_>| {
            if step == late {
                unreadable(&store, "new");
            }
        });
        stays(&emptied(&store, &Wanted::All, &watch), "new");
        let place = store.path(".sesstree/trash").join(batch.as_str());
        assert!(place.join("a/metadata.json").exists(), "{late:?}");
    }
}

#[test]
fn one_that_could_be_read_at_the_preview_keeps_all() {
    let store = TestStore::new();
    store.add("a", "", 90);
    trash(&store, &["a"]);
    store.add("b", "", 1);
    let confirmed = looked(&store, &Wanted::All).confirm();
    unreadable(&store, "b");
    stays(&empty(&zero(&store), &confirmed, &quiet()).unwrap(), "b");
    // So does another one in the place of one that could not.
    let confirmed = looked(&store, &Wanted::All).confirm();
    fs::rename(store.path("b"), store.beside("b")).unwrap();
    unreadable(&store, "b");
    stays(&empty(&zero(&store), &confirmed, &quiet()).unwrap(), "b");
}

#[test]
fn one_that_was_told_of_keeps_nothing() {
    let store = TestStore::new();
    store.add("a", "", 90);
    trash(&store, &["a"]);
    unreadable(&store, "known");
    let plan = looked(&store, &Wanted::All);
    let says = "1 damaged session may descend from what goes";
    assert_eq!(plan.report().warnings, [says]);
    let report = empty(&zero(&store), &plan.confirm(), &quiet()).unwrap();
    assert_eq!((report.emptied.len(), kept(&report)), (1, vec![]));
    is_gone(&store);
}

#[test]
fn where_nobody_was_asked_any_keeps_all() {
    let store = TestStore::new();
    store.add("a", "", 90);
    trash(&store, &["a"]);
    let early = looked(&store, &Wanted::All).unasked().confirm();
    unreadable(&store, "b");
    stays(&empty(&zero(&store), &early, &quiet()).unwrap(), "b");
    let plan = looked(&store, &Wanted::All).unasked();
    stays(&plan.report(), "b");
    stays(
        &empty(&zero(&store), &plan.confirm(), &quiet()).unwrap(),
        "b",
    );
}
