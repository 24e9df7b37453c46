use chrono::TimeDelta;
use proptest::prelude::*;

use super::*;
use crate::filter::Filter;
use crate::lineage::Sort;
use crate::session::{Agent, Openness, SessionKind, Sighting};
use crate::session::{Condition, Session};
use crate::text::SafeText;

/// A session below another one; the title is the id.
fn session(name: &str, parent: &str) -> Session {
    Session {
        agent: Agent::Zero,
        id: SessionId::parse(name).unwrap(),
        title: SafeText::line(name),
        kind: SessionKind::Main,
        cwd: None,
        model: None,
        parent: SessionId::parse(parent),
        created_at: None,
        activity_at: None,
        events: None,
        condition: Condition::Sound,
        bytes: Some(1),
        open: Openness::NoSign,
        pinned: false,
        seen: Sighting::default(),
    }
}

fn lineage(pairs: &[(&str, &str)]) -> Lineage {
    Lineage::new(
        pairs
            .iter()
            .map(|(name, parent)| session(name, parent))
            .collect(),
    )
}

fn flat(lineage: &Lineage, chosen: &Chosen) -> Tree {
    let mut tree = Tree::default();
    tree.flatten(lineage, chosen, None);
    tree
}

fn names(tree: &Tree, lineage: &Lineage) -> String {
    let names = tree
        .rows
        .iter()
        .map(|row| lineage.get(row.node).id.as_str());
    names.collect::<Vec<_>>().join(" ")
}

const FAMILY: &[(&str, &str)] = &[("a", ""), ("b", "a"), ("c", "b"), ("d", "a"), ("e", "")];

#[test]
fn rows_are_in_display_order_with_lines_to_later_siblings() {
    let lineage = lineage(FAMILY);
    let tree = flat(&lineage, &Chosen::default());
    assert_eq!(names(&tree, &lineage), "a b c d e");
    let guides: Vec<u8> = tree.rows.iter().map(|row| row.guides).collect();
    assert_eq!(guides, [0, 0b1, 0b1, 0, 0]);
}

#[test]
fn ancestors_of_a_hit_are_dim_and_not_counted() {
    let lineage = lineage(FAMILY);
    let c = SessionId::parse("c").unwrap();
    let scores = lineage.sessions().iter().map(|s| u32::from(s.id == c));
    let chosen = Chosen {
        hits: Some(Hits {
            filter: Filter::default(),
            scores: scores.collect(),
        }),
        ..Chosen::default()
    };
    let mut tree = flat(&lineage, &chosen);
    assert_eq!(names(&tree, &lineage), "a b c");
    let dim: Vec<bool> = tree.rows.iter().map(|row| row.dim).collect();
    assert_eq!(dim, [true, true, false]);
    assert_eq!(tree.count, 1);
    tree.find_hit(&lineage, chosen.hits.as_ref().unwrap());
    assert_eq!(tree.scroll.at, 2);
}

#[test]
fn a_folded_row_counts_what_it_hides() {
    let lineage = lineage(FAMILY);
    let mut tree = flat(&lineage, &Chosen::default());
    tree.fold(&lineage);
    assert_eq!(names(&tree, &lineage), "a e");
    let inside = Inside {
        count: 4,
        bytes: 4,
        unmeasured: 0,
    };
    assert_eq!(tree.inside(tree.rows[0].node), inside);
}

#[test]
fn the_members_of_a_cycle_and_orphans_have_a_row_each() {
    let lineage = lineage(&[("a", "b"), ("b", "a"), ("c", "b"), ("d", "gone")]);
    let tree = flat(&lineage, &Chosen::default());
    assert_eq!(names(&tree, &lineage), "a b c d");
}

#[test]
fn a_chain_of_any_length_is_flattened() {
    let mut sessions = vec![session("s0", "")];
    for i in 1..20_000 {
        sessions.push(session(&format!("s{i}"), &format!("s{}", i - 1)));
    }
    let lineage = Lineage::new(sessions);
    let tree = flat(&lineage, &Chosen::default());
    assert_eq!(tree.rows.len(), 20_000);
    assert_eq!(tree.rows[19_999].depth, 19_999);
}

#[test]
fn the_cursor_goes_to_the_nearest_row_that_is_left() {
    let old = lineage(FAMILY);
    let mut tree = flat(&old, &Chosen::default());
    tree.put_at(3, &old);
    for (left, expected) in [
        (&[("a", ""), ("b", "a"), ("c", "b"), ("e", "")][..], "e"),
        (&[("a", ""), ("c", "b")][..], "c"),
        (&[("x", "")][..], "x"),
    ] {
        let new = lineage(left);
        let mut tree_now = Tree {
            rows: tree.rows.clone(),
            scroll: tree.scroll,
            cursor: tree.cursor.clone(),
            ..Tree::default()
        };
        tree_now.flatten(&new, &Chosen::default(), Some(&old));
        let row = tree_now.current().unwrap();
        assert_eq!(new.get(row.node).id.as_str(), expected);
    }
}

/// Something that changes the rows.
#[derive(Clone, Debug)]
enum Act {
    Fold(usize),
    Unfold(usize),
    FoldAll,
    Sort(Sort, bool),
    /// So well they match, by number.
    Filter(Option<Vec<Score>>),
    Runs,
    /// The store has other sessions.
    Refresh(Vec<u8>),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => any::<usize>().prop_map(Act::Fold),
        4 => any::<usize>().prop_map(Act::Unfold),
        1 => Just(Act::FoldAll),
        1 => (prop::sample::select(&Sort::ALL[..]), any::<bool>()).prop_map(|(by, r)| Act::Sort(by, r)),
        1 => prop::option::of(prop::collection::vec(0..4u32, MOST)).prop_map(Act::Filter),
        1 => Just(Act::Runs),
        1 => forest().prop_map(Act::Refresh),
    ];
    prop::collection::vec(act, 0..30)
}

/// The most sessions of a forest, by whose numbers they go.
const MOST: usize = 14;

/// A number for each, from which its parent, its age and whether it is there follow.
fn forest() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0u8..20, MOST)
}

fn grown(parents: &[u8]) -> Lineage {
    let there = parents.iter().enumerate();
    let there = there.filter(|(number, parent)| (number + usize::from(**parent)) % 7 != 0);
    let sessions = there.map(|(number, parent)| Session {
        kind: if number % 4 == 3 {
            SessionKind::Child
        } else {
            SessionKind::Main
        },
        activity_at: Some(DateTime::UNIX_EPOCH + TimeDelta::hours(i64::from(*parent) % 5)),
        ..session(
            &format!("s{number}"),
            &format!("s{}", usize::from(*parent) % MOST),
        )
    });
    Lineage::new(sessions.collect())
}

fn hits(lineage: &Lineage, scores: &[Score]) -> Hits {
    let number = |id: &SessionId| id.as_str()[1..].parse::<usize>().unwrap();
    let all = lineage.sessions().iter();
    Hits {
        filter: Filter::new("word", DateTime::UNIX_EPOCH),
        scores: all.map(|session| scores[number(&session.id)]).collect(),
    }
}

proptest! {
    /// Rows that were spliced are those that are made from scratch, and the cursor keeps its session.
    #[test]
    fn rows_are_as_if_they_were_made_from_scratch(first in forest(), acts in acts()) {
        let mut lineage = grown(&first);
        let mut chosen = Chosen::default();
        let mut matching = None;
        let mut tree = flat(&lineage, &chosen);
        for act in acts {
            let row = |number: usize, tree: &Tree| number % tree.rows.len().max(1);
            match &act {
                Act::Fold(number) => {
                    tree.put_at(row(*number, &tree), &lineage);
                    tree.fold(&lineage);
                }
                Act::Unfold(number) => {
                    tree.put_at(row(*number, &tree), &lineage);
                    tree.unfold(&lineage);
                }
                Act::FoldAll => tree.fold_all(&lineage),
                Act::Sort(by, reversed) => {
                    lineage.sort(*by, *reversed);
                    tree.arrange(&lineage);
                }
                Act::Filter(scores) => {
                    matching.clone_from(scores);
                    chosen.hits = matching.as_deref().map(|scores| hits(&lineage, scores));
                    tree.flatten(&lineage, &chosen, None);
                }
                Act::Runs => {
                    chosen.runs = !chosen.runs;
                    tree.flatten(&lineage, &chosen, None);
                }
                Act::Refresh(parents) => {
                    let old = std::mem::replace(&mut lineage, grown(parents));
                    chosen.hits = matching.as_deref().map(|scores| hits(&lineage, scores));
                    tree.flatten(&lineage, &chosen, Some(&old));
                }
            }
            let mut afresh = Tree {
                folded: tree.folded.clone(),
                ..Tree::default()
            };
            afresh.flatten(&lineage, &chosen, None);
            prop_assert_eq!(&tree.rows, &afresh.rows, "after {:?}", act);
            prop_assert_eq!(&tree.inside, &afresh.inside);
            prop_assert_eq!(&tree.places, &afresh.places);
            let shown: Vec<Node> = tree.rows.iter().map(|row| row.node).collect();
            for row in &tree.rows {
                let latest = lineage.latest(row.node);
                let mut last = lineage.subtree(row.node).filter(|n| lineage.activity(*n) == latest);
                match tree.hidden(row.node, &lineage) {
                    Some(hidden) => {
                        prop_assert_eq!(Some(hidden), latest);
                        prop_assert!(last.any(|node| !shown.contains(&node)));
                    }
                    None => prop_assert!(last.any(|node| shown.contains(&node))),
                }
            }
            if let (Cursor::On(id), Some(row)) = (&tree.cursor, tree.current()) {
                let node = lineage.find(id).filter(|node| shown.contains(node));
                prop_assert_eq!(node.unwrap_or(row.node), row.node, "after {:?}", act);
            }
        }
    }
}
