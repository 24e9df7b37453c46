//! The terminal comes back on every way out.

use std::fs;
use std::process::Command;

use rustix::process::Signal;

use super::{SESSTREE, Stage, is_open, kill};
use crate::support::terminal::Terminal;

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
    let child = "pty::ways_out::panics_with_the_screen_open";
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
