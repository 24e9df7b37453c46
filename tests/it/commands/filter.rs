//! `list --filter`.

use super::{add, forest};
use crate::support::binary::{ids, json, run};

#[test]
fn a_list_can_be_of_what_matches() {
    let store = forest();
    let listed = |filter: &str| {
        let list = json(&store, &["list", "--filter", filter]);
        ids(&list, "sessions", "id")
    };
    assert_eq!(listed("is:old"), ["alone", "fork", "old"]);
    assert_eq!(listed("!is:old"), ["new", "fresh"]);
    assert_eq!(listed("older:30d newer:50d"), ["alone"]);
    assert_eq!(listed("kind:fork"), ["new", "fork"]);
    assert_eq!(listed("alone"), ["alone"]);
    assert_eq!(listed("size:>1gb"), [""; 0]);
    assert_eq!(listed(""), ["new", "fresh", "alone", "fork", "old"]);
}

#[test]
fn sizes_are_measured_if_they_are_asked_for() {
    let store = forest();
    add(&store, "large", "", 3);
    crate::support::write_file(&store.path("large/checkpoint"), &vec![1; 100_000]);
    let list = json(&store, &["list", "--no-size", "--filter", "size:>90kb"]);
    assert_eq!(ids(&list, "sessions", "id"), ["large"]);
}

#[test]
fn a_term_that_says_nothing_is_an_error_that_says_what_would() {
    let store = forest();
    for (filter, expected) in [
        (
            "older:soon",
            "invalid --filter \"older:soon\": expected an age: 12h, 3d, 2w, 1y",
        ),
        (
            "x is:big",
            "invalid --filter \"is:big\": expected open, old, pinned",
        ),
        ("size:\u{1b}[31m", "expected a size: >10mb, <1gb"),
    ] {
        let done = run(&store, &["list", "--filter", filter]);
        assert_eq!(done.code, 2, "{filter}");
        assert!(done.err.contains(expected), "{}", done.err);
        assert!(!done.err.contains('\u{1b}'));
        assert_eq!(done.out, "");
    }
}
