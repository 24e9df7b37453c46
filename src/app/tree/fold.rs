//! Folding: rows below one row taken out, and put in again.

use hashbrown::HashSet;

use super::{Fold, Tree};
use crate::lineage::Lineage;
use crate::session::SessionId;

/// Which sessions are folded: all or none, but for some.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folds {
    all: bool,
    others: HashSet<SessionId>,
}

impl Folds {
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
        let at = self.scroll.at;
        let Some(row) = self.current() else {
            return;
        };
        if row.fold == Fold::Open {
            self.folds.set(&lineage.get(row.node).id, true);
            self.rows[at].fold = Fold::Closed;
            let below = self.rows[at + 1..].iter();
            let below = below.take_while(|below| below.depth > row.depth).count();
            for gone in self.rows.drain(at + 1..=at + below) {
                self.has_row[gone.node.index()] = false;
            }
            self.put_at(at, lineage);
        } else if let Some(parent) = lineage.parent(row.node) {
            let above = self.rows[..at].iter();
            let above = above.rev().position(|above| above.node == parent);
            self.put_at(at - 1 - above.unwrap_or(0), lineage);
        }
    }

    /// Unfolds the row under the cursor, or goes to its first child.
    pub(crate) fn unfold(&mut self, lineage: &Lineage) {
        let at = self.scroll.at;
        match self.current() {
            Some(row) if row.fold == Fold::Closed => {
                self.folds.set(&lineage.get(row.node).id, false);
                self.rows[at].fold = Fold::Open;
                let children = lineage.children(row.node);
                let below = self.rows_of(children, row.depth + 1, row.guides, lineage);
                let next = at + 1;
                self.rows.splice(next..next, below);
                self.put_at(at, lineage);
            }
            Some(row) if row.fold == Fold::Open => self.put_at(at + 1, lineage),
            _ => {}
        }
    }

    /// Unfolds whatever a session is folded into.
    pub(crate) fn unfold_above(&mut self, id: &SessionId, lineage: &Lineage) {
        let node = lineage.find(id);
        for above in node.into_iter().flat_map(|node| lineage.ancestors(node)) {
            self.folds.set(&lineage.get(above).id, false);
        }
        self.lay_out(lineage);
    }

    /// Folds everything, or unfolds everything if nothing in the list is unfolded.
    pub(crate) fn fold_all(&mut self, lineage: &Lineage) {
        self.folds = Folds {
            all: self.rows.iter().any(|row| row.fold == Fold::Open),
            ..Folds::default()
        };
        self.lay_out(lineage);
        self.put_at(self.scroll.at, lineage);
    }

    /// Forgets what is folded, and says what that was.
    pub(crate) fn swap_folds(&mut self, folds: Folds) -> Folds {
        std::mem::replace(&mut self.folds, folds)
    }
}
