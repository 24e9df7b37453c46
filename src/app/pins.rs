//! `m`: what is pinned is kept by every prune, with its ancestors.
//!
//! Invariants: a session counts as pinned once the store says so, not when the key is pressed; a pin
//! that was asked for and is not answered is asked for again with the next, so none is lost.

use super::Model;
use super::msg::Effect;
use super::number::counted;
use crate::session::{Refusal, SessionId};

impl Model {
    /// Pins the selected, or this one; takes the pins away if all of them have one.
    pub(super) fn pin(&mut self, fx: &mut Vec<Effect>) {
        let lineage = &self.known.lineage;
        let mut ids: Vec<SessionId> = self.selected.iter().cloned().collect();
        if ids.is_empty() {
            let row = self.tree.current();
            ids.extend(row.map(|row| lineage.get(row.node).id.clone()));
        }
        let asked = &self.pins;
        let is_pinned = |id: &SessionId| match asked.get(id) {
            Some(pinned) => *pinned,
            None => lineage.session(id).is_some_and(|session| session.pinned),
        };
        let pin = !ids.iter().all(is_pinned);
        self.pins.extend(ids.into_iter().map(|id| (id, pin)));
        if !self.pins.is_empty() {
            let pins = self.pins.iter().map(|(id, pinned)| (id.clone(), *pinned));
            fx.push(Effect::Pin(pins.collect()));
        }
    }

    /// The store has answered.
    pub(super) fn pinned(
        &mut self,
        pins: &[(SessionId, bool)],
        outcome: Result<(), Refusal>,
        fx: &mut Vec<Effect>,
    ) {
        for (id, pinned) in pins {
            // What was asked for since is still to be answered.
            if self.pins.get(id) == Some(pinned) {
                self.pins.remove(id);
            }
        }
        match outcome {
            Ok(()) => {
                self.known.pinned(pins, self.now);
                self.count_again();
                self.tell_pins(pins);
            }
            Err(refusal) => {
                self.tell(&refusal.to_string());
                // Some of it may have been done.
                self.look_again(fx);
            }
        }
        if self.known.scanning() {
            // The scan may have read the pins before, and its end would undo this.
            self.look_again(fx);
        }
    }

    fn tell_pins(&mut self, pins: &[(SessionId, bool)]) {
        let (on, off): (Vec<_>, Vec<_>) = pins.iter().partition(|(_, pinned)| *pinned);
        let told = [(on.len(), "pinned"), (off.len(), "no longer pinned")];
        let told = told.iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told
            .map(|(count, what)| match (count, pins.len()) {
                (_, 1) => (*what).to_owned(),
                (count, _) => format!("{} {what}", counted(*count, "session")),
            })
            .collect();
        self.tell(&told.join(", "));
    }
}
