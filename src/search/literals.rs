//! What has to be in a text for a regular expression to match it.
//!
//! Must never name a piece that a match could do without.

use regex_syntax::hir::{Hir, HirKind};

/// The most pieces of which one has to be there.
const MOST: usize = 16;

/// Pieces of text of which at least one is in whatever matches, apart from its case; none: anything
/// might match. No piece has a character in it that JSON writes in another way than as itself or as
/// `\u` and four digits.
pub(super) fn required(pattern: &Hir) -> Vec<String> {
    pieces(pattern).unwrap_or_default()
}

fn pieces(pattern: &Hir) -> Option<Vec<String>> {
    match pattern.kind() {
        HirKind::Literal(literal) => {
            let text = str::from_utf8(&literal.0).ok()?;
            let parts = text
                .split(has_its_own_escape)
                .filter(|part| !part.is_empty());
            let longest = parts.max_by_key(|part| part.chars().count())?;
            Some(vec![longest.to_owned()])
        }
        HirKind::Capture(capture) => pieces(&capture.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => pieces(&repeated.sub),
        HirKind::Concat(parts) => {
            let parts = parts.iter().filter_map(pieces);
            parts.max_by_key(|pieces| shortest(pieces))
        }
        HirKind::Alternation(ways) => {
            let ways: Option<Vec<_>> = ways.iter().map(pieces).collect();
            let pieces = ways?.concat();
            (pieces.len() <= MOST).then_some(pieces)
        }
        _ => None,
    }
}

fn shortest(pieces: &[String]) -> usize {
    let lengths = pieces.iter().map(|piece| piece.chars().count());
    lengths.min().unwrap_or(0)
}

/// JSON has escapes of their own for these; and the last one stands for what is no text at all.
fn has_its_own_escape(c: char) -> bool {
    matches!(c, '"' | '\\' | '/' | char::REPLACEMENT_CHARACTER) || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: &[&str]) {
        let hir = regex_syntax::parse(pattern).unwrap();
        assert_eq!(required(&hir), expected, "{pattern}");
    }

    #[test]
    fn the_longest_piece_that_must_be_there() {
        check("needle", &["needle"]);
        check("a.*needle", &["needle"]);
        check("(need)le[0-9]+s", &["need"]);
        check("(?:ab)+c?", &["ab"]);
        check("(ab)*", &[]);
        check("ab|cd.e", &["ab", "cd"]);
        check("ab|.*", &[]);
        check("^$", &[]);
        check("", &[]);
        check("(?i)ab", &[]);
        check("x(foo|bar)", &["foo", "bar"]);
    }

    #[test]
    fn what_json_writes_otherwise_is_in_no_piece() {
        check("src/main\\.rs", &["main.rs"]);
        check(r#"say "hello" \\ \n"#, &["hello"]);
        check("\"", &[]);
        check("a\u{FFFD}bc", &["bc"]);
        check("\u{7F}x", &["x"]);
    }
}
