//! A removal needs a yes from somebody who has seen what it is to.

use chrono::{TimeDelta, Utc};

use super::Stage;
use crate::prune::contents;
use crate::support::terminal::until;

#[test]
fn keys_typed_ahead_confirm_nothing() {
    for (seen, ahead) in [("title of old", "p\rcyyyy"), ("Would remove", "cyyyy")] {
        let stage = Stage::new();
        stage.store.add("old", "", 900);
        let mut terminal = stage.open();
        terminal.wait_for_text("title of old");
        if seen == "Would remove" {
            terminal.keys("p");
            terminal.wait_for_text("30d");
            terminal.keys("\r");
            terminal.wait_for_text(seen);
        }
        terminal.keys(ahead);
        let then = if seen == "Would remove" {
            "to the trash?"
        } else {
            "Would remove"
        };
        terminal.wait_for_text(then);
        assert!(terminal.quit().success());
        terminal.assert_clean();
        assert!(stage.store.has("old"), "{ahead:?}");
    }
}

/// And then it does count: the whole way, from the age to the undo.
#[test]
fn a_yes_to_what_is_seen_moves_it_and_undo_brings_it_back() {
    let stage = Stage::new();
    for (id, days) in [("old", 90), ("younger", 40)] {
        let at = Utc::now() - TimeDelta::days(days);
        stage.store.session(id).at(at).message("user", "hi").write();
    }
    let before = contents(&stage.store);
    let mut terminal = stage.open();
    terminal.wait_for_text("title of old");
    for (keys, then) in [
        ("p", "would remove about 2 of 3"),
        ("\x7f\x7f\x7f60d", "would remove about 1 of 3"),
        ("\r", "Would remove 1 "),
        ("c", "to the trash?"),
    ] {
        terminal.keys(keys);
        terminal.wait_for_text(then);
    }
    assert_eq!(contents(&stage.store), before);
    // A test can be quicker than the screen, which takes a key for typed ahead until the question
    // is out; people cannot.
    until("the removal", || {
        terminal.keys("y");
        !stage.store.has("old")
    });
    terminal.wait_for_text("1 removed");
    assert!(stage.store.has("younger") && stage.store.has("s1"));
    terminal.keys("u");
    terminal.wait_for_text("1 session restored");
    assert_eq!(contents(&stage.store), before);
    // A stop that came too late, should the undo have been slow, would be none.
    terminal.keys("jq");
    assert!(terminal.end().success());
    terminal.assert_clean();
}
