//! The binary in a real terminal: the terminal comes back on every way out, and an agent gets it whole.
#![expect(
    clippy::disallowed_methods,
    reason = "stand-ins for other processes are started here"
)]

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::TestStore;
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
        let session = store.session("s1").message("user", "hello");
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
        let mut flock = Command::new("flock");
        let flock = flock.args(["-n", "-x"]).arg(self.lease()).arg("true");
        flock.status().unwrap().success()
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

#[test]
fn quitting_gives_the_terminal_back() {
    for keys in ["q", "\x03"] {
        let mut terminal = Stage::new().open();
        is_open(&terminal);
        assert_ne!(terminal.modes(), terminal.modes_before());
        terminal.keys(keys);
        assert!(terminal.end().success(), "{keys:?}");
        terminal.assert_clean();
    }
}

#[test]
fn a_signal_gives_the_terminal_back_and_shows_in_the_exit_status() {
    for (signal, name) in [
        (Signal::TERM, "Terminated"),
        (Signal::HUP, "Hangup"),
        (Signal::INT, "Interrupt"),
        (Signal::QUIT, "Quit"),
    ] {
        let mut terminal = Stage::new().open();
        kill(terminal.pid(), signal);
        let status = terminal.end();
        assert!(
            status.signal().is_some_and(|told| told.starts_with(name)),
            "{name}: {status:?}"
        );
        terminal.assert_clean();
    }
}

#[test]
fn a_panic_gives_the_terminal_back_before_it_is_reported() {
    let myself = std::env::current_exe().unwrap();
    let child = "pty::panics_with_the_screen_open";
    let args = ["--exact", child, "--ignored", "--nocapture"];
    let env = [("TERM", "xterm".into()), ("PATH", "/usr/bin:/bin".into())];
    let mut terminal = Terminal::start(myself, args, &env);
    assert!(!terminal.end().success());
    terminal.assert_clean();
    terminal.wait_for_text("a panic for the terminal");
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    let (opened, left) = (raw.find("\x1b[?1049h"), raw.find("\x1b[?1049l"));
    let told = raw.find("a panic for the terminal");
    assert!(opened.is_some() && opened < left && left < told, "{raw:?}");
}

#[test]
#[ignore = "run in a terminal by the test above"]
fn panics_with_the_screen_open() {
    let _ = color_eyre::install();
    sesstree::runtime::terminal::install_panic_hook();
    let _screen = sesstree::runtime::terminal::Screen::open().unwrap();
    panic!("a panic for the terminal");
}

#[test]
fn ctrl_z_and_a_stop_signal_give_the_terminal_back_until_fg() {
    let stage = Stage::new();
    let mut env = stage.env();
    env.push(("PS1", "ready> ".into()));
    let args = ["--norc", "--noprofile", "-i"];
    let mut shell = Terminal::start("/bin/bash", args, &env);
    let modes = |shell: &mut Terminal, name: &str| {
        shell.keys(format!(
            "stty -g > $LOG/{name} && echo > $LOG/{name}.done\r"
        ));
        stage.wait_for_log(&format!("{name}.done"));
        fs::read_to_string(stage.log(name)).unwrap()
    };
    shell.wait_for_text("ready>");
    let before = modes(&mut shell, "before");
    let root = stage.store.root();
    shell.keys(format!("{SESSTREE} --root {}\r", root.display()));
    is_open(&shell);

    shell.keys("\x1a");
    shell.wait_for("the shell", |screen| {
        !screen.alternate_screen() && screen.contents().contains("Stopped")
    });
    assert_eq!(modes(&mut shell, "stopped"), before);
    shell.keys("fg\r");
    is_open(&shell);

    let jobs = Command::new("pgrep")
        .args(["-P", &shell.pid().to_string()])
        .output()
        .unwrap();
    let pid = String::from_utf8(jobs.stdout).unwrap();
    kill(pid.trim().parse().unwrap(), Signal::TSTP);
    shell.wait_for("the shell", |screen| !screen.alternate_screen());
    assert_eq!(modes(&mut shell, "stopped-again"), before);
    shell.keys("fg\r");
    is_open(&shell);

    shell.keys("q");
    shell.wait_for("the shell", |screen| !screen.alternate_screen());
    assert_eq!(modes(&mut shell, "after"), before);
    shell.keys("exit\r");
    assert!(shell.end().success());
}

#[test]
fn any_size_is_survived() {
    let mut terminal = Stage::new().open();
    for (columns, rows) in [(1, 1), (2, 40), (300, 2), (1, 200), (100, 30)] {
        terminal.resize(columns, rows);
    }
    terminal.wait_for_text("title of s1");
    terminal.keys("q");
    assert!(terminal.end().success());
    terminal.assert_clean();
}

#[test]
fn the_session_is_held_while_the_agent_runs_and_free_right_after() {
    let stage = Stage::with_agent(
        r#"ls -l /proc/$$/fd > "$LOG/files"
           printf '%s|' "$PWD" "$(pwd)" "$@" > "$LOG/call"
           echo $$ > "$LOG/pid"; read line"#,
    );
    let mut terminal = stage.open();
    assert!(stage.lease_is_free());
    terminal.keys("\r");
    terminal.wait_for_text("Continue with");
    assert!(!stage.lease_is_free());
    terminal.keys("--fix it\r");
    stage.wait_for_log("pid");
    assert!(!stage.lease_is_free());

    let pid = stage.logged("pid", 2);
    terminal.keys("\r");
    let process = PathBuf::from(format!("/proc/{}", pid.trim()));
    until("the agent's end", || !process.exists());
    let ended = Instant::now();
    let lease = File::options().write(true).open(stage.lease()).unwrap();
    until("the lease", || fs4::FileExt::try_lock(&lease).is_ok());
    let late = ended.elapsed();
    assert!(late < Duration::from_millis(100), "free after {late:?}");
    drop(lease);

    let work = stage.store.beside("work").display().to_string();
    let call = fs::read_to_string(stage.log("call")).unwrap();
    assert_eq!(call, format!("{work}|{work}|exec|--resume|s1|--|--fix it|"));
    let files = fs::read_to_string(stage.log("files")).unwrap();
    assert!(!files.contains("lease.lock"), "inherited: {files}");

    terminal.wait_for("the prompt below the output", |screen| {
        !screen.alternate_screen() && screen.contents().contains("Press Enter to return")
    });
    terminal.keys("\r");
    is_open(&terminal);
    terminal.keys("q");
    assert!(terminal.end().success());
    terminal.assert_clean();
}

#[test]
fn letting_go_frees_the_session_at_once() {
    let stage = Stage::new();
    let mut terminal = stage.open_prompt();
    assert!(!stage.lease_is_free());
    terminal.keys("\x1b");
    until("the lease", || stage.lease_is_free());
}

/// Typed in one burst with the very key that starts the agent, and again once it runs.
#[test]
fn not_one_byte_typed_for_the_agent_is_eaten() {
    let stage = Stage::with_agent(
        r#"head -c 200 > "$LOG/first"; : > "$LOG/again"; head -c 200 > "$LOG/second""#,
    );
    let text: String = ('!'..='~').cycle().take(200).collect();
    let mut terminal = stage.open_prompt();
    terminal.keys(format!("go\r{text}"));
    assert_eq!(stage.logged("first", 200), text);
    stage.wait_for_log("again");
    terminal.keys(format!("{text}\r"));
    assert_eq!(stage.logged("second", 200), text);
    terminal.wait_for_text("Press Enter to return");
}

#[test]
fn ctrl_c_is_the_agents() {
    let stage = Stage::with_agent(
        r#"trap 'exit 7' INT; echo > "$LOG/started"; while :; do sleep 0.05; done"#,
    );
    let mut terminal = stage.open_prompt();
    terminal.keys("go\r");
    stage.wait_for_log("started");
    terminal.keys("\x03");
    terminal.wait_for_text("exit code 7. Press Enter to return");
    terminal.keys("\r");
    is_open(&terminal);
    terminal.keys("q");
    assert!(terminal.end().success());
    terminal.assert_clean();
}

/// What a full-screen program sets up.
const MESS: &str = r"printf '\033[?1049h\033[?1003h\033[?1006h\033[?2004h\033[?1h\033=\033[?25l\033[7m'
    stty raw -echo";

#[test]
fn an_agent_that_dies_in_raw_mode_leaves_nothing_behind() {
    let stage = Stage::with_agent(&format!("{MESS}; echo > \"$LOG/started\"; kill -9 $$"));
    let mut terminal = stage.open_prompt();
    terminal.keys("\r");
    stage.wait_for_log("started");
    is_open(&terminal);
    terminal.keys("q");
    assert!(terminal.end().success());
    terminal.assert_clean();
    // `/resume s1`, for pasting into the agent's own screen.
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(raw.contains("\x1b]52;c;L3Jlc3VtZSBzMQ=="));
}

#[test]
fn the_output_of_one_reply_stays_where_it_is() {
    let stage = Stage::with_agent(r"printf 'line one\nline two'");
    let mut terminal = stage.open_prompt();
    terminal.keys("go\r");
    terminal.wait_for_text("line one\nline two\nPress Enter to return");
    terminal.keys("x\r");
    is_open(&terminal);
}

#[test]
fn told_to_end_meanwhile_we_end_the_agent_and_leave_a_sane_terminal() {
    let stage = Stage::with_agent(&format!(
        "trap 'echo > \"$LOG/told\"; exit 0' TERM; {MESS}; echo > \"$LOG/started\"
         while :; do sleep 0.05; done"
    ));
    let mut terminal = stage.open_prompt();
    terminal.keys("\r");
    stage.wait_for_log("started");
    kill(terminal.pid(), Signal::TERM);
    assert_eq!(terminal.end().signal(), Some("Terminated"));
    stage.wait_for_log("told");
    terminal.assert_clean();
    assert!(stage.lease_is_free());
}

#[test]
fn under_a_foreign_exclusive_lock_nothing_starts() {
    let stage = Stage::with_agent(r#"echo > "$LOG/started""#);
    let mut holder = Command::new("flock")
        .arg("-x")
        .arg(stage.lease())
        .args(["sh", "-c", "echo > \"$LOG/locked\"; read line"])
        .env("LOG", stage.store.beside("log"))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    stage.wait_for_log("locked");
    let mut terminal = stage.open();
    terminal.keys("\r");
    terminal.wait_for_text("try again");
    // Its input ends, and so does it.
    drop(holder.stdin.take());
    holder.wait().unwrap();
    terminal.keys("q");
    terminal.end();
    terminal.assert_clean();
    assert!(!stage.log("started").exists());
}

#[test]
fn an_agent_that_cannot_be_started_is_told() {
    let stage = Stage::with_agent("");
    let mut terminal = stage.open_prompt();
    let zero = stage.store.beside("bin/zero");
    fs::set_permissions(zero, fs::Permissions::from_mode(0o644)).unwrap();
    terminal.keys("go\r");
    terminal.wait_for_text("not on PATH");
    is_open(&terminal);
}
