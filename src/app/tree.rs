//! The list's rows, the cursor, and what is folded.
//!
//! Invariants: the cursor is a session, not a place, and stays on it through everything but that
//! session's end; rows are made anew only when something changes; moving and drawing never look at
//! more than a screenful.

mod fold;
mod rows;

use chrono::{DateTime, Utc};

use super::chosen::{Chosen, Hits, run};
use super::scroll::{Scroll, Step};
use crate::filter::Score;
use crate::lineage::{Lineage, Node};
use crate::session::SessionId;
pub(crate) use fold::Folded;

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
    folded: Folded,
    shown: Vec<Shown>,
    /// Row of a node, by its index.
    places: Vec<Option<u32>>,
    /// What a node stands for when it is folded, by its index.
    inside: Vec<Inside>,
    /// How well the best at or below a node matches, by its index; empty: all match alike.
    best: Vec<Score>,
}

impl Tree {
    /// Makes the rows anew. `old`: the forest that the rows were of, if it was another one.
    pub(crate) fn flatten(&mut self, lineage: &Lineage, chosen: &Chosen, old: Option<&Lineage>) {
        let rows = std::mem::take(&mut self.rows);
        self.choose(lineage, chosen);
        self.measure(lineage);
        self.lay_out(lineage);
        if let (Some(old), Cursor::On(id)) = (old, &self.cursor)
            && lineage.find(id).is_none()
        {
            self.cursor = self.nearest(lineage, &rows, old);
        }
        self.follow(lineage);
    }

    /// Lays out the same sessions in another order, or folded in another way.
    pub(crate) fn arrange(&mut self, lineage: &Lineage) {
        self.lay_out(lineage);
        self.follow(lineage);
    }

    /// Scrolls to where the cursor is by now.
    fn follow(&mut self, lineage: &Lineage) {
        let line = self.scroll.at.saturating_sub(self.scroll.top);
        self.scroll.at = self.place(lineage);
        // The row stays where it was on the screen, whatever appeared above it.
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
        self.rank(lineage, chosen);
    }

    /// A tree goes by what in it matches best.
    fn rank(&mut self, lineage: &Lineage, chosen: &Chosen) {
        self.best.clear();
        let Some(hits) = chosen.hits.as_ref().filter(|hits| hits.filter.ranks()) else {
            return;
        };
        self.best.resize(lineage.len(), 0);
        for &node in lineage.downward().iter().rev() {
            let own = match self.shown[node.index()] {
                Shown::Yes => hits.scores[node.index()],
                Shown::Dim | Shown::No => 0,
            };
            let best = own.max(self.best[node.index()]);
            self.best[node.index()] = best;
            if let Some(parent) = lineage.parent(node) {
                let above = &mut self.best[parent.index()];
                *above = best.max(*above);
            }
        }
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

    /// The latest activity at or below a node, if what was active then has no row.
    pub(crate) fn hidden(&self, node: Node, lineage: &Lineage) -> Option<DateTime<Utc>> {
        let newest = lineage.newest(node);
        lineage
            .activity(newest)
            .filter(|_| self.row_of(newest).is_none())
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

    /// The filter is another one: the best hit stands for the cursor's session. Where all are alike
    /// that is the first, and only if the cursor's session is none.
    pub(crate) fn find_hit(&mut self, lineage: &Lineage, hits: &Hits) {
        self.stand_in = None;
        self.scroll.at = self.place(lineage);
        let itself = self.current().filter(|row| !row.dim);
        let itself =
            itself.is_some_and(|row| self.cursor == Cursor::On(lineage.get(row.node).id.clone()));
        if itself && !hits.filter.ranks() {
            return;
        }
        let score = |row: usize| {
            let Row { node, dim, .. } = self.rows[row];
            if dim { 0 } else { hits.scores[node.index()] }
        };
        // Of several the first.
        let best = (0..self.rows.len()).rev().max_by_key(|row| score(*row));
        if let Some(row) = best.filter(|row| score(*row) > 0) {
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

    /// What a node stands for when it is folded.
    pub(crate) fn inside(&self, node: Node) -> Inside {
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
}

#[cfg(test)]
mod tests;
