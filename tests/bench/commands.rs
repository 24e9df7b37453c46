//! Commands beside their floors: `list` beside reading every metadata.json, a dry run beside one
//! pass with both locks and a look at the sizes.

use std::env;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::table::{Table, median};
use crate::{THREADS, store};

/// Measurements of which the median is taken.
pub(crate) const ROUNDS: usize = 5;

/// The product, in a home of its own.
pub(crate) fn sesstree(root: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sesstree"));
    command
        .env_clear()
        .env("HOME", "/nonexistent")
        .env("XDG_STATE_HOME", root.with_extension("state"));
    command.arg("--root").arg(root).args(args);
    command
}

pub(crate) fn floor(work: &str, root: &Path) -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command
        .args(["floor", work])
        .arg(root)
        .arg(THREADS.to_string());
    Ok(command)
}

/// How long it takes to its end; it must end well.
pub(crate) fn time(command: &mut Command) -> io::Result<Duration> {
    let begun = Instant::now();
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()?;
    let took = begun.elapsed();
    if status.success() {
        Ok(took)
    } else {
        Err(io::Error::other(format!("{command:?} ended with {status}")))
    }
}

/// Medians of both, by turns, after one run of each that only warms up.
pub(crate) fn by_turns(mut one: Command, mut other: Command) -> io::Result<(Duration, Duration)> {
    time(&mut one)?;
    time(&mut other)?;
    let mut times = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        times.0.push(time(&mut one)?);
        times.1.push(time(&mut other)?);
    }
    Ok((median(times.0), median(times.1)))
}

pub(crate) fn start(table: &mut Table) -> io::Result<()> {
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty");
    std::fs::create_dir_all(&empty)?;
    let (ours, least) = by_turns(sesstree(&empty, &["list"]), Command::new("true"))?;
    table.ratio("list, empty store", ours, ("true", least), 3.0);
    Ok(())
}

pub(crate) fn list(table: &mut Table) -> io::Result<()> {
    for count in [10_000, 100_000] {
        let root = store::kept(count)?;
        let list = sesstree(&root, &["list", "--json", "--no-size"]);
        let (ours, least) = by_turns(list, floor("read", &root)?)?;
        table.ratio(
            &format!("list --json --no-size, {count}"),
            ours,
            ("plain read", least),
            1.5,
        );
    }
    Ok(())
}

pub(crate) fn dry_run(table: &mut Table) -> io::Result<()> {
    let mut took = Vec::new();
    for count in [10_000, 50_000] {
        let root = store::kept(count)?;
        let dry_run = sesstree(
            &root,
            &["prune", "--older-than", "30d", "--dry-run", "--json"],
        );
        let (ours, least) = by_turns(dry_run, floor("one-pass", &root)?)?;
        table.ratio(&format!("dry run, {count}"), ours, ("one pass", least), 2.0);
        took.push(ours);
    }
    if let [few, many] = took[..] {
        table.ratio("dry run, 50000", many, ("at 10000", few), 6.0);
    }
    Ok(())
}
