//! Real limits: too few open files, from far too few to just enough, and nowhere to write what is
//! to be told.

use crate::support::TestStore;
use crate::support::binary::{Ran, SESSTREE, bounded, program};
use crate::support::whole::{Whole, lists_show_all, undo_all};

/// A chain of 30 sessions and 30 others, all old.
fn store() -> TestStore {
    let store = TestStore::new();
    for number in 0..30 {
        let parent = match number {
            0 => String::new(),
            number => format!("chain{}", number - 1),
        };
        store.add_aged(&format!("chain{number}"), &parent, 60);
        store.add_aged(&format!("other{number}"), "", 60);
    }
    store
}

/// Runs the binary from a shell, after and with something.
fn shell(store: &TestStore, before: &str, arguments: &str) -> Ran {
    let root = store.root();
    let script = format!(
        "{before} exec {SESSTREE} --root {} {arguments}",
        root.display()
    );
    bounded(program(store, "/bin/sh").args(["-c", &script])).into()
}

fn limited(store: &TestStore, limit: u32, arguments: &str) -> Ran {
    shell(store, &format!("ulimit -n {limit} &&"), arguments)
}

#[test]
fn where_nothing_can_be_told_a_command_fails_and_loses_nothing() {
    let full = ">/dev/full 2>/dev/full";
    let store = store();
    let whole = Whole::of(&store);
    for look in [
        "list",
        "tree chain0",
        "prune --older-than 30d --dry-run",
        "list --json",
    ] {
        let ran = shell(&store, "", &format!("{look} {full}"));
        assert_eq!(ran.code, 1, "{look}");
    }
    let ran = shell(
        &store,
        "",
        &format!("prune --older-than 30d --yes-most {full}"),
    );
    assert_eq!(ran.code, 1);
    assert_eq!(whole.check(&store, "untold").in_trash.len(), 60);
    for (arguments, code) in [("trash list", 1), ("trash restore nothing", 2)] {
        let ran = shell(&store, "", &format!("{arguments} {full}"));
        assert_eq!(ran.code, code, "{arguments}");
    }
    undo_all(&store, "untold");
    whole.all_back(&store, "untold");
}

#[test]
fn too_few_descriptors_keep_what_they_do_not_suffice_for() {
    let mut went = Vec::new();
    for limit in [4, 6, 8, 10, 12, 16, 24, 40, 64, 300] {
        let store = store();
        let whole = Whole::of(&store);
        let told = format!("with {limit} descriptors");
        let before = store.snapshot();
        let dry = limited(&store, limit, "prune --older-than 30d --dry-run");
        assert!(
            matches!(dry.code, 0 | 1 | 127),
            "{told}: {} {}",
            dry.code,
            dry.err
        );
        assert_eq!(
            store.snapshot(),
            before,
            "{told}: a dry run changed something"
        );
        let ran = limited(&store, limit, "prune --older-than 30d --yes-most");
        // The loader itself needs some.
        assert!(
            matches!(ran.code, 0 | 1 | 127),
            "{told}: {} {}",
            ran.code,
            ran.err
        );
        // Nothing was: it could not be read.
        assert!(!ran.out.contains("changed since"), "{told}: {}", ran.out);
        let spoke = !ran.out.is_empty() || !ran.err.is_empty();
        assert!(spoke, "{told}: silence");
        let places = whole.check(&store, &told);
        lists_show_all(&store, &told);
        for number in 1..30 {
            let (child, parent) = (format!("chain{number}"), format!("chain{}", number - 1));
            let lost = places.in_place.contains(&child) && !places.in_place.contains(&parent);
            assert!(!lost, "{told}: {child} lost {parent}");
        }
        went.push(places.in_trash.len());
        undo_all(&store, &told);
        whole.all_back(&store, &told);
    }
    println!("went with ever more descriptors: {went:?}");
    assert_eq!((went[0], went.last()), (0, Some(&60)), "{went:?}");
}
