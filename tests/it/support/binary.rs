//! Runs the product's own binary, and flock(1) as a foreign holder.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::lchown;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;

use rustix::process::{Pid, Signal};
use serde_json::Value;

use super::TestStore;
use super::terminal::PATIENCE;

/// The product's own binary.
pub(crate) const SESSTREE: &str = env!("CARGO_BIN_EXE_sesstree");

/// The binary on a store, with an environment of its own: nothing of the real home is seen.
pub(crate) fn sesstree(store: &TestStore) -> Command {
    let mut command = program(store, SESSTREE);
    command.arg("--root").arg(store.root());
    command
}

/// A program in the same environment.
pub(crate) fn program(store: &TestStore, program: &str) -> Command {
    let home = store.beside("home");
    fs::create_dir_all(&home).unwrap();
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("HOME", &home)
        .env("PATH", std::env::var_os("PATH").unwrap());
    command
        .env("TERM", "xterm-256color")
        .current_dir(&home)
        .stdin(Stdio::null());
    command
}

/// Runs with no more than so many descriptors.
pub(crate) fn few_files(store: &TestStore, limit: u32, arguments: &[&str]) -> Ran {
    let plain = sesstree(store);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("ulimit -n {limit}; exec \"$0\" \"$@\"")])
        .arg(plain.get_program())
        .args(plain.get_args())
        .args(arguments)
        .env_clear()
        .stdin(Stdio::null());
    for (name, value) in plain.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    shell.output().unwrap().into()
}

/// The same as a user who is not root; the store is that user's from then on.
pub(crate) fn unprivileged(store: &TestStore) -> Command {
    const NOBODY: u32 = 65534;
    let mut command = sesstree(store);
    if rustix::process::geteuid().is_root() {
        // A copy: not everybody may enter the folder that it was built in. Another program makes it:
        // what a process of ours has open for writing at some time cannot be run.
        let copy = store.beside("sesstree");
        let mut cp = Command::new("cp");
        cp.arg(env!("CARGO_BIN_EXE_sesstree")).arg(&copy);
        assert!(cp.status().unwrap().success());
        let mut as_nobody = Command::new(copy);
        as_nobody.uid(NOBODY).gid(NOBODY).args(command.get_args());
        for (name, value) in command.get_envs() {
            as_nobody.env(name, value.unwrap_or_default());
        }
        as_nobody.current_dir(store.home()).stdin(Stdio::null());
        command = as_nobody;
        let mut open = vec![store.home()];
        while let Some(path) = open.pop() {
            lchown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
            if path.is_dir() && !path.is_symlink() {
                let entries = fs::read_dir(&path).unwrap();
                open.extend(entries.map(|entry| entry.unwrap().path()));
            }
        }
    }
    command
}

/// Runs a program to its end; one that takes longer than [`PATIENCE`] is killed, with all it
/// started, and fails the test.
pub(crate) fn bounded(command: &mut Command) -> Output {
    let told = format!("{command:?}");
    let child = command
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{told} does not start: {error}"));
    let group = Pid::from_child(&child);
    let (tell, ended) = mpsc::channel();
    thread::spawn(move || tell.send(child.wait_with_output()));
    let Ok(output) = ended.recv_timeout(PATIENCE) else {
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
        panic!("{told} never ended");
    };
    output.unwrap()
}

/// What a run printed and how it ended.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

pub(crate) fn run<S: AsRef<OsStr>>(store: &TestStore, arguments: &[S]) -> Ran {
    bounded(sesstree(store).args(arguments)).into()
}

/// Runs with `--json` and reads what is printed.
pub(crate) fn json(store: &TestStore, arguments: &[&str]) -> Value {
    let ran: Ran = bounded(sesstree(store).args(arguments).arg("--json")).into();
    serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {} {}", ran.out, ran.err))
}

/// The ids in a list of a report.
pub(crate) fn ids(report: &Value, list: &str, key: &str) -> Vec<String> {
    let entries = report[list].as_array().unwrap();
    entries
        .iter()
        .map(|entry| entry[key].as_str().unwrap().to_owned())
        .collect()
}

/// Whether a prune could lock the file, asked as a foreign process asks.
pub(crate) fn lockable(file: &Path) -> bool {
    let mut flock = Command::new("flock");
    let flock = flock.args(["-n", "-x"]).arg(file).arg("true");
    flock.status().unwrap().success()
}

/// A foreign process that holds a lock file until this is dropped.
pub(crate) struct Flock(Child);

impl Flock {
    /// Holds a lease as an agent does that has the session open.
    pub(crate) fn open(store: &TestStore, id: &str) -> Self {
        Self::shared(&store.path(id).join("lease.lock"))
    }

    pub(crate) fn shared(file: &Path) -> Self {
        Self::hold("-s", file)
    }

    pub(crate) fn exclusive(file: &Path) -> Self {
        Self::hold("-x", file)
    }

    fn hold(mode: &str, file: &Path) -> Self {
        // The shell keeps the lock until its standard input ends.
        let mut child = Command::new("flock")
            .args([mode, "-n"])
            .arg(file)
            .args(["-c", "echo held; exec cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line, "held\n", "flock(1) could not lock {}", file.display());
        Self(child)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Flock {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}
