//! The list's rows, the cursor, and what is folded.
//!
//! Invariants: the cursor is a session, not a place, and stays on it through everything but that
//! session's end; rows are made anew only when other sessions are shown or in another order, and
//! folding one touches the rows below it alone; moving and drawing never look at more than a screenful.

mod fold;

use chrono::{DateTime, Utc};

use super::chosen::{Chosen, run};
use super::scroll::{Scroll, Step};
use crate::lineage::{Lineage, Node};
use crate::session::SessionId;
pub(crate) use fold::Folds;

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

/// Sums over what a node shows when it is folded, itself included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inside {
    pub(crate) count: usize,
    pub(crate) bytes: u64,
    /// Sessions whose size is not known yet.
    pub(crate) unmeasured: usize,
}

impl Inside {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.bytes += other.bytes;
        self.unmeasured += other.unmeasured;
    }
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
    folds: Folds,
    shown: Vec<Shown>,
    /// Whether a node has a row, by its index.
    has_row: Vec<bool>,
    /// What a node stands for when it is folded, by its index.
    inside: Vec<Inside>,
}

impl Tree {
    /// Makes everything anew. `old`: the forest that the rows were of, if it was another one.
    pub(crate) fn flatten(&mut self, lineage: &Lineage, chosen: &Chosen, old: Option<&Lineage>) {
        self.choose(lineage, chosen);
        self.measure(lineage);
        let rows = self.make_rows(lineage);
        if let (Some(old), Cursor::On(id)) = (old, &self.cursor)
            && lineage.find(id).is_none()
        {
            self.cursor = self.nearest(lineage, &rows, old);
        }
        self.follow(lineage);
    }

    /// Makes the rows of the same sessions anew: their order, or what is folded, is another one.
    pub(crate) fn lay_out(&mut self, lineage: &Lineage) {
        self.make_rows(lineage);
        self.follow(lineage);
    }

    /// The cursor's row, wherever that is now, stays where it was on the screen.
    fn follow(&mut self, lineage: &Lineage) {
        let line = self.scroll.at.saturating_sub(self.scroll.top);
        self.scroll.at = self.place(lineage);
        self.scroll.top = match self.cursor {
            Cursor::Top => 0,
            Cursor::On(_) => self.scroll.at.saturating_sub(line),
        };
    }

    fn choose(&mut self, lineage: &Lineage, chosen: &Chosen) {
        let mut hidden = vec![false; lineage.len()];
        let own = |node: Node| {
            let session = lineage.get(node);
            if !chosen.has(node, session) {
                return Shown::No;
            }
            hidden[node.index()] = !chosen.runs && run(session);
            if hidden[node.index()] {
                Shown::No
            } else {
                Shown::Yes
            }
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
        let shown = self.shown.iter().zip(hidden);
        let runs = shown.filter(|(shown, hidden)| *hidden && **shown == Shown::No);
        self.runs_hidden = runs.count();
    }

    /// Sums up what folded rows stand for.
    pub(crate) fn measure(&mut self, lineage: &Lineage) {
        let sessions = lineage.sessions().iter().zip(&self.shown);
        let own = sessions.map(|(session, shown)| match shown {
            Shown::No => Inside::default(),
            Shown::Dim | Shown::Yes => Inside {
                count: 1,
                bytes: session.bytes.unwrap_or(0),
                unmeasured: usize::from(session.bytes.is_none()),
            },
        });
        self.inside = own.collect();
        for &node in lineage.downward().iter().rev() {
            if let Some(parent) = lineage.parent(node) {
                let own = self.inside[node.index()];
                self.inside[parent.index()].add(own);
            }
        }
    }

    /// Makes the rows anew; gives back those that were.
    fn make_rows(&mut self, lineage: &Lineage) -> Vec<Row> {
        self.has_row = vec![false; lineage.len()];
        let rows = self.rows_of(lineage.roots(), 0, 0, lineage);
        std::mem::replace(&mut self.rows, rows)
    }

    /// The rows of siblings and of what is unfolded below them.
    fn rows_of(
        &mut self,
        siblings: &[Node],
        depth: u32,
        guides: u8,
        lineage: &Lineage,
    ) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut stack: Vec<(Node, u8)> = Vec::new();
        self.push(&mut stack, siblings, depth, guides);
        while let Some((node, guides)) = stack.pop() {
            let depth = lineage.depth(node);
            let children = lineage.children(node);
            let fold = if !children.iter().any(|child| self.shows(*child)) {
                Fold::Leaf
            } else if self.folds.has(&lineage.get(node).id) {
                Fold::Closed
            } else {
                Fold::Open
            };
            self.has_row[node.index()] = true;
            rows.push(Row {
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
        rows
    }

    /// The latest activity at or below a node, if what was active then has no row: a tree is ordered
    /// by it all the same.
    pub(crate) fn hidden(&self, node: Node, lineage: &Lineage) -> Option<DateTime<Utc>> {
        let newest = lineage.newest(node);
        lineage
            .latest(node)
            .filter(|_| !self.has_row[newest.index()])
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
            let shown = lineage.find(id).filter(|node| self.has_row[node.index()]);
            shown.map(|_| Cursor::On(id.clone()))
        };
        let outwards = (1..=rows.len()).flat_map(|far| [at.checked_add(far), at.checked_sub(far)]);
        outwards.flatten().find_map(still).unwrap_or_default()
    }

    /// Looked for row by row: whoever moves knows it already.
    fn row_of(&self, node: Node) -> Option<usize> {
        if !self.has_row[node.index()] {
            return None;
        }
        self.rows.iter().position(|row| row.node == node)
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

    /// What a node stands for when it is folded.
    pub(crate) fn inside(&self, node: Node) -> Inside {
        self.inside.get(node.index()).copied().unwrap_or_default()
    }

    /// Puts the cursor on a session that has a row; `false`: it has none.
    pub(crate) fn put(&mut self, id: &SessionId, lineage: &Lineage) -> bool {
        let here = self.current().filter(|row| lineage.get(row.node).id == *id);
        let row = match here {
            Some(_) => Some(self.scroll.at),
            None => lineage.find(id).and_then(|node| self.row_of(node)),
        };
        if let Some(row) = row {
            self.put_at(row, lineage);
        }
        row.is_some()
    }

    /// Puts the cursor on a row.
    pub(crate) fn put_at(&mut self, at: usize, lineage: &Lineage) {
        if let Some(row) = self.rows.get(at) {
            self.scroll.at = at;
            self.cursor = Cursor::On(lineage.get(row.node).id.clone());
            self.stand_in = None;
        }
    }

    /// Moves the cursor.
    pub(crate) fn go(&mut self, step: Step, page: usize, lineage: &Lineage) {
        let to = step.from(self.scroll.at, self.rows.len(), page);
        self.put_at(to, lineage);
    }
}

#[cfg(test)]
mod tests;
