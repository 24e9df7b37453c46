//! Selecting rows.
//!
//! Invariant: what is selected are sessions, shown or not; they are counted on the screen as long as there are any.

use super::Model;
use super::keymap::Action;
use super::scroll::Step;
use crate::filter::Changing;
use crate::session::SessionId;

impl Model {
    pub(super) fn select(&mut self, action: Action) {
        let lineage = &self.known.lineage;
        let Some(row) = self.tree.current() else {
            return;
        };
        let id = |node| lineage.get(node).id.clone();
        match action {
            Action::SelectSubtree => {
                let ids: Vec<SessionId> = lineage.subtree(row.node).map(id).collect();
                self.toggle_all(ids);
            }
            Action::SelectAll => {
                let rows = self.tree.rows.iter().filter(|row| !row.dim);
                let ids: Vec<SessionId> = rows.map(|row| id(row.node)).collect();
                self.toggle_all(ids);
            }
            _ => {
                self.toggle_all(vec![id(row.node)]);
                self.tree.go(Step::Down, 1, &self.known.lineage);
            }
        }
    }

    /// Selects nothing.
    pub(super) fn select_none(&mut self) {
        self.selected.clear();
        self.selected_bytes = 0;
        self.filter_again(Changing::Marks);
    }

    /// Sums up what is selected.
    pub(super) fn weigh_selected(&mut self) {
        let lineage = &self.known.lineage;
        let sessions = self.selected.iter().filter_map(|id| lineage.session(id));
        self.selected_bytes = sessions.filter_map(|session| session.bytes).sum();
    }

    /// Selects them, or none of them if all are selected.
    fn toggle_all(&mut self, ids: Vec<SessionId>) {
        if ids.iter().all(|id| self.selected.contains(id)) {
            for id in &ids {
                self.selected.remove(id);
            }
        } else {
            self.selected.extend(ids);
        }
        self.weigh_selected();
        self.filter_again(Changing::Marks);
    }
}
