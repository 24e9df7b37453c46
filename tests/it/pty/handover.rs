//! An agent gets the terminal whole, and leaves nothing in it; the session is held meanwhile.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::{SESSTREE, Stage, is_open, kill};
use crate::support::binary::Flock;
use crate::support::terminal::{Terminal, until};

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
    let stage = Stage::with_agent("");
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

/// A shell makes a process group of its own and the terminal's foreground; killed, it leaves it there.
const SHELL: &str = "PS1='inner> ' exec bash --norc --noprofile -i";

#[test]
fn an_agent_that_dies_with_the_foreground_leaves_us_the_terminal() {
    let stage = Stage::with_agent(SHELL);
    let mut terminal = stage.open_prompt();
    terminal.keys("\r");
    terminal.wait_for_text("inner>");
    terminal.keys("kill -9 $$\r");
    is_open(&terminal);
    terminal.keys("?");
    terminal.wait_for_text("Esc back");
    terminal.keys("\x1b");
    is_open(&terminal);
    terminal.keys("q");
    assert!(terminal.end().success());
    terminal.assert_clean();
}

#[test]
fn from_a_shell_such_an_agent_does_not_stop_us() {
    let stage = Stage::with_agent(SHELL);
    let mut env = stage.env();
    env.push(("PS1", "ready> ".into()));
    let mut shell = Terminal::start("/bin/bash", ["--norc", "--noprofile", "-i"], &env);
    shell.wait_for_text("ready>");
    let root = stage.store.root();
    shell.keys(format!("{SESSTREE} --root {}\r", root.display()));
    is_open(&shell);
    shell.keys("\r");
    shell.wait_for_text("Continue with");
    shell.keys("\r");
    shell.wait_for_text("inner>");
    shell.keys("kill -9 $$\r");
    is_open(&shell);
    shell.keys("q");
    shell.wait_for("the shell", |screen| !screen.alternate_screen());
    shell.keys("echo status $?; exit\r");
    shell.wait_for_text("status 0");
    assert!(shell.end().success());
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
fn why_an_agents_own_screen_failed_can_be_read() {
    let stage = Stage::with_agent("echo 'no API key' >&2; exit 4");
    let mut terminal = stage.open_prompt();
    terminal.keys("\r");
    terminal.wait_for("the agent's last words", |screen| {
        let text = screen.contents();
        !screen.alternate_screen() && text.contains("no API key") && text.contains("exit code 4.")
    });
    terminal.keys("\r");
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
    let holder = Flock::exclusive(&stage.lease());
    let mut terminal = stage.open();
    terminal.keys("\r");
    terminal.wait_for_text("try again");
    drop(holder);
    terminal.keys("\x03");
    terminal.end();
    terminal.assert_clean();
    assert!(!stage.log("started").exists());
}

/// Its program is not looked for again: that would be a wait for a disk.
#[test]
fn an_agent_that_cannot_be_started_is_told() {
    let stage = Stage::with_agent("");
    let mut terminal = stage.open_prompt();
    let zero = stage.store.beside("bin/zero");
    fs::set_permissions(zero, fs::Permissions::from_mode(0o644)).unwrap();
    terminal.keys("go\r");
    terminal.wait_for_text("Permission denied");
    is_open(&terminal);
}

#[test]
fn a_lease_that_could_not_be_had_is_tried_again_while_the_agent_runs() {
    let stage = Stage::with_agent(r#"echo > "$LOG/started"; read line"#);
    let lease = stage.lease();
    fs::remove_file(&lease).unwrap();
    fs::create_dir(&lease).unwrap();
    let mut terminal = stage.open_prompt();
    terminal.wait_for_text("unprotected");
    terminal.keys("go\r");
    stage.wait_for_log("started");
    fs::remove_dir(&lease).unwrap();
    until("the lease", || lease.is_file() && !stage.lease_is_free());
    terminal.keys("\r");
    until("the lease's end", || stage.lease_is_free());
}
