//! Names that are no names: nothing chokes on them, hides them or lets them act on a terminal.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::{Hostile, check};
use crate::support::binary::{ids, json};
use crate::support::{make_folder, write_file};

const LONG: [u8; 255] = [b'x'; 255];

/// Not UTF-8, control characters, escape sequences, an override of the direction, and as long as
/// a name can be.
const NAMES: [&[u8]; 9] = [
    b"\xFF\xFE\x80",
    b"a\nb",
    b"\x1b[2J\x1b]52;c;aGk=\x07",
    b"\x9b2J",
    "a\u{202e}gnp".as_bytes(),
    b" ",
    b"-rf",
    b"*",
    &LONG,
];

fn named(folder: &Path, name: &[u8]) -> std::path::PathBuf {
    folder.join(OsStr::from_bytes(name))
}

#[test]
fn in_the_root_they_are_told_and_left_alone() {
    let hostile = Hostile::new();
    for name in NAMES {
        let folder = named(&hostile.store.root(), name);
        make_folder(&folder);
        write_file(&folder.join("metadata.json"), b"{}");
    }
    let list = json(&hostile.store, &["list", "--no-size"]);
    assert_eq!(ids(&list, "faults", "path").len(), NAMES.len());
    let before = hostile.store.snapshot();
    check(&hostile.goes_through(), "plain", "removed");
    let after = hostile.store.snapshot();
    for name in NAMES {
        let path = Path::new(OsStr::from_bytes(name));
        assert_eq!(after.get(path), before.get(path), "{}", path.display());
    }
}

#[test]
fn in_a_session_they_go_and_come_back() {
    let hostile = Hostile::new();
    hostile.store.add_aged("named", "", 60);
    for name in NAMES {
        write_file(&named(&hostile.store.path("named"), name), b"odd");
        make_folder(&named(&hostile.store.path("named"), b"in").join(OsStr::from_bytes(name)));
    }
    check(&hostile.goes_through(), "named", "removed");
}

#[test]
fn in_the_trash_they_are_left_alone() {
    let hostile = Hostile::new();
    let batch = hostile
        .store
        .path(".sesstree/trash/20260101T000000Z-abcdef");
    let folders = [batch.parent().unwrap(), &batch];
    let all = NAMES
        .iter()
        .flat_map(|name| folders.map(|folder| named(folder, name)));
    let all: Vec<_> = all.collect();
    for folder in &all {
        make_folder(folder);
    }
    check(&hostile.goes_through(), "plain", "removed");
    for folder in &all {
        assert!(folder.is_dir(), "{}", folder.display());
    }
}

/// A name as long as an id can be, and one longer.
#[test]
fn of_any_length_they_go_or_are_told() {
    let hostile = Hostile::new();
    let (fits, does_not) = ("x".repeat(128), "y".repeat(129));
    hostile.store.add_aged(&fits, "", 60);
    hostile.store.add_aged(&does_not, "", 60);
    let told = hostile.goes_through();
    check(&told, &fits, "removed");
    assert!(!told.contains_key(&does_not), "{told:?}");
}
