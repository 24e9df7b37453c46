//! The binary in a real terminal.

mod demo;
mod empty;
mod handover;
mod search;
mod tmux;
mod ways_out;
mod yes;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use chrono::Utc;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::TestStore;
use crate::support::binary::lockable;
use crate::support::terminal::{Terminal, until};

const SESSTREE: &str = env!("CARGO_BIN_EXE_sesstree");

/// A store with one session, whose folder is there, and a place for an agent's stand-in.
struct Stage {
    store: TestStore,
}

impl Stage {
    fn new() -> Self {
        let store = TestStore::new();
        for folder in ["home", "work", "bin", "log"] {
            fs::create_dir(store.beside(folder)).unwrap();
        }
        let work = store.beside("work");
        // By the real clock, which the binary goes by: no prune by age takes it.
        let session = store.session("s1").at(Utc::now()).message("user", "hello");
        session.field("cwd", work.to_str().unwrap()).write();
        Self { store }
    }

    /// With a stand-in agent: a shell script that may write to `$LOG`.
    fn with_agent(script: &str) -> Self {
        let stage = Self::new();
        let zero = stage.store.beside("bin/zero");
        fs::write(&zero, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&zero, fs::Permissions::from_mode(0o755)).unwrap();
        stage
    }

    fn env(&self) -> Vec<(&'static str, OsString)> {
        let bin = self.store.beside("bin");
        let path = format!("{}:/usr/bin:/bin", bin.display());
        vec![
            ("PATH", path.into()),
            ("HOME", self.store.beside("home").into()),
            ("LOG", self.store.beside("log").into()),
            ("TERM", "xterm-256color".into()),
            ("LANG", "C.UTF-8".into()),
        ]
    }

    /// Opens the screen and waits until the session is on it.
    fn open(&self) -> Terminal {
        let root = self.store.root();
        let args = ["--root", root.to_str().unwrap()];
        let terminal = Terminal::start(SESSTREE, args, &self.env());
        terminal.wait_for("the session", |screen| {
            screen.alternate_screen() && screen.contents().contains("title of s1")
        });
        terminal
    }

    /// Opens the screen and goes up to the text that a resume starts with.
    fn open_prompt(&self) -> Terminal {
        let mut terminal = self.open();
        terminal.keys("\r");
        terminal.wait_for_text("Continue with");
        terminal
    }

    fn log(&self, name: &str) -> PathBuf {
        self.store.beside("log").join(name)
    }

    fn wait_for_log(&self, name: &str) {
        until(name, || self.log(name).exists());
    }

    /// What the agent wrote, once all of it is there.
    fn logged(&self, name: &str, bytes: usize) -> String {
        let whole = || fs::read(self.log(name)).is_ok_and(|text| text.len() >= bytes);
        until(name, whole);
        fs::read_to_string(self.log(name)).unwrap()
    }

    fn lease(&self) -> PathBuf {
        self.store.path("s1/lease.lock")
    }

    /// Whether a prune could have the session, asked as a foreign process asks.
    fn lease_is_free(&self) -> bool {
        lockable(&self.lease())
    }
}

fn kill(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid.cast_signed()).unwrap();
    kill_process(pid, signal).unwrap();
}

fn is_open(terminal: &Terminal) {
    terminal.wait_for("the screen", |screen| {
        screen.alternate_screen()
            && screen.hide_cursor()
            && screen.bracketed_paste()
            && screen.contents().contains("title of s1")
    });
}
