//! What the binary lists is what the disk has.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::disk::{self, Disk};
use super::{Gone, Ledger, Seen};
use crate::support::TestStore;
use crate::support::binary::{ids, json};

impl Ledger {
    /// The lists show all that is on the disk: sessions under their parents, late children as
    /// such, and whatever else there is of folders as remnants.
    pub(super) fn check_lists(&mut self, store: &TestStore, disk: &Disk, seen: &mut Seen) {
        let list = json(store, &["list", "--no-size"]);
        let listed: BTreeMap<&str, &Value> = array(&list, "sessions")
            .map(|session| (text(session, "id"), session))
            .collect();
        for id in disk.in_place.keys() {
            let Some(session) = listed.get(&**id) else {
                seen.wrong.push(format!("no list shows {id}"));
                continue;
            };
            let parent = text(session, "parentId");
            let known = self.born.get(id).map(|born| &*born.parent);
            let alone = !parent.is_empty() && !listed.contains_key(parent);
            let odd = ["remnant", "damaged", "copy", "linked", "cycle"];
            let odd = odd.iter().any(|mark| has_mark(session, mark));
            if known != Some(parent) || has_mark(session, "orphan") != alone || odd {
                let what = format!("{id} under {known:?} is listed as {session}");
                seen.wrong.push(what);
            }
        }
        for id in &disk.bare {
            let taken = matches!(self.gone.get(id), Some(Gone::Taken));
            if !listed
                .get(&**id)
                .is_some_and(|row| has_mark(row, "remnant"))
            {
                seen.wrong
                    .push(format!("no list shows what is left of {id}"));
            } else if taken {
                seen.remnants += usize::from(self.remnants.insert(id.clone()));
            } else if !self.stubs.contains(id) {
                let what = format!("{id} is a folder without metadata");
                seen.wrong.push(what);
            }
        }
        let odd = disk.odd.iter();
        seen.wrong
            .extend(odd.map(|name| format!("no list shows {name}")));
        let trash = json(store, &["trash", "list"]);
        let listed = array(&trash, "batches").flat_map(|batch| {
            let ids = ids(batch, "sessions", "id").into_iter();
            ids.map(|id| (id, text(batch, "batch").to_owned()))
        });
        let listed: BTreeSet<(String, String)> = listed.collect();
        let on_disk = disk.in_trash.iter().flat_map(|(id, folders)| {
            let batches = folders.iter().map(|at| disk::name(at.parent().unwrap()));
            batches.map(move |batch| (id.clone(), batch))
        });
        let on_disk: BTreeSet<(String, String)> = on_disk.collect();
        if listed != on_disk {
            let differ: Vec<_> = listed.symmetric_difference(&on_disk).collect();
            let what = format!("the trash's list differs in {differ:?}");
            seen.wrong.push(what);
        }
        let faults = array(&list, "faults").chain(array(&trash, "faults"));
        seen.wrong.extend(faults.map(Value::to_string));
    }

    /// Everything that went is in the record of removals.
    pub(in crate::stress) fn check_record(&self, store: &TestStore) -> Vec<String> {
        let place = ".local/state/sesstree/removals.jsonl";
        let record = std::fs::read_to_string(store.beside("home").join(place)).unwrap_or_default();
        let mut told = BTreeSet::new();
        for line in record.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let done = line["stage"] == "outcome" && line["sessions"].is_array();
            if done && ["purge", "delete"].contains(&text(&line, "action")) {
                told.extend(ids(&line, "sessions", "id"));
            }
        }
        let missing = self.purged().filter(|id| !told.contains(*id));
        missing.map(|id| format!("no record of {id}")).collect()
    }
}

fn array<'a>(value: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    value[list].as_array().unwrap().iter()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn has_mark(session: &Value, mark: &str) -> bool {
    array(session, "marks").any(|other| other == mark)
}
