use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, Mode};

use super::*;

struct Room {
    temp: tempfile::TempDir,
    home: Dir,
}

impl Room {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("home/doomed")).unwrap();
        fs::create_dir_all(temp.path().join("outside/folder")).unwrap();
        fs::write(temp.path().join("outside/folder/canary"), "alive").unwrap();
        let home = Dir::open_root(&temp.path().join("home")).unwrap();
        Self { temp, home }
    }

    fn doomed(&self, below: &str) -> PathBuf {
        self.temp.path().join("home/doomed").join(below)
    }

    fn outside(&self) -> PathBuf {
        self.temp.path().join("outside/folder")
    }

    fn unlink(&self, next: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), NotGone> {
        unlink(&self.home, OsStr::new("doomed"), Kind::Folder, next)
    }

    /// Unlinks all of it; the canaries live.
    fn gone(&self) {
        self.unlink(&mut go_on).unwrap();
        self.gone_already();
        let canary = fs::read_to_string(self.outside().join("canary"));
        assert_eq!(canary.unwrap(), "alive");
    }

    /// Nothing of it is left, nor beside it.
    fn gone_already(&self) {
        let left = fs::read_dir(self.temp.path().join("home")).unwrap();
        assert_eq!(left.count(), 0);
    }
}

fn go_on() -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn links_and_odd_files_go_and_where_they_lead_stays() {
    let room = Room::new();
    let canary = room.outside().join("canary");
    fs::create_dir_all(room.doomed("a/b")).unwrap();
    for at in ["", "a", "a/b"] {
        symlink(room.outside(), room.doomed(at).join("folder-link")).unwrap();
        symlink(&canary, room.doomed(at).join("file-link")).unwrap();
        symlink("..", room.doomed(at).join("up")).unwrap();
        symlink("nowhere", room.doomed(at).join("broken")).unwrap();
        fs::hard_link(&canary, room.doomed(at).join("hard-link")).unwrap();
        rustix::fs::mkfifoat(CWD, room.doomed(at).join("fifo"), Mode::RUSR).unwrap();
    }
    UnixListener::bind(room.doomed("socket")).unwrap();
    fs::write(room.doomed("").join(OsStr::from_bytes(b"\xff\xfe")), "").unwrap();
    fs::write(room.doomed(&"x".repeat(255)), "").unwrap();
    room.gone();
}

#[test]
fn a_link_in_its_own_place_goes_and_is_not_followed() {
    let room = Room::new();
    fs::remove_dir(room.doomed("")).unwrap();
    symlink(room.outside(), room.temp.path().join("home/doomed")).unwrap();
    let name = OsStr::new("doomed");
    // Whoever listed it took it for a folder.
    let mistaken = unlink(&room.home, name, Kind::Folder, &mut go_on);
    assert!(matches!(mistaken, Err(NotGone::Failed(..))), "{mistaken:?}");
    unlink(&room.home, name, Kind::Link, &mut go_on).unwrap();
    assert!(!room.temp.path().join("home/doomed").is_symlink());
    assert!(room.outside().join("canary").exists());
}

/// Deeper than any path can name, and than there may be descriptors.
#[test]
fn any_depth_goes_with_few_descriptors() {
    let room = Room::new();
    let mut at = Dir::open_root(&room.doomed("")).unwrap();
    for level in 0..1_100 {
        rustix::fs::mkdirat(&at, "deeper", Mode::RWXU).unwrap();
        if level % 10 == 0 {
            rustix::fs::mkdirat(&at, "beside", Mode::RWXU).unwrap();
        }
        at = at.open_dir("deeper").unwrap();
    }
    drop(at);
    let before = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let mut most = 0;
    let mut next = || {
        most = most.max(fs::read_dir("/proc/self/fd").map_or(0, Iterator::count));
        go_on()
    };
    room.unlink(&mut next).unwrap();
    // Other tests open files too.
    assert!(most < before + DEEPEST + 500, "{before} {most}");
    room.gone_already();
}

#[test]
fn names_in_the_way_of_what_is_moved_up_are_stepped_over() {
    let room = Room::new();
    let deep = vec!["d"; DEEPEST + 3].join("/");
    fs::create_dir_all(room.doomed(&deep)).unwrap();
    let beside = room.temp.path().join("home/doomed.1");
    fs::create_dir(&beside).unwrap();
    room.unlink(&mut go_on).unwrap();
    assert!(beside.exists(), "it is not ours to unlink");
    assert!(!room.doomed("").exists());
}

#[test]
fn what_is_gone_already_is_gone() {
    let room = Room::new();
    fs::remove_dir(room.doomed("")).unwrap();
    room.gone();
}

#[test]
fn a_stop_leaves_what_can_be_unlinked_another_time() {
    let room = Room::new();
    for number in 0..10 {
        fs::create_dir(room.doomed(&number.to_string())).unwrap();
    }
    let mut left = 4;
    let mut next = || {
        left -= 1;
        if left == 0 {
            ControlFlow::Break(())
        } else {
            go_on()
        }
    };
    assert!(matches!(room.unlink(&mut next), Err(NotGone::Stopped)));
    assert_eq!(fs::read_dir(room.doomed("")).unwrap().count(), 7);
    room.gone();
}

#[test]
fn a_late_writers_file_goes_too() {
    let room = Room::new();
    fs::write(room.doomed("a"), "").unwrap();
    let mut times = 0;
    let mut next = || {
        times += 1;
        if times == 1 {
            fs::write(room.doomed("late"), "").unwrap();
        }
        go_on()
    };
    room.unlink(&mut next).unwrap();
    room.gone_already();
}

#[test]
fn the_first_failure_is_told_with_its_place() {
    let error = io::Error::other("EIO\x1b[2J");
    let failed = NotGone::Failed(PathBuf::from("a/b\n"), error);
    let told = failed.to_string();
    assert!(told.starts_with("a/b") && told.contains("EIO"), "{told}");
    assert!(!told.contains(['\x1b', '\n']), "{told}");
}
