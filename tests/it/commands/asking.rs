//! `prune` on a terminal asks, and only a plain yes to what could be read is one.

use std::ffi::OsString;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{add, forest};
use crate::support::TestStore;
use crate::support::binary::{Flock, lockable, sesstree};
use crate::support::terminal::Terminal;

/// `prune --older-than 30d` on a terminal.
fn prune(store: &TestStore) -> Terminal {
    // The harness starts programs there.
    fs::create_dir_all(store.beside("home")).unwrap();
    let root = store.root();
    let arguments = [
        "--root",
        root.to_str().unwrap(),
        "prune",
        "--older-than",
        "30d",
    ];
    let env: [(&str, OsString); 2] = [
        ("HOME", store.beside("home").into()),
        ("TERM", "xterm-256color".into()),
    ];
    Terminal::start(env!("CARGO_BIN_EXE_sesstree"), arguments, &env)
}

#[test]
fn a_yes_moves_and_everything_else_does_not() {
    for (answer, moves) in [
        ("y\r", true),
        ("yes\r", true),
        ("n\r", false),
        ("\r", false),
        ("maybe y\r", false),
        ("\x04", false),
    ] {
        let store = forest();
        let mut terminal = prune(&store);
        terminal.wait_for_text("Move 1 session");
        assert!(terminal.text().contains("alone"), "{}", terminal.text());
        assert!(!terminal.text().contains("Dry run"), "{}", terminal.text());
        terminal.keys(answer);
        assert_eq!(terminal.end().exit_code(), u32::from(!moves), "{answer:?}");
        assert_eq!(store.has("alone"), !moves, "{answer:?}");
    }
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let store = forest();
    // The dry run comes before the question, and waits for another sesstree.
    let other = Flock::exclusive(&store.root());
    let mut terminal = prune(&store);
    terminal.keys("y\r");
    drop(other);
    terminal.wait_for_text("[y/N]");
    terminal.keys("n\r");
    assert_eq!(terminal.end().exit_code(), 1);
    assert!(store.has("alone"));
}

#[test]
fn nothing_to_remove_is_no_question_and_no_failure() {
    let store = TestStore::new();
    add(&store, "fresh", "", 2);
    let mut terminal = prune(&store);
    assert_eq!(terminal.end().exit_code(), 0);
    terminal.wait_for_text("No sessions to remove");
    assert!(!terminal.text().contains("[y/N]"));
}

/// Whoever wants to open a session need not wait until somebody types `fg`.
#[test]
fn ctrl_z_stops_a_prune_only_where_it_holds_no_session() {
    const COUNT: usize = 400;
    let store = TestStore::new();
    for number in 0..COUNT {
        add(&store, &format!("s{number:03}"), "", 40);
    }
    let here = || {
        (0..COUNT)
            .filter(|n| store.has(&format!("s{n:03}")))
            .count()
    };
    let program = sesstree(&store);
    // Few descriptors make small batches.
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "ulimit -n 150; exec \"$0\" \"$@\""]);
    shell.arg(program.get_program()).args(program.get_args());
    shell.args(["prune", "--older-than", "30d", "--yes-most"]);
    let mut child = shell
        .env("HOME", store.beside("home"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let pid = Pid::from_child(&child);
    let deadline = Instant::now() + Duration::from_mins(1);
    while here() == COUNT {
        assert!(Instant::now() < deadline, "the prune never began");
    }
    kill_process(pid, Signal::TSTP).unwrap();
    let stopped = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        stat.rsplit(')')
            .next()
            .unwrap()
            .trim_start()
            .starts_with('T')
    };
    while !stopped() {
        assert!(
            Instant::now() < deadline && here() > 0,
            "it did not stop in time"
        );
    }
    for number in 0..COUNT {
        let folder = store.path(&format!("s{number:03}"));
        if folder.exists() {
            for lock in ["lease.lock", "session.lock"] {
                assert!(lockable(&folder.join(lock)), "s{number:03} is locked");
            }
        }
    }
    kill_process(pid, Signal::CONT).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(here(), 0);
}
