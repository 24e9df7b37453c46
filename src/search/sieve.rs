//! Tells raw lines that might match from those that cannot, without understanding them.
//!
//! Must never let a line fall through whose texts match. A text in a line is JSON, and a tool's
//! arguments are JSON in that once more, so a character of it is written as itself, or as `\u` and
//! four digits; and those six characters may themselves be written so. A line is kept if it has the
//! piece that is looked for as itself, or the escape of a character of it, or one of a character
//! that escapes are made of. Hardly any line has one of the last two without reason: nobody writes
//! letters and digits so.

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// Finds lines that might have one of some pieces in their texts.
#[derive(Clone, Debug)]
pub(super) struct Sieve {
    /// `None`: all lines might.
    pieces: Option<Regex>,
    escape: memmem::Finder<'static>,
    /// The escapes that may stand for a part of a piece: UTF-16, sorted.
    units: Vec<u16>,
}

impl Sieve {
    /// For pieces as [`super::literals::required`] gives them.
    pub(super) fn new(pieces: &[String], any_case: bool) -> Self {
        let escaped: Vec<String> = pieces.iter().map(|piece| regex::escape(piece)).collect();
        let built = RegexBuilder::new(&escaped.join("|"))
            .case_insensitive(any_case)
            .build();
        let mut units: Vec<u16> = "\\u0123456789abcdefABCDEF".encode_utf16().collect();
        for c in pieces.iter().flat_map(|piece| piece.chars()) {
            for c in cases(c, any_case) {
                // Of two units the first gives it away.
                units.push(c.encode_utf16(&mut [0; 2])[0]);
            }
        }
        units.sort_unstable();
        units.dedup();
        Self {
            // One that is too large keeps every line.
            pieces: built.ok().filter(|_| !pieces.is_empty()),
            escape: memmem::Finder::new(b"\\u").into_owned(),
            units,
        }
    }

    /// Whether a line might.
    pub(super) fn passes(&self, line: &[u8]) -> bool {
        self.piece(line, 0).is_some() || self.escaped(line, 0).is_some()
    }

    /// The first place from `from` on where a piece is written as itself.
    fn piece(&self, lines: &[u8], from: usize) -> Option<usize> {
        match &self.pieces {
            Some(pieces) => pieces.find_at(lines, from).map(|found| found.start()),
            None => (from < lines.len()).then_some(from),
        }
    }

    /// The first place from `from` on of an escape that may stand for a part of a piece.
    fn escaped(&self, lines: &[u8], from: usize) -> Option<usize> {
        let found = self.escape.find_iter(&lines[from..]);
        let mut found = found.map(|at| from + at);
        found.find(|at| {
            let unit = lines.get(at + 2..at + 6).and_then(unit);
            unit.is_some_and(|unit| self.units.binary_search(&unit).is_ok())
        })
    }
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
    /// The next places; those before `at` are out of date, and at the end there are none.
    piece: usize,
    escaped: usize,
}

impl<'s, 'b> Sifting<'s, 'b> {
    pub(super) fn new(sieve: &'s Sieve, lines: &'b [u8]) -> Self {
        let mut sifting = Self {
            sieve,
            lines,
            at: 0,
            piece: 0,
            escaped: 0,
        };
        sifting.look();
        sifting
    }

    fn look(&mut self) {
        if self.piece <= self.at {
            self.piece = self.sieve.piece(self.lines, self.at).unwrap_or(usize::MAX);
        }
        if self.escaped <= self.at {
            let found = self.sieve.escaped(self.lines, self.at);
            self.escaped = found.unwrap_or(usize::MAX);
        }
    }
}

impl<'b> Iterator for Sifting<'_, 'b> {
    /// Where the line begins, and the line with its end.
    type Item = (usize, &'b [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.look();
        let place = self.piece.min(self.escaped);
        let before = self.lines.get(self.at..place)?;
        let begin = self.at + memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &self.lines[place..]);
        self.at = end.map_or(self.lines.len(), |end| place + end + 1);
        Some((begin, &self.lines[begin..self.at]))
    }
}
