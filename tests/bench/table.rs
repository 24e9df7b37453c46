//! What was measured, as a table in Markdown.

use std::fmt;
use std::time::Duration;

/// Rows of what, how long, the floor, and their ratio beside the one that is wanted.
#[derive(Default)]
pub(crate) struct Table(Vec<[String; 5]>);

impl Table {
    /// Something beside its floor; it should take at most `most` times as long.
    pub(crate) fn ratio(&mut self, what: &str, took: Duration, floor: (&str, Duration), most: f64) {
        let (name, least) = floor;
        let ratio = took.as_secs_f64() / least.as_secs_f64();
        self.row([
            what.to_owned(),
            time(took),
            format!("{name}: {}", time(least)),
            format!("{ratio:.2}"),
            format!("≤ {most}"),
        ]);
    }

    /// Something by itself; it should be at most `most`.
    pub(crate) fn alone(&mut self, what: &str, is: String, most: &str) {
        self.row([
            what.to_owned(),
            is,
            String::new(),
            String::new(),
            most.to_owned(),
        ]);
    }

    fn row(&mut self, row: [String; 5]) {
        eprintln!("{}", row.join(" | "));
        self.0.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["what", "is", "beside", "ratio", "wanted"].map(str::to_owned);
        let width = |column: usize| {
            let cells = std::iter::once(&head).chain(&self.0);
            cells
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        let mut line = |row: &[String; 5]| {
            for (cell, width) in row.iter().zip(&widths) {
                write!(f, "| {cell:width$} ")?;
            }
            writeln!(f, "|")
        };
        line(&head)?;
        line(&[0, 1, 2, 3, 4].map(|column| "-".repeat(widths[column])))?;
        self.0.iter().try_for_each(line)
    }
}

/// In milliseconds, for reading.
pub(crate) fn time(took: Duration) -> String {
    let milliseconds = took.as_secs_f64() * 1e3;
    match milliseconds {
        0.0..10.0 => format!("{milliseconds:.2} ms"),
        10.0..1e4 => format!("{milliseconds:.0} ms"),
        _ => format!("{:.1} s", milliseconds / 1e3),
    }
}

/// The middle one of an odd number.
pub(crate) fn median<T: Copy + Default + Ord>(mut times: Vec<T>) -> T {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The one that all but one in a hundred do not pass.
pub(crate) fn p99(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times
        .get((times.len() * 99).div_ceil(100).saturating_sub(1))
        .copied()
        .unwrap_or_default()
}
