//! `--demo`: everything can be tried, and nothing of it is left.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Signal;

use super::{SESSTREE, kill};
use crate::support::snapshot;
use crate::support::terminal::{Terminal, until};

/// The demo in a terminal, with a home and a folder for temporary files of its own.
struct Demo {
    dir: tempfile::TempDir,
    terminal: Terminal,
}

impl Demo {
    fn open() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["home", "tmp"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("home/.profile"), "# mine\n").unwrap();
        let env: [(&str, OsString); 4] = [
            ("HOME", dir.path().join("home").into()),
            ("TMPDIR", dir.path().join("tmp").into()),
            ("TERM", "xterm-256color".into()),
            ("LANG", "C.UTF-8".into()),
        ];
        let terminal = Terminal::start(SESSTREE, ["--demo"], &env);
        let demo = Self { dir, terminal };
        demo.is_open();
        demo
    }

    fn is_open(&self) {
        self.terminal.wait_for("the sessions", |screen| {
            let text = screen.contents();
            let header = text.lines().next().unwrap_or_default();
            screen.alternate_screen()
                && text.contains("Release 2.4")
                && header.contains("demo: invented sessions")
        });
    }

    /// Types, and waits for what that leads to.
    fn then(&mut self, keys: &str, text: &str) {
        self.terminal.keys(keys);
        self.terminal.wait_for_text(text);
    }

    /// The folders of demos that are there now.
    fn folders(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.dir.path().join("tmp")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// How many sessions are in their place.
    fn sessions(&self) -> usize {
        let [folder] = &self.folders()[..] else {
            panic!("one demo")
        };
        let entries = fs::read_dir(folder.join("zero/sessions")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name());
        names.filter(|name| name != ".sesstree").count()
    }

    /// The process that has the session under the cursor open, as the preview tells it.
    fn holder(&self) -> PathBuf {
        let text = self.terminal.text();
        let (_, pid) = text.split_once("open in sesstree (pid ").unwrap();
        let (pid, _) = pid.split_once(')').unwrap();
        Path::new("/proc").join(pid)
    }
}

#[test]
fn everything_works_and_nothing_is_left() {
    let mut demo = Demo::open();
    let home = snapshot(&demo.dir.path().join("home"));
    let all = demo.sessions();

    demo.then("/login redirect loop\r", "open in sesstree (pid ");
    let holder = demo.holder();
    assert!(holder.exists());

    demo.then("p", "would remove about");
    demo.then("\r", "Would remove");
    demo.then("c", "to the trash?");
    until("the removal", || {
        demo.terminal.keys("y");
        demo.sessions() < all
    });
    demo.terminal.wait_for_text("undo this prune");
    demo.then("u", "sessions restored");
    assert_eq!(demo.sessions(), all);

    // A stop that came too late, should the undo have been slow, would clear nothing.
    demo.terminal.keys("j\x1b");
    let hit = "login redirect loop ";
    demo.terminal
        .wait_for("no filter", |s| !s.contents().contains(&format!("/ {hit}")));
    demo.then("/release 2.4", "/ release 2.4");
    demo.then("\r\r", "Continue with");
    demo.then("go on\r", "Press Enter to return");
    let text = demo.terminal.text();
    assert!(text.contains("the demo's stand-in for an agent"), "{text}");
    assert!(text.contains("go on"), "{text}");
    demo.terminal.keys("\r");
    demo.is_open();

    demo.terminal.keys("q");
    assert!(demo.terminal.end().success());
    demo.terminal.assert_clean();
    assert_eq!(demo.folders(), Vec::<PathBuf>::new());
    assert!(!holder.exists(), "the demo's second process is left");
    assert_eq!(snapshot(&demo.dir.path().join("home")), home);
}

#[test]
fn ctrl_c_in_the_stand_in_ends_nothing_else() {
    let mut demo = Demo::open();
    // The cursor may be on that session before the filter is: Escape must find it there.
    demo.then("/login redirect loop\r", " 1 of ");
    demo.terminal.wait_for_text("open in sesstree (pid ");
    let holder = demo.holder();
    demo.terminal.keys("\x1b");
    demo.terminal
        .wait_for("no filter", |s| !s.contents().contains("/ login"));
    demo.then("/release 2.4\r\r", "Continue with");
    demo.then("\r", "Press Enter to leave it");
    demo.terminal.keys("\x03");
    demo.is_open();
    let status = fs::read_to_string(holder.join("status")).unwrap();
    assert!(!status.contains("zombie"), "{status}");
    demo.terminal.keys("q");
    assert!(demo.terminal.end().success());
    assert!(!holder.exists(), "the demo's second process is left");
}

#[test]
fn nothing_is_left_when_a_signal_ends_it() {
    for signal in [Signal::TERM, Signal::HUP] {
        let mut demo = Demo::open();
        assert_eq!(demo.folders().len(), 1);
        kill(demo.terminal.pid(), signal);
        assert!(demo.terminal.end().signal().is_some());
        assert_eq!(demo.folders(), Vec::<PathBuf>::new(), "{signal:?}");
    }
}
