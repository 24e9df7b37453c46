//! In which order sessions come back.
//!
//! Must never bring back a session before its parent, or leave one out, whatever the parents say.

use std::collections::HashMap;

use crate::session::SessionId;

/// Each followed by what descends from it, so that few wait for their children at any time: small
/// families come first, which leaves at most as many waiting as the number of sessions has bits.
/// `items` come with each after its parent, cycles apart.
pub(super) fn depth_first<T>(
    items: Vec<T>,
    id: impl Fn(&T) -> &SessionId,
    parent: impl Fn(&T) -> Option<&SessionId>,
) -> Vec<T> {
    let places: HashMap<&SessionId, usize> = items
        .iter()
        .enumerate()
        .map(|(at, item)| (id(item), at))
        .collect();
    let parent = |at: usize| places.get(parent(&items[at])?).copied();
    let mut sizes = vec![1_usize; items.len()];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
    for at in (0..items.len()).rev() {
        if let Some(parent) = parent(at) {
            sizes[parent] = sizes[parent].saturating_add(sizes[at]);
            children[parent].push(at);
        }
    }
    let mut order = vec![usize::MAX; items.len()];
    let mut next = 0;
    for root in 0..items.len() {
        let mut waiting = vec![root];
        while let Some(at) = waiting.pop() {
            if order[at] != usize::MAX {
                continue;
            }
            order[at] = next;
            next += 1;
            // The last one is the next.
            children[at].sort_by_key(|&child| std::cmp::Reverse(sizes[child]));
            waiting.append(&mut children[at]);
        }
    }
    let mut ordered: Vec<(usize, T)> = order.into_iter().zip(items).collect();
    ordered.sort_unstable_by_key(|(at, _)| *at);
    ordered.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Item = (SessionId, Option<SessionId>);

    fn item(id: &str, parent: &str) -> Item {
        (SessionId::parse(id).unwrap(), SessionId::parse(parent))
    }

    fn ordered(items: Vec<Item>) -> Vec<String> {
        let ordered = depth_first(items, |item| &item.0, |item| item.1.as_ref());
        ordered.iter().map(|(id, _)| id.to_string()).collect()
    }

    #[test]
    fn children_follow_their_parents_small_families_first() {
        let items = [
            ("a", ""),
            ("b", ""),
            ("c", "gone"),
            ("a1", "a"),
            ("a2", "a"),
            ("a1x", "a1"),
            ("b1", "b"),
        ];
        let items = items.map(|(id, parent)| item(id, parent)).to_vec();
        assert_eq!(ordered(items), ["a", "a2", "a1", "a1x", "b", "b1", "c"]);
    }

    #[test]
    fn a_cycle_comes_whole() {
        let items = vec![
            item("a", "c"),
            item("b", "a"),
            item("c", "b"),
            item("d", "d"),
        ];
        assert_eq!(ordered(items), ["a", "b", "c", "d"]);
    }

    /// The worst there is: each waits for a family as large as the one that came.
    #[test]
    fn few_wait_at_any_time() {
        let number = |at: usize| format!("s{at}");
        let parent = |at: usize| {
            at.checked_sub(1)
                .map(|at| number(at / 2))
                .unwrap_or_default()
        };
        let items: Vec<Item> = (0..1_023)
            .map(|at| item(&number(at), &parent(at)))
            .collect();
        let parents: HashMap<String, String> =
            (0..1_023).map(|at| (number(at), parent(at))).collect();
        let mut waiting: HashMap<&str, u32> = HashMap::new();
        let mut most = 0;
        for id in ordered(items) {
            let (id, parent) = parents.get_key_value(&id).unwrap();
            if let Some(left) = waiting.get_mut(parent.as_str()) {
                *left -= 1;
            }
            waiting.insert(
                id,
                if id[1..].parse::<usize>().unwrap() < 511 {
                    2
                } else {
                    0
                },
            );
            waiting.retain(|_, left| *left > 0);
            most = most.max(waiting.len());
        }
        assert!(most <= 10, "{most}");
    }
}
