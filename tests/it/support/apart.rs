//! Tests that run apart: in a mount namespace of their own, where what they mount is seen by nobody
//! else, and in a pid namespace of their own, where no agent runs that another test started.
//!
//! Most of this anybody may do ([`apart`] makes a user namespace for who is not root); a real disk
//! image only root may mount. Where it cannot be had the test says so, loudly, and in CI it fails.

use std::any::type_name_of_val;
use std::env;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::skipped;

/// The folder that a test which runs apart has for itself.
const APART: &str = "SESSTREE_TEST_APART";

/// How long a whole test may take that runs apart; each program that it runs has less.
const LONG: Duration = Duration::from_mins(30);

/// What its temporary folder is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Disk {
    /// A folder like any other.
    Plain,
    /// A tmpfs with these options of mount(8)'s.
    Tmpfs(&'static str),
    /// An ext4 image of 4 MiB, made with these options of mkfs.ext4(8)'s. Only root may have it.
    Ext4(&'static str),
}

/// Makes the folder `$1`, as `$2` and `$3` say, and runs the rest there; 77: it cannot be made.
const SCRIPT: &str = r#"
at=$1 kind=$2 options=$3
shift 3
case $kind in
tmpfs) mount -t tmpfs -o "$options" none "$at" || exit 77 ;;
ext4)
    image=$at.img
    truncate -s 4M "$image" && mkfs.ext4 -q -F -m 0 $options "$image" || exit 77
    mount -o loop "$image" "$at" || { rm "$image"; exit 77; }
    rm "$image"
    rmdir "$at/lost+found"
    ;;
esac
"$@"
"#;

/// Runs a test's body apart: the test calls itself there, and so has to be named like the function
/// that the closure is written in.
pub(crate) fn apart(disk: Disk, body: impl FnOnce()) {
    if env::var_os(APART).is_some() {
        return body();
    }
    let name = type_name_of_val(&body);
    let name = name.strip_suffix("::{{closure}}").unwrap();
    let name = name.split_once("::").unwrap().1;
    let folder = tempfile::tempdir().unwrap();
    let root = rustix::process::geteuid().is_root();
    if matches!(disk, Disk::Ext4(_)) && !root {
        return skipped(&format!("{name}: only root can mount a disk image"));
    }
    let output = run(name, folder.path(), disk, root);
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => assert!(out.contains(" 1 passed"), "{name} was not run: {out}"),
        Some(101) => panic!("{name}, run apart:\n{out}\n{err}"),
        _ => {
            let why = format!("{name} cannot run apart here ({}): {err}", output.status);
            return skipped(&why);
        }
    }
    for line in out
        .lines()
        .filter(|line| line.contains(": ") && !line.starts_with("test "))
    {
        println!("{line}");
    }
}

fn run(name: &str, folder: &Path, disk: Disk, root: bool) -> Output {
    let at = folder.join("disk");
    std::fs::create_dir(&at).unwrap();
    let (kind, options) = match disk {
        Disk::Plain => ("plain", ""),
        Disk::Tmpfs(options) => ("tmpfs", options),
        Disk::Ext4(options) => ("ext4", options),
    };
    let mut command = Command::new("unshare");
    if !root {
        command.arg("--map-root-user");
    }
    command
        .args(["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"])
        .args(["sh", "-c", SCRIPT, "sh"])
        .arg(&at)
        .args([kind, options])
        .arg(env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(APART, &at)
        .env("TMPDIR", &at)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("unshare(1) of util-linux");
    let pid = rustix::process::Pid::from_child(&child);
    let (tell, ended) = mpsc::channel();
    thread::spawn(move || tell.send(child.wait_with_output()));
    let Ok(output) = ended.recv_timeout(LONG) else {
        // What it started dies with it.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        panic!("{name}, run apart, never ended");
    };
    output.unwrap()
}

/// Mounts with these arguments of mount(8)'s, in a test that runs apart.
pub(crate) fn mount(arguments: &[&str], from: &Path, to: &Path) {
    let mut mount = Command::new("mount");
    let mount = mount.args(arguments).args([from, to]);
    assert!(env::var_os(APART).is_some(), "not apart");
    assert!(mount.status().unwrap().success(), "{mount:?}");
}

/// Takes that away again.
pub(crate) fn unmount(at: &Path) {
    let umount = Command::new("umount").arg(at).status().unwrap();
    assert!(umount.success(), "{}", at.display());
}
