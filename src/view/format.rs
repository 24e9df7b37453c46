//! Numbers, ages, sizes and texts as they are shown.

use std::path::Path;

use chrono::{DateTime, Datelike as _, Utc};
use ratatui::buffer::CellWidth;
use unicode_segmentation::UnicodeSegmentation;

pub(super) use crate::app::number::{bytes, count, counted, short};
use crate::text::{SafeText, Secrets};

/// How long ago: s, m, h, d up to 999d, then y; `?` if that cannot be said.
pub(super) fn age(now: DateTime<Utc>, at: Option<DateTime<Utc>>) -> String {
    const HOUR: i64 = 3_600;
    const DAY: i64 = 24 * HOUR;
    let Some(at) = at else {
        return "?".to_owned();
    };
    match now.signed_duration_since(at).num_seconds() {
        // Clocks differ a little; a minute ahead is now.
        s if s < -60 => "?".to_owned(),
        s if s < 60 => format!("{}s", s.max(0)),
        s if s < HOUR => format!("{}m", s / 60),
        s if s < DAY => format!("{}h", s / HOUR),
        s if s < 1_000 * DAY => format!("{}d", s / DAY),
        s => format!("{}y", s / (365 * DAY)),
    }
}

/// The same in a sentence.
pub(super) fn ago(now: DateTime<Utc>, at: Option<DateTime<Utc>>) -> String {
    match age(now, at).as_str() {
        "?" => "no time".to_owned(),
        age => format!("{age} ago"),
    }
}

/// A day.
pub(super) fn day(at: Option<DateTime<Utc>>) -> String {
    at.map_or_else(|| "?".to_owned(), |at| at.format("%Y-%m-%d").to_string())
}

/// A day and its time, of the day of `other` the time alone.
pub(super) fn time(at: DateTime<Utc>, other: Option<DateTime<Utc>>) -> String {
    let same = other.is_some_and(|other| other.date_naive() == at.date_naive());
    let pattern = if same { "%H:%M" } else { "%Y-%m-%d %H:%M" };
    at.format(pattern).to_string()
}

/// A day near `now`: `7 Dec`, with its year if that is another one.
pub(super) fn short_day(now: DateTime<Utc>, at: DateTime<Utc>) -> String {
    let pattern = if at.year() == now.year() {
        "%-d %b"
    } else {
        "%-d %b %Y"
    };
    at.format(pattern).to_string()
}

/// A size that may not be known yet.
pub(super) fn known_bytes(bytes_known: Option<u64>) -> String {
    bytes_known.map_or_else(|| "…".to_owned(), bytes)
}

/// A sum of sizes of which so many are not known yet.
pub(super) fn sum(known: u64, missing: usize) -> String {
    match (known, missing) {
        (_, 0) => bytes(known),
        (0, _) => "…".to_owned(),
        _ => bytes(known) + "…",
    }
}

/// The first of these parts, as many as fit whole, with dots between them.
pub(super) fn joined<const N: usize>(parts: [String; N], columns: usize) -> String {
    let mut line = String::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let longer = match line.as_str() {
            "" => part,
            line => format!("{line} · {part}"),
        };
        if !line.is_empty() && width(&longer) > columns {
            break;
        }
        line = longer;
    }
    line
}

/// A path with the home folder as `~`.
pub(super) fn path(path: &Path, home: Option<&Path>) -> String {
    path_with(path, home, Secrets::Hidden)
}

/// The same, with its secrets or without.
pub(super) fn path_with(path: &Path, home: Option<&Path>, secrets: Secrets) -> String {
    let below = home.and_then(|home| path.strip_prefix(home).ok());
    match below {
        Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
        Some(below) => format!("~/{}", SafeText::path_with(below, secrets)),
        None => SafeText::path_with(path, secrets).to_string(),
    }
}

/// Columns a text takes, by the screen's own measure.
pub(super) fn width(text: &str) -> usize {
    text.graphemes(true)
        .map(|grapheme| usize::from(grapheme.cell_width()))
        .sum()
}

/// A text in at most so many columns; what is cut off leaves an ellipsis.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        used += usize::from(grapheme.cell_width());
        if used + 1 > columns {
            break;
        }
        kept.push_str(grapheme);
    }
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// A text in exactly so many columns.
pub(super) fn left(text: &str, columns: usize) -> String {
    let mut text = cut(text, columns);
    let missing = columns.saturating_sub(width(&text));
    text.extend(std::iter::repeat_n(' ', missing));
    text
}

/// A text at the right end of so many columns.
pub(super) fn right(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    let missing = columns.saturating_sub(width(&text));
    " ".repeat(missing) + &text
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[track_caller]
    fn check_age(seconds: i64, expected: &str) {
        let now = DateTime::from_timestamp(1_793_534_400, 0).unwrap();
        let at = now - TimeDelta::seconds(seconds);
        assert_eq!(age(now, Some(at)), expected, "{seconds} s");
    }

    #[test]
    fn ages_are_short() {
        check_age(-61, "?");
        check_age(-5, "0s");
        check_age(59, "59s");
        check_age(60, "1m");
        check_age(3_599, "59m");
        check_age(86_399, "23h");
        check_age(86_400, "1d");
        check_age(999 * 86_400, "999d");
        check_age(1_000 * 86_400, "2y");
    }

    #[test]
    fn texts_take_exactly_their_columns() {
        for text in [
            "",
            "abc",
            "abcdefgh",
            "日本語テキスト",
            "👩‍👩‍👧‍👦 family",
            "שלום עולם",
            "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
            "ﾊﾟﾊﾟﾊﾟ",
        ] {
            for columns in 0..12 {
                assert_eq!(width(&left(text, columns)), columns, "{text:?}");
                assert_eq!(width(&right(text, columns)), columns, "{text:?}");
            }
        }
    }

    #[test]
    fn home_is_a_tilde() {
        let home = Some(Path::new("/home/you"));
        assert_eq!(path(Path::new("/home/you"), home), "~");
        assert_eq!(path(Path::new("/home/you/src"), home), "~/src");
        assert_eq!(path(Path::new("/home/yours"), home), "/home/yours");
    }
}
