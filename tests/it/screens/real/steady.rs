//! A real store of which some things are told alike on every machine, so that its looks can be
//! compared: how much a session takes on disk, the process ids of who has it open, that no other
//! agent runs and nothing was read of late.
//!
//! Must never: change what the store does.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;

use chrono::{DateTime, Utc};
use sesstree::prune::report::{
    Doomed, Leftover, Restore, RestoreReport, Shelved, TrashBatch, Watch,
};
use sesstree::session::{
    Agent, Fault, Holder, Openness, Place, Refusal, Seen, Session, SessionId, Sighting,
};
use sesstree::store::change::{Change, Claim, Closeness, LogTime, Newcomer};
use sesstree::store::log::Said;
use sesstree::store::removals::Note;
use sesstree::store::trash::{Aside, Bin, Purge, Record};
use sesstree::store::zero::Zero;
use sesstree::store::{Found, Hold, Purpose, ScanError, Store};
use sesstree::text::{SafeText, Secrets};
use sesstree::transcript::{Page, Usage, View, Window};

/// The process id that is told.
const PID: u32 = 4242;

/// Zero's store, with steady sizes and process ids.
pub(super) struct Steady(pub(super) Zero);

/// The bytes that are told of a session.
fn bytes(id: &SessionId) -> u64 {
    4_096 * (1 + 30 * id.as_str().len() as u64)
}

fn steady(holder: Holder) -> Holder {
    Holder { pid: PID, ..holder }
}

fn refused(refusal: Refusal) -> Refusal {
    match refusal {
        Refusal::Open(holder) => Refusal::Open(steady(holder)),
        other => other,
    }
}

impl Store for Steady {
    fn agent(&self) -> Agent {
        self.0.agent()
    }

    fn root(&self) -> &Path {
        self.0.root()
    }

    fn scan(
        &self,
        seen: &Seen,
        found: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), ScanError> {
        self.0.scan(seen, found)
    }

    fn session(&self, id: &SessionId) -> Option<Session> {
        self.0.session(id)
    }

    fn size(&self, id: &SessionId) -> io::Result<u64> {
        self.0.size(id).map(|_| bytes(id))
    }

    fn openness(&self) -> Option<HashMap<SessionId, Openness>> {
        let mut open = self.0.openness()?;
        for state in open.values_mut() {
            if let Openness::Open(holder) = state {
                *holder = steady(holder.clone());
            }
        }
        Some(open)
    }

    fn read(
        &self,
        id: &SessionId,
        view: View,
        window: Window,
        secrets: Secrets,
    ) -> io::Result<Page> {
        self.0.read(id, view, window, secrets)
    }

    fn log(&self, id: &SessionId) -> io::Result<Option<Box<dyn Read + Send>>> {
        self.0.log(id)
    }

    fn said(&self, line: &[u8]) -> Option<Said> {
        self.0.said(line)
    }

    fn usage(&self, lines: &[u8]) -> Usage {
        self.0.usage(lines)
    }

    fn changeable(&self) -> Result<(), Refusal> {
        self.0.changeable()
    }
    fn change(&self) -> Result<Box<dyn Change>, Refusal> {
        let change = self.0.change()?;
        Ok(Box::new(SteadyChange(change)))
    }

    fn pin(&self, pins: &[(SessionId, bool)]) -> Result<(), Refusal> {
        self.0.pin(pins)
    }
    fn hold(&self, id: &SessionId) -> Result<Hold, Refusal> {
        self.0.hold(id).map_err(refused)
    }

    fn trash(&self) -> io::Result<(Vec<TrashBatch>, Vec<Fault>)> {
        self.0.trash()
    }

    fn restore(&self, what: &Restore, watch: &dyn Watch) -> Result<RestoreReport, Refusal> {
        self.0.restore(what, watch)
    }
}

struct SteadyChange(Box<dyn Change>);

impl Change for SteadyChange {
    fn place(&self) -> Place {
        self.0.place()
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }

    fn removable(&self, purpose: Purpose) -> Result<(), Refusal> {
        self.0.removable(purpose)
    }

    fn purgeable(&self) -> Result<(), Refusal> {
        self.0.purgeable()
    }

    fn unseen(&self) -> Option<Vec<Holder>> {
        Some(Vec::new())
    }

    fn pins(&self) -> Result<HashSet<SessionId>, Refusal> {
        self.0.pins()
    }
    fn claim(&self, session: &Session, purpose: Purpose) -> Result<Box<dyn Claim + '_>, Refusal> {
        let claim = self.0.claim(session, purpose).map_err(refused)?;
        let id = session.id.clone();
        Ok(Box::new(SteadyClaim { claim, id }))
    }

    fn newcomers(
        &self,
        closeness: Closeness,
        known: &(dyn Fn(&SessionId) -> Option<Sighting> + Sync),
    ) -> Result<Vec<Newcomer>, Refusal> {
        self.0.newcomers(closeness, known)
    }

    fn size_in(&self, aside: &Aside, id: &SessionId) -> io::Result<u64> {
        self.0.size_in(aside, id).map(|_| bytes(id))
    }

    fn open_bin(&self, record: &Record) -> Result<Bin, Refusal> {
        self.0.open_bin(record)
    }

    fn sync(&self, aside: &Aside) -> Result<(), Refusal> {
        self.0.sync(aside)
    }

    fn note(&self, note: &Note<'_>) -> Result<(), SafeText> {
        self.0.note(note)
    }

    fn shelves(&self) -> Result<Vec<Shelved>, Refusal> {
        self.0.shelves()
    }

    fn open_purge(&self) -> Result<Purge<'_>, Refusal> {
        self.0.open_purge()
    }

    fn doomed(&self) -> Result<Vec<Doomed>, Refusal> {
        self.0.doomed()
    }
    fn doom(&self, doomed: &Doomed) {
        self.0.doom(doomed);
    }
    fn bring_back(&self, doomed: &Doomed) -> Result<(), Refusal> {
        self.0.bring_back(doomed)
    }
    fn told(&self) -> Vec<SafeText> {
        self.0.told()
    }
    fn clear(&self, watch: &dyn Watch) -> Vec<Leftover> {
        self.0.clear(watch)
    }
}

struct SteadyClaim<'a> {
    claim: Box<dyn Claim + 'a>,
    id: SessionId,
}

impl Claim for SteadyClaim<'_> {
    fn recheck(&mut self) -> Result<LogTime, Refusal> {
        self.claim.recheck()
    }

    fn read_at(&self) -> Option<DateTime<Utc>> {
        None
    }

    fn move_aside(&mut self, aside: &Aside) -> Result<(), Refusal> {
        self.claim.move_aside(aside)
    }

    fn put_back(&mut self, aside: &Aside) -> Result<(), Refusal> {
        self.claim.put_back(aside)
    }

    fn measure(self: Box<Self>) -> io::Result<u64> {
        self.claim.measure().map(|_| bytes(&self.id))
    }
}
