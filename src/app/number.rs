//! Numbers and sizes in sentences.

use bytesize::ByteSize;

use crate::prune::report::EmptyReport;

/// A number with its thousands set apart.
pub(crate) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A large number in at most four columns: `999`, `1.2k`, `34k`, `5.6M`.
pub(crate) fn short(number: u64) -> String {
    let units = [
        (1_000_000_000_000_000, "P"),
        (1_000_000_000_000, "T"),
        (1_000_000_000, "G"),
        (1_000_000, "M"),
        (1_000, "k"),
    ];
    let Some((unit, letter)) = units.into_iter().find(|(unit, _)| number >= *unit) else {
        return number.to_string();
    };
    let tenths = number / (unit / 10);
    match (tenths / 10, tenths % 10) {
        (whole, tenth) if whole < 10 && tenth > 0 => format!("{whole}.{tenth}{letter}"),
        (whole, _) => format!("{whole}{letter}"),
    }
}

/// A number and its noun.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {noun}{s}", count(number))
}

/// A number of batches of the trash.
pub(crate) fn batches(number: usize) -> String {
    match number {
        1 => "1 batch".to_owned(),
        n => format!("{} batches", count(n)),
    }
}

/// What of the trash went: `2 batches, 14 sessions, 3.1 MiB`.
pub(crate) fn emptied(report: &EmptyReport) -> String {
    let sessions = counted(report.sessions(), "session");
    let batches = batches(report.emptied.len());
    format!("{batches}, {sessions}, {}", bytes(report.bytes))
}

/// A size in IEC units, in at most eight columns.
pub(crate) fn bytes(bytes: u64) -> String {
    let shown = ByteSize::b(bytes).display().iec();
    let text = format!("{shown:.1}");
    match text.split_once('.') {
        Some((whole, tail)) if whole.len() == 1 && !tail.starts_with('0') => text,
        Some(_) => format!("{shown:.0}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let shown = [0, 12, 999, 1_000, 1_234_567].map(count);
        assert_eq!(shown, ["0", "12", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "session"), "1 session");
        assert_eq!(counted(3_474, "session"), "3,474 sessions");
    }

    #[test]
    fn large_numbers_are_short() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1k"),
            (1_234, "1.2k"),
            (34_567, "34k"),
            (999_999, "999k"),
            (5_678_901, "5.6M"),
            (u64::MAX, "18446P"),
        ] {
            assert_eq!(short(n), text);
        }
    }

    #[test]
    fn sizes_are_short() {
        for (n, text) in [
            (0, "0 B"),
            (1_023, "1023 B"),
            (4_096, "4 KiB"),
            (1_258_291, "1.2 MiB"),
            (10 << 20, "10 MiB"),
            (409_600, "400 KiB"),
            (1_047_552, "1023 KiB"),
            (u64::MAX, "16 EiB"),
        ] {
            assert_eq!(bytes(n), text);
            assert!(bytes(n).len() <= 8);
        }
    }
}
