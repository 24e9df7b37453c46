use chrono::{TimeDelta, Utc};
use proptest::prelude::*;

use super::*;
use crate::session::{Agent, Condition, SessionKind, Sighting};
use crate::text::SafeText;

fn session(id: &str, parent: &str, age: i64) -> Session {
    Session {
        agent: Agent::Zero,
        id: SessionId::parse(id).unwrap(),
        title: SafeText::line(id),
        kind: SessionKind::Main,
        cwd: None,
        model: None,
        parent: SessionId::parse(parent),
        created_at: None,
        activity_at: Some(DateTime::<Utc>::UNIX_EPOCH + TimeDelta::days(1000 - age)),
        events: None,
        condition: Condition::Sound,
        bytes: Some(1),
        open: Openness::NoSign,
        pinned: false,
        seen: Sighting::default(),
    }
}

fn forest(sessions: &[(&str, &str, i64)]) -> Lineage {
    let build = |&(id, parent, age): &(&str, &str, i64)| session(id, parent, age);
    Lineage::new(sessions.iter().map(build).collect())
}

/// `a(b(c))d`: the whole forest in display order.
fn drawn(lineage: &Lineage) -> String {
    let mut text = String::new();
    let mut depth = 0;
    for node in lineage.display() {
        let at = lineage.depth(node);
        if at > depth {
            text.push('(');
        }
        text.extend((at..depth).map(|_| ')'));
        text.push_str(lineage.get(node).id.as_str());
        depth = at;
    }
    text.extend((0..depth).map(|_| ')'));
    text
}

#[test]
fn a_tree_is_ranked_by_its_most_recent_member() {
    let lineage = forest(&[
        ("a", "", 90),
        ("b", "a", 60),
        ("c", "b", 1),
        ("d", "", 5),
        ("e", "a", 50),
    ]);
    assert_eq!(drawn(&lineage), "a(b(c)e)d");
}

#[test]
fn every_order_can_be_reversed_and_goes_by_id_in_the_end() {
    let mut lineage = forest(&[("b", "", 1), ("a", "", 1), ("d", "", 2), ("c", "d", 3)]);
    assert_eq!(drawn(&lineage), "abd(c)");
    lineage.sort(Sort::Activity, true);
    assert_eq!(drawn(&lineage), "d(c)ab");
    lineage.sort(Sort::Size, false);
    assert_eq!(drawn(&lineage), "d(c)ab");
    lineage.sort(Sort::Title, true);
    assert_eq!(drawn(&lineage), "d(c)ba");
}

#[test]
fn a_missing_parent_makes_a_root_that_says_so() {
    let lineage = forest(&[("a", "gone", 1), ("b", "a", 2)]);
    let tie = |id| lineage.tie(lineage.find(&SessionId::parse(id).unwrap()).unwrap());
    assert_eq!(drawn(&lineage), "a(b)");
    assert_eq!((tie("a"), tie("b")), (Tie::ParentGone, Tie::Whole));
}

#[test]
fn members_of_a_cycle_are_shown_once_and_marked() {
    let lineage = forest(&[
        ("a", "c", 1),
        ("b", "a", 2),
        ("c", "b", 3),
        ("d", "b", 4),
        ("e", "e", 5),
    ]);
    let tie = |id| lineage.tie(lineage.find(&SessionId::parse(id).unwrap()).unwrap());
    assert_eq!(drawn(&lineage), "ab(d)ce");
    for member in ["a", "b", "c", "e"] {
        assert_eq!(tie(member), Tie::Cycle, "{member}");
    }
    assert_eq!(tie("d"), Tie::Whole);
}

#[test]
fn a_chain_of_200_000_does_not_overflow_the_stack() {
    const LENGTH: u32 = 200_000;
    let chain = (0..LENGTH).map(|n| {
        let parent = n
            .checked_sub(1)
            .map(|p| format!("s{p}"))
            .unwrap_or_default();
        session(&format!("s{n}"), &parent, i64::from(n % 400))
    });
    let lineage = Lineage::new(chain.collect());
    let last = *lineage.downward().last().unwrap();
    assert_eq!(lineage.depth(last), LENGTH - 1);
    assert_eq!(lineage.ancestors(last).count(), LENGTH as usize - 1);
    assert_eq!(lineage.display().count(), LENGTH as usize);
    assert_eq!(
        lineage.subtree_bytes()[lineage.roots()[0].index()],
        u64::from(LENGTH)
    );
    drop(lineage);
}

#[test]
fn an_empty_forest_is_one() {
    let lineage = Lineage::new(Vec::new());
    assert!(lineage.is_empty() && lineage.roots().is_empty());
    assert!(Lineage::default().roots().is_empty());
}

proptest! {
    /// Whatever the parents say, every session is shown exactly once, below its parent or as a root.
    #[test]
    fn every_session_is_shown_exactly_once(parents in prop::collection::vec(0usize..40, 0..40)) {
        let sessions = parents.iter().enumerate().map(|(n, parent)| {
            session(&format!("s{n}"), &format!("s{parent}"), 1)
        });
        let lineage = Lineage::new(sessions.collect());
        let mut shown: Vec<_> = lineage.display().collect();
        shown.sort_unstable();
        prop_assert_eq!(shown, lineage.nodes().collect::<Vec<_>>());
        for node in lineage.nodes() {
            prop_assert_eq!(lineage.ancestors(node).count(), lineage.depth(node) as usize);
            if let Some(parent) = lineage.parent(node) {
                prop_assert!(lineage.children(parent).contains(&node));
            } else {
                prop_assert!(lineage.roots().contains(&node));
            }
        }
    }

    /// The order on screen does not depend on the order of the listing.
    #[test]
    fn display_does_not_depend_on_the_listing(
        parents in prop::collection::vec(0usize..30, 1..30),
        ages in prop::collection::vec(0i64..5, 30),
    ) {
        let build = |n: usize| session(&format!("s{n}"), &format!("s{}", parents[n]), ages[n]);
        let forward = Lineage::new((0..parents.len()).map(build).collect());
        let backward = Lineage::new((0..parents.len()).rev().map(build).collect());
        prop_assert_eq!(drawn(&forward), drawn(&backward));
    }
}

proptest! {
    /// What is looked up once for each orders as comparing the sessions does.
    #[test]
    fn siblings_are_in_order(
        sessions in prop::collection::vec(("[ab]{0,20}", prop::option::of(-3_000_000_000i64..3_000_000_000), 0u64..4), 1..30),
        reversed: bool,
    ) {
        let made = sessions.iter().enumerate().map(|(at, (title, time, bytes))| Session {
            title: SafeText::line(title),
            created_at: time.map(DateTime::from_timestamp_nanos),
            activity_at: time.map(|time| DateTime::from_timestamp_nanos(time / 1_000)),
            bytes: Some(*bytes),
            ..session(&format!("s{at}"), "", 0)
        });
        let mut lineage = Lineage::unsorted(made.collect());
        for sort in Sort::ALL {
            lineage.sort(sort, reversed);
            let rows: Vec<&Session> = lineage.roots().iter().map(|node| lineage.get(*node)).collect();
            for pair in rows.windows(2) {
                let (s, t) = (pair[0], pair[1]);
                let order = match sort {
                    Sort::Activity => t.activity_at.cmp(&s.activity_at),
                    Sort::Created => t.created_at.cmp(&s.created_at),
                    Sort::Size => t.bytes.cmp(&s.bytes),
                    Sort::Title => s.name().cmp(t.name()),
                    Sort::Project => s.project().cmp(t.project()),
                };
                let order = if reversed { order.reverse() } else { order };
                let order = order.then_with(|| t.activity_at.cmp(&s.activity_at));
                prop_assert!(order.then_with(|| s.id.cmp(&t.id)).is_lt(), "{sort:?}: {} {}", s.id, t.id);
            }
        }
    }
}
