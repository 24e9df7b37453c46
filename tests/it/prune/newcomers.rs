//! What appears or is written anew while a prune is at it, and what descends from what then.

use std::fs;
use std::os::unix::fs::symlink;

use sesstree::prune::execute::remove;
use sesstree::prune::report::Step;

use super::races::{changed_at, family, locked};
use super::{At, grace, old, plan, told, zero};
use crate::support::{TestStore, now};

/// Writes a session as its agent does: the new metadata takes the place of the old.
fn replace(store: &TestStore, id: &str, parent: &str, days: i64) {
    fs::remove_file(store.path(id).join("events.jsonl")).unwrap();
    let old = store.path(id).join("metadata.json.old");
    fs::rename(store.path(id).join("metadata.json"), &old).unwrap();
    store.add(id, parent, days);
    fs::remove_file(old).unwrap();
}

#[test]
fn a_known_session_that_gets_another_parent_keeps_that() {
    let build = |store: &TestStore| {
        family(store);
        store.add("moved", "", 0);
    };
    let change = |store: &TestStore| replace(store, "moved", "b", 0);
    changed_at(
        &locked,
        build,
        change,
        &[
            ("a", "kept: ancestor of a session that stays: b"),
            ("b", "kept: parent of a session that is new: moved"),
            ("c", "removed"),
        ],
    );
}

/// Something in the place of a session that does not tell what it descends from.
pub(super) fn unreadable(store: &TestStore, id: &str) {
    store.add(id, "", 0);
    fs::write(store.path(id).join("metadata.json"), "{\"sessionId\":").unwrap();
}

#[test]
fn a_new_session_that_cannot_be_read_keeps_everything() {
    let kept = "kept: a session that is new cannot be read and may descend from it: new";
    let ancestor = "kept: ancestor of a session that stays: c";
    changed_at(
        &locked,
        family,
        |store| unreadable(store, "new"),
        &[("a", ancestor), ("b", ancestor), ("c", kept)],
    );
    let store = TestStore::new();
    family(&store);
    let plan = plan(&store, old()).confirm();
    let watch = At(|step: Step<'_>| {
        if step == Step::BatchMoved {
            unreadable(&store, "new");
        }
    });
    let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
    assert_eq!(
        (&*told(&report)["a"], &*told(&report)["c"]),
        (ancestor, kept)
    );
    assert_eq!(report.batch, None);
    assert!(["a", "b", "c"].iter().all(|id| store.has(id)));
}

/// What it leads to may only be away: a disk that is not mounted.
#[test]
fn a_link_that_leads_nowhere_may_descend_from_anything() {
    let dangling = |store: &TestStore| symlink("/nowhere/at/all", store.path("new")).unwrap();
    let ancestor = "kept: ancestor of a session that stays: c";
    changed_at(
        &locked,
        family,
        dangling,
        &[
            ("a", ancestor),
            ("b", ancestor),
            (
                "c",
                "kept: a session that is new cannot be read and may descend from it: new",
            ),
        ],
    );
    let store = TestStore::new();
    family(&store);
    dangling(&store);
    assert_eq!(plan(&store, old()).damaged_without_parent(), 1);
}

#[test]
fn a_session_known_to_be_damaged_stays_and_keeps_nobody() {
    let build = |store: &TestStore| {
        family(store);
        unreadable(store, "torn");
        store.add("fifo", "", 0);
        fs::remove_file(store.path("fifo/metadata.json")).unwrap();
        let fifo = store.path("fifo/metadata.json");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, fifo, mode).unwrap();
        unreadable(store, "elsewhere");
        fs::rename(store.path("elsewhere"), store.beside("elsewhere")).unwrap();
        symlink(store.beside("elsewhere"), store.path("link")).unwrap();
        crate::support::make_folder(&store.path("remnant"));
        crate::support::set_age(&store.path("remnant"), now());
    };
    let expected = [("a", "removed"), ("b", "removed"), ("c", "removed")];
    changed_at(&locked, build, |_| {}, &expected);
}
