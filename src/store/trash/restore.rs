//! The way back from the trash: ancestors first, one rename each.

use std::collections::{HashMap, HashSet};
use std::io;

use rustix::fs::RenameFlags;

use super::history::{History, Write};
use super::order::depth_first;
use super::stub::NotBack;
use super::{Anatomy, bin, list, rename, stub};
use crate::prune::report::{BatchId, NotRestored, Progress, Restore, RestoreReport, Watch};
use crate::session::{Refusal, SessionId};
use crate::store::dir::{Dir, Kind};
use crate::store::lease::{SharedLease, StoreLock};
use crate::text::SafeText;

/// Version of the report's shape.
const SCHEMA: u32 = 1;

/// Brings sessions back, with those of their ancestors that are in the trash.
pub(in crate::store) fn restore(
    store: &StoreLock,
    anatomy: &dyn Anatomy,
    what: &Restore,
    write: Write<'_>,
    watch: &dyn Watch,
) -> Result<RestoreReport, Refusal> {
    let refused = |error: io::Error| Refusal::StoreRefused(SafeText::line(&error.to_string()));
    let trash = list::open(store.root()).map_err(|error| refused(error.into()))?;
    let trash = trash.ok_or(Refusal::NotInTrash)?;
    let shelves = Shelves::open(store.root(), trash, anatomy).map_err(refused)?;
    let wanted = shelves.wanted(what)?;
    let total = wanted.len();
    watch.progress(Progress { done: 0, total });
    let wanted: Vec<Item> = wanted
        .into_iter()
        .map(|(id, batch)| shelves.item(id, batch))
        .collect();
    let order = shelves.with_ancestors(&wanted);
    let sessions = order.iter().map(|item| (&item.batch, &item.id));
    let history = History::new(&shelves.trash, sessions, write);
    let intent = history.intent();
    let mut report = shelves.bring_back(&order, watch);
    // What is back is told, whatever becomes of its being on the disk.
    let told = |error: io::Error| SafeText::line(&format!("a crash now may undo it: {error}"));
    let synced = rustix::fs::fsync(store.root()).map_err(io::Error::from);
    report.warnings.extend(synced.err().map(told));
    let touched: HashSet<&BatchId> = order.iter().map(|item| &item.batch).collect();
    for batch in touched {
        let closed = shelves.close(batch);
        report.warnings.extend(closed.err().map(told));
    }
    let outcome = history.outcome(&report.restored);
    report.warnings.extend(outcome.err().or(intent.err()));
    Ok(report)
}

/// A session to bring back.
#[derive(Clone, Debug)]
struct Item {
    id: SessionId,
    batch: BatchId,
    parent: Option<SessionId>,
}

/// The trash, with an index.
struct Shelves<'a> {
    root: &'a Dir,
    trash: Dir,
    anatomy: &'a dyn Anatomy,
    /// The newest batch that has a session; one with a remnant of that id only if there is none.
    newest: HashMap<SessionId, BatchId>,
    batches: HashMap<BatchId, Vec<SessionId>>,
}

impl<'a> Shelves<'a> {
    fn open(root: &'a Dir, trash: Dir, anatomy: &'a dyn Anatomy) -> io::Result<Self> {
        let mut newest = HashMap::new();
        let mut remnants = Vec::new();
        let mut batches = HashMap::new();
        for batch in list::names(&trash)?.0 {
            // A batch that cannot be read stops nobody from restoring another one.
            let found = trash
                .open_dir(batch.as_str())
                .map_err(io::Error::from)
                .and_then(|folder| list::sessions(&folder, anatomy));
            let Ok(found) = found else { continue };
            for id in &found.whole {
                newest.entry(id.clone()).or_insert_with(|| batch.clone());
            }
            let bare = found.remnants.iter();
            remnants.extend(bare.map(|id| (id.clone(), batch.clone())));
            let all = [found.whole, found.remnants].concat();
            batches.insert(batch, all);
        }
        for (id, batch) in remnants {
            newest.entry(id).or_insert(batch);
        }
        Ok(Self {
            root,
            trash,
            anatomy,
            newest,
            batches,
        })
    }

    /// Sees to it that what left a batch is gone from it on the disk, and removes it if it is empty.
    fn close(&self, batch: &BatchId) -> io::Result<()> {
        let folder = self.trash.open_dir(batch.as_str())?;
        rustix::fs::fsync(&folder)?;
        bin::remove_if_empty(&self.trash, &folder, batch);
        Ok(())
    }

    /// What is asked for, by name: nothing of it is read yet.
    fn wanted<'w>(
        &'w self,
        what: &'w Restore,
    ) -> Result<Vec<(&'w SessionId, &'w BatchId)>, Refusal> {
        let wanted: Vec<_> = match what {
            Restore::Session(id) => {
                let batch = self.newest.get(id).ok_or(Refusal::NotInTrash)?;
                vec![(id, batch)]
            }
            Restore::Batch(batch) => {
                let ids = self.batches.get(batch).ok_or(Refusal::NotInTrash)?;
                ids.iter().map(|id| (id, batch)).collect()
            }
        };
        if wanted.is_empty() {
            return Err(Refusal::NotInTrash);
        }
        Ok(wanted)
    }

    fn item(&self, id: &SessionId, batch: &BatchId) -> Item {
        let lot = self.trash.open_dir(batch.as_str());
        Item {
            id: id.clone(),
            batch: batch.clone(),
            parent: lot.ok().and_then(|lot| self.anatomy.kin(&lot, id).parent),
        }
    }

    /// What is wanted and its ancestors in the trash, each after its parent, so that few wait for
    /// their children at any time.
    fn with_ancestors(&self, wanted: &[Item]) -> Vec<Item> {
        let by_id: HashMap<&SessionId, &Item> =
            wanted.iter().map(|item| (&item.id, item)).collect();
        let mut seen = HashSet::new();
        let mut order = Vec::new();
        for item in wanted {
            let mut line = Vec::new();
            let mut next = Some(item.clone());
            while let Some(item) = next.filter(|item| seen.insert(item.id.clone())) {
                next = item.parent.as_ref().and_then(|parent| {
                    let chosen = by_id.get(parent).map(|item| Item::clone(item));
                    chosen.or_else(|| self.trashed(parent))
                });
                line.push(item);
            }
            order.extend(line.into_iter().rev());
        }
        depth_first(order, |item| &item.id, |item| item.parent.as_ref())
    }

    /// An ancestor that has to come back too, because it is nowhere but in the trash.
    fn trashed(&self, id: &SessionId) -> Option<Item> {
        let batch = self.newest.get(id)?;
        let lives = self.root.open_dir(id.as_str()).ok();
        let lives = lives.is_some_and(|folder| self.anatomy.is_session(&folder).unwrap_or(true));
        (!lives).then(|| self.item(id, batch))
    }

    fn bring_back(&self, order: &[Item], watch: &dyn Watch) -> RestoreReport {
        let mut report = RestoreReport {
            schema: SCHEMA,
            ..RestoreReport::default()
        };
        let mut nursery = Nursery::new(order);
        for (done, item) in order.iter().enumerate() {
            let total = order.len();
            watch.progress(Progress { done, total });
            let outcome = if watch.stopped() {
                Err("stopped before it".to_owned())
            } else {
                self.one(item).map_err(|refusal| refusal.to_string())
            };
            nursery.leave(item);
            match outcome {
                Ok(lease) => {
                    nursery.wait_in(&item.id, lease);
                    report.restored.push(item.id.clone());
                }
                Err(reason) => report.failed.push(NotRestored {
                    id: item.id.clone(),
                    reason,
                }),
            }
        }
        report
    }

    fn one(&self, item: &Item) -> Result<Option<SharedLease>, Refusal> {
        let name = item.id.as_str();
        let lot = self.trash.open_dir(item.batch.as_str());
        let lot = lot.map_err(|error| not_restored(&error.into()))?;
        let folder = lot.open_dir(name);
        let folder = folder.map_err(|error| not_restored(&error.into()))?;
        let lease = self.anatomy.hold(&folder)?;
        match self.root.stat(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.move_back(&lot, name)?;
            }
            Err(error) => return Err(not_restored(&error)),
            Ok(seen) if seen.kind == Kind::Folder => {
                let put = stub::exchange_in_batch(self.anatomy, &lot, self.root, name);
                put.map_err(|why| match why {
                    NotBack::Clash => Refusal::Clash,
                    NotBack::Failed(error) => not_restored(&error),
                })?;
            }
            Ok(_) => return Err(Refusal::Clash),
        }
        Ok(lease)
    }

    fn move_back(&self, lot: &Dir, name: &str) -> Result<(), Refusal> {
        match rename((lot, name), (self.root, name), RenameFlags::NOREPLACE) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Refusal::Clash),
            Err(error) => Err(not_restored(&error)),
        }
    }
}

fn not_restored(error: &io::Error) -> Refusal {
    Refusal::NotRestored(SafeText::line(&error.to_string()))
}

/// Keeps the lease of each session that is back until all its children that come are back too:
/// another program's prune must not take an old parent that just came back.
struct Nursery {
    children: HashMap<SessionId, usize>,
    leases: HashMap<SessionId, SharedLease>,
}

impl Nursery {
    fn new(order: &[Item]) -> Self {
        let mut children = HashMap::new();
        for parent in order.iter().filter_map(|item| item.parent.as_ref()) {
            *children.entry(parent.clone()).or_default() += 1;
        }
        let leases = HashMap::new();
        Self { children, leases }
    }

    /// A session is back; it waits for its children.
    fn wait_in(&mut self, id: &SessionId, lease: Option<SharedLease>) {
        if let Some(lease) = lease.filter(|_| self.children.contains_key(id)) {
            self.leases.insert(id.clone(), lease);
        }
    }

    /// A session comes back, or will not; its parent waits for one less.
    fn leave(&mut self, item: &Item) {
        let Some(parent) = &item.parent else { return };
        let Some(left) = self.children.get_mut(parent) else {
            return;
        };
        *left -= 1;
        if *left == 0 {
            self.children.remove(parent);
            self.leases.remove(parent);
        }
    }
}
