//! The independent checker: what was ever made is remembered, and after each round the disk is
//! looked at to find all of it. Of the product only the lists that the binary prints are used, to
//! see that they show what the disk has.

mod disk;
mod lists;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::roles::Role;
use super::round::{Doomed, Moved, Report};
use crate::support::TestStore;
use disk::Disk;

/// Every session ever made in a store.
#[derive(Default)]
pub(super) struct Ledger {
    born: BTreeMap<String, Born>,
    /// What left the store for good, and how.
    gone: BTreeMap<String, Gone>,
    /// Where a folder without metadata may be.
    stubs: BTreeSet<String>,
    /// What may never go.
    stays: BTreeSet<String>,
    /// What lay in a batch of the trash at some time.
    batches: BTreeMap<String, BTreeSet<String>>,
    /// Batches whose grace is over.
    expired: BTreeSet<String>,
    /// Born under a parent that was gone.
    late: BTreeSet<String>,
    /// What another program's prune left of sessions.
    remnants: BTreeSet<String>,
}

struct Born {
    /// Empty: it descends from none.
    parent: String,
    at: Duration,
    events: u64,
    /// It has a checkpoint.
    blob: bool,
}

#[derive(Clone, Copy)]
enum Gone {
    /// By the product, which looked for children once more after this.
    Purged(Duration),
    /// By another program's prune.
    Taken,
}

/// What a look at the disk found.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) in_place: BTreeSet<String>,
    pub(super) in_trash: BTreeSet<String>,
    /// Batches of the trash.
    pub(super) batches: Vec<String>,
    /// Gone for good since the last look.
    pub(super) purged: usize,
    /// Taken by another program since the last look.
    pub(super) taken: usize,
    /// Born under a parent that was gone, and seen for the first time.
    pub(super) late: usize,
    /// Left by another program's prune, and seen for the first time.
    pub(super) remnants: usize,
    /// What must not be.
    pub(super) wrong: Vec<String>,
}

impl Ledger {
    /// Remembers a session that is there from the beginning.
    pub(super) fn add(&mut self, id: &str, parent: &str, blob: bool) {
        let born = Born {
            parent: parent.to_owned(),
            at: Duration::ZERO,
            events: 1,
            blob,
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

    /// The grace of a batch is over.
    pub(super) fn expired(&mut self, batch: &str) {
        self.expired.insert(batch.to_owned());
    }

    /// Everything that was purged.
    pub(super) fn purged(&self) -> impl Iterator<Item = &str> {
        let gone = self.gone.iter();
        gone.filter_map(|(id, gone)| matches!(gone, Gone::Purged(_)).then_some(&**id))
    }

    /// Remembers what a process did.
    pub(super) fn note(&mut self, report: &Report) {
        for birth in &report.born {
            let born = Born {
                parent: birth.parent.clone(),
                at: birth.at,
                events: 1,
                blob: false,
            };
            self.born.insert(birth.id.clone(), born);
        }
        self.stubs.extend(report.stubs.iter().cloned());
        if let Some(batch) = &report.batch {
            let members = self.batches.entry(batch.clone()).or_default();
            members.extend(report.removed.iter().cloned());
        }
    }

    /// Remembers what was written; after all births of the round.
    pub(super) fn note_events(&mut self, wrote: &BTreeMap<String, u64>) {
        for (id, events) in wrote {
            if let Some(born) = self.born.get_mut(id) {
                born.events = born.events.max(*events);
            }
        }
    }

    /// Looks at the whole store, which nobody uses meanwhile, after these did something in it.
    pub(super) fn check(&mut self, store: &TestStore, reports: &[(Role, Report)]) -> Seen {
        let mut seen = Seen::default();
        let disk = Disk::of(store);
        self.bury(reports, &disk, &mut seen);
        for (id, born) in &self.born {
            if self.gone.contains_key(id) {
                continue;
            }
            match disk.places(id)[..] {
                [at] => {
                    let what = disk::whole(at, id, born).err();
                    let what = what.map(|what| format!("{}: {what}", at.display()));
                    seen.wrong.extend(what);
                    if disk.in_place.contains_key(id) {
                        seen.in_place.insert(id.clone());
                    } else {
                        seen.in_trash.insert(id.clone());
                    }
                }
                ref places => seen.wrong.push(format!("{id} is in {places:?}")),
            }
        }
        for id in self.stays.difference(&seen.in_place) {
            seen.wrong.push(format!("{id} went, and was no candidate"));
        }
        let moved: Vec<&Moved> = reports.iter().flat_map(|(_, r)| &r.moved).collect();
        self.check_parents(&disk, &moved, &mut seen);
        self.check_lists(store, &disk, &mut seen);
        for (id, folders) in &disk.in_trash {
            for folder in folders {
                let batch = disk::name(folder.parent().unwrap());
                self.batches.entry(batch).or_default().insert(id.clone());
            }
        }
        seen.batches = disk.batches;
        seen
    }

    /// What is nowhere any more must be what was told to be gone for good, neither more nor less.
    fn bury(&mut self, reports: &[(Role, Report)], disk: &Disk, seen: &mut Seen) {
        let taken = reports.iter().flat_map(|(_, report)| &report.taken);
        let taken: BTreeSet<&str> = taken.map(String::as_str).collect();
        let is_gone = |id: &&String| disk.places(id).is_empty() && !self.gone.contains_key(*id);
        let gone: BTreeSet<String> = self.born.keys().filter(is_gone).cloned().collect();
        let mut buried: BTreeMap<String, Duration> = BTreeMap::new();
        let mut told = 0;
        for purged in reports.iter().flat_map(|(_, report)| &report.purged) {
            let of_one;
            let members = match &purged.what {
                Doomed::Session(id) => {
                    told += 1;
                    of_one = BTreeSet::from([id.clone()]);
                    &of_one
                }
                Doomed::Batch(batch, sessions) => {
                    told += sessions;
                    if purged.expired && !self.expired.contains(batch) {
                        seen.wrong.push(format!("{batch} was emptied, not expired"));
                    }
                    self.batches.entry(batch.clone()).or_default()
                }
            };
            for id in members.intersection(&gone) {
                let after = buried.entry(id.clone()).or_insert(purged.after);
                *after = purged.after.min(*after);
            }
        }
        // Another program may have taken what lay in such a batch, once it was restored.
        let most = buried.len() as u64;
        buried.retain(|id, _| !taken.contains(&**id));
        let least = buried.len() as u64;
        if !(least..=most).contains(&told) {
            let what = format!("{told} were told to go for good, not {least} to {most}");
            seen.wrong.push(format!("{what}: {buried:?}"));
        }
        seen.purged = buried.len();
        for id in gone {
            let how = match buried.get(&id) {
                Some(after) => Gone::Purged(*after),
                None if taken.contains(&*id) => Gone::Taken,
                // Nobody said so: that is told by whoever looks for it.
                None => continue,
            };
            seen.taken += usize::from(matches!(how, Gone::Taken));
            self.gone.insert(id, how);
        }
    }

    /// The parent of what is there is there too, or was gone before its child was born.
    fn check_parents(&mut self, disk: &Disk, moved: &[&Moved], seen: &mut Seen) {
        for id in seen.in_place.union(&seen.in_trash) {
            let Born { parent, at, .. } = &self.born[id];
            let in_place = seen.in_place.contains(id);
            if parent.is_empty() || seen.in_place.contains(parent) {
                continue;
            }
            let went = match self.gone.get(parent) {
                // Another program answers for that.
                Some(Gone::Taken) => continue,
                Some(Gone::Purged(after)) => *after,
                // It may come back in any order.
                None if !in_place => continue,
                None => {
                    let Some(folder) = disk.in_trash.get(parent).and_then(|at| at.first()) else {
                        // It is nowhere, which was told above.
                        continue;
                    };
                    // The rename that moved it changed its ctime, which is never ahead of the clock.
                    let looked = moved.iter().filter(|moved| moved.ids.contains(parent));
                    let looked = looked.map(|moved| moved.at).max().unwrap_or_default();
                    disk::ctime(folder).max(looked)
                }
            };
            if *at < went {
                let what = format!("{id}, born at {at:?}, lost {parent}, gone at {went:?}");
                seen.wrong.push(what);
            } else if in_place && self.late.insert(id.clone()) {
                seen.late += 1;
            }
        }
    }
}
