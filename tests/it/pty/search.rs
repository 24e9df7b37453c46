//! A search that takes long: what is found is there before its end, and Esc ends it.

use std::fs::OpenOptions;
use std::time::Instant;

use super::Stage;
use crate::support::days_ago;

/// More than any test reads; on the disk it takes nothing.
const ENDLESS: u64 = 1 << 40;

/// A session that is quick to search, and an older one whose log has no end.
fn stage() -> Stage {
    let stage = Stage::new();
    let session = stage.store.session("endless").at(days_ago(900));
    session.message("user", "hello").write();
    let log = stage.store.path("endless/events.jsonl");
    let log = OpenOptions::new().write(true).open(log).unwrap();
    log.set_len(ENDLESS).unwrap();
    stage
}

#[test]
fn hits_are_on_the_screen_before_the_end_and_esc_stops_it() {
    let stage = stage();
    let mut terminal = stage.open();
    terminal.keys("shello\r");
    terminal.wait_for_text("2 matches in 2 sessions · 1 of 2 searched · Esc stops");
    let pressed = Instant::now();
    terminal.keys("\x1b");
    terminal.wait_for_text("stopped: 1 of 2 searched");
    // The next one begins once this one has ended.
    terminal.keys("s\x15hell\r");
    terminal.wait_for_text("1 of 2 searched · Esc stops");
    println!("stopped and begun anew in {:?}", pressed.elapsed());
    // Leaving the program does not wait for it either.
    assert!(terminal.quit().success());
    terminal.assert_clean();
}
