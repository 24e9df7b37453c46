//! Reading stores, odd ones above all: everything in them is told, nothing is changed, nothing blocks.

mod odd;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use sesstree::session::{Condition, Seen, Session, SessionId, SessionKind};
use sesstree::store::zero::Zero;
use sesstree::store::{Found, ScanError, Store as _};

use crate::support::{TestStore, days_ago};

/// What a scan told, by name.
#[derive(Debug, Default)]
struct Told {
    sessions: BTreeMap<String, Session>,
    same: BTreeMap<String, bool>,
    faults: BTreeMap<PathBuf, String>,
}

impl Told {
    fn add(&mut self, found: Found) {
        let again = match found {
            Found::Session(session) => {
                let name = session.id.to_string();
                self.sessions.insert(name, session).is_some()
            }
            Found::Fault(fault) => {
                let what = fault.what.to_string();
                self.faults.insert(fault.path, what).is_some()
            }
            Found::Same(id, pinned) => self.same.insert(id.to_string(), pinned).is_some(),
        };
        assert!(!again, "each name is told once");
    }
}

/// Scans on another thread: a scan that blocks fails the test instead of stopping it. A listing for
/// showing tells the same.
fn scan(root: &Path) -> Result<Told, ScanError> {
    let told = scan_again(root, Seen::new())?;
    let shown = apart(root, |zero, found| zero.list(found))?;
    assert_eq!(shown.faults, told.faults);
    assert!(shown.sessions.keys().eq(told.sessions.keys()));
    for (session, told) in shown.sessions.into_values().zip(told.sessions.values()) {
        assert_eq!(session.seen.place(), told.seen.place(), "{}", told.id);
        let seen = told.seen;
        let session = Session { seen, ..session };
        assert_eq!(format!("{session:?}"), format!("{told:?}"));
    }
    Ok(told)
}

fn scan_again(root: &Path, seen: Seen) -> Result<Told, ScanError> {
    apart(root, move |zero, found| zero.scan(&seen, found))
}

fn apart(
    root: &Path,
    scan: impl FnOnce(&Zero, &mut dyn FnMut(Found) -> ControlFlow<()>) -> Result<(), ScanError>
    + Send
    + 'static,
) -> Result<Told, ScanError> {
    let zero = Zero::new(root.to_owned());
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut all = Told::default();
        let end = scan(&zero, &mut |found| {
            all.add(found);
            ControlFlow::Continue(())
        });
        tell.send(end.map(|()| all))
    });
    told.recv_timeout(Duration::from_secs(10))
        .expect("the scan ends")
}

#[test]
fn a_plain_store() {
    let store = TestStore::new();
    store.add("a", "", 40);
    store.add("b", "a", 3);
    store
        .session("c")
        .parent("b")
        .field("sessionKind", "child")
        .at(days_ago(2))
        .write();
    let before = store.snapshot();
    let told = scan(&store.root()).unwrap();
    assert_eq!(before, store.snapshot(), "a scan changes nothing");
    assert!(told.faults.is_empty(), "{:?}", told.faults);
    let [a, b, c] = ["a", "b", "c"].map(|id| &told.sessions[id]);
    assert_eq!(a.condition, Condition::Sound);
    assert_eq!((&a.kind, &a.parent), (&SessionKind::Main, &None));
    assert_eq!(a.title.as_str(), "title of a");
    assert_eq!(a.activity_at, Some(days_ago(40)));
    assert_eq!(a.events, Some(1));
    assert_eq!(b.kind, SessionKind::Fork);
    assert_eq!(b.parent.as_ref().map(SessionId::as_str), Some("a"));
    assert_eq!(c.kind, SessionKind::Child);
    assert_eq!(a.folder(), Some(Path::new("/home/you/src/api")));
    let folder = fs::metadata(store.path("a")).unwrap();
    assert_eq!(
        (a.seen.device, a.seen.inode),
        (folder.dev(), folder.ino()),
        "the folder's own identity"
    );
    assert_ne!(a.seen.metadata, b.seen.metadata);
}

/// What is listed for showing says nothing of the state of its metadata, so no prune takes it.
#[test]
fn a_listing_for_showing_is_nothing_to_prune_by() {
    let store = TestStore::new();
    store.add("a", "", 40);
    let shown = apart(&store.root(), |zero, found| zero.list(found)).unwrap();
    let told = scan(&store.root()).unwrap();
    assert_ne!(shown.sessions["a"].seen, told.sessions["a"].seen);
}

#[test]
fn a_session_read_anew_is_what_the_scan_told() {
    let store = TestStore::new();
    store.add("a", "", 40);
    let seen = || scan(&store.root()).unwrap().sessions["a"].seen;
    let told = seen();
    assert_eq!(seen(), told);
    store.add("a", "", 39);
    assert_ne!(seen().metadata, told.metadata);
}

#[test]
fn a_thousand_sessions() {
    let store = TestStore::new();
    for n in 0..1_000 {
        let parent = match n {
            0 => String::new(),
            n => format!("s{}", n / 2),
        };
        store.add(&format!("s{n}"), &parent, n % 90);
    }
    let told = scan(&store.root()).unwrap();
    assert_eq!(told.sessions.len(), 1_000);
    assert!(told.faults.is_empty());
    let sound = |session: &Session| session.condition == Condition::Sound;
    assert!(told.sessions.values().all(sound));
    assert_eq!(
        told.sessions["s999"].parent.as_ref().map(SessionId::as_str),
        Some("s499")
    );
}

#[test]
fn a_scan_stops_when_told_to() {
    let store = TestStore::new();
    for n in 0..700 {
        store.add(&format!("s{n}"), "", 1);
    }
    // The first names are told from one thread, the others from several.
    for limit in [1, 10, 255, 256, 257, 600] {
        let zero = Zero::new(store.root());
        let mut count = 0;
        let end = zero.scan(&Seen::new(), &mut |_| {
            count += 1;
            match count {
                count if count < limit => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        });
        assert!(end.is_ok());
        assert_eq!(count, limit);
    }
}

#[test]
fn what_vanishes_meanwhile_is_passed_over() {
    let store = TestStore::new();
    for n in 0..100 {
        store.add(&format!("s{n}"), "", 1);
    }
    let zero = Zero::new(store.root());
    let mut told = Told::default();
    zero.scan(&Seen::new(), &mut |found| {
        if told.sessions.is_empty() {
            fs::rename(store.root(), store.beside("elsewhere")).unwrap();
            fs::remove_dir_all(store.beside("elsewhere")).unwrap();
        }
        told.add(found);
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(told.sessions.len(), 1);
    assert!(told.faults.is_empty());
}

#[test]
fn a_root_that_is_none_says_so_and_is_not_made() {
    let store = TestStore::new();
    let missing = store.beside("missing");
    let error = scan(&missing).unwrap_err();
    assert!(matches!(&error, ScanError::Missing(path) if *path == missing));
    assert!(error.to_string().starts_with("no sessions folder at /"));
    assert!(!missing.exists());
    fs::write(store.beside("file"), "").unwrap();
    let error = scan(&store.beside("file")).unwrap_err();
    assert!(matches!(error, ScanError::Unreadable(..)), "{error}");
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        store.beside("fifo"),
        rustix::fs::Mode::RUSR,
    )
    .unwrap();
    let error = scan(&store.beside("fifo")).unwrap_err();
    assert!(matches!(error, ScanError::Unreadable(..)), "{error}");
}

#[test]
fn the_users_own_path_to_the_root_may_have_links() {
    let store = TestStore::new();
    store.add("a", "", 1);
    symlink(store.root(), store.beside("link")).unwrap();
    let told = scan(&store.beside("link")).unwrap();
    assert_eq!(told.sessions["a"].condition, Condition::Sound);
    let zero = Zero::new(store.beside("link"));
    assert!(zero.size(&SessionId::parse("a").unwrap()).unwrap() > 0);
}

#[test]
fn a_scan_leaves_no_trace_in_access_times() {
    let store = TestStore::new();
    store.add("a", "", 1);
    let path = store.path("a/metadata.json");
    let long_ago = std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let times = fs::FileTimes::new().set_accessed(long_ago);
    fs::File::options()
        .write(true)
        .open(&path)
        .and_then(|file| file.set_times(times))
        .unwrap();
    scan(&store.root()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().accessed().unwrap(), long_ago);
}

/// What is told of three sessions after something happened to one of them: which were read, which not.
#[track_caller]
fn check_again(happens: impl FnOnce(&TestStore), read: &[&str], same: &[(&str, bool)]) {
    let store = TestStore::new();
    for id in ["a", "b", "c"] {
        store.add(id, "", 40);
    }
    let first = scan(&store.root()).unwrap().sessions;
    let seen = first
        .values()
        .map(|session| (session.id.clone(), session.seen));
    let seen: Seen = seen.collect();
    // Where times are told in ticks, what happens within one cannot be told from what was before.
    thread::sleep(Duration::from_millis(20));
    happens(&store);
    let told = scan_again(&store.root(), seen).unwrap();
    assert_eq!(told.sessions.keys().collect::<Vec<_>>(), read);
    let pinned = told.same.iter().map(|(id, pinned)| (id.as_str(), *pinned));
    assert_eq!(pinned.collect::<Vec<_>>(), same);
    assert!(told.faults.is_empty(), "{:?}", told.faults);
}

#[test]
fn what_was_seen_and_is_as_it_was_is_not_read_again() {
    let all = [("a", false), ("b", false), ("c", false)];
    check_again(|_| {}, &[], &all);
    check_again(|store| store.add("d", "", 1), &["d"], &all);
    let gone = |store: &TestStore| fs::remove_dir_all(store.path("a")).unwrap();
    check_again(gone, &[], &all[1..]);
    let pinned = |store: &TestStore| {
        let id = SessionId::parse("b").unwrap();
        Zero::new(store.root()).pin(&[(id, true)]).unwrap();
    };
    check_again(pinned, &[], &[all[0], ("b", true), all[2]]);
}

#[test]
fn what_was_seen_and_is_another_one_is_read_again() {
    let others = [("a", false), ("c", false)];
    check_again(|store| store.add("b", "a", 40), &["b"], &others);
    let replaced = |store: &TestStore| {
        let (old, new) = (store.path("b/metadata.json"), store.path("b/new"));
        fs::copy(&old, &new).unwrap();
        fs::rename(new, old).unwrap();
    };
    check_again(replaced, &["b"], &others);
    let moved = |store: &TestStore| {
        fs::create_dir(store.path("new")).unwrap();
        fs::rename(
            store.path("b/metadata.json"),
            store.path("new/metadata.json"),
        )
        .unwrap();
        fs::remove_dir_all(store.path("b")).unwrap();
        fs::rename(store.path("new"), store.path("b")).unwrap();
    };
    check_again(moved, &["b"], &others);
    let no_metadata = |store: &TestStore| fs::remove_file(store.path("b/metadata.json")).unwrap();
    check_again(no_metadata, &["b"], &others);
    let linked = |store: &TestStore| {
        fs::rename(store.path("b"), store.beside("elsewhere")).unwrap();
        std::os::unix::fs::symlink(store.beside("elsewhere"), store.path("b")).unwrap();
    };
    check_again(linked, &["b"], &others);
}
