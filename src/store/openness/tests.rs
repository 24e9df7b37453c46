#![expect(
    clippy::disallowed_methods,
    reason = "a foreign holder is another program"
)]

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::*;

struct Room {
    temp: tempfile::TempDir,
    traced: RefCell<Traced>,
}

impl Room {
    /// A root with these sessions and an empty `/proc`.
    fn new(ids: &[&str]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        for id in ids {
            fs::create_dir_all(temp.path().join("root").join(id)).unwrap();
            fs::write(temp.path().join("root").join(id).join("lease.lock"), "").unwrap();
        }
        fs::create_dir_all(temp.path().join("proc")).unwrap();
        let traced = RefCell::default();
        Self { temp, traced }
    }

    fn lease(&self, id: &str) -> PathBuf {
        self.temp.path().join("root").join(id).join("lease.lock")
    }

    fn proc(&self) -> PathBuf {
        self.temp.path().join("proc")
    }

    /// A line of `/proc/locks` about a session's lease.
    fn line(&self, id: &str, mode: &str, pid: u32) -> String {
        let file = fs::metadata(self.lease(id)).unwrap();
        let (major, minor) = (rustix::fs::major(file.dev()), rustix::fs::minor(file.dev()));
        let inode = file.ino();
        format!("1: FLOCK  ADVISORY  {mode} {pid} {major:02x}:{minor:02x}:{inode} 0 EOF\n")
    }

    fn locks(&self, lines: &str) {
        fs::write(self.proc().join("locks"), lines).unwrap();
    }

    fn process(&self, pid: u32, comm: &str, opened: &[PathBuf]) {
        let folder = self.proc().join(pid.to_string());
        fs::create_dir_all(folder.join("fd")).unwrap();
        fs::write(folder.join("comm"), format!("{comm}\n")).unwrap();
        for (number, path) in opened.iter().enumerate() {
            symlink(path, folder.join("fd").join(number.to_string())).unwrap();
        }
    }

    fn look(&self) -> Option<HashMap<SessionId, Openness>> {
        let root = Dir::open_root(&self.temp.path().join("root")).unwrap();
        look(
            &self.proc(),
            &root,
            "lease.lock",
            &mut self.traced.borrow_mut(),
        )
    }
}

/// A list of locks that comes piece by piece.
struct Pieces(Vec<String>);

impl io::Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Ok(0);
        }
        let piece = self.0.remove(0);
        buffer[..piece.len()].copy_from_slice(piece.as_bytes());
        Ok(piece.len())
    }
}

/// What is let go between two reads makes the kernel pass over others.
#[test]
fn a_list_that_comes_in_pieces_is_read_again() {
    let line = |inode: u32| format!("1: FLOCK  ADVISORY  READ 42 fe:00:{inode} 0 EOF\n");
    let times = std::cell::Cell::new(0);
    let inodes = |lists: &[&[u32]]| {
        times.set(0);
        let open = || {
            let list = lists[times.replace(times.get() + 1)];
            Ok(Pieces(list.iter().map(|inode| line(*inode)).collect()))
        };
        let mut found: Vec<u64> = hints_in(open)
            .unwrap()
            .iter()
            .map(|h| h.file.inode)
            .collect();
        found.sort_unstable();
        found
    };
    assert_eq!(inodes(&[&[1]]), [1], "one read has all");
    assert_eq!(inodes(&[&[]]), [] as [u64; 0]);
    assert_eq!(inodes(&[&[1, 3], &[2, 3], &[3, 4]]), [1, 2, 3, 4]);
    assert_eq!(times.get(), 3, "but not for ever");
}

fn id(id: &str) -> SessionId {
    SessionId::parse(id).unwrap()
}

fn open(pid: u32, comm: &str) -> Openness {
    Openness::Open(Holder {
        pid,
        process: SafeText::line(comm),
    })
}

#[test]
fn lines_of_proc_locks() {
    let hint = |line| super::hint(line).map(|hint| (hint.pid, hint.file.inode));
    assert_eq!(
        hint("1: FLOCK  ADVISORY  READ 4242 fe:00:131 0 EOF"),
        Some((4242, 131))
    );
    assert_eq!(
        hint("12: FLOCK  ADVISORY  READ -1 00:2a:7 0 EOF"),
        Some((0, 7))
    );
    for other in [
        "",
        "1:",
        "1: FLOCK  ADVISORY  WRITE 4242 fe:00:131 0 EOF",
        "1: -> FLOCK  ADVISORY  READ 4242 fe:00:131 0 EOF",
        "1: POSIX  ADVISORY  READ 4242 fe:00:131 0 EOF",
        "1: OFDLCK ADVISORY  READ -1 fe:00:131 0 EOF",
        "1: FLOCK  ADVISORY  READ 4242 fe:zz:131 0 EOF",
        "1: FLOCK  ADVISORY  READ 4242 fe:00 0 EOF",
    ] {
        assert_eq!(hint(other), None, "{other}");
    }
}

#[test]
fn a_system_without_proc_does_not_tell() {
    assert_eq!(Room::new(&["a"]).look(), None);
}

#[test]
fn proof_is_the_very_file_open_in_the_process() {
    let room = Room::new(&["held", "free", "pruned"]);
    let lines = [
        room.line("held", "READ", 7),
        room.line("pruned", "WRITE", 8),
    ];
    room.locks(&lines.concat());
    room.process(7, "zero", &[PathBuf::from("/dev/null"), room.lease("held")]);
    room.process(8, "prune", &[room.lease("pruned")]);
    let found = room.look().unwrap();
    assert_eq!(found, HashMap::from([(id("held"), open(7, "zero"))]));
}

#[test]
fn a_lease_that_is_open_but_not_locked_is_not_held() {
    let room = Room::new(&["a", "b"]);
    room.locks(&room.line("a", "READ", 7));
    room.process(7, "zero", &[room.lease("a"), room.lease("b")]);
    assert_eq!(
        room.look().unwrap(),
        HashMap::from([(id("a"), open(7, "zero"))])
    );
}

#[test]
fn a_file_of_the_same_name_elsewhere_is_another_file() {
    let room = Room::new(&["a"]);
    let elsewhere = room.temp.path().join("elsewhere/a");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::write(elsewhere.join("lease.lock"), "").unwrap();
    let file = fs::metadata(elsewhere.join("lease.lock")).unwrap();
    let (major, minor) = (rustix::fs::major(file.dev()), rustix::fs::minor(file.dev()));
    let inode = file.ino();
    room.locks(&format!(
        "1: FLOCK ADVISORY READ 7 {major:x}:{minor:x}:{inode} 0 EOF"
    ));
    room.process(7, "zero", &[elsewhere.join("lease.lock")]);
    assert_eq!(room.look().unwrap(), HashMap::new());
}

#[test]
fn an_inherited_lock_names_a_dead_process_and_is_found_at_the_heir() {
    let room = Room::new(&["a", "b"]);
    room.locks(&room.line("a", "READ", 7));
    room.process(9, "heir", &[room.lease("a")]);
    assert_eq!(
        room.look().unwrap(),
        HashMap::from([(id("a"), open(9, "heir"))])
    );
    let file = fs::metadata(room.lease("a")).unwrap();
    let file = Identity {
        device: file.dev(),
        inode: file.ino(),
    };
    let holder = Holders::new(&room.proc(), "lease.lock").find(file);
    assert_eq!(holder.map(|holder| holder.pid), Some(9));
}

/// Thousands of sessions may be open in one process, and each of them is refused.
#[test]
fn one_look_answers_for_all_that_are_refused_then() {
    let room = Room::new(&["a", "b", "free"]);
    room.locks(&[room.line("a", "READ", 7), room.line("b", "READ", 7)].concat());
    room.process(7, "zero", &[room.lease("a"), room.lease("b")]);
    let holders = Holders::new(&room.proc(), "lease.lock");
    let pid = |id| {
        let file = fs::File::open(room.lease(id)).unwrap();
        let holder = holders.find(Identity::of(&file).unwrap());
        holder.map(|holder| holder.pid)
    };
    assert_eq!(pid("a"), Some(7));
    room.locks("");
    fs::remove_dir_all(room.proc().join("7/fd")).unwrap();
    assert_eq!((pid("b"), pid("free")), (Some(7), None));
    // But not for ever.
    let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while pid("b").is_some() {
        assert!(std::time::Instant::now() < end, "never looked again");
        std::thread::yield_now();
    }
}

#[test]
fn a_hint_without_proof_is_maybe() {
    let room = Room::new(&["a", "b"]);
    room.locks(&room.line("a", "READ", 7));
    assert_eq!(
        room.look().unwrap(),
        HashMap::from([(id("a"), Openness::Maybe)])
    );
}

/// The trap: a session whose lease becomes the very file that is locked, without a trace in the root,
/// is found by whoever looks through all of them.
#[test]
fn whose_a_foreign_lock_is_is_looked_for_once() {
    let room = Room::new(&["a"]);
    let (foreign, lease) = (room.temp.path().join("foreign"), room.lease("a"));
    fs::hard_link(&lease, &foreign).unwrap();
    let locks = room.line("a", "READ", 7);
    fs::remove_file(&lease).unwrap();
    let none = HashMap::new();
    let maybe = HashMap::from([(id("a"), Openness::Maybe)]);

    room.locks(&locks);
    assert_eq!(room.look().unwrap(), none);
    fs::hard_link(&foreign, &lease).unwrap();
    assert_eq!(room.look().unwrap(), none, "it was looked for again");

    fs::create_dir(room.temp.path().join("root/b")).unwrap();
    assert_eq!(room.look().unwrap(), maybe, "the root has changed");
    assert_eq!(room.look().unwrap(), maybe);
    fs::remove_file(&lease).unwrap();
    assert_eq!(room.look().unwrap(), none, "it is the session's no more");

    fs::hard_link(&foreign, &lease).unwrap();
    room.locks("");
    assert_eq!(room.look().unwrap(), none);
    room.locks(&locks);
    assert_eq!(room.look().unwrap(), maybe, "another lock on that file");
}

/// Holds a lease as another program does, until dropped.
struct Foreign(Child);

impl Foreign {
    fn hold(lease: &Path, mode: &str) -> Self {
        let mut child = Command::new("flock")
            .args([mode, "-n"])
            .arg(lease)
            .args(["-c", "echo held; exec cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        assert_eq!(line, "held\n");
        Self(child)
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_real_holder_is_named() {
    let here = Room::new(&["shared", "exclusive", "free"]);
    let holder = Foreign::hold(&here.lease("shared"), "-s");
    let _prune = Foreign::hold(&here.lease("exclusive"), "-x");
    let root = Dir::open_root(&here.temp.path().join("root")).unwrap();
    let mut traced = Traced::default();
    let mut look = || look(Path::new(PROC), &root, "lease.lock", &mut traced).unwrap();
    let found = look();
    assert_eq!(found.keys().collect::<Vec<_>>(), [&id("shared")]);
    let by = found[&id("shared")].holder().unwrap();
    // flock(1) or the cat it started, which inherits the lock.
    assert!(by.pid >= holder.0.id(), "{by:?}");
    drop(holder);
    assert_eq!(look(), HashMap::new());
}

/// A busy machine has many locks that are no session's.
#[test]
fn a_lock_on_something_else_starts_no_search() {
    let room = Room::new(&["one"]);
    let other = room.temp.path().join("other.lock");
    fs::write(&other, "").unwrap();
    let inode = fs::metadata(&other).unwrap().ino();
    let told = room.line("one", "READ", 7);
    let own = fs::metadata(room.lease("one")).unwrap().ino();
    room.locks(&told.replace(&format!(":{own} "), &format!(":{inode} ")));
    room.process(7, "cargo", &[other]);
    assert_eq!(room.look(), Some(HashMap::new()));
    let looked_for = room.traced.take().locks;
    assert_eq!(looked_for, HashMap::from([(inode, None)]), "an old kernel");

    let info = room.proc().join("7/fdinfo");
    fs::create_dir(&info).unwrap();
    fs::write(
        info.join("0"),
        format!("pos:\t0\nflags:\t0100002\nino:\t{inode}\n"),
    )
    .unwrap();
    assert_eq!(room.look(), Some(HashMap::new()));
    assert_eq!(room.traced.take().locks, HashMap::new());
}
