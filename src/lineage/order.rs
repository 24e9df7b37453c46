//! In what order siblings and roots come.
//!
//! Must never depend on the order of a listing: what is alike in all else goes by id.

use std::cmp::Reverse;

use super::{Lineage, Node};

/// What rows are ordered by. Siblings are ordered among themselves; a tree goes by the best of its members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Latest activity first.
    #[default]
    Activity,
    /// Latest beginning first.
    Created,
    /// Largest subtree first.
    Size,
    /// By title, A to Z.
    Title,
    /// By project, A to Z.
    Project,
}

impl Sort {
    /// Every order, as `o` steps through them.
    pub const ALL: [Self; 5] = [
        Self::Activity,
        Self::Created,
        Self::Size,
        Self::Title,
        Self::Project,
    ];

    /// The word in the list's title.
    pub fn word(self) -> &'static str {
        match self {
            Self::Activity => "activity",
            Self::Created => "created",
            Self::Size => "size",
            Self::Title => "title",
            Self::Project => "project",
        }
    }
}

impl Lineage {
    /// Orders siblings and roots. What is alike goes by its latest activity, whatever is reversed, and by
    /// id in the end, so the order never depends on the disk's.
    pub fn sort(&mut self, by: Sort, reversed: bool) {
        self.kin = match by {
            Sort::Activity => self.sorted(reversed, |node| Reverse(self.latest(node))),
            Sort::Created => self.sorted(reversed, |node| {
                Reverse(self.believed(self.get(node).created_at))
            }),
            Sort::Size => {
                let sizes = self.subtree_bytes();
                self.sorted(reversed, |node| Reverse(sizes[node.index()]))
            }
            Sort::Title => self.sorted(reversed, |node| text(self.get(node).name())),
            Sort::Project => self.sorted(reversed, |node| text(self.get(node).project())),
        };
    }

    /// `kin` by a key. Sessions are large, so keys are looked up once, in the order in which these lie in
    /// memory, and compared side by side.
    fn sorted<K: Ord + Copy>(&self, reversed: bool, key: impl Fn(Node) -> K) -> Vec<Node> {
        let key = |node| (key(node), Reverse(self.latest(node)));
        let keys: Vec<_> = self.nodes().map(key).collect();
        let kin = self.kin.iter().map(|node| (keys[node.index()], *node));
        let mut kin: Vec<_> = kin.collect();
        let id = |node: Node| &self.get(node).id;
        for span in self.spans.windows(2) {
            // What is in order already, one way or the other, takes one pass.
            kin[span[0]..span[1]].sort_by(|((key, latest), node), (other, other_node)| {
                let order = key.cmp(&other.0);
                let order = if reversed { order.reverse() } else { order };
                let order = order.then_with(|| latest.cmp(&other.1));
                order.then_with(|| id(*node).cmp(id(*other_node)))
            });
        }
        kin.into_iter().map(|(_, node)| node).collect()
    }
}

/// A text behind its beginning, which most comparisons need alone.
fn text(text: &str) -> (u128, &str) {
    let mut first = [0; 16];
    let length = text.len().min(first.len());
    first[..length].copy_from_slice(&text.as_bytes()[..length]);
    (u128::from_be_bytes(first), text)
}
