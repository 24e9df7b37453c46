//! What is opened and closed, and in which order, as the kernel tells it.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;
use sesstree::prune::execute::{dry_run, remove};

use super::{grace, old, plan, quiet, zero};
use crate::support::{TestStore, make_folder, now};

/// Follows files and folders, wherever they are moved.
struct Trace {
    queue: OwnedFd,
    names: Vec<(i32, &'static str)>,
}

impl Trace {
    fn of(store: &TestStore, names: &[&'static str]) -> Self {
        let queue = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap();
        let flags = WatchFlags::OPEN | WatchFlags::CLOSE;
        let watch = |&name| {
            let watch = inotify::add_watch(&queue, store.path(name), flags);
            (watch.unwrap(), name)
        };
        let names = names.iter().map(watch).collect();
        Self { queue, names }
    }

    /// What happened until now.
    fn told(&self) -> Vec<String> {
        let mut told = Vec::new();
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&self.queue, &mut buffer);
        loop {
            let event = match events.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => return told,
                Err(error) => panic!("{error}"),
            };
            // A name in a followed folder is told too.
            let name = self.names.iter().find(|(watch, _)| *watch == event.wd());
            let Some((_, name)) = name.filter(|_| event.file_name().is_none()) else {
                continue;
            };
            let what = match event.events() {
                what if what.contains(ReadFlags::OPEN) => "open",
                _ => "close",
            };
            told.push(format!("{what} {name}"));
        }
    }
}

fn place(told: &[String], what: &str) -> usize {
    let at = told.iter().rposition(|line| line == what);
    at.unwrap_or_else(|| panic!("{what}: {told:?}"))
}

/// Up to 8 MiB each time, with all leases held.
#[test]
fn the_log_of_a_session_known_to_be_damaged_is_not_read_again() {
    let store = TestStore::new();
    store.add("a", "", 60);
    store.add("torn", "", 60);
    std::fs::write(store.path("torn/metadata.json"), "{").unwrap();
    let plan = plan(&store, old()).confirm();
    let trace = Trace::of(&store, &["torn/events.jsonl"]);
    let report = remove(&zero(&store), plan, now(), grace(), &quiet()).unwrap();
    assert_eq!(report.removed.len(), 1, "{report:?}");
    assert_eq!(trace.told(), Vec::<String>::new());
}

/// Measuring a large session takes long, and nobody could open or write it.
#[test]
fn sizes_are_measured_when_the_locks_were_let_go() {
    for real in [false, true] {
        let store = TestStore::new();
        store.add("a", "", 60);
        store.add("b", "", 60);
        make_folder(&store.path("a/checkpoints"));
        let plan = plan(&store, old());
        let names = ["a/lease.lock", "a/session.lock", "a/checkpoints"];
        let trace = Trace::of(&store, &names);
        if real {
            let report = remove(&zero(&store), plan.confirm(), now(), grace(), &quiet());
            let report = report.unwrap();
            assert!(report.removed.iter().all(|entry| entry.bytes > 0));
        } else {
            let plan = dry_run(&zero(&store), plan, &quiet()).unwrap();
            assert!(plan.removals().all(|c| c.session.bytes > Some(0)));
        }
        let told = trace.told();
        let measured = place(&told, "open a/checkpoints");
        assert!(place(&told, "close a/lease.lock") < measured, "{told:?}");
        assert!(place(&told, "close a/session.lock") < measured, "{told:?}");
    }
}
