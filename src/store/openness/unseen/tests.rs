use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::*;

/// A root with sessions, and a `/proc` that knows of us.
struct Room {
    temp: tempfile::TempDir,
}

impl Room {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        for store in ["root", "other"] {
            let session = temp.path().join(store).join("a");
            fs::create_dir_all(&session).unwrap();
            fs::write(session.join("lease.lock"), "").unwrap();
        }
        let room = Self { temp };
        room.process(us(), "sesstree", "S (sleeping)", &[]);
        room
    }

    fn proc(&self) -> PathBuf {
        self.temp.path().join("proc")
    }

    fn lease(&self, store: &str) -> PathBuf {
        self.temp.path().join(store).join("a/lease.lock")
    }

    fn process(&self, pid: u32, name: &str, state: &str, opened: &[PathBuf]) {
        self.process_of(getuid().as_raw(), pid, name, state, opened);
    }

    fn process_of(&self, user: u32, pid: u32, name: &str, state: &str, opened: &[PathBuf]) {
        let folder = self.proc().join(pid.to_string());
        fs::create_dir_all(folder.join("fd")).unwrap();
        fs::write(folder.join("comm"), format!("{name}\n")).unwrap();
        let status = format!(
            "Name:\t{name}\nUmask:\t0022\nState:\t{state}\nPid:\t{pid}\n\
             Uid:\t{user}\t{user}\t{user}\t{user}\nGid:\t0\t0\t0\t0\n"
        );
        fs::write(folder.join("status"), status).unwrap();
        for (number, path) in opened.iter().enumerate() {
            symlink(path, folder.join("fd").join(number.to_string())).unwrap();
        }
    }

    fn unseen(&self) -> Option<Vec<u32>> {
        let root = Dir::open_root(&self.temp.path().join("root")).unwrap();
        let found = unseen(&self.proc(), &root, "lease.lock", "zero")?;
        assert!(found.iter().all(|holder| holder.process.as_str() == "zero"));
        Some(found.iter().map(|holder| holder.pid).collect())
    }
}

fn us() -> u32 {
    std::process::id()
}

const SLEEPS: &str = "S (sleeping)";

#[test]
fn who_holds_a_lease_here_is_seen() {
    let room = Room::new();
    assert_eq!(room.unseen(), Some(vec![]));
    room.process(
        7,
        "zero",
        SLEEPS,
        &[PathBuf::from("/dev/null"), room.lease("root")],
    );
    assert_eq!(room.unseen(), Some(vec![]));
}

#[test]
fn who_holds_none_is_not_and_is_named() {
    let room = Room::new();
    room.process(9, "zero", SLEEPS, &[PathBuf::from("/dev/null")]);
    room.process(8, "zero", "R (running)", &[]);
    assert_eq!(room.unseen(), Some(vec![8, 9]));
}

#[test]
fn a_lease_of_another_store_does_not_count() {
    let room = Room::new();
    room.process(7, "zero", SLEEPS, &[room.lease("other")]);
    assert_eq!(room.unseen(), Some(vec![7]));
    // Nor one whose session is no longer that one.
    room.process(8, "zero", SLEEPS, &[room.lease("root")]);
    fs::rename(room.lease("root"), room.temp.path().join("lease.lock")).unwrap();
    assert_eq!(room.unseen(), Some(vec![7, 8]));
}

#[test]
fn a_process_that_cannot_be_looked_into_is_not_seen() {
    let room = Room::new();
    room.process(7, "zero", SLEEPS, &[]);
    fs::remove_dir(room.proc().join("7/fd")).unwrap();
    assert_eq!(room.unseen(), Some(vec![7]));
}

#[test]
fn other_programs_other_users_and_the_dead_are_none_of_it() {
    let room = Room::new();
    room.process(7, "zeroth", SLEEPS, &[]);
    room.process(8, "zero", "Z (zombie)", &[]);
    room.process_of(getuid().as_raw() + 1, 9, "zero", SLEEPS, &[]);
    fs::create_dir(room.proc().join("10")).unwrap();
    fs::write(room.proc().join("10/status"), "Name:\tzero\n").unwrap();
    assert_eq!(room.unseen(), Some(vec![]));
}

#[test]
fn a_system_that_does_not_show_ourselves_does_not_tell() {
    let room = Room::new();
    fs::remove_dir_all(room.proc().join(us().to_string())).unwrap();
    assert_eq!(room.unseen(), None);
    fs::remove_dir_all(room.proc()).unwrap();
    assert_eq!(room.unseen(), None);
}
