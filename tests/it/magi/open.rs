//! What is open in magi-code, and opening it there.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use super::Magi;
use crate::support::binary::SESSTREE;
use crate::support::terminal::{Terminal, until};

/// Lock files tell who has what open; what nobody renews is dead.
#[test]
fn open_is_what_a_living_process_renews() {
    let magi = Magi::new();
    let old = SystemTime::now() - Duration::from_mins(1);
    for (id, pid, renewed) in [
        ("mine", std::process::id(), SystemTime::now()),
        ("reused", std::process::id(), old),
        ("elsewhere", 4_000_000_000, SystemTime::now()),
        ("dead", 4_000_000_000, old),
    ] {
        magi.add(id, "x");
        let lock = magi.path(&format!(".{id}.active.lock"));
        fs::write(&lock, format!("pid={pid}\ntoken=abc\n")).unwrap();
        fs::File::options()
            .write(true)
            .open(&lock)
            .unwrap()
            .set_modified(renewed)
            .unwrap();
    }
    magi.add("free", "x");
    let state = |id: &str| {
        magi.listed(id)["open"]["state"]
            .as_str()
            .unwrap_or("")
            .to_owned()
    };
    assert_eq!(state("mine"), "open");
    assert_eq!(magi.listed("mine")["open"]["pid"], std::process::id());
    assert_eq!(state("reused"), "maybe");
    assert_eq!(state("elsewhere"), "maybe");
    assert_eq!(state("dead"), "");
    assert_eq!(state("free"), "");
}

/// Enter opens it in its own screen, in its folder; what is open elsewhere is said first.
#[test]
fn it_is_resumed_by_its_own_flag() {
    let magi = Magi::new();
    magi.add("s1", "fix the login");
    let bin = magi.home.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let agent = bin.join("magi-code");
    fs::write(&agent, "#!/bin/sh\necho \"$PWD $*\" >> \"$HOME/ran\"\n").unwrap();
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let env = [
        ("PATH", path.into()),
        ("HOME", magi.home.path().into()),
        ("TERM", "xterm-256color".into()),
        ("LANG", "C.UTF-8".into()),
    ];
    let mut terminal = Terminal::start(SESSTREE, ["--agent", "magi"], &env);
    terminal.wait_for_text("fix the login");
    terminal.keys("f");
    terminal.wait_for_text("magi-code has no way to fork from outside");
    terminal.keys("p");
    terminal.wait_for_text("sesstree only reads");
    terminal.keys("\x1b");
    terminal.wait_for("the list", |screen| {
        !screen.contents().contains("only reads")
    });
    terminal.keys("\r");
    let ran = magi.home.path().join("ran");
    until("the agent", || ran.exists());
    let work = magi.home.path().join("work");
    let told = fs::read_to_string(&ran).unwrap();
    assert_eq!(told, format!("{} --resume s1\n", work.display()));
    terminal.wait_for_text("has ended");
    let lock = magi.path(".s1.active.lock");
    fs::write(&lock, format!("pid={}\ntoken=abc\n", std::process::id())).unwrap();
    terminal.keys("R");
    terminal.wait_for_text("●");
    terminal.keys("\r");
    terminal.wait_for_text("Open elsewhere");
    let text = terminal.text();
    let who = format!("(pid {})", std::process::id());
    assert!(text.contains(&who) && !text.contains("fork it"), "{text}");
    assert!(terminal.quit().success());
    terminal.assert_clean();
}
