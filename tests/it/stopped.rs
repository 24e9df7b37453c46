//! Writers that were stopped (SIGSTOP) while they have a session's write lock, and holders of leases
//! that were: they are never waited for longer than 2 s in all, and the screen not at all.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::support::TestStore;
use crate::support::binary::{SESSTREE, ids, json, run};
use crate::support::terminal::{Terminal, until};
use crate::support::whole::Whole;

/// What a run may take in all: 2 s of waiting, and its work on a machine that has other work too.
const BOUND: Duration = Duration::from_secs(6);

/// A process that has a lock and is stopped.
struct Stopped(Child);

impl Stopped {
    fn with(store: &TestStore, id: &str, file: &str) -> Self {
        let mut child = Command::new("flock")
            .args(["-x", "-n"])
            .arg(store.path(id).join(file))
            .args(["-c", "echo held; exec sleep 600"])
            .process_group(0)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        assert_eq!(line, "held\n");
        kill_process_group(Pid::from_child(&child), Signal::STOP).unwrap();
        let stat = format!("/proc/{}/stat", child.id());
        until("the stop", || {
            let stat = std::fs::read_to_string(&stat).unwrap();
            stat.rsplit_once(") ").unwrap().1.starts_with('T')
        });
        Self(child)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

fn name(number: usize) -> String {
    format!("s{number:02}")
}

/// Old sessions without parents.
fn store(count: usize) -> TestStore {
    let store = TestStore::new();
    for number in 0..count {
        store.add_aged(&name(number), "", 60);
    }
    store
}

/// Prunes so many sessions, and 10 more that nobody has; what it took.
fn prune(held: usize, file: &str, says: &str, how: &[&str]) -> Duration {
    let all = held + 10;
    let store = store(all);
    let whole = Whole::of(&store);
    let stopped: Vec<Stopped> = (0..held)
        .map(|number| Stopped::with(&store, &name(number), file))
        .collect();
    let start = Instant::now();
    let report = json(&store, &[&["prune", "--older-than", "30d"], how].concat());
    let took = start.elapsed();
    let told = format!("{how:?}, {held} of {all} with a stopped process that has {file}: {took:?}");
    println!("{told}");
    assert_eq!(ids(&report, "removed", "sessionId").len(), 10, "{told}");
    let kept = report["kept"].as_array().unwrap();
    assert_eq!(kept.len(), held, "{told}");
    for entry in kept {
        let reason = entry["reason"].as_str().unwrap();
        assert!(reason.contains(says), "{told}: {reason}");
    }
    let went = whole.check(&store, &told).in_trash.len();
    let expected = if how == ["--dry-run"] { 0 } else { 10 };
    assert_eq!(went, expected, "{told}");
    drop(stopped);
    let after = run(&store, &["prune", "--older-than", "30d", "--yes-most"]);
    assert_eq!(after.code, 0, "{}", after.err);
    assert_eq!(whole.check(&store, &told).in_trash.len(), all, "{told}");
    took
}

#[test]
fn stopped_writers_cost_two_seconds_in_all() {
    for held in [1, 50] {
        for how in ["--yes-most", "--dry-run"] {
            let took = prune(held, "session.lock", "busy: being written", &[how]);
            assert!(took < BOUND, "{held} stopped writers: {took:?}");
        }
    }
}

#[test]
fn stopped_holders_cost_two_seconds_in_all() {
    // Each alone is waited for for 100 ms; so few are tried one after the other.
    for held in [1, 80] {
        let says = "open or locked by another process";
        let took = prune(held, "lease.lock", says, &["--yes-most"]);
        assert!(took < BOUND, "{held} stopped holders: {took:?}");
    }
}

/// 10 old sessions, and enough that are not.
fn on_screen() -> TestStore {
    let store = store(10);
    for number in 0..12 {
        store.add_aged(&format!("new{number}"), "", 1);
    }
    store
}

/// Opens the screen.
fn open(store: &TestStore) -> Terminal {
    let home = store.beside("home");
    std::fs::create_dir_all(&home).unwrap();
    let env = [
        ("HOME", home.into_os_string()),
        ("TERM", OsString::from("xterm-256color")),
        ("LANG", OsString::from("C.UTF-8")),
    ];
    let root = store.root();
    let terminal = Terminal::start(SESSTREE, ["--root", root.to_str().unwrap()], &env);
    terminal.wait_for_text("title of s00");
    terminal
}

/// Goes up to an age, which the next Enter begins the dry run with.
fn ask(terminal: &mut Terminal) {
    terminal.keys("p");
    terminal.wait_for_text("would remove about 10 of 22");
}

#[test]
fn the_screen_answers_while_a_dry_run_waits_for_a_stopped_writer() {
    let store = on_screen();
    let before = store.snapshot();
    let stopped = Stopped::with(&store, &name(3), "session.lock");
    let mut terminal = open(&store);
    ask(&mut terminal);
    terminal.keys("\r");
    terminal.wait_for_text("checking each session");
    // That it is stopped can only be told by a screen that did not wait: the dry run would have
    // shown its preview instead.
    terminal.keys("\x1b");
    terminal.wait_for_text("dry run stopped; nothing was changed");
    terminal.keys("?");
    terminal.wait_for_text("Marks and kinds");
    assert!(terminal.quit().success());
    terminal.assert_clean();
    drop(stopped);
    assert_eq!(store.snapshot(), before);
}

#[test]
fn the_screen_answers_while_a_prune_waits_for_a_stopped_writer() {
    let store = on_screen();
    let whole = Whole::of(&store);
    let mut terminal = open(&store);
    ask(&mut terminal);
    terminal.keys("\r");
    terminal.wait_for_text("Would remove 10 ");
    terminal.keys("c");
    terminal.wait_for_text("to the trash?");
    let stopped = Stopped::with(&store, &name(3), "session.lock");
    // What is typed before the question is out is thrown away.
    until("the removal", || {
        terminal.keys("y");
        !store.has(&name(9))
    });
    // Nobody can tell but while it waits: afterwards there is a report.
    terminal.wait_for_text("moving to the trash");
    terminal.keys("\x1b");
    terminal.wait_for_text("stopping after the batch at hand");
    assert!(store.has(&name(3)), "it moved what is being written");
    terminal.resize(90, 28);
    terminal.wait_for("the report", |screen| {
        screen.contents().contains("9 removed")
    });
    drop(stopped);
    let places = whole.check(&store, "pruned on the screen");
    assert!(places.in_place.contains(&name(3)), "{places:?}");
    assert!(terminal.quit().success());
    terminal.assert_clean();
}
