//! Stores that somebody made to do harm, or that rotted: links, FIFOs, sockets, sizes and names.
//! Nothing outside the root is touched, nothing waits, and what is in no way odd still goes and
//! comes back.

mod lots;
mod names;
mod parts;
mod purge;
mod swaps;
mod text;
mod trash;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::Value;

use crate::support::binary::{Ran, ids, json, run};
use crate::support::whole::{Places, Whole, lists_show_all, undo_all};
use crate::support::{TestStore, make_folder, snapshot, write_file};

const DRY: [&str; 4] = ["prune", "--older-than", "30d", "--dry-run"];
const PRUNE: [&str; 4] = ["prune", "--older-than", "30d", "--yes-most"];

/// A store with a session that is in no way odd, `plain`, and a folder beside it that nobody may
/// touch.
struct Hostile {
    store: TestStore,
    canary: BTreeMap<PathBuf, String>,
}

impl Hostile {
    fn new() -> Self {
        let store = TestStore::new();
        store.add_aged("plain", "", 60);
        // A session like any other, in a batch like any other.
        store.add_aged("victim", "", 60);
        let batch = store.beside("outside/trash/20260101T000000Z-abcdef");
        make_folder(&batch);
        fs::rename(store.path("victim"), batch.join("victim")).unwrap();
        write_file(&batch.join("batch.json"), b"{}");
        let outside = store.beside("outside");
        store.add_aged("victim", "", 60);
        fs::rename(store.path("victim"), outside.join("victim")).unwrap();
        make_folder(&outside.join("empty"));
        write_file(&outside.join("file"), b"canary");
        let canary = snapshot(&outside);
        Self { store, canary }
    }

    fn outside(&self) -> PathBuf {
        self.store.beside("outside")
    }

    /// An old session with something else in the place of one of its files.
    fn odd(&self, id: &str, file: &str, make: impl FnOnce(&Path)) {
        self.store.add_aged(id, "", 60);
        let file = self.store.path(id).join(file);
        if file.exists() {
            fs::remove_file(&file).unwrap();
        }
        make(&file);
    }

    fn check_canary(&self, when: &str) {
        let now = snapshot(&self.outside());
        assert_eq!(now, self.canary, "{when}: something outside was touched");
    }

    /// Runs every command that only looks, then prunes and undoes it; what the prune says of each
    /// session, which the dry run has said too.
    fn goes_through(&self) -> BTreeMap<String, String> {
        let store = &self.store;
        let whole = Whole::of(store);
        let before = store.snapshot();
        let looks: [&[&str]; 5] = [
            &["list"],
            &["list", "--json"],
            &["tree", "plain"],
            &["trash", "list"],
            &["trash", "list", "--json"],
        ];
        for look in looks {
            ends_well(look, &run(store, look));
        }
        let dry = json(store, &DRY);
        assert_eq!(store.snapshot(), before, "looking changed the store");
        self.check_canary("after looking");
        let ran = run(store, &[&PRUNE[..], &["--json"]].concat());
        ends_well(&PRUNE, &ran);
        let real: Value = serde_json::from_str(&ran.out).unwrap();
        self.check_canary("after the prune");
        let told = verdicts(&real);
        assert_eq!(verdicts(&dry), told, "as the dry run said");
        let Places { in_trash, .. } = whole.check(store, "after the prune");
        let removed = told.iter().filter(|(_, verdict)| *verdict == "removed");
        assert!(removed.map(|(id, _)| id).eq(&in_trash), "{told:?}");
        lists_show_all(store, "after the prune");
        undo_all(store, "undone");
        whole.all_back(store, "undone");
        self.check_canary("after the undo");
        told
    }
}

fn ends_well(arguments: &[&str], ran: &Ran) {
    assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.err);
    for text in [&ran.out, &ran.err] {
        let control = |c: char| c.is_control() && c != '\n';
        assert!(!text.contains(control), "{arguments:?}: {text:?}");
    }
}

/// What a report says of each session.
fn verdicts(report: &Value) -> BTreeMap<String, String> {
    let lists = [
        ("removed", "removed"),
        ("kept", "kept: "),
        ("failed", "failed: "),
        ("gone", "gone: "),
    ];
    let mut told = BTreeMap::new();
    for (list, word) in lists {
        let reasons = report[list].as_array().unwrap().iter();
        let reasons = reasons.map(|entry| entry["reason"].as_str().unwrap_or_default());
        for (id, reason) in ids(report, list, "sessionId").into_iter().zip(reasons) {
            told.insert(id, format!("{word}{reason}"));
        }
    }
    told
}

/// Something that is no regular file, to be put anywhere.
type Thing = (&'static str, fn(&Path));

/// What must never be waited for, opened or followed. The links lead outside, to what is there and
/// to what must not come to be.
const THINGS: [Thing; 8] = [
    ("fifo", |at| {
        mkfifoat(CWD, at, Mode::RUSR | Mode::WUSR).unwrap();
    }),
    ("socket", |at| drop(UnixListener::bind(at).unwrap())),
    ("folder", make_folder),
    ("link-file", |at| link(at, "file")),
    ("link-folder", |at| link(at, "victim")),
    ("link-nowhere", |at| link(at, "new")),
    ("link-itself", |at| symlink(at, at).unwrap()),
    ("link-device", |at| symlink("/dev/zero", at).unwrap()),
];

/// A link to something in the folder that nobody may touch.
fn link(at: &Path, to: &str) {
    let mut above = at.ancestors();
    let root = above.find(|above| above.ends_with("sessions")).unwrap();
    symlink(root.with_file_name("outside").join(to), at).unwrap();
}

fn check(told: &BTreeMap<String, String>, id: &str, says: &str) {
    let line = told.get(id).map_or("", String::as_str);
    assert!(line.starts_with(says), "{id}: {line:?}, expected {says:?}");
}
