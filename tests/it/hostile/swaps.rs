//! Something is swapped for a link while a prune or a restore is at it: what was opened stays what
//! it was, and nothing outside is touched.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use sesstree::prune::execute::{dry_run, remove};
use sesstree::prune::report::{Progress, Restore, Step, Watch};
use sesstree::session::Refusal;
use sesstree::store::Store as _;

use super::Hostile;
use crate::prune::{At, grace, old, plan, quiet, zero};
use crate::support::binary::{SESSTREE, program};
use crate::support::terminal::Terminal;
use crate::support::{TestStore, now, snapshot};

/// Puts something aside and a link outside in its place.
fn swap(store: &TestStore, place: &str, to: &str) {
    let at = if place.is_empty() {
        store.root()
    } else {
        store.path(place)
    };
    // It may have been moved to the trash already.
    if fs::rename(&at, store.beside("aside")).is_ok() {
        symlink(store.beside("outside").join(to), &at).unwrap();
    }
}

/// Every folder with this inode below the test's own.
fn find(at: &Path, inode: u64, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(at).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            if entry.metadata().unwrap().ino() == inode {
                found.push(entry.path());
            }
            find(&entry.path(), inode, found);
        }
    }
}

/// `a` ← `b`, both old by the clock of [`now`], and a batch in the trash.
fn family() -> Hostile {
    let hostile = Hostile::new();
    hostile.store.add("a", "", 90);
    hostile.store.add("b", "a", 80);
    fs::rename(hostile.store.path("plain"), hostile.store.beside("plain")).unwrap();
    hostile
}

/// The places that matter, and what each link leads to.
const SWAPS: [(&str, &str); 7] = [
    ("", ""),
    ("b", "victim"),
    ("a", "victim"),
    ("b/metadata.json", "victim/metadata.json"),
    ("b/lease.lock", "file"),
    (".sesstree", ""),
    (".sesstree/trash", "trash"),
];

/// How many there are when nobody meddles.
fn steps() -> usize {
    let hostile = family();
    let store = &hostile.store;
    let steps = Cell::new(0);
    let watch = At(|_: Step<'_>| steps.set(steps.get() + 1));
    let plan = plan(store, old()).confirm();
    let report = remove(&zero(store), plan, now(), grace(), &watch).unwrap();
    assert_eq!(report.removed.len(), 2);
    steps.get()
}

#[test]
fn a_prune_never_follows_what_was_swapped_meanwhile() {
    let mut swapped = 0;
    let steps = steps();
    for (place, to) in SWAPS {
        for when in 0..steps {
            let hostile = family();
            let store = &hostile.store;
            let inodes = ["a", "b"].map(|id| fs::metadata(store.path(id)).unwrap().ino());
            let files = ["a", "b"].map(|id| snapshot(&store.path(id)).len());
            let step = Cell::new(0);
            let watch = At(|_: Step<'_>| {
                if step.replace(step.get() + 1) == when {
                    swap(store, place, to);
                }
            });
            let plan = plan(store, old()).confirm();
            let told = format!("{place:?} swapped at step {when}");
            let report = remove(&zero(store), plan, now(), grace(), &watch);
            assert!(report.is_ok(), "{told}: {report:?}");
            swapped += usize::from(fs::symlink_metadata(store.beside("aside")).is_ok());
            hostile.check_canary(&told);
            for (inode, files) in inodes.into_iter().zip(files) {
                let mut found = Vec::new();
                let base = store.root();
                find(base.parent().unwrap(), inode, &mut found);
                let [at] = &found[..] else {
                    panic!("{told}: {found:?}")
                };
                let aside = usize::from(place.contains('/') && place.starts_with('b'));
                assert!(
                    snapshot(at).len() + aside >= files,
                    "{told}: {}",
                    at.display()
                );
            }
        }
    }
    println!("{swapped} swaps at {steps} steps");
    // What is in the trash already cannot be swapped.
    assert!(swapped > SWAPS.len() * steps / 2, "too few swaps");
}

/// Swaps at the first progress, when the trash is open already.
struct AtFirst<'a, F: Fn()>(Cell<bool>, &'a F);

impl<F: Fn()> Watch for AtFirst<'_, F> {
    fn progress(&self, _: Progress) {
        if !self.0.replace(true) {
            (self.1)();
        }
    }

    fn stopped(&self) -> bool {
        false
    }
}

#[test]
fn a_restore_never_follows_what_was_swapped_meanwhile() {
    let batch_of = |store: &TestStore| {
        let plan = plan(store, old()).confirm();
        let report = remove(&zero(store), plan, now(), grace(), &quiet()).unwrap();
        report.batch.unwrap()
    };
    for place in ["", ".sesstree", ".sesstree/trash", "BATCH", "BATCH/b"] {
        let hostile = family();
        let store = &hostile.store;
        let inodes = ["a", "b"].map(|id| fs::metadata(store.path(id)).unwrap().ino());
        let batch = batch_of(store);
        let place = place.replace("BATCH", &format!(".sesstree/trash/{batch}"));
        let swap = || swap(store, &place, "victim");
        let watch = AtFirst(Cell::new(false), &swap);
        // It may well fail, as long as it hurts nothing.
        let _ = zero(store).restore(&Restore::Batch(batch), &watch);
        assert!(
            fs::symlink_metadata(store.beside("aside")).is_ok(),
            "{place}"
        );
        hostile.check_canary(&place);
        for inode in inodes {
            let mut found = Vec::new();
            find(store.root().parent().unwrap(), inode, &mut found);
            assert_eq!(found.len(), 1, "{place}: {found:?}");
        }
    }
}

/// The previewed root or none: not even one with the very same sessions.
#[test]
fn a_root_swapped_between_preview_and_yes_is_refused() {
    let hostile = family();
    let store = &hostile.store;
    let checked = dry_run(&zero(store), plan(store, old()), &quiet()).unwrap();
    swap(store, "", "");
    let refused = remove(&zero(store), checked.confirm(), now(), grace(), &quiet());
    assert!(
        matches!(refused, Err(Refusal::StoreRefused(_))),
        "{refused:?}"
    );
    hostile.check_canary("a root that is a link by now");
}

/// The same with the binary, asking on a terminal.
#[test]
fn a_root_swapped_while_the_question_is_on_screen_is_refused() {
    let hostile = Hostile::new();
    let store = &hostile.store;
    // Its environment.
    let home = program(store, SESSTREE);
    let env = [("HOME", home.get_current_dir().unwrap().into())];
    let root = store.root();
    let root = root.to_str().unwrap();
    let args = ["--root", root, "prune", "--older-than", "30d"];
    let mut terminal = Terminal::start(SESSTREE, args, &env);
    terminal.wait_for_text("to the trash? That is more than half");
    swap(store, "", "");
    terminal.keys("prune\r");
    let status = terminal.end();
    assert_eq!(status.exit_code(), 1);
    terminal.wait_for_text("replaced since the preview");
    hostile.check_canary("a root that is a link by now");
    assert!(store.beside("aside/plain/metadata.json").is_file());
    assert!(!store.beside("aside/.sesstree").exists());
}
