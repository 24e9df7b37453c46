//! Which files belong to a session, and where they are.
//!
//! Must never follow a link, or take a path from what a file says.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::session::SessionId;
use crate::store::dir::{Access, Dir, Kind};
use crate::store::size;

/// How a session's file is called behind its id.
pub(super) const LINES: &str = ".jsonl";
/// What magi-code knows of it, to list it quickly.
pub(super) const SIDECAR: &str = ".metadata.json";
/// Where the sessions of subagents are.
pub(super) const SUBAGENTS: &str = "subagents";

/// What else there may be beside a session's file.
const BESIDE: [&str; 3] = [SIDECAR, ".psm.ndjson", ".psm.status.json"];
/// Where what compactions took out is kept, in a folder for each session.
const HISTORY: &str = ".history";
/// Where running summaries are kept.
const SUMMARIES: &str = "summaries";

/// The folder that a session is in, among the main ones or those of subagents.
pub(super) fn home(root: &Path, id: &SessionId) -> io::Result<(Dir, Place)> {
    let root = Dir::open_root(root)?;
    let there = |dir: &Dir| dir.stat(format!("{id}{LINES}")).is_ok();
    if !there(&root)
        && let Ok(subagents) = root.open_dir(SUBAGENTS)
        && there(&subagents)
    {
        return Ok((subagents, Place::Subagents));
    }
    Ok((root, Place::Main))
}

/// Which of the two it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Main,
    Subagents,
}

/// Opens a session's file.
pub(super) fn open(root: &Path, id: &SessionId) -> io::Result<File> {
    let (home, _) = home(root, id)?;
    Ok(home.open_file(format!("{id}{LINES}"), Access::Read)?)
}

/// Bytes on disk of all that belongs to a session: its file and what is beside it, what was archived,
/// its summary and its ledger of checkpoints. What is not there takes nothing.
pub(super) fn size(root: &Path, id: &SessionId) -> io::Result<u64> {
    let (home, _) = home(root, id)?;
    let main = home.stat(format!("{id}{LINES}"))?;
    let mut bytes = main.allocated;
    bytes += BESIDE
        .iter()
        .map(|end| file_in(&home, &format!("{id}{end}")))
        .sum::<u64>();
    if let Ok(history) = home.open_dir(HISTORY) {
        bytes += size::size(&history, id.as_str()).unwrap_or(0);
    }
    if let Ok(summaries) = home.open_dir(SUMMARIES) {
        bytes += [LINES, SIDECAR]
            .iter()
            .map(|end| file_in(&summaries, &format!("{id}{end}")))
            .sum::<u64>();
    }
    let ledgers = root.parent().map(|base| base.join("checkpoints/ledgers"));
    if let Some(Ok(ledgers)) = ledgers.map(|ledgers| Dir::open_root(&ledgers)) {
        bytes += file_in(&ledgers, &format!("{id}{LINES}"));
    }
    Ok(bytes)
}

fn file_in(dir: &Dir, name: &str) -> u64 {
    match dir.stat(name) {
        Ok(seen) if seen.kind == Kind::File => seen.allocated,
        _ => 0,
    }
}
