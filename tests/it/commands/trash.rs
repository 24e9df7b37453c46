//! `trash list` and `trash restore`: what is called how, and in which order.

use super::add;
use super::empty::expire;
use crate::support::TestStore;
use crate::support::binary::{ids, json, run};

/// Prunes each in a batch of its own; the batches, oldest first.
fn batches(store: &TestStore, names: &[&str]) -> Vec<String> {
    let prune = |name: &&str| {
        add(store, name, "", 90);
        let args = ["prune", "--older-than", "30d", "--yes-most", "--keep-trash"];
        json(store, &args)["batch"].as_str().unwrap().to_owned()
    };
    names.iter().map(prune).collect()
}

#[test]
fn the_newest_comes_first_within_a_second_too() {
    let store = TestStore::new();
    let mut made = batches(&store, &["a", "b", "c", "d", "e"]);
    made.reverse();
    assert_eq!(ids(&json(&store, &["trash"]), "batches", "batch"), made);
}

#[test]
fn what_is_expired_is_not_promised_to_be_kept() {
    let store = TestStore::new();
    let made = batches(&store, &["a", "b"]);
    expire(&store, &made[0]);
    let told = run(&store, &["trash"]).out;
    let line = |batch: &str| told.lines().find(|line| line.starts_with(batch)).unwrap();
    assert!(
        line(&made[0]).ends_with(", expired: the next prune may empty it"),
        "{told}"
    );
    assert!(line(&made[1]).contains(", kept until "), "{told}");
}

#[test]
fn the_beginning_of_just_one_name_is_enough() {
    let store = TestStore::new();
    batches(&store, &["abc", "abd", "ab"]);
    for (name, restored) in [("abc", "abc"), ("ab", "ab"), ("a", "abd")] {
        let ran = run(&store, &["trash", "restore", name]);
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        assert!(store.has(restored), "{name}");
    }
    let made = batches(&store, &["xy", "xz"]);
    let ran = run(&store, &["trash", "restore", "x"]);
    assert_eq!(ran.code, 2);
    let told = "\"x\" is the beginning of 2 batches or sessions:\n  xy\n  xz\n";
    assert!(ran.err.contains(told), "{}", ran.err);
    let ran = run(&store, &["trash", "restore", &made[0][..1]]);
    assert!(
        ran.err.contains(&made[0]) && ran.err.contains(&made[1]),
        "{}",
        ran.err
    );
    assert_eq!(run(&store, &["trash", "restore", ""]).code, 2);
    let ran = run(&store, &["trash", "restore", &made[1][..22]]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(store.has("xz") && !store.has("xy"));
}
