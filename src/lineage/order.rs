//! In what order siblings and roots come.
//!
//! Must never depend on the order of a listing: what is alike goes by id.

use chrono::{DateTime, Utc};

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
    /// Orders siblings and roots; ties go by id, so the order never depends on the disk's.
    pub fn sort(&mut self, by: Sort, reversed: bool) {
        let mut kin = std::mem::take(&mut self.kin);
        let sizes = match by {
            Sort::Size => self.subtree_bytes(),
            _ => Vec::new(),
        };
        let compare = |a: Node, b: Node| {
            let (s, t) = (self.get(a), self.get(b));
            let order = match by {
                Sort::Activity => self.latest(b).cmp(&self.latest(a)),
                Sort::Created => {
                    let (s, t) = (s.created_at, t.created_at);
                    self.believed(t).cmp(&self.believed(s))
                }
                Sort::Size => sizes[b.index()].cmp(&sizes[a.index()]),
                Sort::Title => s.name().cmp(t.name()),
                Sort::Project => s.project().cmp(t.project()),
            };
            let order = if reversed { order.reverse() } else { order };
            order.then_with(|| s.id.cmp(&t.id))
        };
        // Looked up once for each; most comparisons need no more.
        let rough = |node: Node| {
            let session = self.get(node);
            let rough = match by {
                Sort::Activity => latest_first(self.latest(node)),
                Sort::Created => latest_first(self.believed(session.created_at)),
                Sort::Size => !u128::from(sizes[node.index()]),
                Sort::Title => beginning(session.name()),
                Sort::Project => beginning(session.project()),
            };
            if reversed { !rough } else { rough }
        };
        let mut keyed: Vec<(u128, Node)> = Vec::new();
        for span in self.spans.windows(2).filter(|span| span[1] - span[0] > 1) {
            let siblings = &mut kin[span[0]..span[1]];
            keyed.clear();
            keyed.extend(siblings.iter().map(|&node| (rough(node), node)));
            keyed.sort_unstable_by(|(k, a), (l, b)| k.cmp(l).then_with(|| compare(*a, *b)));
            for (place, (_, node)) in siblings.iter_mut().zip(&keyed) {
                *place = *node;
            }
        }
        self.kin = kin;
    }
}

/// Less for what is later, most for what is unknown; times of one microsecond are alike.
fn latest_first(at: Option<DateTime<Utc>>) -> u128 {
    at.map_or(u128::MAX, |at| {
        let since_always = i128::from(at.timestamp_micros()) - i128::from(i64::MIN);
        u128::MAX - 1 - since_always.unsigned_abs()
    })
}

/// In the order of texts, as far as their first bytes tell.
fn beginning(text: &str) -> u128 {
    let mut first = [0; 16];
    let length = text.len().min(first.len());
    first[..length].copy_from_slice(&text.as_bytes()[..length]);
    u128::from_be_bytes(first)
}
