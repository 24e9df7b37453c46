//! The reader over a long log beside the same over a short one: how soon it is there, and what it takes.

use std::io;

use crate::commands::ROUNDS;
use crate::screen::{ROW, Screen};
use crate::store;
use crate::table::{Table, median};

/// Bytes of the logs.
const LONG: u64 = 1 << 30;
const SHORT: u64 = 100_000;
/// In the foot of the reader, once it is at the end of the log, and at its beginning.
const END: &str = "100 %";
const BEGINNING: &str = " 0 %";

pub(crate) fn reader(table: &mut Table) -> io::Result<()> {
    let mut all = Vec::new();
    for bytes in [LONG, SHORT] {
        let root = store::log(bytes)?;
        let (mut times, mut peaks) = (Vec::new(), Vec::new());
        for round in 0..=ROUNDS {
            let mut screen = Screen::open(&root)?;
            screen.frame_with(ROW)?;
            screen.settle()?;
            let took = screen.until("\t", END)?;
            // The first one only warms up.
            if round > 0 {
                times.push(took);
            }
            // The tokens of all of the log are counted, and one reads at both ends.
            screen.settle()?;
            if bytes == LONG {
                screen.until("g", BEGINNING)?;
                screen.until(&format!("{}G", "\x04".repeat(50)), END)?;
                screen.until(&format!("{}g", "\x15".repeat(50)), BEGINNING)?;
            }
            peaks.push(screen.peak()?);
            screen.close()?;
        }
        all.push((median(times), median(peaks)));
    }
    let [(long, most), (short, least)] = all[..] else {
        return Err(io::Error::other("not both were measured"));
    };
    table.ratio("reader, a log of 1 GiB", long, ("100 KB", short), 1.5);
    let more = most.saturating_sub(least);
    table.alone(
        "reader, memory more for 1 GiB",
        format!("{} KiB", more / 1024),
        "≤ 16 MiB",
    );
    Ok(())
}
