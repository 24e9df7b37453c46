//! Sessions that are written while they are shown: an agent goes on with them.
//!
//! Invariant: the cost grows with what is drawn and open, never with the store.

use super::Model;
use super::msg::Effect;
use crate::session::{Session, SessionId};

/// The most sessions that are looked at again at a time.
const MOST: usize = 200;

impl Model {
    /// Asks whether what is drawn or open is still as it was seen; a scan under way tells anyway.
    pub(super) fn compare(&self) -> Option<Effect> {
        if self.known.scanning() {
            return None;
        }
        let drawn = &self.drawn.rows;
        let open = self.known.open().filter(|id| !drawn.contains(id));
        let seen = |id: &SessionId| Some((id.clone(), self.known.lineage.session(id)?.seen));
        let seen: Vec<_> = drawn
            .iter()
            .chain(open)
            .take(MOST)
            .filter_map(seen)
            .collect();
        (!seen.is_empty()).then_some(Effect::Compare(seen))
    }

    /// These are not as they were seen any more.
    pub(super) fn rewritten(&mut self, sessions: Vec<Session>) {
        if self.known.scanning() {
            // The scan may have seen them before, and its end would undo this.
            self.changed = true;
            return;
        }
        let ended = self.known.rewritten(sessions, self.now);
        self.renewed(&ended);
        self.count_again();
    }
}
