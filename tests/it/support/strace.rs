//! The product under strace(1): what it calls, and what it does when a call kills or fails it.
//! Counts are strace's own, per call and thread; these commands run on one thread, which
//! [`Traced::check_one_thread`] sees to.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, ExitStatus};

use super::binary::{SESSTREE, bounded, program};
use super::{TestStore, skipped};

/// What a run did.
pub(crate) struct Traced {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
    /// The calls that were asked for, one a line, beginning with the call's name.
    pub(crate) calls: Vec<String>,
    threads: BTreeSet<String>,
}

/// Whether there is a strace(1) that may trace; said loudly where there is none.
pub(crate) fn can_trace() -> bool {
    let traced = Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .output();
    let can = traced.as_ref().is_ok_and(|traced| traced.status.success());
    if !can {
        skipped(&format!(
            "strace(1) is missing or may not trace: {traced:?}"
        ));
    }
    can
}

/// Runs the binary on the store; `options` are strace's.
pub(crate) fn strace(store: &TestStore, options: &[&str], arguments: &[String]) -> Traced {
    let log = store.beside("strace");
    let mut command = program(store, "strace");
    command
        .args(["-f", "-qq", "-y", "-s", "0", "-o"])
        .arg(&log)
        .args(options)
        .args([SESSTREE, "--root"])
        .arg(store.root())
        .args(arguments);
    let output = bounded(&mut command);
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(!err.contains("strace:"), "strace itself failed: {err}");
    let log = text(&fs::read(&log).unwrap_or_default());
    let mut threads = BTreeSet::new();
    let mut calls = Vec::new();
    for line in log.lines() {
        let (thread, call) = line.split_once(' ').unwrap_or_default();
        threads.insert(thread.to_owned());
        calls.push(call.trim_start().to_owned());
    }
    calls.retain(|call| !call.starts_with("+++"));
    Traced {
        status: output.status,
        out,
        err,
        calls,
        threads,
    }
}

impl Traced {
    /// Panics if more than one thread made calls: then counts mean nothing.
    pub(crate) fn check_one_thread(&self) {
        assert!(self.threads.len() <= 1, "threads: {:?}", self.threads);
    }

    /// Whether a call was made to fail.
    pub(crate) fn injected(&self) -> bool {
        self.calls.iter().any(|call| call.ends_with("(INJECTED)"))
    }
}
