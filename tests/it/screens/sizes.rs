//! The screens as they look, from wide to nothing.

use super::desk::{Setup, desk, sample};

#[test]
fn tree_at_120_by_35() {
    insta::assert_snapshot!(desk().text());
}

#[test]
fn tree_at_80_by_24() {
    insta::assert_snapshot!(Setup::new(sample()).size(80, 24).sit().text());
}

#[test]
fn tree_at_80_by_40_with_the_preview_below() {
    insta::assert_snapshot!(Setup::new(sample()).size(80, 40).sit().text());
}

#[test]
fn tree_at_60_by_15() {
    insta::assert_snapshot!(Setup::new(sample()).size(60, 15).sit().text());
}

#[test]
fn tree_at_40_by_10() {
    insta::assert_snapshot!(Setup::new(sample()).size(40, 10).sit().text());
}
