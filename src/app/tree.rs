//! The list's rows, the cursor, and what is folded.
//!
//! Invariants: the cursor is a session, not a place, and stays on it through everything but that
//! session's end; rows are made anew only when something changes; moving and drawing never look at
//! more than a screenful.

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use super::chosen::{Chosen, run};
use super::scroll::{Scroll, Step};
use crate::lineage::{Lineage, Node};
use crate::session::SessionId;

/// Levels that are indented; deeper ones are told by a number.
pub(crate) const LEVELS: u32 = 4;

/// One row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) node: Node,
    pub(crate) depth: u32,
    /// Bit `i`: a line goes on at level `i + 1`, to a later sibling of this row or of its ancestor there.
    pub(crate) guides: u8,
    pub(crate) fold: Fold,
    /// It is shown only for what descends from it.
    pub(crate) dim: bool,
}

/// Whether a row has rows below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    Leaf,
    Open,
    Closed,
}

/// Where the cursor is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Cursor {
    /// On the top row, whichever that is: no key was pressed yet.
    #[default]
    Top,
    /// On a session, whether its row is shown or not.
    On(SessionId),
}

/// Whether a session is in the list, folds aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    No,
    /// For what descends from it.
    Dim,
    Yes,
}

/// The list.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) rows: Vec<Row>,
    pub(crate) scroll: Scroll,
    /// Sessions in the list, folded ones too, those shown only for their descendants not.
    pub(crate) count: usize,
    /// Agents' own runs that would be in the list if they were shown.
    pub(crate) runs_hidden: usize,
    cursor: Cursor,
    /// A hit that stands for the cursor's session while a filter leaves that out.
    stand_in: Option<SessionId>,
    folded: HashSet<SessionId>,
    shown: Vec<Shown>,
    /// Row of a node, by its index.
    places: Vec<Option<u32>>,
    /// Sessions and bytes of what a node shows when it is folded, itself included, by its index.
    inside: Vec<(u32, u64)>,
    /// The latest activity below a node that no row shows, by its index.
    hidden: Vec<Option<DateTime<Utc>>>,
}

impl Tree {
    /// Makes the rows anew. `old`: the forest that the rows were of, if it was another one.
    pub(crate) fn flatten(&mut self, lineage: &Lineage, chosen: &Chosen, old: Option<&Lineage>) {
        let line = self.scroll.at.saturating_sub(self.scroll.top);
        let rows = std::mem::take(&mut self.rows);
        self.choose(lineage, chosen);
        self.measure(lineage);
        self.lay_out(lineage);
        self.find_hidden(lineage);
        if let (Some(old), Cursor::On(id)) = (old, &self.cursor)
            && lineage.find(id).is_none()
        {
            self.cursor = self.nearest(lineage, &rows, old);
        }
        self.scroll.at = self.place(lineage);
        // The row stays where it was on the screen, whatever appeared above it.
        self.scroll.top = match self.cursor {
            Cursor::Top => 0,
            Cursor::On(_) => self.scroll.at.saturating_sub(line),
        };
    }

    fn choose(&mut self, lineage: &Lineage, chosen: &Chosen) {
        let own = |node| match lineage.get(node) {
            session if !chosen.has(node, session) => Shown::No,
            session if run(session) && !chosen.runs => Shown::No,
            _ => Shown::Yes,
        };
        self.shown = lineage.nodes().map(own).collect();
        self.count = self.shown.iter().filter(|s| **s == Shown::Yes).count();
        for &node in lineage.downward().iter().rev() {
            if self.shown[node.index()] != Shown::No
                && let Some(parent) = lineage.parent(node)
            {
                let parent = &mut self.shown[parent.index()];
                *parent = (*parent).max(Shown::Dim);
            }
        }
        let shown = &self.shown;
        let hidden = lineage.nodes().filter(|node| {
            let session = lineage.get(*node);
            shown[node.index()] == Shown::No && run(session) && chosen.has(*node, session)
        });
        self.runs_hidden = hidden.count();
    }

    /// Sums up what folded rows stand for.
    pub(crate) fn measure(&mut self, lineage: &Lineage) {
        self.inside = vec![(0, 0); lineage.len()];
        for &node in lineage.downward().iter().rev() {
            if self.shown[node.index()] == Shown::No {
                continue;
            }
            let own = &mut self.inside[node.index()];
            own.0 += 1;
            own.1 += lineage.get(node).bytes.unwrap_or(0);
            let (count, bytes) = *own;
            if let Some(parent) = lineage.parent(node) {
                let parent = &mut self.inside[parent.index()];
                parent.0 += count;
                parent.1 += bytes;
            }
        }
    }

    fn lay_out(&mut self, lineage: &Lineage) {
        self.places = vec![None; lineage.len()];
        let mut stack: Vec<(Node, u8)> = Vec::new();
        self.push(&mut stack, lineage.roots(), 0, 0);
        while let Some((node, guides)) = stack.pop() {
            let depth = lineage.depth(node);
            let children = lineage.children(node);
            let fold = if !children.iter().any(|child| self.shows(*child)) {
                Fold::Leaf
            } else if self.folded.contains(&lineage.get(node).id) {
                Fold::Closed
            } else {
                Fold::Open
            };
            self.places[node.index()] = u32::try_from(self.rows.len()).ok();
            self.rows.push(Row {
                node,
                depth,
                guides,
                fold,
                dim: self.shown[node.index()] == Shown::Dim,
            });
            if fold == Fold::Open {
                self.push(&mut stack, children, depth + 1, guides);
            }
        }
    }

    /// Finds the activity that no row shows: a tree is ordered by it all the same.
    fn find_hidden(&mut self, lineage: &Lineage) {
        self.hidden = vec![None; lineage.len()];
        for &node in lineage.downward().iter().rev() {
            if let Some(parent) = lineage.parent(node) {
                let own = lineage.get(node).activity_at;
                let own = own.filter(|_| self.row_of(node).is_none());
                let latest = own.max(self.hidden[node.index()]);
                let above = &mut self.hidden[parent.index()];
                *above = latest.max(*above);
            }
        }
    }

    /// The latest activity at or below a node, if what was active then has no row.
    pub(crate) fn hidden(&self, node: Node, lineage: &Lineage) -> Option<DateTime<Utc>> {
        let hidden = self.hidden.get(node.index()).copied().flatten();
        hidden.filter(|at| Some(*at) == lineage.latest(node))
    }

    /// Puts siblings on the stack, the first one on top.
    fn push(&self, stack: &mut Vec<(Node, u8)>, siblings: &[Node], depth: u32, guides: u8) {
        let level = match depth {
            1..=LEVELS => 1 << (depth - 1),
            _ => 0,
        };
        let mut later = 0;
        for &node in siblings.iter().rev() {
            if self.shows(node) {
                stack.push((node, guides | later));
                later = level;
            }
        }
    }

    fn shows(&self, node: Node) -> bool {
        self.shown[node.index()] != Shown::No
    }

    /// The row of the cursor, or the one that stands for it while its own is not shown.
    fn place(&self, lineage: &Lineage) -> usize {
        let first = || self.rows.iter().position(|row| !row.dim).unwrap_or(0);
        let stand_in = self.stand_in.as_ref().and_then(|id| lineage.find(id));
        if let Some(row) = stand_in.and_then(|node| self.row_of(node)) {
            return row;
        }
        let Cursor::On(id) = &self.cursor else {
            return first();
        };
        let Some(node) = lineage.find(id) else {
            return first();
        };
        let itself = std::iter::once(node);
        let folded_into = itself.chain(lineage.ancestors(node));
        let mut rows = folded_into.filter_map(|node| self.row_of(node));
        rows.next().unwrap_or_else(first)
    }

    /// The filter is another one: unless the cursor's session is a hit, the first hit stands for it.
    pub(crate) fn find_hit(&mut self, lineage: &Lineage) {
        self.stand_in = None;
        self.scroll.at = self.place(lineage);
        let itself = self.current().filter(|row| !row.dim);
        if itself.is_some_and(|row| self.cursor == Cursor::On(lineage.get(row.node).id.clone())) {
            return;
        }
        if let Some(row) = self.rows.iter().position(|row| !row.dim) {
            self.scroll.at = row;
            self.stand_in = Some(lineage.get(self.rows[row].node).id.clone());
        }
    }

    /// There is no filter any more: the cursor is on its own session again.
    pub(crate) fn forget_hit(&mut self) {
        self.stand_in = None;
    }

    /// The session nearest to the cursor, which is gone, among the rows that were: below first.
    fn nearest(&self, lineage: &Lineage, rows: &[Row], old: &Lineage) -> Cursor {
        let at = self.scroll.at;
        let still = |row: usize| {
            let id = &old.get(rows.get(row)?.node).id;
            let shown = lineage.find(id).and_then(|node| self.row_of(node));
            shown.map(|_| Cursor::On(id.clone()))
        };
        let outwards = (1..=rows.len()).flat_map(|far| [at.checked_add(far), at.checked_sub(far)]);
        outwards.flatten().find_map(still).unwrap_or_default()
    }

    fn row_of(&self, node: Node) -> Option<usize> {
        self.places[node.index()].map(|row| row as usize)
    }

    /// The row under the cursor.
    pub(crate) fn current(&self) -> Option<Row> {
        self.rows.get(self.scroll.at).copied()
    }

    /// The rows drawn on a page of so many.
    pub(crate) fn drawn(&self, page: usize) -> &[Row] {
        let from = self.scroll.top.min(self.rows.len());
        let to = from.saturating_add(page).min(self.rows.len());
        &self.rows[from..to]
    }

    /// Sessions and bytes of what a node shows when it is folded, itself included.
    pub(crate) fn inside(&self, node: Node) -> (u32, u64) {
        self.inside.get(node.index()).copied().unwrap_or_default()
    }

    /// Puts the cursor on a session that has a row; `false`: it has none.
    pub(crate) fn put(&mut self, id: &SessionId, lineage: &Lineage) -> bool {
        let Some(row) = lineage.find(id).and_then(|node| self.row_of(node)) else {
            return false;
        };
        self.scroll.at = row;
        self.cursor = Cursor::On(id.clone());
        self.stand_in = None;
        true
    }

    /// Puts the cursor on a row.
    pub(crate) fn put_at(&mut self, row: usize, lineage: &Lineage) {
        if let Some(row) = self.rows.get(row) {
            let id = lineage.get(row.node).id.clone();
            self.put(&id, lineage);
        }
    }

    /// Moves the cursor.
    pub(crate) fn go(&mut self, step: Step, page: usize, lineage: &Lineage) {
        let to = step.from(self.scroll.at, self.rows.len(), page);
        self.put_at(to, lineage);
    }

    /// Folds the row under the cursor, or goes to its parent. `true`: the rows must be made anew.
    pub(crate) fn fold(&mut self, lineage: &Lineage) -> bool {
        let Some(row) = self.current() else {
            return false;
        };
        if row.fold == Fold::Open {
            return self.folded.insert(lineage.get(row.node).id.clone());
        }
        if let Some(parent) = lineage.parent(row.node) {
            let id = lineage.get(parent).id.clone();
            self.put(&id, lineage);
        }
        false
    }

    /// Unfolds the row under the cursor, or goes to its first child. `true`: the rows must be made anew.
    pub(crate) fn unfold(&mut self, lineage: &Lineage) -> bool {
        match self.current() {
            Some(row) if row.fold == Fold::Closed => self.folded.remove(&lineage.get(row.node).id),
            Some(row) if row.fold == Fold::Open => {
                self.put_at(self.scroll.at + 1, lineage);
                false
            }
            _ => false,
        }
    }

    /// Unfolds whatever a session is folded into.
    pub(crate) fn unfold_above(&mut self, id: &SessionId, lineage: &Lineage) {
        let node = lineage.find(id);
        for above in node.into_iter().flat_map(|node| lineage.ancestors(node)) {
            self.folded.remove(&lineage.get(above).id);
        }
    }

    /// Folds everything, or unfolds everything if nothing in the list is unfolded.
    pub(crate) fn fold_all(&mut self, lineage: &Lineage) {
        if self.rows.iter().any(|row| row.fold == Fold::Open) {
            let parents = lineage.nodes().filter(|n| !lineage.children(*n).is_empty());
            self.folded = parents.map(|n| lineage.get(n).id.clone()).collect();
        } else {
            self.folded.clear();
        }
    }

    /// Forgets what is folded, and says what that was.
    pub(crate) fn swap_folded(&mut self, folded: HashSet<SessionId>) -> HashSet<SessionId> {
        std::mem::replace(&mut self.folded, folded)
    }
}

#[cfg(test)]
mod tests;
