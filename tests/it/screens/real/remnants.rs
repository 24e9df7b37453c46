//! What another program left half removed, on the screen.

use super::open;
use crate::support::{TestStore, days_ago, make_folder, set_age, write_file};

#[test]
fn a_remnant_is_finished_from_its_row() {
    let store = TestStore::new();
    for name in ["new1", "new2", "new3"] {
        store.add(name, "", 1);
    }
    for (name, days) in [("rest", 60), ("late", 0)] {
        make_folder(&store.path(name));
        write_file(&store.path(name).join("events.jsonl"), b"{}\n");
        set_age(&store.path(name), days_ago(days));
    }
    let mut desk = open(&store);
    desk.sees("! remnant: no metadata");
    desk.press("/rest<Enter>");
    desk.sees("✂ remnant: no metadata");
    desk.sees("a 30d prune would finish removing it");
    desk.press("d");
    desk.sees("Would remove 1");
    desk.sees("finish removing: no metadata");
    desk.press("cy");
    assert!(!store.path("rest").exists());
    desk.press("u");
    desk.sees("rest");
    desk.press("<Enter>");
    assert!(store.path("rest/events.jsonl").exists());
}
