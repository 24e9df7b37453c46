//! What the user pinned stays, with its ancestors, whenever it was pinned.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::Path;

use rustix::process::geteuid;
use sesstree::prune::execute::{NotChecked, dry_run, remove};
use sesstree::prune::plan::{Disposal, Verdict};
use sesstree::prune::policy::Policy;
use sesstree::prune::report::{PruneReport, Step};
use sesstree::session::Refusal;
use sesstree::store::Store as _;

use super::{At, alone, both, grace, id, lineage, old, plan, prune, quiet, told, zero};
use crate::support::{TestStore, make_folder, now, skipped, write_file};

const PINS: &str = ".sesstree/pins";

/// Pins as a script would.
fn touch(store: &TestStore, name: &str) {
    make_folder(&store.path(PINS));
    write_file(&store.path(PINS).join(name), b"");
}

/// a (90 d) ← b (80 d) ← c (70 d); other (60 d).
fn family(store: &TestStore) {
    store.add("a", "", 90);
    store.add("b", "a", 80);
    store.add("c", "b", 70);
    store.add("other", "", 60);
}

#[test]
fn a_pinned_session_and_its_ancestors_stay() {
    let told = both(&old(), |store| {
        family(store);
        touch(store, "b");
        Vec::new()
    });
    assert_eq!(told["a"], "kept: ancestor of a session that stays: b");
    assert_eq!(told["b"], "kept: pinned");
    assert_eq!(told["c"], "removed");
    assert_eq!(told["other"], "removed");
}

#[test]
fn those_asked_for_by_name_stay_too_and_so_they_do_when_deleted_at_once() {
    let store = TestStore::new();
    family(&store);
    touch(&store, "b");
    let named = Policy::chosen(HashSet::from(["a", "b", "other"].map(id)), now());
    let plan = plan(&store, named).disposing(Disposal::Delete);
    let report = remove(&alone(&store), plan.confirm(), now(), grace(), &quiet()).unwrap();
    let told = told(&report);
    assert_eq!(told["b"], "kept: pinned");
    assert_eq!(told["a"], "kept: ancestor of a session that stays: b");
    assert_eq!(told["other"], "removed");
    assert!(store.has("a") && store.has("b") && store.has("c"));
}

/// However late: after the preview, once the store is locked, once the session itself is.
#[test]
fn one_pinned_after_the_preview_stays() {
    let steps: [fn(Step<'_>) -> bool; 2] =
        [|step| step == Step::Locked, |step| step == Step::Claimed];
    for (number, at) in steps.into_iter().enumerate() {
        for there in [false, true] {
            let store = TestStore::new();
            family(&store);
            if there {
                touch(&store, "nobody");
            }
            let checked = dry_run(&zero(&store), plan(&store, old()), &quiet()).unwrap();
            assert_eq!(checked.removals().count(), 4);
            let watch = At(|step: Step<'_>| {
                if at(step) {
                    touch(&store, "b");
                }
            });
            let report = remove(&zero(&store), checked.confirm(), now(), grace(), &watch).unwrap();
            let told = told(&report);
            let what = format!("step {number}, pins before: {there}");
            assert_eq!(told["b"], "kept: pinned", "{what}");
            assert!(told["a"].starts_with("kept: ancestor"), "{what}: {told:?}");
            assert_eq!(told["c"], "removed", "{what}");
            assert!(store.has("a") && store.has("b"), "{what}");
        }
    }
}

#[test]
fn one_pinned_between_preview_and_yes_is_told_as_a_dry_run_tells_it() {
    let store = TestStore::new();
    family(&store);
    let plan = plan(&store, old());
    touch(&store, "b");
    let dry = dry_run(&zero(&store), plan.clone(), &quiet()).unwrap();
    let dry = told(&PruneReport::dry(&dry));
    let real = remove(&zero(&store), plan.confirm(), now(), grace(), &quiet()).unwrap();
    assert_eq!(dry, told(&real));
    assert_eq!(dry["b"], "kept: pinned");
}

/// A link is what it is called, not what it leads to; whatever has an id's name is a pin.
#[test]
fn names_that_are_no_ids_and_sessions_that_are_gone_cost_nothing() {
    let store = TestStore::new();
    family(&store);
    for name in ["gone", "-x", ".b", "not an id", "b~"] {
        touch(&store, name);
    }
    symlink("b", store.path(PINS).join("other")).unwrap();
    let report = prune(&store, old());
    assert_eq!(report.removed.len(), 3, "{report:?}");
    assert_eq!(told(&report)["other"], "kept: pinned");
    let left = fs::read_dir(store.path(PINS)).unwrap().count();
    assert_eq!(left, 6, "pins are not ours to take away");
}

fn unreadable(store: &TestStore, what: &str) {
    let place = store.path(PINS);
    let place = place.to_str().unwrap();
    let before = store.snapshot();
    let says = |refusal: &Refusal| {
        let told = refusal.to_string();
        let begins = format!("nothing is pruned, because the pins in {place} cannot be read: ");
        assert!(told.starts_with(&begins), "{what}: {told}");
    };
    match dry_run(&zero(store), plan(store, old()), &quiet()) {
        Err(NotChecked::Refused(refusal)) => says(&refusal),
        other => panic!("{what}: {other:?}"),
    }
    let plan = plan(store, old()).confirm();
    says(&remove(&zero(store), plan, now(), grace(), &quiet()).unwrap_err());
    assert_eq!(store.snapshot(), before, "{what}");
}

#[test]
fn pins_that_cannot_be_read_stop_every_prune() {
    type Make = fn(&Path);
    let make: [(&str, Make); 3] = [
        ("a file", |at| write_file(at, b"")),
        ("a link", |at| symlink("../elsewhere", at).unwrap()),
        ("a link to nowhere", |at| symlink("nowhere", at).unwrap()),
    ];
    for (what, make) in make {
        let store = TestStore::new();
        family(&store);
        make_folder(&store.path(".sesstree"));
        make_folder(&store.path("../elsewhere"));
        make(&store.path(PINS));
        unreadable(&store, what);
    }
    let store = TestStore::new();
    family(&store);
    touch(&store, "b");
    if geteuid().is_root() {
        // Root may read everything; the call that fails is injected in `faults`.
        return;
    }
    let shut = fs::Permissions::from_mode(0o000);
    fs::set_permissions(store.path(PINS), shut).unwrap();
    unreadable(&store, "shut");
}

/// Also if that happens while it is pruned: what cannot be told to be free is kept.
#[test]
fn pins_that_become_unreadable_keep_what_is_left() {
    let store = TestStore::new();
    family(&store);
    let plan = plan(&store, old()).confirm();
    let watch = At(|step: Step<'_>| {
        if step == Step::Claimed {
            make_folder(&store.path(".sesstree"));
            write_file(&store.path(PINS), b"");
        }
    });
    let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
    assert_eq!(report.removed, []);
    let why = &told(&report)["c"];
    assert!(
        why.starts_with("kept: nothing is pruned, because the pins"),
        "{why}"
    );
}

#[test]
fn pins_are_made_and_taken_away() {
    let store = TestStore::new();
    family(&store);
    assert!(!store.path(".sesstree").exists());
    zero(&store).pin(&[(id("b"), false)]).unwrap();
    assert!(
        !store.path(".sesstree").exists(),
        "made only when asked for"
    );
    zero(&store)
        .pin(&[(id("b"), true), (id("other"), true)])
        .unwrap();
    zero(&store).pin(&[(id("b"), true)]).unwrap();
    assert_eq!(fs::metadata(store.path(PINS).join("b")).unwrap().len(), 0);
    let pinned = |name: &str| lineage(&store).session(&id(name)).unwrap().pinned;
    assert_eq!(
        ["a", "b", "c", "other"].map(pinned),
        [false, true, false, true]
    );
    assert!(zero(&store).session(&id("b")).unwrap().pinned);
    zero(&store).pin(&[(id("b"), false)]).unwrap();
    assert_eq!(["b", "other"].map(pinned), [false, true]);
    let refused = zero(&store).pin(&[(id("nobody"), true)]);
    assert_eq!(refused, Err(Refusal::Gone));
    assert!(!store.path(PINS).join("nobody").exists());
}

#[test]
fn one_that_is_gone_keeps_no_other_from_being_pinned() {
    let store = TestStore::new();
    family(&store);
    let pins = ["a", "gone", "b"].map(|name| (id(name), true));
    let refused = zero(&store).pin(&pins).unwrap_err();
    let says = "the pin cannot be changed: gone: already gone";
    assert_eq!(refused.to_string(), says);
    let pinned = |name: &str| store.path(PINS).join(name).exists();
    assert_eq!(["a", "gone", "b"].map(pinned), [true, false, true]);
    let pins = ["gone", "a", "away"].map(|name| (id(name), true));
    let refused = zero(&store).pin(&pins).unwrap_err();
    let says = "the pin cannot be changed: gone and 1 more: already gone";
    assert_eq!(refused.to_string(), says);
}

#[test]
fn a_pin_follows_no_link() {
    for place in [".sesstree", PINS] {
        let store = TestStore::new();
        family(&store);
        let outside = store.beside("outside");
        make_folder(&outside);
        make_folder(store.path(place).parent().unwrap());
        symlink(&outside, store.path(place)).unwrap();
        let refused = zero(&store).pin(&[(id("b"), true)]);
        assert!(matches!(refused, Err(Refusal::NotPinned(_))), "{refused:?}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{place}");
    }
}

#[test]
fn nothing_is_pinned_in_another_users_store() {
    if !geteuid().is_root() {
        return skipped("only root can give a store to another user");
    }
    let store = TestStore::new();
    family(&store);
    chown(store.root(), Some(12345), None).unwrap();
    let refused = zero(&store).pin(&[(id("b"), true)]);
    assert!(
        matches!(refused, Err(Refusal::StoreRefused(_))),
        "{refused:?}"
    );
    assert!(!store.path(".sesstree").exists());
}

#[test]
fn an_unpinned_session_goes_again() {
    let store = TestStore::new();
    family(&store);
    touch(&store, "b");
    let plan = dry_run(&zero(&store), plan(&store, old()), &quiet()).unwrap();
    let goes = plan.candidates().iter();
    let goes = goes.filter(|candidate| *candidate.verdict() == Verdict::Remove);
    assert_eq!(goes.count(), 2);
    zero(&store).pin(&[(id("b"), false)]).unwrap();
    assert_eq!(prune(&store, old()).removed.len(), 4);
}
