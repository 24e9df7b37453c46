//! A disk that fails at the wrong moment: any doubt keeps the session.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use sesstree::prune::execute::{dry_run, remove};
use sesstree::prune::report::{
    Doomed, Leftover, PruneReport, Restore, RestoreReport, Shelved, Step, TrashBatch, Watch,
};
use sesstree::session::{
    Agent, Fault, Holder, Openness, Place, Refusal, Seen, Session, SessionId, Sighting,
};
use sesstree::store::change::{Change, Claim, Closeness, Newcomer, Purpose};
use sesstree::store::log::Said;
use sesstree::store::removals::Note;
use sesstree::store::trash::{Aside, Bin, Purge, Record};
use sesstree::store::zero::Zero;
use sesstree::store::{Found, Hold, ScanError, Store};
use sesstree::text::{SafeText, Secrets};
use sesstree::transcript::{Page, Usage, View, Window};

use super::{At, contents, grace, old, plan, quiet, told, zero};
use crate::support::{TestStore, now};

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The root cannot be listed that time, counted from 1.
    Listing(u32),
    /// Nothing can be made to last.
    Sync,
    /// The trash cannot be made, nor the way out of it.
    Trash,
    /// The trash cannot be listed.
    Shelves,
}

/// A store with trouble.
pub(super) struct Faulty {
    pub(super) zero: Zero,
    pub(super) trouble: Trouble,
}

struct FaultyChange {
    inner: Box<dyn Change>,
    trouble: Trouble,
    listings: AtomicU32,
}

fn eio() -> Refusal {
    Refusal::StoreRefused(SafeText::line("EIO"))
}

impl Change for FaultyChange {
    fn place(&self) -> Place {
        self.inner.place()
    }
    fn capacity(&self) -> usize {
        self.inner.capacity()
    }
    fn removable(&self, purpose: Purpose) -> Result<(), Refusal> {
        self.inner.removable(purpose)
    }

    fn purgeable(&self) -> Result<(), Refusal> {
        self.inner.purgeable()
    }
    fn unseen(&self) -> Option<Vec<Holder>> {
        self.inner.unseen()
    }
    fn pins(&self) -> Result<HashSet<SessionId>, Refusal> {
        self.inner.pins()
    }
    fn claim(&self, session: &Session, purpose: Purpose) -> Result<Box<dyn Claim + '_>, Refusal> {
        self.inner.claim(session, purpose)
    }
    fn newcomers(
        &self,
        closeness: Closeness,
        known: &(dyn Fn(&SessionId) -> Option<Sighting> + Sync),
    ) -> Result<Vec<Newcomer>, Refusal> {
        let listing = self.listings.fetch_add(1, Ordering::Relaxed) + 1;
        if self.trouble == Trouble::Listing(listing) {
            return Err(eio());
        }
        self.inner.newcomers(closeness, known)
    }
    fn size_in(&self, aside: &Aside, id: &SessionId) -> io::Result<u64> {
        self.inner.size_in(aside, id)
    }
    fn open_bin(&self, record: &Record) -> Result<Bin, Refusal> {
        if self.trouble == Trouble::Trash {
            return Err(eio());
        }
        self.inner.open_bin(record)
    }
    fn sync(&self, aside: &Aside) -> Result<(), Refusal> {
        if self.trouble == Trouble::Sync {
            return Err(eio());
        }
        self.inner.sync(aside)
    }
    fn note(&self, note: &Note<'_>) -> Result<(), SafeText> {
        self.inner.note(note)
    }
    fn shelves(&self) -> Result<Vec<Shelved>, Refusal> {
        if self.trouble == Trouble::Shelves {
            return Err(eio());
        }
        self.inner.shelves()
    }
    fn open_purge(&self) -> Result<Purge<'_>, Refusal> {
        if self.trouble == Trouble::Trash {
            return Err(eio());
        }
        self.inner.open_purge()
    }
    fn doomed(&self) -> Result<Vec<Doomed>, Refusal> {
        self.inner.doomed()
    }
    fn doom(&self, doomed: &Doomed) {
        self.inner.doom(doomed);
    }
    fn bring_back(&self, doomed: &Doomed) -> Result<(), Refusal> {
        self.inner.bring_back(doomed)
    }
    fn told(&self) -> Vec<SafeText> {
        self.inner.told()
    }
    fn clear(&self, watch: &dyn Watch) -> Vec<Leftover> {
        self.inner.clear(watch)
    }
}

impl Store for Faulty {
    fn agent(&self) -> Agent {
        self.zero.agent()
    }
    fn root(&self) -> &Path {
        self.zero.root()
    }
    fn scan(
        &self,
        seen: &Seen,
        found: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), ScanError> {
        self.zero.scan(seen, found)
    }
    fn session(&self, id: &SessionId) -> Option<Session> {
        self.zero.session(id)
    }
    fn size(&self, id: &SessionId) -> io::Result<u64> {
        self.zero.size(id)
    }
    fn openness(&self) -> Option<HashMap<SessionId, Openness>> {
        self.zero.openness()
    }
    fn read(
        &self,
        id: &SessionId,
        view: View,
        window: Window,
        secrets: Secrets,
    ) -> io::Result<Page> {
        self.zero.read(id, view, window, secrets)
    }
    fn log(&self, id: &SessionId) -> io::Result<Option<Box<dyn Read + Send>>> {
        self.zero.log(id)
    }

    fn said(&self, line: &[u8]) -> Option<Said> {
        self.zero.said(line)
    }

    fn usage(&self, lines: &[u8]) -> Usage {
        self.zero.usage(lines)
    }

    fn changeable(&self) -> Result<(), Refusal> {
        self.zero.changeable()
    }
    fn change(&self) -> Result<Box<dyn Change>, Refusal> {
        Ok(Box::new(FaultyChange {
            inner: self.zero.change()?,
            trouble: self.trouble,
            listings: AtomicU32::new(0),
        }))
    }
    fn pin(&self, pins: &[(SessionId, bool)]) -> Result<(), Refusal> {
        self.zero.pin(pins)
    }
    fn hold(&self, id: &SessionId) -> Result<Hold, Refusal> {
        self.zero.hold(id)
    }
    fn trash(&self) -> io::Result<(Vec<TrashBatch>, Vec<Fault>)> {
        self.zero.trash()
    }
    fn restore(&self, what: &Restore, watch: &dyn Watch) -> Result<RestoreReport, Refusal> {
        self.zero.restore(what, watch)
    }
}

fn family(store: &TestStore) {
    store.add("a", "", 90);
    store.add("b", "a", 80);
    store.add("c", "b", 70);
}

fn removal(trouble: Trouble, watch: &dyn Watch) -> (TestStore, PruneReport) {
    let store = TestStore::new();
    family(&store);
    let before = contents(&store);
    let zero = zero(&store);
    let plan = plan(&store, old()).confirm();
    let report = remove(&Faulty { zero, trouble }, plan, now(), grace(), watch).unwrap();
    assert_eq!(report.removed, [], "nothing went");
    assert_eq!(report.batch, None);
    assert_eq!(contents(&store), before, "all is as it was");
    (store, report)
}

#[test]
fn a_root_that_cannot_be_listed_keeps_all() {
    for listing in [1, 2] {
        let (_, report) = removal(Trouble::Listing(listing), &quiet());
        assert_eq!(report.kept.len() + report.failed.len(), 3, "{report:?}");
    }
    let store = TestStore::new();
    family(&store);
    let zero = zero(&store);
    let trouble = Trouble::Listing(1);
    let plan = dry_run(&Faulty { zero, trouble }, plan(&store, old()), &quiet()).unwrap();
    assert_eq!(plan.removals().count(), 0);
}

#[test]
fn a_move_that_cannot_be_made_to_last_is_taken_back() {
    let (store, report) = removal(Trouble::Sync, &quiet());
    assert!(told(&report)["c"].starts_with("failed: "), "{report:?}");
    assert_eq!(report.failed.len(), 3);
    assert_eq!(zero(&store).trash().unwrap().0, []);
}

#[test]
fn a_trash_that_cannot_be_made_keeps_all() {
    let (store, report) = removal(Trouble::Trash, &quiet());
    assert!(told(&report)["c"].starts_with("failed: "), "{report:?}");
    assert!(
        told(&report)["a"].starts_with("kept: ancestor"),
        "{report:?}"
    );
    assert!(!store.path(".sesstree").exists());
}

/// A late writer's stub is not in the way of what has to come back, and is kept.
#[test]
fn a_fork_brings_its_ancestors_back_over_a_late_writers_stub() {
    let store = TestStore::new();
    family(&store);
    let before = contents(&store);
    let plan = plan(&store, old()).confirm();
    let watch = At(|step: Step<'_>| {
        if step == Step::BatchMoved {
            crate::support::make_folder(&store.path("b/checkpoints/blobs"));
            store.add("fork", "c", 0);
        }
    });
    let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
    assert_eq!((report.removed.len(), report.failed.len()), (0, 0));
    assert_eq!(report.batch, None, "nothing to undo");
    let mut after = contents(&store);
    after.retain(|path, _| !path.starts_with("fork"));
    assert_eq!(after, before);
    let trash = fs::read_dir(store.path(".sesstree/trash")).unwrap();
    let kept = trash.map(|batch| batch.unwrap().path().join(".stub-b/checkpoints/blobs"));
    assert_eq!(kept.filter(|stub| stub.is_dir()).count(), 1);
}

/// What cannot come back is in the trash, whole, and the report says where.
#[test]
fn what_cannot_be_put_back_is_told_and_can_be_restored() {
    let store = TestStore::new();
    family(&store);
    let before = contents(&store);
    let plan = plan(&store, old()).confirm();
    let watch = At(|step: Step<'_>| {
        if step == Step::BatchMoved {
            store.add("fork", "a", 0);
            crate::support::write_file(&store.path("a"), b"in the way");
        }
    });
    let report = remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
    let batch = report.batch.clone().unwrap();
    let line = &told(&report)["a"];
    assert!(
        line.starts_with("failed: ") && line.contains(batch.as_str()),
        "{line}"
    );
    fs::remove_file(store.path("a")).unwrap();
    let report = zero(&store).restore(&Restore::Batch(batch), &quiet());
    assert_eq!(report.unwrap().failed, []);
    let after = contents(&store);
    assert!(
        before
            .iter()
            .all(|(path, line)| after.get(path) == Some(line))
    );
}
