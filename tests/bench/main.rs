//! How long sesstree takes, beside what the same work costs at least: `cargo bench`.
//!
//! Whole processes, each beside its floor in the same run, so that the ratios mean something on a
//! busy machine too. `cargo bench -- WORD…` runs the parts whose name has one of the words.
//! Stores are made once, below `target/tmp/bench`; about 2 GB at 100,000 sessions.
#![expect(
    clippy::disallowed_methods,
    reason = "what is measured are processes, and stores that are made and removed"
)]

mod commands;
mod floor;
mod prune;
mod reader;
mod screen;
mod search;
mod store;
mod table;

use std::path::Path;
use std::process::ExitCode;
use std::{env, io};

use floor::Work;
use table::Table;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let done = match &args[..] {
        [floor, work, root, threads] if floor == "floor" => be_the_floor(work, root, threads),
        words => bench(words),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn be_the_floor(work: &str, root: &str, threads: &str) -> io::Result<()> {
    let work = match work {
        "read" => Work::Read,
        "logs" => Work::Logs,
        _ => Work::OnePass,
    };
    let bytes = floor::run(Path::new(root), work, threads.parse().unwrap_or(1))?;
    println!("{bytes}");
    Ok(())
}

/// A part's name and what it does.
type Part = (&'static str, fn(&mut Table) -> io::Result<()>);

const PARTS: [Part; 10] = [
    ("start", commands::start),
    ("list", commands::list),
    ("dry-run", commands::dry_run),
    ("prune", prune::prune),
    ("search", search::search),
    ("reader", reader::reader),
    ("first-frame", screen::first_frame),
    ("keys", screen::keys),
    ("refresh", screen::refresh),
    ("idle", screen::idle),
];

fn bench(words: &[String]) -> io::Result<()> {
    let wanted =
        |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let mut table = Table::default();
    for (name, part) in PARTS {
        if wanted(name) {
            part(&mut table)?;
        }
    }
    println!("{table}");
    Ok(())
}

/// As many as the scan takes.
pub(crate) const THREADS: usize = 8;
