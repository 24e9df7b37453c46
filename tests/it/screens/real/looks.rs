//! What the screens of a real store look like, at three sizes.

use std::sync::Arc;

use sesstree::store::zero::Zero;

use super::sample::sample;
use super::sit;
use super::steady::Steady;

/// The keys from one look to the next; each flow begins with a new screen.
const FLOWS: &[&[(&str, &str)]] = &[
    &[("", "tree"), ("<Enter>", "held")],
    &[("/queue", "filter")],
    &[
        ("/postgres<Enter><Tab>", "reader_continued"),
        ("w", "reader_raw"),
    ],
    &[
        ("p", "cutoff"),
        ("<Enter>", "preview_removed"),
        ("<Right>", "preview_kept"),
        ("<Right>", "preview_unchecked"),
        ("<Left><Left>c", "confirm"),
        ("y", "report"),
        ("<Esc>u", "trash"),
        ("<Enter>", "back"),
    ],
];

fn looks(width: u16, height: u16) {
    let (store, _holders) = sample();
    let before = crate::prune::contents(&store);
    for flow in FLOWS {
        let zero = Arc::new(Steady(Zero::new(store.root())));
        let mut desk = sit(&store, zero, (width, height));
        for (keys, name) in *flow {
            desk.press(keys);
            insta::assert_snapshot!(format!("{width}_by_{height}_{name}"), desk.text());
        }
    }
    assert_eq!(crate::prune::contents(&store), before);
}

#[test]
fn at_120_by_35() {
    looks(120, 35);
}

#[test]
fn at_80_by_24() {
    looks(80, 24);
}

#[test]
fn at_60_by_15() {
    looks(60, 15);
}
