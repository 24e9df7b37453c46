//! Who descends from whom: the forest of a store's sessions.
//!
//! Invariants: every session is in the forest exactly once; walking it ends,
//! whatever the parents say; nothing here recurses, so a chain of any length is safe.
//! A missing parent makes its children roots that say so; the members of a cycle
//! are roots, each marked, and what hangs off them stays below them.

mod by_id;
mod order;

use std::collections::HashMap;

use by_id::ById;
use chrono::{DateTime, Utc};
pub use order::Sort;

use crate::session::{Openness, Session, SessionId};

/// A session's place in its [`Lineage`]; meaningless in another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(u32);

impl Node {
    fn at(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 sessions"))
    }

    /// Position in [`Lineage::sessions`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a session is tied to its parent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tie {
    /// It has none, or it is in the forest.
    #[default]
    Whole,
    /// It names one that is not in the store.
    ParentGone,
    /// It descends from itself.
    Cycle,
}

/// The forest.
#[derive(Clone, Debug, Default)]
pub struct Lineage {
    sessions: Vec<Session>,
    by_id: ById,
    parents: Vec<Option<Node>>,
    ties: Vec<Tie>,
    depths: Vec<u32>,
    /// Children of node `i`: `kin[spans[i]..spans[i + 1]]`; the roots are the last span.
    kin: Vec<Node>,
    spans: Vec<usize>,
    /// Parents before children.
    downward: Vec<Node>,
    /// Who in the subtree was active last, the topmost of several.
    newest: Vec<Node>,
    /// Later times are not believed; `None`: all are.
    horizon: Option<DateTime<Utc>>,
}

impl Lineage {
    /// Builds the forest, in [`Sort::Activity`] order. Of two sessions with one id the first is taken.
    pub fn new(sessions: Vec<Session>) -> Self {
        let mut lineage = Self::unsorted(sessions);
        lineage.sort(Sort::Activity, false);
        lineage
    }

    /// The same, without any order among siblings and roots: [`Lineage::sort`] is to follow, if that
    /// matters.
    pub fn unsorted(mut sessions: Vec<Session>) -> Self {
        let by_id = ById::of(&mut sessions);
        let named: Vec<Option<Node>> = sessions
            .iter()
            .map(|session| by_id.find(session.parent.as_ref()?, &sessions))
            .collect();
        let in_cycle = cycles(&named);
        let ties = sessions.iter().enumerate().map(|(i, session)| {
            if in_cycle[i] {
                Tie::Cycle
            } else if session.parent.is_some() && named[i].is_none() {
                Tie::ParentGone
            } else {
                Tie::Whole
            }
        });
        let mut lineage = Self {
            ties: ties.collect(),
            parents: named
                .iter()
                .enumerate()
                .map(|(i, parent)| parent.filter(|_| !in_cycle[i]))
                .collect(),
            depths: vec![0; sessions.len()],
            sessions,
            by_id,
            ..Self::default()
        };
        lineage.gather();
        lineage.rank();
        lineage
    }

    /// Fills `kin`, `spans`, `downward` and `depths` from `parents`.
    fn gather(&mut self) {
        let count = self.sessions.len();
        let slot = |parent: Option<Node>| parent.map_or(count, Node::index);
        self.spans = vec![0; count + 2];
        for &parent in &self.parents {
            self.spans[slot(parent) + 1] += 1;
        }
        for i in 0..=count {
            self.spans[i + 1] += self.spans[i];
        }
        let mut free = self.spans.clone();
        self.kin = vec![Node(0); count];
        for (i, &parent) in self.parents.iter().enumerate() {
            let place = &mut free[slot(parent)];
            self.kin[*place] = Node::at(i);
            *place += 1;
        }
        self.downward = self.roots().to_vec();
        let mut next = 0;
        while let Some(&node) = self.downward.get(next) {
            let (from, to) = (self.spans[node.index()], self.spans[node.index() + 1]);
            for child in from..to {
                let child = self.kin[child];
                self.depths[child.index()] = self.depths[node.index()] + 1;
                self.downward.push(child);
            }
            next += 1;
        }
    }

    /// Ranks nothing by a time later than `horizon` from now on: no clock that was wrong once is to keep
    /// a session on top for ever. [`Lineage::sort`] is to follow.
    pub fn believe_until(&mut self, horizon: DateTime<Utc>) {
        self.horizon = Some(horizon);
        self.rank();
    }

    /// Fills `newest`.
    fn rank(&mut self) {
        self.newest = self.nodes().collect();
        for &node in self.downward.iter().rev() {
            if let Some(parent) = self.parents[node.index()]
                && self.latest(node) > self.latest(parent)
            {
                self.newest[parent.index()] = self.newest[node.index()];
            }
        }
    }

    /// What each subtree takes on disk, in bytes, by node index; what is not measured yet counts as nothing.
    pub fn subtree_bytes(&self) -> Vec<u64> {
        let mut sums: Vec<u64> = self.sessions.iter().map(|s| s.bytes.unwrap_or(0)).collect();
        for &node in self.downward.iter().rev() {
            if let Some(parent) = self.parents[node.index()] {
                sums[parent.index()] += sums[node.index()];
            }
        }
        sums
    }

    /// How many sessions.
    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// All sessions, in no order that means anything.
    pub fn sessions(&self) -> &[Session] {
        &self.sessions
    }

    /// Every node, as [`Lineage::sessions`] has them.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = Node> + use<> {
        (0..self.sessions.len()).map(Node::at)
    }

    /// The session at a node.
    pub fn get(&self, node: Node) -> &Session {
        &self.sessions[node.index()]
    }

    /// Where a session is.
    pub fn find(&self, id: &SessionId) -> Option<Node> {
        self.by_id.find(id, &self.sessions)
    }

    /// The session of that id.
    pub fn session(&self, id: &SessionId) -> Option<&Session> {
        self.find(id).map(|node| self.get(node))
    }

    /// The parent, if it is in the forest.
    pub fn parent(&self, node: Node) -> Option<Node> {
        self.parents[node.index()]
    }

    /// The children, in the current order.
    pub fn children(&self, node: Node) -> &[Node] {
        &self.kin[self.spans[node.index()]..self.spans[node.index() + 1]]
    }

    /// The sessions at the top level, in the current order.
    pub fn roots(&self) -> &[Node] {
        match self.sessions.len() {
            0 => &[],
            count => &self.kin[self.spans[count]..],
        }
    }

    /// Every node, parents before children; reversed: children before parents.
    pub fn downward(&self) -> &[Node] {
        &self.downward
    }

    /// How a session is tied to its parent.
    pub fn tie(&self, node: Node) -> Tie {
        self.ties[node.index()]
    }

    /// Number of ancestors.
    pub fn depth(&self, node: Node) -> u32 {
        self.depths[node.index()]
    }

    fn believed(&self, at: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
        at.filter(|at| self.horizon.is_none_or(|horizon| *at <= horizon))
    }

    /// The session's activity; `None` if it cannot be read, or is not believed.
    pub fn activity(&self, node: Node) -> Option<DateTime<Utc>> {
        self.believed(self.get(node).activity_at)
    }

    /// The latest activity in the subtree; `None` if none of it can be read, or is believed.
    pub fn latest(&self, node: Node) -> Option<DateTime<Utc>> {
        self.activity(self.newest(node))
    }

    /// Who in the subtree was active last; of several the topmost, or the first.
    pub fn newest(&self, node: Node) -> Node {
        self.newest[node.index()]
    }

    /// The ancestors, nearest first.
    pub fn ancestors(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        std::iter::successors(self.parent(node), |&node| self.parent(node))
    }

    /// The node and all below it, in display order (each before its children).
    pub fn subtree(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let mut stack = vec![node];
        std::iter::from_fn(move || {
            let next = stack.pop()?;
            stack.extend(self.children(next).iter().rev());
            Some(next)
        })
    }

    /// The whole forest in display order.
    pub fn display(&self) -> impl Iterator<Item = Node> + '_ {
        self.roots().iter().flat_map(|&root| self.subtree(root))
    }

    /// Takes in what a session is now: it has the parent that it had. [`Lineage::believe_until`] is to
    /// follow. Unknown ids are passed over.
    pub fn renew(&mut self, session: Session) {
        if let Some(node) = self.find(&session.id) {
            self.sessions[node.index()] = session;
        }
    }

    /// Notes what a session takes on disk; unknown ids are passed over.
    pub fn set_bytes(&mut self, id: &SessionId, bytes: u64) {
        if let Some(node) = self.find(id) {
            self.sessions[node.index()].bytes = Some(bytes);
        }
    }

    /// Notes whether a session is pinned; unknown ids are passed over.
    pub fn set_pinned(&mut self, id: &SessionId, pinned: bool) {
        if let Some(node) = self.find(id) {
            self.sessions[node.index()].pinned = pinned;
        }
    }

    /// Replaces what is known of who holds what; sessions not in `open` have no sign of a holder.
    pub fn set_open(&mut self, open: &HashMap<SessionId, Openness>) {
        for session in &mut self.sessions {
            session.open = open.get(&session.id).cloned().unwrap_or_default();
        }
    }

    /// Notes that this system does not tell who holds what.
    pub fn set_open_unknown(&mut self) {
        for session in &mut self.sessions {
            session.open = Openness::Unknown;
        }
    }

    /// The sessions back, for building another forest.
    pub fn into_sessions(self) -> Vec<Session> {
        self.sessions
    }
}

/// Which nodes are members of a cycle (not those that merely hang off one).
fn cycles(parents: &[Option<Node>]) -> Vec<bool> {
    // `walk[i]`: the number of the walk that first came by, 0: none yet. A walk that meets
    // itself has found a cycle; one that meets an earlier walk ends there.
    let mut walk = vec![0u32; parents.len()];
    let mut in_cycle = vec![false; parents.len()];
    for start in 0..parents.len() {
        let number = u32::try_from(start).unwrap_or(u32::MAX - 1) + 1;
        let mut at = Some(Node::at(start));
        while let Some(node) = at.filter(|node| walk[node.index()] == 0) {
            walk[node.index()] = number;
            at = parents[node.index()];
        }
        let Some(entry) = at.filter(|node| walk[node.index()] == number) else {
            continue;
        };
        let mut member = entry;
        while !in_cycle[member.index()] {
            in_cycle[member.index()] = true;
            member = parents[member.index()].unwrap_or(member);
        }
    }
    in_cycle
}

#[cfg(test)]
mod tests;
