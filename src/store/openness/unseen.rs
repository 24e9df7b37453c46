//! Agents that run without a lease: what they have open cannot be seen by anybody.
//!
//! Must never: take a process that cannot be looked into for one that holds something.

use std::fs;
use std::path::Path;

use rustix::process::{getpid, getuid};

use super::{lease_of, named, opened, processes};
use crate::session::Holder;
use crate::store::dir::Dir;

/// This user's processes of that name that hold no lease of a session in `root`; `None`: this
/// system does not tell of its processes, or not of all of them.
pub(crate) fn unseen(proc: &Path, root: &Dir, lease: &str, name: &str) -> Option<Vec<Holder>> {
    // Somebody else's view, of another pid namespace say, tells nothing of ours.
    let ours = proc.join(getpid().as_raw_nonzero().to_string());
    fs::metadata(ours).ok()?;
    let holds = |pid: u32| {
        opened(proc, pid, lease).any(|opened| {
            let there = opened.folder.and_then(|id| lease_of(root, &id, lease));
            there == Some(opened.file)
        })
    };
    let mut found: Vec<Holder> = processes(proc)
        .filter(|pid| is_of_us(proc, *pid, name) && !holds(*pid))
        .map(|pid| named(proc, pid))
        .collect();
    found.sort_by_key(|holder| holder.pid);
    Some(found)
}

/// Whether a process has that name and belongs to this user. Its `status` is for all to read, its
/// descriptors are not.
fn is_of_us(proc: &Path, pid: u32, name: &str) -> bool {
    let Ok(status) = fs::read_to_string(proc.join(pid.to_string()).join("status")) else {
        return false;
    };
    let field = |key: &str| {
        let mut lines = status.lines();
        lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))
    };
    let user = field("Uid").and_then(|ids| ids.split_ascii_whitespace().next());
    let user: Option<u32> = user.and_then(|user| user.parse().ok());
    let gone = field("State").is_some_and(|state| state.trim_start().starts_with(['Z', 'X']));
    field("Name").map(str::trim) == Some(name) && user == Some(getuid().as_raw()) && !gone
}

#[cfg(test)]
mod tests;
