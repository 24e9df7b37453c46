//! Disks that are really full, to the last block or inode, and mounts that are read-only: nothing is
//! lost or made, whoever asked is told what is the matter and what helps, and that does help.

mod read_only;

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};

use sesstree::store::{Hold, Store as _};

use crate::prune::{id, zero};
use crate::support::TestStore;
use crate::support::apart::{Disk, apart};
use crate::support::binary::{Ran, ids, json, run};
use crate::support::whole::{Whole, lists_show_all, undo_all};

const DRY: [&str; 4] = ["prune", "--older-than", "30d", "--dry-run"];
const PRUNE: [&str; 4] = ["prune", "--older-than", "30d", "--yes-most"];
const DELETE: [&str; 5] = ["prune", "--older-than", "30d", "--delete-now", "--yes-most"];

/// Prunes what is old; the batch.
fn pruned(store: &TestStore) -> String {
    json(store, &PRUNE)["batch"].as_str().unwrap().to_owned()
}

/// `x` ← `y` and `z` in batches of the trash of their own; `a` ← `b` and `bare`, which has no locks'
/// files, are old; `new` is not. Gives both batches.
fn store() -> (TestStore, [String; 2]) {
    let store = TestStore::new();
    store.add_aged("new", "", 1);
    store.add_aged("x", "", 90);
    store.add_aged("y", "x", 80);
    let first = pruned(&store);
    store.add_aged("z", "", 90);
    let second = pruned(&store);
    store.add_aged("a", "", 90);
    store.add_aged("b", "a", 80);
    store.add_aged("bare", "", 70);
    for lock in ["lease.lock", "session.lock"] {
        fs::remove_file(store.path("bare").join(lock)).unwrap();
    }
    (store, [first, second])
}

/// Takes every block that is left, and what room for names there is in the folders at hand.
fn blocks(store: &TestStore) {
    for number in 0.. {
        let Ok(mut fill) = File::create(store.beside(&format!("fill{number}"))) else {
            break;
        };
        let mut wrote = false;
        for size in [1 << 16, 1 << 10, 1] {
            while fill.write(&vec![1; size]).is_ok_and(|written| written > 0) {
                wrote = true;
            }
        }
        if !wrote {
            break;
        }
    }
    let full = fs::write(store.beside("probe"), [1; 100]).unwrap_err();
    assert_eq!(full.kind(), ErrorKind::StorageFull);
    let _ = fs::remove_file(store.beside("probe"));
}

/// Takes every inode that is left.
fn inodes(store: &TestStore) {
    let fill = store.beside("fill");
    fs::create_dir_all(&fill).unwrap();
    let mut made = fs::read_dir(&fill).unwrap().count();
    let error = loop {
        match fs::write(fill.join(made.to_string()), "") {
            Ok(()) => made += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::StorageFull);
}

/// Something can be made again, and written to.
fn has_room(store: &TestStore, when: &str) {
    let room = store.beside("room");
    fs::create_dir(&room).unwrap_or_else(|error| panic!("{when}: {error}"));
    fs::write(room.join("file"), [1; 100]).unwrap_or_else(|error| panic!("{when}: {error}"));
    fs::remove_dir_all(room).unwrap();
}

fn ran(ran: &Ran, code: i32, when: &str) {
    assert_eq!(ran.code, code, "{when}: {}{}", ran.out, ran.err);
}

/// Everything, on a disk that `fill` fills.
fn on_a_full_disk(fill: fn(&TestStore)) {
    let (store, [first, second]) = store();
    let whole = Whole::of(&store);
    run(&store, &["list"]);
    fill(&store);

    // A dry run does what it can: it says that the real one may still be stopped.
    let before = store.snapshot();
    ran(&run(&store, &DRY), 0, "dry run");
    assert_eq!(store.snapshot(), before, "dry run");

    // To the trash nothing goes. Told is why, for each session, and what helps.
    let refused = run(&store, &PRUNE);
    ran(&refused, 1, "prune");
    for says in ["0 sessions", "No space left on device", "--delete-now"] {
        assert!(refused.out.contains(says), "{says:?}: {}", refused.out);
    }
    whole.all_back(&store, "prune");
    lists_show_all(&store, "prune");
    for list in ["kept", "failed"] {
        let told = json(&store, &PRUNE);
        for entry in told[list].as_array().unwrap() {
            let reason = entry["reason"].as_str().unwrap();
            assert!(!reason.is_empty(), "{entry}");
        }
    }

    // A resume goes on: held, or told to be unprotected.
    for name in ["a", "bare"] {
        match zero(&store).hold(&id(name)).unwrap() {
            Hold::Leased(_) => {}
            Hold::Unprotected(why) => {
                assert_eq!(name, "bare");
                assert!(why.as_str().contains("No space left"), "{why}");
            }
        }
    }

    // The way back needs no room.
    let back = run(&store, &["trash", "restore", &first]);
    ran(&back, 0, "restore");
    assert!(store.has("x") && store.has("y"), "{}", back.out);
    whole.all_back(&store, "restore");

    // Emptying the trash needs none, and makes some.
    let emptied = run(&store, &["trash", "empty", "--yes", &second]);
    ran(&emptied, 0, "trash empty");
    has_room(&store, "trash empty");
    fill(&store);

    // Nor does deleting at once.
    let deleted = json(&store, &DELETE);
    let mut removed = ids(&deleted, "removed", "sessionId");
    removed.sort();
    assert_eq!(removed, ["a", "b", "bare", "x", "y"], "{deleted}");
    assert!(store.has("new"));
    lists_show_all(&store, "delete-now");
    has_room(&store, "delete-now");

    // And then everything is as ever.
    store.add_aged("later", "", 60);
    let whole = Whole::of(&store);
    pruned(&store);
    assert!(whole.check(&store, "after").in_trash.contains("later"));
    undo_all(&store, "after");
    whole.all_back(&store, "after");
}

#[test]
fn an_ext4_filled_to_the_last_block_loses_nothing() {
    apart(Disk::Ext4(""), || {
        on_a_full_disk(blocks);
    });
}

#[test]
fn an_ext4_without_a_free_inode_loses_nothing() {
    apart(Disk::Ext4("-N 96"), || {
        on_a_full_disk(inodes);
    });
}

#[test]
fn a_tmpfs_filled_to_the_last_block_loses_nothing() {
    apart(Disk::Tmpfs("size=1m"), || {
        on_a_full_disk(blocks);
    });
}

#[test]
fn a_tmpfs_without_a_free_inode_loses_nothing() {
    apart(Disk::Tmpfs("nr_inodes=200"), || {
        on_a_full_disk(inodes);
    });
}

/// A rename makes the new name before it takes the old one away, so it needs room in the folder.
#[test]
fn a_folder_full_of_names_on_a_full_disk_is_told_and_helped_by_a_little_room() {
    apart(Disk::Ext4("-N 800"), || {
        let store = TestStore::new();
        let size = || fs::metadata(store.root()).unwrap().len();
        let (empty, mut old) = (size(), 0);
        // An entry takes 8 bytes and its name, in fours; 24 are taken, and 12 by a checksum.
        while 24 + (old + 1) * 28 <= usize::try_from(empty).unwrap() - 12 {
            store.add_aged(&format!("s{old:019}"), "", 60);
            old += 1;
        }
        assert_eq!(size(), empty, "the folder took another block");
        let whole = Whole::of(&store);
        run(&store, &["list"]);
        blocks(&store);
        let refused = run(&store, &DELETE);
        ran(&refused, 1, "delete-now");
        assert!(
            refused.out.contains("free a little space"),
            "{}",
            refused.out
        );
        whole.all_back(&store, "delete-now");
        fs::remove_file(store.beside("fill0")).unwrap();
        let deleted = json(&store, &DELETE);
        assert_eq!(
            ids(&deleted, "removed", "sessionId").len(),
            old,
            "{deleted}"
        );
        lists_show_all(&store, "delete-now");
    });
}
