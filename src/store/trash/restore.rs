//! The way back from the trash: ancestors first, one rename each.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;

use rustix::fs::RenameFlags;

use super::{Anatomy, bin, list, rename};
use crate::prune::report::{
    BatchId, NotRestored, Progress, Restore, RestoreReport, Trashed, Watch,
};
use crate::session::{Refusal, SessionId};
use crate::store::dir::{Dir, Kind};
use crate::store::lease::{SharedLease, StoreLock};
use crate::store::removals::{Action, Note, What};
use crate::text::SafeText;

/// Version of the report's shape.
const SCHEMA: u32 = 1;

/// Brings sessions back, with those of their ancestors that are in the trash.
pub(in crate::store) fn restore(
    store: &StoreLock,
    anatomy: &dyn Anatomy,
    what: &Restore,
    note: &dyn Fn(&Note<'_>) -> Result<(), SafeText>,
    watch: &dyn Watch,
) -> Result<RestoreReport, Refusal> {
    let refused = |error: io::Error| Refusal::StoreRefused(SafeText::line(&error.to_string()));
    let trash = list::open(store.root()).map_err(|error| refused(error.into()))?;
    let trash = trash.ok_or(Refusal::NotInTrash)?;
    let shelves = Shelves::open(store.root(), trash, anatomy).map_err(refused)?;
    let wanted = shelves.wanted(what)?;
    let order = shelves.with_ancestors(&wanted);
    let touched: BTreeSet<&BatchId> = order.iter().map(|item| &item.batch).collect();
    let mut unrecorded = None;
    let mut add = |batch, what| {
        let noted = note(&Note {
            action: Action::Restore,
            batch: Some(batch),
            policy: "",
            what,
        });
        unrecorded = noted.err().or(unrecorded.take());
    };
    for batch in &touched {
        let ids = order.iter().filter(|item| item.batch == **batch);
        add(batch, What::Intent(ids.map(Item::id).collect()));
    }
    let mut report = shelves.bring_back(&order, watch);
    rustix::fs::fsync(store.root()).map_err(|error| refused(error.into()))?;
    for batch in &touched {
        let folder = shelves.trash.open_dir(batch.as_str());
        let folder = folder.map_err(|error| refused(error.into()))?;
        rustix::fs::fsync(&folder).map_err(|error| refused(error.into()))?;
        bin::remove_if_empty(&shelves.trash, &folder, batch);
    }
    let restored: HashSet<&SessionId> = report.restored.iter().collect();
    for batch in &touched {
        let back = order.iter().filter(|item| item.batch == **batch);
        let back = back.map(|item| &item.told);
        let back = back.filter(|told| restored.contains(&told.id)).collect();
        add(batch, What::Outcome(back));
    }
    report.warnings.extend(unrecorded);
    Ok(report)
}

/// A session to bring back.
#[derive(Clone, Debug)]
struct Item {
    told: Trashed,
    batch: BatchId,
}

impl Item {
    fn id(&self) -> &SessionId {
        &self.told.id
    }

    fn parent(&self) -> Option<&SessionId> {
        self.told.parent.as_ref()
    }
}

/// The trash, with an index.
struct Shelves<'a> {
    root: &'a Dir,
    trash: Dir,
    anatomy: &'a dyn Anatomy,
    /// The newest batch that has a session.
    newest: HashMap<SessionId, BatchId>,
    batches: HashMap<BatchId, Vec<SessionId>>,
}

impl<'a> Shelves<'a> {
    fn open(root: &'a Dir, trash: Dir, anatomy: &'a dyn Anatomy) -> io::Result<Self> {
        let mut newest = HashMap::new();
        let mut batches = HashMap::new();
        for batch in list::names(&trash)? {
            // A batch that cannot be read stops nobody from restoring another one.
            let found = trash
                .open_dir(batch.as_str())
                .map_err(io::Error::from)
                .and_then(|folder| list::sessions(&folder, anatomy));
            let Ok(found) = found else { continue };
            for id in &found.whole {
                newest.entry(id.clone()).or_insert_with(|| batch.clone());
            }
            batches.insert(batch, found.whole);
        }
        Ok(Self {
            root,
            trash,
            anatomy,
            newest,
            batches,
        })
    }

    fn wanted(&self, what: &Restore) -> Result<Vec<Item>, Refusal> {
        let wanted = match what {
            Restore::Session(id) => {
                let batch = self.newest.get(id).ok_or(Refusal::NotInTrash)?;
                vec![self.item(id, batch)]
            }
            Restore::Batch(batch) => {
                let ids = self.batches.get(batch).ok_or(Refusal::NotInTrash)?;
                ids.iter().map(|id| self.item(id, batch)).collect()
            }
        };
        if wanted.is_empty() {
            return Err(Refusal::NotInTrash);
        }
        Ok(wanted)
    }

    fn item(&self, id: &SessionId, batch: &BatchId) -> Item {
        let lot = self.trash.open_dir(batch.as_str());
        let told = lot.map(|lot| self.anatomy.describe(&lot, id));
        Item {
            // It will not come back, then.
            told: told.unwrap_or_else(|_| Trashed::unknown(id)),
            batch: batch.clone(),
        }
    }

    /// What is wanted and its ancestors in the trash, each after its parent.
    fn with_ancestors(&self, wanted: &[Item]) -> Vec<Item> {
        let by_id: HashMap<&SessionId, &Item> =
            wanted.iter().map(|item| (item.id(), item)).collect();
        let mut seen = HashSet::new();
        let mut order = Vec::new();
        for item in wanted {
            let mut line = Vec::new();
            let mut next = Some(item.clone());
            while let Some(item) = next.filter(|item| seen.insert(item.id().clone())) {
                next = item.parent().and_then(|parent| {
                    let chosen = by_id.get(parent).map(|item| Item::clone(item));
                    chosen.or_else(|| self.trashed(parent))
                });
                line.push(item);
            }
            order.extend(line.into_iter().rev());
        }
        order
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
                    nursery.wait_in(item.id(), lease);
                    report.restored.push(item.id().clone());
                }
                Err(reason) => report.failed.push(NotRestored {
                    id: item.id().clone(),
                    reason,
                }),
            }
        }
        report
    }

    fn one(&self, item: &Item) -> Result<Option<SharedLease>, Refusal> {
        let name = item.id().as_str();
        let lot = self.trash.open_dir(item.batch.as_str());
        let lot = lot.map_err(|error| super::not_movable(&error.into()))?;
        let folder = lot.open_dir(name);
        let folder = folder.map_err(|error| super::not_movable(&error.into()))?;
        let lease = self.anatomy.hold(&folder)?;
        match self.root.stat(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.move_back(&lot, name)?;
            }
            Err(error) => return Err(super::not_movable(&error)),
            Ok(seen) if seen.kind == Kind::Folder => self.over_stub(&lot, name)?,
            Ok(_) => return Err(Refusal::Clash),
        }
        Ok(lease)
    }

    fn move_back(&self, lot: &Dir, name: &str) -> Result<(), Refusal> {
        match rename((lot, name), (self.root, name), RenameFlags::NOREPLACE) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Refusal::Clash),
            Err(error) => Err(super::not_movable(&error)),
        }
    }

    /// Puts a session in the place of what a late writer made there, which is kept in the batch
    /// under a name that no list shows.
    fn over_stub(&self, lot: &Dir, name: &str) -> Result<(), Refusal> {
        if self.is_session_in(self.root, name) {
            return Err(Refusal::Clash);
        }
        let exchange = || rename((lot, name), (self.root, name), RenameFlags::EXCHANGE);
        exchange().map_err(|error| super::not_movable(&error))?;
        if self.is_session_in(lot, name) {
            // It became a session in the meantime.
            exchange().map_err(|error| super::not_movable(&error))?;
            return Err(Refusal::Clash);
        }
        let names = (0u32..1000).map(|number| match number {
            0 => format!(".stub-{name}"),
            number => format!(".stub-{name}-{number}"),
        });
        for stub in names {
            match rename((lot, name), (lot, &stub), RenameFlags::NOREPLACE) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                // Should it fail the stub keeps its name, and the list tells of it.
                Ok(()) | Err(_) => break,
            }
        }
        Ok(())
    }

    /// Whether a folder is a session, or cannot be told not to be one.
    fn is_session_in(&self, at: &Dir, name: &str) -> bool {
        let folder = at.open_dir(name);
        folder.map_or(true, |folder| {
            self.anatomy.is_session(&folder).unwrap_or(true)
        })
    }
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
        for parent in order.iter().filter_map(Item::parent) {
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
        let Some(parent) = item.parent() else { return };
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
