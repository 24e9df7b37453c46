//! Files of absurd sizes: nothing is read without a bound, and nothing waits.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use super::{Hostile, check};

/// As large as the disk lets a file say it is, with nothing in it.
fn sparse(at: &Path) {
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(at)
        .unwrap();
    let sizes = [1 << 42, 1 << 40, 1 << 34];
    let fits = sizes.iter().any(|size| file.set_len(*size).is_ok());
    assert!(fits, "no large sparse file fits on this disk");
}

/// Really as large as it says: one line.
fn long_line(at: &Path, end: &[u8]) {
    let mut file = File::create(at).unwrap();
    for _ in 0..24 {
        file.write_all(&vec![b'x'; 1 << 20]).unwrap();
    }
    file.write_all(end).unwrap();
}

#[test]
fn sparse_files_are_told_and_kept_or_go_whole() {
    let hostile = Hostile::new();
    let files = [
        (
            "metadata",
            "metadata.json",
            "kept: damaged: its metadata is larger than 1 MiB",
        ),
        (
            "log",
            "events.jsonl",
            "kept: its last update time could not be read",
        ),
        ("lease", "lease.lock", "removed"),
        ("lock", "session.lock", "removed"),
        ("blob", "blob", "removed"),
    ];
    for (id, file, _) in files {
        hostile.odd(id, file, sparse);
    }
    let told = hostile.goes_through();
    for (id, _, says) in files {
        check(&told, id, says);
    }
}

#[test]
fn long_lines_are_told_and_kept() {
    let hostile = Hostile::new();
    hostile.odd("metadata", "metadata.json", |at| long_line(at, b""));
    hostile.odd("log", "events.jsonl", |at| long_line(at, b"\n"));
    hostile.odd("torn", "events.jsonl", |at| long_line(at, b""));
    let told = hostile.goes_through();
    let large = "kept: damaged: its metadata is larger than 1 MiB";
    check(&told, "metadata", large);
    check(&told, "log", "kept: its last update time could not be read");
    // What has no end was never written to the end, and counts for nothing.
    check(&told, "torn", "removed");
}

#[test]
fn a_log_before_a_hole_is_dated_by_nothing_but_its_last_event() {
    let hostile = Hostile::new();
    hostile.store.add_aged("log", "", 60);
    sparse(&hostile.store.path("log/events.jsonl"));
    let told = hostile.goes_through();
    check(&told, "log", "kept: its last update time could not be read");
}

/// A batch's record decides nothing, however long it is.
#[test]
fn a_batch_with_an_absurd_record_comes_back() {
    let hostile = Hostile::new();
    let report = crate::support::binary::json(&hostile.store, &super::PRUNE);
    let batch = report["batch"].as_str().unwrap();
    sparse(
        &hostile
            .store
            .path(".sesstree/trash")
            .join(batch)
            .join("batch.json"),
    );
    let told = crate::support::binary::run(&hostile.store, &["trash", "list"]);
    assert!(told.err.contains("larger than 40 MiB"), "{}", told.err);
    crate::support::whole::undo_all(&hostile.store, "an absurd record");
    assert!(hostile.store.has("plain"));
}
