//! What waits for the loop.
//!
//! Invariant: nothing that workers tell is lost while the loop waits for something else.

use std::collections::VecDeque;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use super::Event;
use crate::app::msg::Msg;

/// The loop's end of the channel, and what was put off.
pub(super) struct Inbox {
    events: Receiver<Event>,
    put_off: VecDeque<Event>,
}

impl Inbox {
    pub(super) fn new(events: Receiver<Event>) -> Self {
        Self {
            events,
            put_off: VecDeque::new(),
        }
    }

    /// The next event, if it comes in time: first what was put off.
    pub(super) fn next(&mut self, wait: Duration) -> Option<Event> {
        let first = self.put_off.pop_front();
        first.or_else(|| self.fresh(wait))
    }

    /// The next event that was not put off, if it comes in time.
    pub(super) fn fresh(&mut self, wait: Duration) -> Option<Event> {
        self.events.recv_timeout(wait).ok()
    }

    /// Keeps an event for later. That the store has changed is worth knowing once.
    pub(super) fn keep(&mut self, event: Event) {
        let known = |event: &Event| matches!(event, Event::Told(Msg::StoreChanged));
        if !(known(&event) && self.put_off.iter().any(known)) {
            self.put_off.push_back(event);
        }
    }

    /// Waits for an event and keeps it for later.
    pub(super) fn put_off(&mut self, wait: Duration) {
        if let Some(event) = self.fresh(wait) {
            self.keep(event);
        }
    }
}
