//! The independent checker: what was ever made is remembered, and after each round the disk is
//! looked at to find all of it. Of the product only the lists are used, to see that they show
//! what the disk has.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use sesstree::store::Store as _;
use sesstree::store::zero::Zero;

use super::crew::{Moved, Report};
use super::roles::lineage;
use crate::support::TestStore;

/// Every session ever made in a store.
#[derive(Default)]
pub(super) struct Ledger {
    born: BTreeMap<String, Born>,
    /// Where a folder without metadata may be.
    stubs: BTreeSet<String>,
    /// What may never go.
    stays: BTreeSet<String>,
}

struct Born {
    /// Empty: it descends from none.
    parent: String,
    at: Duration,
    events: u64,
}

/// What a look at the disk found.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) in_place: BTreeSet<String>,
    pub(super) in_trash: BTreeSet<String>,
    /// Born under a parent that was gone.
    pub(super) late: usize,
    /// What must not be.
    pub(super) wrong: Vec<String>,
}

impl Ledger {
    /// Remembers a session that is there from the beginning.
    pub(super) fn add(&mut self, id: &str, parent: &str) {
        let born = Born {
            parent: parent.to_owned(),
            at: Duration::ZERO,
            events: 1,
        };
        self.born.insert(id.to_owned(), born);
    }

    /// That one may never go.
    pub(super) fn stays(&mut self, id: &str) {
        self.stays.insert(id.to_owned());
    }

    pub(super) fn must_stay(&self, id: &str) -> bool {
        self.stays.contains(id)
    }

    /// Remembers what a process did.
    pub(super) fn note(&mut self, report: &Report) {
        for birth in &report.born {
            let born = Born {
                parent: birth.parent.clone(),
                at: birth.at,
                events: 1,
            };
            self.born.insert(birth.id.clone(), born);
        }
        self.stubs.extend(report.stubs.iter().cloned());
    }

    /// Remembers what was written; after all births of the round.
    pub(super) fn note_events(&mut self, wrote: &BTreeMap<String, u64>) {
        for (id, events) in wrote {
            if let Some(born) = self.born.get_mut(id) {
                born.events = born.events.max(*events);
            }
        }
    }

    /// Looks at the whole store, which nobody uses meanwhile; `moved` is what lay in the trash
    /// before somebody looked for its children.
    pub(super) fn check(&self, store: &TestStore, moved: &[Moved]) -> Seen {
        let mut seen = Seen::default();
        let trash = trashed(store);
        for (id, born) in &self.born {
            let here = store.path(id);
            let mut places: Vec<&Path> = Vec::new();
            places.extend(is_session(&here).then_some(&*here));
            places.extend(trash.get(id).into_iter().flatten().map(PathBuf::as_path));
            match places[..] {
                [at] => {
                    let what = whole(at, id, born).err();
                    seen.wrong
                        .extend(what.map(|what| format!("{}: {what}", at.display())));
                    if at == here {
                        seen.in_place.insert(id.clone());
                    } else {
                        seen.in_trash.insert(id.clone());
                    }
                }
                _ => seen.wrong.push(format!("{id} is in {places:?}")),
            }
        }
        for id in &self.stays {
            if !seen.in_place.contains(id) {
                seen.wrong.push(format!("{id} went, and was no candidate"));
            }
        }
        self.check_parents(&trash, moved, &mut seen);
        self.check_lists(store, &trash, &mut seen);
        seen
    }

    /// The parent of what is in place is there too, or was gone before its child was born.
    fn check_parents(&self, trash: &Trash, moved: &[Moved], seen: &mut Seen) {
        for id in &seen.in_place {
            let Born { parent, at, .. } = &self.born[id];
            if parent.is_empty() || seen.in_place.contains(parent) {
                continue;
            }
            let Some(folder) = trash.get(parent).and_then(|copies| copies.first()) else {
                // It is nowhere, which was told above.
                continue;
            };
            // The rename that moved it changed its ctime, which is never ahead of the clock.
            let went = ctime(folder);
            let looked = moved.iter().filter(|moved| moved.ids.contains(parent));
            let went = looked.map(|moved| moved.at).chain([went]).max();
            if went.is_some_and(|went| *at < went) {
                let what = format!("{id}, born at {at:?}, lost {parent}, gone at {went:?}");
                seen.wrong.push(what);
            } else {
                seen.late += 1;
            }
        }
    }

    /// The product's lists show all that is on the disk, and a child's parent.
    fn check_lists(&self, store: &TestStore, trash: &Trash, seen: &mut Seen) {
        let lineage = lineage(&store.root());
        let listed: BTreeMap<&str, _> = lineage
            .sessions()
            .iter()
            .map(|s| (s.id.as_str(), s))
            .collect();
        for id in folders(&store.root()) {
            let Some(session) = listed.get(&*id) else {
                seen.wrong.push(format!("no list shows {id}"));
                continue;
            };
            if is_session(&store.path(&id)) {
                let parent = session.parent.as_ref().map_or("", |parent| parent.as_str());
                let known = self.born.get(&id).map(|born| born.parent.as_str());
                if known != Some(parent) {
                    seen.wrong
                        .push(format!("{id} is listed under {parent:?}, not {known:?}"));
                }
            } else if !self.stubs.contains(&id) {
                seen.wrong
                    .push(format!("{id} is a folder without metadata"));
            }
        }
        let (batches, faults) = Zero::new(store.root()).trash().unwrap();
        let listed = batches.iter().flat_map(|batch| {
            let ids = batch.sessions.iter().map(|session| session.id.to_string());
            ids.map(|id| (id, batch.batch.to_string()))
        });
        let listed: BTreeSet<(String, String)> = listed.collect();
        let on_disk = trash.iter().flat_map(|(id, folders)| {
            let batch = |folder: &PathBuf| name(folder.parent().unwrap());
            folders
                .iter()
                .map(move |folder| (id.clone(), batch(folder)))
        });
        let on_disk: BTreeSet<(String, String)> = on_disk.collect();
        if listed != on_disk {
            let differ: Vec<_> = listed.symmetric_difference(&on_disk).collect();
            seen.wrong
                .push(format!("the trash's list differs in {differ:?}"));
        }
        seen.wrong
            .extend(faults.iter().map(|fault| format!("{fault:?}")));
    }
}

/// The folders of sessions in the trash, by id.
type Trash = BTreeMap<String, Vec<PathBuf>>;

fn trashed(store: &TestStore) -> Trash {
    let mut trash = Trash::new();
    for batch in crate::support::whole::batches(store) {
        for id in folders(&batch) {
            let folder = batch.join(&id);
            if is_session(&folder) {
                trash.entry(id).or_default().push(folder);
            }
        }
    }
    trash
}

/// The folders in one whose names do not begin with a dot.
fn folders(at: &Path) -> Vec<String> {
    let entries = fs::read_dir(at).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.file_type().unwrap().is_dir());
    let names = folders.map(|entry| name(&entry.path()));
    names.filter(|name| !name.starts_with('.')).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn is_session(folder: &Path) -> bool {
    folder.join("metadata.json").exists()
}

fn ctime(path: &Path) -> Duration {
    let seen = fs::symlink_metadata(path).unwrap();
    let seconds = u64::try_from(seen.ctime()).unwrap_or(0);
    let nanos = u32::try_from(seen.ctime_nsec()).unwrap_or(0);
    Duration::new(seconds, nanos)
}

/// Everything that was written to a session is in it, and nothing else.
fn whole(folder: &Path, id: &str, born: &Born) -> Result<(), String> {
    let read = |file: &str| fs::read(folder.join(file)).map_err(|e| format!("{file}: {e}"));
    let metadata: Value =
        serde_json::from_slice(&read("metadata.json")?).map_err(|e| format!("metadata: {e}"))?;
    let text = |field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
    let (named, parent) = (text("sessionId"), text("parentSessionId"));
    if named != id || parent != born.parent {
        return Err(format!("it is {named} under {parent:?}"));
    }
    let events = String::from_utf8_lossy(&read("events.jsonl")?).into_owned();
    let lines = events.matches('\n').count() as u64;
    let counted = metadata["eventCount"].as_u64().unwrap_or(0);
    if lines != counted || lines < born.events {
        let known = born.events;
        return Err(format!(
            "{lines} events, {counted} counted, {known} written"
        ));
    }
    for entry in fs::read_dir(folder).unwrap() {
        let name = name(&entry.unwrap().path());
        let known = [
            "metadata.json",
            "events.jsonl",
            "session.lock",
            "lease.lock",
            "checkpoints",
        ];
        if !known.contains(&&*name) {
            return Err(format!("{name} is left in it"));
        }
    }
    Ok(())
}
