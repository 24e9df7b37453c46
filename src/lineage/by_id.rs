//! Sessions found by their ids.

use std::hash::BuildHasher as _;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::Node;
use crate::session::{Session, SessionId};

/// Where each session is. The ids are in the sessions alone: at a hundred thousand, room counts.
#[derive(Clone, Debug, Default)]
pub(super) struct ById {
    nodes: HashTable<Node>,
    hash: DefaultHashBuilder,
}

impl ById {
    /// Of sessions, from which those are taken out whose id came before.
    pub(super) fn of(sessions: &mut Vec<Session>) -> Self {
        let mut by_id = Self {
            nodes: HashTable::with_capacity(sessions.len()),
            hash: DefaultHashBuilder::default(),
        };
        let mut kept = 0;
        for at in 0..sessions.len() {
            let (before, rest) = sessions.split_at(at);
            let id = &rest[0].id;
            let hash = by_id.hash.hash_one(id);
            let same = |node: &Node| before[node.index()].id == *id;
            let rehash = |node: &Node| by_id.hash.hash_one(&before[node.index()].id);
            if let Entry::Vacant(free) = by_id.nodes.entry(hash, same, rehash) {
                free.insert(Node::at(kept));
                sessions.swap(kept, at);
                kept += 1;
            }
        }
        sessions.truncate(kept);
        by_id
    }

    pub(super) fn find(&self, id: &SessionId, sessions: &[Session]) -> Option<Node> {
        let same = |node: &Node| sessions[node.index()].id == *id;
        self.nodes.find(self.hash.hash_one(id), same).copied()
    }
}
