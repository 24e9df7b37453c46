//! What is folded, and the keys for that.

use hashbrown::HashSet;

use super::{Fold, Tree};
use crate::lineage::Lineage;
use crate::session::SessionId;

/// Which sessions are folded: none, or all, but for some.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folded {
    all: bool,
    others: HashSet<SessionId>,
}

impl Folded {
    pub(super) fn has(&self, id: &SessionId) -> bool {
        self.all != self.others.contains(id)
    }

    fn set(&mut self, id: &SessionId, folded: bool) {
        if folded == self.all {
            self.others.remove(id);
        } else {
            self.others.insert(id.clone());
        }
    }
}

impl Tree {
    /// Folds the row under the cursor, or goes to its parent.
    pub(crate) fn fold(&mut self, lineage: &Lineage) {
        let Some(row) = self.current() else { return };
        if row.fold == Fold::Open {
            self.folded.set(&lineage.get(row.node).id, true);
            self.lay_out_below(self.scroll.at, lineage);
            self.put_at(self.scroll.at, lineage);
        } else if let Some(parent) = lineage.parent(row.node) {
            let id = lineage.get(parent).id.clone();
            self.put(&id, lineage);
        }
    }

    /// Unfolds the row under the cursor, or goes to its first child.
    pub(crate) fn unfold(&mut self, lineage: &Lineage) {
        let Some(row) = self.current() else { return };
        match row.fold {
            Fold::Leaf => {}
            Fold::Open => self.put_at(self.scroll.at + 1, lineage),
            Fold::Closed => {
                self.folded.set(&lineage.get(row.node).id, false);
                self.lay_out_below(self.scroll.at, lineage);
                self.put_at(self.scroll.at, lineage);
            }
        }
    }

    /// Unfolds whatever a session is folded into.
    pub(crate) fn unfold_above(&mut self, id: &SessionId, lineage: &Lineage) {
        let node = lineage.find(id);
        for above in node.into_iter().flat_map(|node| lineage.ancestors(node)) {
            self.folded.set(&lineage.get(above).id, false);
        }
        self.arrange(lineage);
    }

    /// Folds everything, or unfolds everything if nothing in the list is unfolded.
    pub(crate) fn fold_all(&mut self, lineage: &Lineage) {
        self.folded = Folded {
            all: self.rows.iter().any(|row| row.fold == Fold::Open),
            others: HashSet::new(),
        };
        self.arrange(lineage);
        self.put_at(self.scroll.at, lineage);
    }

    /// Forgets what is folded, and says what that was.
    pub(crate) fn swap_folded(&mut self, folded: Folded) -> Folded {
        std::mem::replace(&mut self.folded, folded)
    }
}
