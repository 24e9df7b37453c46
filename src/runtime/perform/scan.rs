//! A scan told part by part: what the first screen shows at once, the rest in larger parts.

use std::ops::ControlFlow;
use std::time::Instant;

use super::PART;
use crate::app::msg::{Generation, Msg, ScanTrouble};
use crate::runtime::lane::Stop;
use crate::session::{Fault, Seen, Session, SessionId};
use crate::store::{Found, ScanError, Store};
use crate::text::SafeText;

/// The first part, in sessions: enough for the first screen.
const FIRST_PART: usize = 64;
/// The largest part, in sessions.
const LARGEST_PART: usize = 1_000;

pub(super) fn scan(
    store: &dyn Store,
    generation: Generation,
    seen: &Seen,
    stop: &Stop,
    send: &dyn Fn(Msg),
) {
    send(Msg::Changeable(store.changeable()));
    let mut part = ScanPart::new(generation, send);
    let outcome = store.scan(seen, &mut |found| {
        if stop.asked() {
            return ControlFlow::Break(());
        }
        part.add(found);
        ControlFlow::Continue(())
    });
    part.flush();
    let outcome = outcome.map_err(|trouble| match trouble {
        ScanError::Missing(_) => ScanTrouble::Missing,
        unreadable @ ScanError::Unreadable(..) => {
            ScanTrouble::Unreadable(SafeText::line(&unreadable.to_string()))
        }
    });
    send(Msg::ScanEnded {
        generation,
        outcome,
    });
}

/// What a scan has found and not told yet.
struct ScanPart<'a> {
    generation: Generation,
    send: &'a dyn Fn(Msg),
    sessions: Vec<Session>,
    same: Vec<(SessionId, bool)>,
    faults: Vec<Fault>,
    room: usize,
    since: Instant,
}

impl<'a> ScanPart<'a> {
    fn new(generation: Generation, send: &'a dyn Fn(Msg)) -> Self {
        Self {
            generation,
            send,
            sessions: Vec::new(),
            same: Vec::new(),
            faults: Vec::new(),
            room: FIRST_PART,
            since: Instant::now(),
        }
    }

    fn add(&mut self, found: Found) {
        match found {
            Found::Session(session) => self.sessions.push(session),
            // Nobody waits to see these: they go with the others.
            Found::Same(id, pinned) => return self.same.push((id, pinned)),
            Found::Fault(fault) => self.faults.push(fault),
        }
        let count = self.sessions.len() + self.faults.len();
        if count >= self.room || self.since.elapsed() >= PART {
            self.flush();
            self.room = (self.room * 2).min(LARGEST_PART);
        }
    }

    fn flush(&mut self) {
        self.since = Instant::now();
        if self.sessions.is_empty() && self.same.is_empty() && self.faults.is_empty() {
            return;
        }
        (self.send)(Msg::Scanned {
            generation: self.generation,
            sessions: std::mem::take(&mut self.sessions),
            same: std::mem::take(&mut self.same),
            faults: std::mem::take(&mut self.faults),
        });
    }
}
