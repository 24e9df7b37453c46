//! A prune of most of a store beside `rm -rf` of the same folders.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::commands::{ROUNDS, sesstree, time};
use crate::store;
use crate::table::{Table, median};

const COUNT: usize = 10_000;
/// Nine of ten trees are older, in a store of 400 days.
const OLDER: &str = "40d";

pub(crate) fn prune(table: &mut Table) -> io::Result<()> {
    let (mut trash, mut delete, mut least) = (Vec::new(), Vec::new(), Vec::new());
    let mut count = 0;
    for _ in 0..ROUNDS {
        let old = fresh()?;
        let ids = going(&old)?;
        count = ids.len();
        least.push(remove(&old, &ids)?);
        trash.push(pruned(&["--yes-most"], count)?);
        delete.push(pruned(&["--yes-most", "--delete-now"], count)?);
    }
    fs::remove_dir_all(place())?;
    let least = ("rm -rf", median(least));
    table.ratio(
        &format!("prune to the trash, {count} of {COUNT}"),
        median(trash),
        least,
        0.25,
    );
    table.ratio(
        &format!("prune --delete-now, {count} of {COUNT}"),
        median(delete),
        least,
        1.3,
    );
    Ok(())
}

fn place() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("pruned")
}

/// A new store, on the disk.
fn fresh() -> io::Result<PathBuf> {
    let root = place();
    if root.exists() {
        fs::remove_dir_all(&root)?;
    }
    store::make(&root, COUNT)?;
    time(&mut Command::new("sync"))?;
    Ok(root)
}

/// What a prune of it takes.
fn going(root: &Path) -> io::Result<Vec<String>> {
    let dry_run = ["prune", "--older-than", OLDER, "--dry-run", "--json"];
    let output = sesstree(root, &dry_run).output()?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let removed = report["removed"].as_array().into_iter().flatten();
    Ok(removed
        .filter_map(|entry| entry["sessionId"].as_str())
        .map(str::to_owned)
        .collect())
}

fn remove(root: &Path, ids: &[String]) -> io::Result<Duration> {
    let mut rm = Command::new("xargs");
    rm.args(["-0", "rm", "-rf"])
        .current_dir(root)
        .stdin(Stdio::piped());
    let begun = Instant::now();
    let mut running = rm.spawn()?;
    if let Some(mut names) = running.stdin.take() {
        names.write_all(ids.join("\0").as_bytes())?;
    }
    running.wait()?;
    Ok(begun.elapsed())
}

fn pruned(how: &[&str], count: usize) -> io::Result<Duration> {
    let root = fresh()?;
    let args = [&["prune", "--older-than", OLDER, "--json"], how].concat();
    // Warm, as the one that is removed.
    going(&root)?;
    let took = time(&mut sesstree(&root, &args))?;
    let left = fs::read_dir(&root)?.filter_map(Result::ok);
    let left = left
        .filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"zero"))
        .count();
    if left == COUNT - count {
        Ok(took)
    } else {
        Err(io::Error::other(format!(
            "{left} of {COUNT} are left, and {count} should go"
        )))
    }
}
