//! Which agent's a folder of sessions is, and opening it as that agent's store.
//!
//! Must never change anything.

use std::path::Path;
use std::sync::Arc;

use chrono::Utc;

use super::Store;
use super::dir::{Dir, Kind};
use super::filesystem::Locks;
use super::magi::Magi;
use super::removals::Removals;
use super::zero::Zero;
use crate::session::Agent;
use crate::text::Secrets;

/// Names that are looked at before it is clear enough whose a folder is.
const NAMES: usize = 1_000;

/// The agent whose sessions are in a folder, by what is in it; one that tells nothing counts as Zero's.
pub fn recognise(root: &Path) -> Agent {
    let Ok(dir) = Dir::open_root(root) else {
        return Agent::Zero;
    };
    let Ok(entries) = dir.entries() else {
        return Agent::Zero;
    };
    let mut lines = false;
    for entry in entries.take(NAMES).flatten() {
        match entry.kind {
            Kind::Folder if dir.stat_below(&entry.name, "metadata.json").is_ok() => {
                return Agent::Zero;
            }
            Kind::File => lines |= entry.name.as_encoded_bytes().ends_with(b".jsonl"),
            _ => {}
        }
    }
    if lines { Agent::Magi } else { Agent::Zero }
}

/// The store in a folder. What is removed from it is written down in `state`, our own folder.
pub fn open(
    agent: Agent,
    root: &Path,
    state: Option<&Path>,
    (locks, secrets): (Locks, Secrets),
) -> Arc<dyn Store> {
    match agent {
        Agent::Zero => {
            let removals = Removals::in_folder(state, Utc::now);
            let zero = Zero::new(root.to_owned()).with_secrets(secrets);
            Arc::new(zero.recorded(removals).with_locks(locks))
        }
        Agent::Magi => Arc::new(Magi::new(root.to_owned()).with_secrets(secrets)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_is_known_by_what_is_in_it() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(recognise(&dir.path().join("missing")), Agent::Zero);
        assert_eq!(recognise(dir.path()), Agent::Zero);
        fs::write(dir.path().join("notes.txt"), "").unwrap();
        assert_eq!(recognise(dir.path()), Agent::Zero);
        fs::write(dir.path().join("s1.jsonl"), "").unwrap();
        assert_eq!(recognise(dir.path()), Agent::Magi);
        fs::create_dir(dir.path().join("s2")).unwrap();
        assert_eq!(recognise(dir.path()), Agent::Magi);
        fs::write(dir.path().join("s2/metadata.json"), "{}").unwrap();
        assert_eq!(recognise(dir.path()), Agent::Zero);
    }
}
