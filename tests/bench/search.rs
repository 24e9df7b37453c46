//! `search` beside ripgrep on the same logs, warm, by turns; without ripgrep beside a plain read of
//! them. The words: one that is nearly nowhere, and one in every hundredth, of which every
//! message is told or counted.

use std::io;
use std::path::Path;
use std::process::Command;

use crate::commands::{by_turns, floor, sesstree};
use crate::store::{self, COMMON, RARE};
use crate::table::Table;

/// Bytes of all logs.
const BYTES: u64 = 1 << 30;

pub(crate) fn search(table: &mut Table) -> io::Result<()> {
    let root = store::logs(BYTES)?;
    for (what, word, most) in [("rare", RARE, 2.0), ("common", COMMON, 3.0)] {
        let what = format!("search, a {what} word in 1 GiB");
        let search = sesstree(&root, &["search", word]);
        if let Some(rg) = ripgrep(word, &root) {
            let (ours, least) = by_turns(search, rg)?;
            table.ratio(&what, ours, ("rg -S -c", least), most);
        } else {
            let (ours, least) = by_turns(search, floor("logs", &root)?)?;
            table.ratio(&what, ours, ("plain read", least), 2.0 * most);
        }
    }
    Ok(())
}

/// With the same rule about case as ours.
fn ripgrep(word: &str, root: &Path) -> Option<Command> {
    Command::new("rg").arg("--version").output().ok()?;
    let mut rg = Command::new("rg");
    rg.args(["--smart-case", "--count", "--glob", "events.jsonl", word]);
    rg.arg(root);
    Some(rg)
}
