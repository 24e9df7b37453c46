use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
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
    let hits = lineage.sessions().iter().map(|s| s.id == c).collect();
    let chosen = Chosen {
        hits: Some(hits),
        ..Chosen::default()
    };
    let mut tree = flat(&lineage, &chosen);
    assert_eq!(names(&tree, &lineage), "a b c");
    let dim: Vec<bool> = tree.rows.iter().map(|row| row.dim).collect();
    assert_eq!(dim, [true, true, false]);
    assert_eq!(tree.count, 1);
    tree.find_hit(&lineage);
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

proptest! {
    /// Whatever is folded, sorted and left out: the rows are those that are laid out from nothing, and
    /// each is where its session is looked for.
    #[test]
    fn folding_moves_rows_as_laying_out_does(
        parents in vec(0..40usize, 1..40),
        hits in vec(any::<bool>(), 40),
        keys in vec((0..40usize, 0..6u8), 0..40),
    ) {
        let name = |at: usize| format!("s{at}");
        let named = parents.iter().enumerate();
        let sessions = named.map(|(at, parent)| session(&name(at), &name(*parent)));
        let mut lineage = Lineage::new(sessions.collect());
        let mut chosen = Chosen::default();
        let mut tree = flat(&lineage, &chosen);
        for (at, key) in keys {
            tree.put_at(at % tree.rows.len().max(1), &lineage);
            match key {
                0 | 1 => tree.fold(&lineage),
                2 => tree.unfold(&lineage),
                3 => tree.fold_all(&lineage),
                4 => {
                    lineage.sort(Sort::Title, at % 2 == 0);
                    tree.arrange(&lineage);
                }
                _ => {
                    let some = hits.iter().take(lineage.len()).copied().collect();
                    chosen.hits = if chosen.hits.is_some() { None } else { Some(some) };
                    tree.flatten(&lineage, &chosen, None);
                }
            }
            let mut fresh = Tree {
                folded: tree.folded.clone(),
                ..Tree::default()
            };
            fresh.flatten(&lineage, &chosen, None);
            prop_assert_eq!(&tree.rows, &fresh.rows);
            prop_assert_eq!(&tree.places, &fresh.places);
        }
    }
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
