//! The disk, read without the product.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::Born;
use crate::support::TestStore;

/// Where the folders of a store are.
pub(super) struct Disk {
    /// Sessions in their place, by id.
    pub(super) in_place: BTreeMap<String, PathBuf>,
    /// Sessions in the trash, by id.
    pub(super) in_trash: BTreeMap<String, Vec<PathBuf>>,
    /// Folders in the store that are named like a session but have no metadata.
    pub(super) bare: Vec<String>,
    /// Batches of the trash.
    pub(super) batches: Vec<String>,
    /// What is where nothing should be.
    pub(super) odd: Vec<String>,
}

impl Disk {
    pub(super) fn of(store: &TestStore) -> Self {
        let mut disk = Self {
            in_place: BTreeMap::new(),
            in_trash: BTreeMap::new(),
            bare: Vec::new(),
            batches: Vec::new(),
            odd: Vec::new(),
        };
        for name in entries(&store.root()) {
            let path = store.path(&name);
            let hidden = name.starts_with('.');
            match is_session(&path) {
                true if !hidden => drop(disk.in_place.insert(name, path)),
                false if !hidden && path.is_dir() => disk.bare.push(name),
                // What a late writer made is kept when it is in the way of what comes back.
                false if name.starts_with(".sesstree-kept.") => {}
                false if name == ".sesstree" => {}
                _ => disk.odd.push(name),
            }
        }
        let ours = store.path(".sesstree");
        let purge = entries(&ours.join("purge")).into_iter();
        disk.odd.extend(purge.map(|name| format!("purge/{name}")));
        disk.batches = entries(&ours.join("trash"));
        for batch in &disk.batches {
            let batch = ours.join("trash").join(batch);
            for name in entries(&batch) {
                let path = batch.join(&name);
                let hidden = name.starts_with(".stub-");
                match is_session(&path) {
                    true if !hidden => disk.in_trash.entry(name).or_default().push(path),
                    false if hidden || name == "batch.json" => {}
                    _ => disk.odd.push(path.display().to_string()),
                }
            }
        }
        disk
    }

    /// All places of a session.
    pub(super) fn places(&self, id: &str) -> Vec<&Path> {
        let trashed = self.in_trash.get(id).into_iter().flatten();
        let places = self.in_place.get(id).into_iter().chain(trashed);
        places.map(PathBuf::as_path).collect()
    }
}

/// The names in a folder, which need not be there.
fn entries(at: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(at) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries.map(|entry| name(&entry.unwrap().path())).collect();
    names.sort_unstable();
    names
}

pub(super) fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn is_session(folder: &Path) -> bool {
    folder.join("metadata.json").exists()
}

pub(super) fn ctime(path: &Path) -> Duration {
    let seen = fs::symlink_metadata(path).unwrap();
    let seconds = u64::try_from(seen.ctime()).unwrap_or(0);
    let nanos = u32::try_from(seen.ctime_nsec()).unwrap_or(0);
    Duration::new(seconds, nanos)
}

/// Everything that was written to a session is in it, and nothing else.
pub(super) fn whole(folder: &Path, id: &str, born: &Born) -> Result<(), String> {
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
    if born.blob && read("checkpoints/blobs/0a")? != b"blob" {
        return Err("its checkpoint is not what it was".to_owned());
    }
    for name in entries(folder) {
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
