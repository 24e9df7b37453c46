//! The rows, laid out in full or, where something is folded, put in place of those that were there.
//!
//! Invariant: after any folding the rows are those that laying out everything would give.

use super::{Fold, LEVELS, Row, Shown, Tree};
use crate::lineage::{Lineage, Node};

impl Tree {
    pub(super) fn lay_out(&mut self, lineage: &Lineage) {
        self.rows = self.below(lineage.roots(), 0, 0, lineage);
        self.places = vec![None; lineage.len()];
        self.number(0);
    }

    /// What is folded or unfolded at a row is laid out anew, the rest moves.
    pub(super) fn lay_out_below(&mut self, at: usize, lineage: &Lineage) {
        let Row {
            node,
            depth,
            guides,
            ..
        } = self.rows[at];
        let deeper = |row: &&Row| row.depth > depth;
        let old = self.rows[at + 1..].iter().take_while(deeper).count();
        let old = at + 1..at + 1 + old;
        for row in &self.rows[old.clone()] {
            self.places[row.node.index()] = None;
        }
        let fold = self.fold_of(node, lineage);
        self.rows[at].fold = fold;
        let new = match fold {
            Fold::Open => self.below(lineage.children(node), depth + 1, guides, lineage),
            Fold::Leaf | Fold::Closed => Vec::new(),
        };
        self.rows.splice(old, new);
        self.number(at + 1);
    }

    /// The rows of siblings and of all that is unfolded below them.
    fn below(&self, siblings: &[Node], depth: u32, guides: u8, lineage: &Lineage) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut stack: Vec<(Node, u32, u8)> = Vec::new();
        self.push(&mut stack, siblings, depth, guides);
        while let Some((node, depth, guides)) = stack.pop() {
            let fold = self.fold_of(node, lineage);
            rows.push(Row {
                node,
                depth,
                guides,
                fold,
                dim: self.shown[node.index()] == Shown::Dim,
            });
            if fold == Fold::Open {
                self.push(&mut stack, lineage.children(node), depth + 1, guides);
            }
        }
        rows
    }

    fn fold_of(&self, node: Node, lineage: &Lineage) -> Fold {
        let mut children = lineage.children(node).iter();
        if !children.any(|child| self.shows(*child)) {
            Fold::Leaf
        } else if self.folded.has(&lineage.get(node).id) {
            Fold::Closed
        } else {
            Fold::Open
        }
    }

    /// Puts siblings on the stack, the first one on top.
    fn push(&self, stack: &mut Vec<(Node, u32, u8)>, siblings: &[Node], depth: u32, guides: u8) {
        let level = match depth {
            1..=LEVELS => 1 << (depth - 1),
            _ => 0,
        };
        let below = stack.len();
        let shown = siblings.iter().rev().filter(|node| self.shows(**node));
        stack.extend(shown.map(|&node| (node, depth, guides | level)));
        let pushed = &mut stack[below..];
        if !self.best.is_empty() {
            pushed.sort_by_key(|(node, ..)| self.best[node.index()]);
        }
        // No line goes on behind the last one, which is the lowest on the stack.
        if let Some((.., last)) = pushed.first_mut() {
            *last = guides;
        }
    }

    fn shows(&self, node: Node) -> bool {
        self.shown[node.index()] != Shown::No
    }

    /// Notes where the rows are, from one of them on.
    fn number(&mut self, from: usize) {
        for (row, at) in self.rows[from..].iter().zip(from..) {
            self.places[row.node.index()] = u32::try_from(at).ok();
        }
    }
}
