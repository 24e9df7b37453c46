//! Whether every session is whole, in its place or in the trash. Looks at the disk itself and
//! uses nothing of the product, which is what is being judged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::binary::{bounded, ids, json, sesstree};
use super::{TestStore, snapshot};

/// Files of a session by their paths in it, see [`files`].
type Files = BTreeMap<PathBuf, String>;

/// Sessions as they were at some time: nothing of them may ever be lost.
pub(crate) struct Whole(BTreeMap<String, Files>);

/// Where the sessions are.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) in_place: BTreeSet<String>,
    pub(crate) in_trash: BTreeSet<String>,
}

impl Places {
    /// Whether it is in one of them.
    pub(crate) fn have(&self, id: &str) -> bool {
        self.in_place.contains(id) || self.in_trash.contains(id)
    }
}

impl Whole {
    /// Remembers all sessions of a store, however odd their files are.
    pub(crate) fn of(store: &TestStore) -> Self {
        let mut sessions = folders(&store.root());
        sessions.retain(|id| is_session(&store.path(id)));
        let files = sessions.into_iter().map(|id| {
            let files = files(&store.path(&id));
            (id, files)
        });
        Self(files.collect())
    }

    /// Panics unless each session is in just one place, with everything it had; `when` is told.
    pub(crate) fn check(&self, store: &TestStore, when: &str) -> Places {
        self.check_but(store, &[], when)
    }

    /// The same, but those that `may_go` may be in no place.
    pub(crate) fn check_but(&self, store: &TestStore, may_go: &[&str], when: &str) -> Places {
        let batches = batches(store);
        let mut places = Places::default();
        for (id, was) in &self.0 {
            let here = store.path(id);
            let mut found = Vec::new();
            found.extend(is_session(&here).then(|| here.clone()));
            found.extend(batches.iter().map(|b| b.join(id)).filter(|p| is_session(p)));
            let [at] = &found[..] else {
                if found.is_empty() && may_go.contains(&id.as_str()) {
                    continue;
                }
                panic!("{when}: {id} is in {} places: {found:?}", found.len());
            };
            same(was, &files(at), &format!("{when}: {}", at.display()));
            if *at == here {
                places.in_place.insert(id.clone());
            } else {
                places.in_trash.insert(id.clone());
            }
        }
        places
    }

    /// Panics unless each session is in its place, with everything it had.
    pub(crate) fn all_back(&self, store: &TestStore, when: &str) {
        let places = self.check(store, when);
        assert!(
            places.in_trash.is_empty(),
            "{when}: still in the trash: {places:?}"
        );
    }
}

/// Panics unless the product's lists show every folder that is in the store or its trash.
pub(crate) fn lists_show_all(store: &TestStore, when: &str) {
    let list = json(store, &["list", "--no-size"]);
    let mut shown: BTreeSet<String> = ids(&list, "sessions", "id").into_iter().collect();
    shown.extend(ids(&list, "faults", "path").iter().map(name));
    let hidden: Vec<_> = folders(&store.root()).difference(&shown).cloned().collect();
    assert_eq!(hidden, [""; 0], "{when}: no list shows these");
    let trash = json(store, &["trash", "list"]);
    let faults: Vec<String> = trash["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::to_string)
        .collect();
    for batch in batches(store) {
        let listed = trash["batches"].as_array().unwrap().iter();
        let listed = listed.filter(|listed| listed["batch"] == name(&batch));
        let shown: BTreeSet<String> = listed.flat_map(|b| ids(b, "sessions", "id")).collect();
        for id in folders(&batch) {
            let told = |fault: &String| fault.contains(&name(&batch)) && fault.contains(&id);
            assert!(
                shown.contains(&id) || faults.iter().any(told),
                "{when}: no list shows {id} in {}",
                batch.display()
            );
        }
    }
}

/// Brings everything in the trash back with the product, batch by batch.
pub(crate) fn undo_all(store: &TestStore, when: &str) {
    for batch in batches(store) {
        // Another batch may have brought the last session of this one back, as an ancestor; and
        // a late writer's stub may be all that is left.
        if !folders(&batch).iter().any(|id| is_session(&batch.join(id))) {
            continue;
        }
        let ran = bounded(sesstree(store).args(["trash", "restore", &name(&batch)]));
        assert!(ran.status.success(), "{when}: {ran:?}");
    }
}

/// The folders in one that have a session's name.
fn folders(at: &Path) -> BTreeSet<String> {
    let in_ids = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    let entries = fs::read_dir(at).unwrap().map(|entry| entry.unwrap());
    entries
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.len() <= 128 && name.bytes().all(in_ids))
        .filter(|name| !name.starts_with(['-', '_']))
        .collect()
}

/// The batches in the trash of a store.
pub(crate) fn batches(store: &TestStore) -> Vec<PathBuf> {
    let trash = store.path(".sesstree/trash");
    if !trash.is_dir() {
        return Vec::new();
    }
    let names = folders(&trash).into_iter();
    names.map(|name| trash.join(name)).collect()
}

fn is_session(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join("metadata.json")).is_ok()
}

fn name(path: impl AsRef<Path>) -> String {
    let name = path.as_ref().file_name().unwrap();
    name.to_string_lossy().into_owned()
}

/// Each file of a session: mode, mtime, size and contents, and which file it is; of folders the
/// mode alone, since a lock's file that is made in one changes its time.
fn files(folder: &Path) -> Files {
    let mut files = snapshot(folder);
    for line in files.values_mut() {
        let (head, tail) = line.split_once(" ctime ").unwrap();
        *line = if line.starts_with("40") {
            head.split_once(' ').unwrap().0.to_owned()
        } else {
            format!("{head} {}", tail.split_once(' ').unwrap().1)
        };
    }
    files
}

/// Panics unless all that was there is there; only an empty lock's file may be new.
fn same(was: &Files, is: &Files, what: &str) {
    for (path, line) in was {
        assert_eq!(is.get(path), Some(line), "{what}: {}", path.display());
    }
    for (path, line) in is.iter().filter(|(path, _)| !was.contains_key(*path)) {
        let lock = matches!(path.to_str(), Some("lease.lock" | "session.lock"));
        assert!(
            lock && line.contains(" size 0 "),
            "{what}: {} is new",
            path.display()
        );
    }
}
