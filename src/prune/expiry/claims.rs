//! Which lots of sessions hold an ancestor of what stays.
//!
//! Must never: depend on the order of a listing, or end before the topmost ancestor.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use super::{Descendant, Whereabouts};
use crate::prune::report::Member;
use crate::session::SessionId;

/// Of each lot that does not stay anyway the session in it that keeps it all the same, and what that is
/// an ancestor of.
pub(in crate::prune) fn claimed(
    lots: &[&[Member]],
    living: &[(SessionId, SessionId)],
    stays: impl Fn(usize) -> bool,
) -> Vec<Option<(SessionId, Descendant)>> {
    let mut claims = Claims::new(lots, living);
    let mut goes: Vec<bool> = (0..lots.len()).map(|at| !stays(at)).collect();
    let mut claimed = vec![None; lots.len()];
    for (lot, _) in lots.iter().zip(&goes).filter(|(_, goes)| !**goes) {
        claims.stays(lot);
    }
    while let Some((session, of)) = claims.next() {
        for at in claims.lots(&session) {
            if std::mem::take(&mut goes[at]) {
                claimed[at] = Some((session.clone(), of.clone()));
                claims.stays(lots[at]);
            }
        }
    }
    claimed
}

/// Walks from what stays to its ancestors. Two folders of one id count as one session here: it
/// cannot be told which of them is meant.
struct Claims<'a> {
    parents: HashMap<&'a SessionId, BTreeSet<&'a SessionId>>,
    lots: HashMap<&'a SessionId, Vec<usize>>,
    seen: HashSet<&'a SessionId>,
    queue: VecDeque<(&'a SessionId, Descendant)>,
}

impl<'a> Claims<'a> {
    fn new(all: &[&'a [Member]], living: &'a [(SessionId, SessionId)]) -> Self {
        let mut parents: HashMap<_, BTreeSet<_>> = HashMap::new();
        let mut lots: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, members) in all.iter().enumerate() {
            for member in *members {
                parents
                    .entry(&member.id)
                    .or_default()
                    .extend(&member.parents);
                lots.entry(&member.id).or_default().push(at);
            }
        }
        let living: BTreeSet<_> = living.iter().map(|(id, parent)| (id, parent)).collect();
        let mut claims = Self {
            parents,
            lots,
            seen: HashSet::new(),
            queue: VecDeque::new(),
        };
        for &(id, parent) in &living {
            claims.parents.entry(id).or_default().insert(parent);
        }
        for (id, parent) in living {
            claims.claim(parent, id, Whereabouts::Store);
        }
        claims
    }

    fn claim(&mut self, parent: &'a SessionId, id: &SessionId, at: Whereabouts) {
        if self.seen.insert(parent) {
            let id = id.clone();
            self.queue.push_back((parent, Descendant { id, at }));
        }
    }

    /// All in a lot keeps its ancestors.
    fn stays(&mut self, members: &'a [Member]) {
        for member in members {
            for parent in &member.parents {
                self.claim(parent, &member.id, Whereabouts::Trash);
            }
        }
    }

    /// The next ancestor of something that stays.
    fn next(&mut self) -> Option<(SessionId, Descendant)> {
        let (id, of) = self.queue.pop_front()?;
        for parent in self.parents.get(id).cloned().unwrap_or_default() {
            if self.seen.insert(parent) {
                self.queue.push_back((parent, of.clone()));
            }
        }
        Some((id.clone(), of))
    }

    /// The lots that a session is in.
    fn lots(&self, id: &SessionId) -> Vec<usize> {
        self.lots.get(id).cloned().unwrap_or_default()
    }
}
