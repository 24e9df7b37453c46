//! What is to become of each session, as far as the policy and the lineage tell.
//!
//! Must never: let go what the policy does not name, what is odd in any way, or an ancestor of
//! what stays; or depend on the order of a listing.

use std::collections::HashMap;

use chrono::{DateTime, TimeZone, Utc};

use super::plan::{KeepReason, Verdict};
use super::policy::{Age, Policy, Scope};
use crate::lineage::{Lineage, Node, Tie};
use crate::session::{Condition, Place, Session, SessionId, Sighting};

/// What a prune would make of a session, as far as can be said without its locks: for showing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outlook {
    /// It stays by itself.
    #[default]
    Stays,
    /// It is old, but an ancestor of one that stays.
    Ancestor,
    /// It would go.
    Goes,
}

/// The outlook of every node, by its index. Sessions known to be open stay.
pub fn outlook(lineage: &Lineage, policy: &Policy) -> Vec<Outlook> {
    let own = own_verdicts(lineage, policy);
    let open = |node: Node| lineage.get(node).open.holder().is_some();
    let settled = with_ancestors(lineage, &own, open);
    let outlook = lineage.nodes().map(|node| match &settled[node.index()] {
        _ if open(node) => Outlook::Stays,
        Some(Verdict::Remove) => Outlook::Goes,
        Some(Verdict::Keep(KeepReason::AncestorOf(_))) => Outlook::Ancestor,
        _ => Outlook::Stays,
    });
    outlook.collect()
}

/// Each session by itself; `None`: not a candidate, it stays and is not told.
pub(super) fn own_verdicts(lineage: &Lineage, policy: &Policy) -> Vec<Option<Verdict>> {
    let cutoff = policy.cutoff();
    let links = links(lineage);
    let own = |node| {
        let session = lineage.get(node);
        let verdict = own_verdict(session, lineage.tie(node), policy, cutoff)?;
        Some(match links.get(&session.seen.place()) {
            Some(link) if verdict == Verdict::Remove => {
                Verdict::Keep(KeepReason::LedTo((*link).clone()))
            }
            _ => verdict,
        })
    };
    lineage.nodes().map(own).collect()
}

/// The links in the store by the folders that they lead to. What cannot be read may be a link too, and
/// is no candidate.
fn links(lineage: &Lineage) -> HashMap<Place, &SessionId> {
    let sessions = lineage.sessions().iter();
    let links = sessions.filter(|session| {
        let odd = matches!(session.condition, Condition::Linked | Condition::Damaged(_));
        odd && session.seen != Sighting::default()
    });
    let mut led_to = HashMap::new();
    for link in links {
        let named = led_to.entry(link.seen.place()).or_insert(&link.id);
        *named = (*named).min(&link.id);
    }
    led_to
}

fn own_verdict(
    session: &Session,
    tie: Tie,
    policy: &Policy,
    cutoff: DateTime<Utc>,
) -> Option<Verdict> {
    let chosen = match &policy.scope {
        Scope::All => false,
        Scope::Chosen(ids) if ids.contains(&session.id) => true,
        Scope::Chosen(_) => return None,
    };
    let keep = |reason| Some(Verdict::Keep(reason));
    let active = session.last_change();
    if let Condition::Remnant(Some(changed)) = session.condition
        && changed > policy.now - Age::MIN.span()
        && changed <= policy.now
        && !session.pinned
    {
        return keep(KeepReason::YoungRemnant);
    }
    let recent = active.is_some_and(|at| at >= cutoff && at <= policy.now);
    if recent {
        return if chosen {
            keep(KeepReason::TooYoung)
        } else {
            None
        };
    }
    let damaged = matches!(session.condition, Condition::Damaged(_));
    if session.pinned && !damaged {
        return keep(KeepReason::Pinned);
    }
    if !matches!(
        session.condition,
        Condition::Sound | Condition::Remnant(Some(_))
    ) {
        return keep(KeepReason::Condition(session.condition.clone()));
    }
    let dawn = Utc.with_ymd_and_hms(2020, 1, 1, 0, 0, 0).single();
    match active {
        None => keep(KeepReason::Undated),
        Some(at) if at > policy.now => keep(KeepReason::Future),
        Some(at) if Some(at) < dawn => keep(KeepReason::TooOld),
        Some(_) if tie == Tie::Cycle => keep(KeepReason::Cycle),
        Some(_) => Some(Verdict::Remove),
    }
}

/// Turns the ancestors of what stays to `Keep(AncestorOf)`. Which descendant is named does not
/// depend on the order of the listing: the most recently active, then the least id.
pub(super) fn with_ancestors(
    lineage: &Lineage,
    own: &[Option<Verdict>],
    stays_anyway: impl Fn(Node) -> bool,
) -> Vec<Option<Verdict>> {
    let mut settled = own.to_vec();
    let mut causes: Vec<Option<Node>> = vec![None; own.len()];
    let rank = |node: Node| {
        let session = lineage.get(node);
        (session.activity_at, std::cmp::Reverse(session.id.clone()))
    };
    for &node in lineage.downward().iter().rev() {
        let goes = settled[node.index()] == Some(Verdict::Remove) && !stays_anyway(node);
        let cause = match causes[node.index()] {
            Some(cause) if goes => {
                let id = lineage.get(cause).id.clone();
                settled[node.index()] = Some(Verdict::Keep(KeepReason::AncestorOf(id)));
                cause
            }
            None if goes => continue,
            _ => node,
        };
        if let Some(parent) = lineage.parent(node) {
            let named = &mut causes[parent.index()];
            *named = match *named {
                Some(other) if rank(other) >= rank(cause) => Some(other),
                _ => Some(cause),
            };
        }
    }
    settled
}
