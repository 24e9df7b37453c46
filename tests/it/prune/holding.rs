//! A session that is open here cannot be pruned, and one that a prune holds cannot be opened.

use std::fs;
use std::path::Path;

use rustix::fs::{CWD, Mode};
use sesstree::prune::execute::{dry_run, remove};
use sesstree::prune::report::{BatchId, Step};
use sesstree::session::Refusal;
use sesstree::store::trash::{Aside, Record};
use sesstree::store::{Hold, Purpose, Store as _};

use super::{At, Flock, grace, id, old, plan, prune, quiet, told, zero};
use crate::support::{TestStore, now, skipped};

#[test]
fn held_by_us_is_not_pruned_and_goes_once_let_go() {
    let store = TestStore::new();
    store.add("a", "", 60);
    fs::remove_file(store.path("a/lease.lock")).unwrap();
    let hold = zero(&store).hold(&id("a")).unwrap();
    assert!(matches!(hold, Hold::Leased(_)));
    let told_first = told(&prune(&store, old()));
    let ours = format!("pid {})", std::process::id());
    assert!(told_first["a"].ends_with(&ours), "{told_first:?}");
    let open = zero(&store).openness().unwrap();
    assert_eq!(open[&id("a")].holder().unwrap().pid, std::process::id());
    drop(hold);
    assert_eq!(told(&prune(&store, old()))["a"], "removed");
}

#[test]
fn many_may_hold_one() {
    let store = TestStore::new();
    store.add("a", "", 60);
    let _foreign = Flock::open(&store, "a");
    let first = zero(&store).hold(&id("a")).unwrap();
    let second = zero(&store).hold(&id("a")).unwrap();
    assert!(matches!(
        (first, second),
        (Hold::Leased(_), Hold::Leased(_))
    ));
}

#[test]
fn a_lease_that_cannot_be_taken_does_not_stop_a_resume() {
    let store = TestStore::new();
    store.add("folder", "", 60);
    fs::remove_file(store.path("folder/lease.lock")).unwrap();
    fs::create_dir(store.path("folder/lease.lock")).unwrap();
    store.add("fifo", "", 60);
    let fifo = store.path("fifo/lease.lock");
    fs::remove_file(&fifo).unwrap();
    rustix::fs::mkfifoat(CWD, &fifo, Mode::RUSR | Mode::WUSR).unwrap();
    for name in ["folder", "fifo"] {
        let hold = zero(&store).hold(&id(name)).unwrap();
        assert!(matches!(hold, Hold::Unprotected(_)), "{name}: {hold:?}");
    }
}

#[test]
fn what_is_gone_or_half_gone_is_refused_and_nothing_is_left_in_it() {
    let store = TestStore::new();
    assert_eq!(zero(&store).hold(&id("none")).unwrap_err(), Refusal::Gone);
    assert!(!store.path("none").exists());
    crate::support::make_folder(&store.path("remnant"));
    let refused = zero(&store).hold(&id("remnant")).unwrap_err();
    assert_eq!(refused, Refusal::RemovedWhileOpening);
    fs::remove_dir(store.path("remnant")).unwrap();
    let elsewhere = sesstree::store::zero::Zero::new(store.beside("nowhere"));
    assert_eq!(elsewhere.hold(&id("a")).unwrap_err(), Refusal::Gone);
}

#[test]
fn a_lock_file_that_another_program_made_is_left_alone() {
    let store = TestStore::new();
    crate::support::make_folder(&store.path("remnant"));
    crate::support::write_file(&store.path("remnant/lease.lock"), b"");
    let refused = zero(&store).hold(&id("remnant")).unwrap_err();
    assert_eq!(refused, Refusal::RemovedWhileOpening);
    assert!(store.path("remnant/lease.lock").exists());
}

/// What a foreign program says that wants to open the session as Zero does.
fn foreign_open(lease: &Path) -> bool {
    let status = std::process::Command::new("flock")
        .args(["-s", "-n"])
        .arg(lease)
        .args(["-c", "true"])
        .stderr(std::process::Stdio::null())
        .status();
    status.unwrap().success()
}

#[test]
fn a_prune_refuses_whoever_wants_to_open_meanwhile() {
    let store = TestStore::new();
    store.add("parent", "", 90);
    store.add("child", "parent", 60);
    fs::remove_file(store.path("parent/lease.lock")).unwrap();
    let seen = std::cell::RefCell::new(Vec::new());
    let watch = At(|step: Step<'_>| {
        if matches!(step, Step::Claimed | Step::Moved(_)) {
            seen.borrow_mut()
                .push(match zero(&store).hold(&id("parent")) {
                    Ok(_) => "held".to_owned(),
                    Err(refusal) => refusal.to_string(),
                });
        }
        if step == Step::Claimed {
            assert!(!foreign_open(&store.path("parent/lease.lock")));
        }
    });
    let plan = plan(&store, old()).confirm();
    remove(&zero(&store), plan, now(), grace(), &watch).unwrap();
    let locked = "locked by a prune; try again";
    assert_eq!(*seen.borrow(), [locked, locked, "already gone"]);
    assert_eq!(zero(&store).hold(&id("child")).unwrap_err(), Refusal::Gone);
    assert!(!store.path("parent").exists() && !store.path("child").exists());
}

#[test]
fn a_dry_run_lets_go_at_once_and_makes_no_lease() {
    let store = TestStore::new();
    store.add("a", "", 60);
    fs::remove_file(store.path("a/lease.lock")).unwrap();
    store.add("b", "", 60);
    let plan = dry_run(&zero(&store), plan(&store, old()), &quiet()).unwrap();
    assert_eq!(plan.removals().count(), 2);
    assert!(!store.path("a/lease.lock").exists());
    assert!(matches!(zero(&store).hold(&id("b")), Ok(Hold::Leased(_))));
}

/// An agent without leases can be told only by what it has read.
#[test]
fn a_dry_run_leaves_no_trace_in_access_times() {
    use std::os::unix::fs::MetadataExt as _;
    let store = TestStore::new();
    store.add("a", "", 60);
    let files = ["metadata.json", "events.jsonl"].map(|name| store.path("a").join(name));
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    for path in &files {
        let times = fs::FileTimes::new().set_accessed(long_ago);
        fs::File::open(path).unwrap().set_times(times).unwrap();
    }
    dry_run(&zero(&store), plan(&store, old()), &quiet()).unwrap();
    for path in &files {
        assert_eq!(fs::metadata(path).unwrap().atime(), 0, "{}", path.display());
    }
}

#[test]
fn only_what_was_claimed_for_it_and_looked_at_again_can_be_moved() {
    let store = TestStore::new();
    store.add("a", "", 60);
    let lineage = super::lineage(&store);
    let session = lineage.session(&id("a")).unwrap();
    let agents = zero(&store);
    let change = agents.change().unwrap();
    let record = Record {
        batch: BatchId::parse("20261101T120000Z-abcdef").unwrap(),
        at: now(),
        expires_at: now() + grace(),
        policy: String::new(),
        sessions: vec![],
    };
    let bin = Aside::Trash(change.open_bin(&record).unwrap());
    for (purpose, looked, moves) in [
        (Purpose::Look, true, false),
        (Purpose::Change, false, false),
        (Purpose::Change, true, true),
    ] {
        let mut claim = change.claim(session, purpose).unwrap();
        assert!(!looked || claim.recheck().is_ok());
        assert_eq!(
            claim.move_aside(&bin).is_ok(),
            moves,
            "{purpose:?} {looked}"
        );
        assert_eq!(store.has("a"), !moves);
    }
}

#[test]
fn in_another_users_folder_nothing_is_made() {
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can give a folder away");
    }
    let store = TestStore::new();
    store.add("a", "", 60);
    fs::remove_file(store.path("a/lease.lock")).unwrap();
    std::os::unix::fs::chown(store.path("a"), Some(12345), None).unwrap();
    let hold = zero(&store).hold(&id("a")).unwrap();
    assert!(matches!(hold, Hold::Unprotected(_)), "{hold:?}");
    assert!(!store.path("a/lease.lock").exists());
    crate::support::make_folder(&store.path("remnant"));
    std::os::unix::fs::chown(store.path("remnant"), Some(12345), None).unwrap();
    let refused = zero(&store).hold(&id("remnant")).unwrap_err();
    assert_eq!(refused, Refusal::RemovedWhileOpening);
}

#[test]
fn a_store_of_another_user_is_refused_and_nothing_is_made() {
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can give a folder away");
    }
    let store = TestStore::new();
    store.add("a", "", 60);
    std::os::unix::fs::chown(store.root(), Some(12345), None).unwrap();
    let before = store.snapshot();
    let plan = plan(&store, old()).confirm();
    let refused = remove(&zero(&store), plan, now(), grace(), &quiet()).unwrap_err();
    assert!(matches!(refused, Refusal::StoreRefused(_)), "{refused}");
    assert_eq!(store.snapshot(), before);
}
