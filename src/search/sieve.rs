//! Tells raw lines that might match from those that cannot, without understanding them.
//!
//! Must never let a line fall through whose texts match. A text in a line is JSON, and a tool's
//! arguments are JSON in that once more, so a character of it is written as itself, or as `\u` and
//! four digits; and those six characters may themselves be written so. A line is kept if it has the
//! piece that is looked for as itself, or the escape of a character of it, or one of a character
//! that escapes are made of. Hardly any line has one of the last two without reason: nobody writes
//! letters and digits so.

use std::collections::BTreeSet;

use regex::bytes::Regex;
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// The shortest piece that is found together with the marks at no cost, in bytes: as long as they are.
const TOGETHER: usize = 4;

/// Finds lines that might have one of some pieces in their texts.
#[derive(Clone, Debug)]
pub(super) struct Sieve {
    /// Find a piece, or a mark: a part of the escape of one of its characters that hardly anything
    /// else has. Each goes through everything by itself. Without any all lines might.
    finders: Vec<Regex>,
    /// The marks that are not pieces by themselves.
    marks: BTreeSet<Vec<u8>>,
    /// The escapes that may stand for a part of a piece, in UTF-16.
    units: BTreeSet<u16>,
}

impl Sieve {
    /// For pieces as [`super::literals::required`] gives them.
    pub(super) fn new(pieces: &[String], any_case: bool) -> Self {
        let mut units: BTreeSet<u16> = "\\u0123456789abcdefABCDEF".encode_utf16().collect();
        for c in pieces.iter().flat_map(|piece| piece.chars()) {
            for c in cases(c, any_case) {
                // Of two units the first gives it away.
                units.insert(c.encode_utf16(&mut [0; 2])[0]);
            }
        }
        let mut marks: BTreeSet<String> = units.iter().flat_map(|unit| marks(*unit)).collect();
        let found: Vec<String> = pieces.iter().map(|piece| regex::escape(piece)).collect();
        let case = if any_case { "i" } else { "" };
        let found = format!("(?{case}:{})", found.join("|"));
        let marked = marks.iter().map(String::as_str).collect::<Vec<_>>();
        let marked = marked.join("|");
        // Measured: what is looked for in any case is many strings already, and a few more cost nothing.
        let finders = if any_case && pieces.iter().all(|piece| piece.len() >= TOGETHER) {
            vec![format!("{found}|{marked}")]
        } else {
            vec![found, marked]
        };
        let finders = finders.iter().map(|finder| Regex::new(finder));
        // Should one be too large, every line is kept.
        let finders: Result<Vec<Regex>, _> = finders.collect();
        let finders = finders.unwrap_or_default();
        marks.retain(|mark| pieces.iter().all(|p| !p.eq_ignore_ascii_case(mark)));
        Self {
            finders: if pieces.is_empty() {
                Vec::new()
            } else {
                finders
            },
            marks: marks.into_iter().map(String::into_bytes).collect(),
            units,
        }
    }

    /// Whether a line might.
    pub(super) fn passes(&self, line: &[u8]) -> bool {
        let mut found = self.finders.iter().map(|finder| self.find(finder, line, 0));
        self.finders.is_empty() || found.any(|place| place.is_some())
    }

    /// The first place from `from` on of a piece, or of an escape that may stand for a part of one.
    fn find(&self, finder: &Regex, lines: &[u8], from: usize) -> Option<usize> {
        let mut from = from;
        loop {
            let found = finder.find_at(lines, from)?;
            if !self.marks.contains(found.as_bytes()) || self.is_escape(lines, found.start()) {
                return Some(found.start());
            }
            from = found.start() + 1;
        }
    }

    /// Whether a mark is in an escape that counts.
    fn is_escape(&self, lines: &[u8], mark: usize) -> bool {
        let digits = mark + usize::from(lines[mark] == b'u');
        let unit = lines.get(digits..digits + 4).and_then(unit);
        lines[..digits].ends_with(b"\\u") && unit.is_some_and(|unit| self.units.contains(&unit))
    }
}

/// Four characters of an escape, in all ways to write them. Escapes of `<`, `>` and `&` are in every
/// other line, so those of their neighbours are known by their last digit, the others by the `u`.
fn marks(unit: u16) -> Vec<String> {
    let digits = format!("{unit:04x}");
    let mark = match unit >> 4 {
        2 | 3 => digits,
        _ => format!("u{}", &digits[..3]),
    };
    let mut ways = vec![String::new()];
    for (at, c) in mark.char_indices() {
        let upper = c.to_ascii_uppercase();
        let both = upper != c && (at > 0 || c != 'u');
        let more: Vec<String> = ways.iter().filter(|_| both).cloned().collect();
        for way in &mut ways {
            way.push(c);
        }
        ways.extend(
            more.into_iter()
                .map(|way| way + upper.encode_utf8(&mut [0; 4])),
        );
    }
    ways
}

/// Four hexadecimal digits.
fn unit(digits: &[u8]) -> Option<u16> {
    let digit = |unit: u16, digit: &u8| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(digit).ok()?)
    };
    digits.iter().try_fold(0, digit)
}

/// A character in all its cases, as regular expressions know them.
fn cases(c: char, any: bool) -> Vec<char> {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    if any {
        // Without the tables it would be the character alone; they are always there.
        let _ = class.try_case_fold_simple();
    }
    let ranges = class.iter();
    ranges
        .flat_map(|range| range.start()..=range.end())
        .collect()
}

/// Goes through some lines in a row.
pub(super) struct Sifting<'s, 'b> {
    sieve: &'s Sieve,
    lines: &'b [u8],
    /// What lies before has been gone through.
    at: usize,
    /// The next place of each finder, if it is not before `at`; none: at the end.
    next: Vec<usize>,
}

impl<'s, 'b> Sifting<'s, 'b> {
    pub(super) fn new(sieve: &'s Sieve, lines: &'b [u8]) -> Self {
        let mut sifting = Self {
            sieve,
            lines,
            at: 0,
            next: vec![0; sieve.finders.len()],
        };
        sifting.look(true);
        sifting
    }

    fn look(&mut self, first: bool) {
        for (finder, next) in self.sieve.finders.iter().zip(&mut self.next) {
            if first || *next < self.at {
                let found = self.sieve.find(finder, self.lines, self.at);
                *next = found.unwrap_or(usize::MAX);
            }
        }
    }
}

impl<'b> Iterator for Sifting<'_, 'b> {
    /// Where the line begins, and the line with its end.
    type Item = (usize, &'b [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.look(false);
        // Without finders it is the next line.
        let place = self.next.iter().copied().min().unwrap_or(self.at);
        if place >= self.lines.len() {
            return None;
        }
        let before = &self.lines[self.at..place];
        let begin = self.at + memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &self.lines[place..]);
        self.at = end.map_or(self.lines.len(), |end| place + end + 1);
        Some((begin, &self.lines[begin..self.at]))
    }
}
