//! A session's log from its beginning to its end, some whole lines at a time.
//!
//! Must never hold more of a log than one line of at most [`LINE_MAX`] bytes and what one read
//! brings, whatever the log's size and however long its lines; and no step takes more than one read,
//! so whoever reads can stop between any two.

use std::fmt;
use std::io::{self, Read};

use chrono::{DateTime, Utc};

use super::jsonl::LINE_MAX;
use crate::transcript::Role;

/// What one read brings at most, in bytes: little enough to stay in a processor's cache.
const BITE: usize = 128 << 10;

/// The longest line that is read, in bytes without its end.
#[expect(clippy::cast_possible_truncation, reason = "it is a mebibyte")]
const LONGEST: usize = LINE_MAX as usize;

/// What one line of a log says, as it was written: raw text, not to be shown before it is safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Who or what it is from.
    pub role: Role,
    /// When.
    pub at: Option<DateTime<Utc>>,
    /// The tool's name, or what kind of event it is; empty for what people and models say.
    pub name: String,
    /// What is told beside it: a tool's status, ids, counts.
    pub aside: String,
    /// All that it says, to be read: the arguments of a tool as `name: value`, each on lines of its own.
    pub shown: String,
    /// All that is searched: the texts alone, without their names, ids and states, between line breaks.
    pub words: String,
}

/// Reads a log block by block.
pub struct Blocks<'b, R> {
    log: R,
    buffer: &'b mut Vec<u8>,
    /// Where in the buffer the line begins that the last block left over.
    start: usize,
    /// Where in the buffer what was read ends.
    end: usize,
    /// Where in the log the buffer begins.
    offset: u64,
    /// A line is being passed over because it is too long.
    passing: bool,
    ended: bool,
}

impl<R> fmt::Debug for Blocks<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocks")
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

/// Whole lines in a row; there may be none.
#[derive(Debug, PartialEq, Eq)]
pub struct Block<'b> {
    /// Where they begin in the log, in bytes.
    pub offset: u64,
    /// The lines with their ends. Only the log's last one may lack it: it is torn if it says nothing.
    pub bytes: &'b [u8],
    /// Whether a line was found to be longer than lines may be, and is passed over.
    pub too_long: bool,
}

impl<'b, R: Read> Blocks<'b, R> {
    /// Of a log that nothing was read of yet; what is in the buffer is lost.
    pub fn of(log: R, buffer: &'b mut Vec<u8>) -> Self {
        Self {
            log,
            buffer,
            start: 0,
            end: 0,
            offset: 0,
            passing: false,
            ended: false,
        }
    }

    /// What one more read brings; `None`: that was all.
    pub fn more(&mut self) -> io::Result<Option<Block<'_>>> {
        if self.ended {
            return Ok(None);
        }
        self.make_room();
        let fresh = self.end;
        self.end += self.read()?;
        self.ended = self.end == fresh;
        if self.ended {
            let too_long = false;
            self.start = self.end;
            return Ok((self.end > 0).then(|| self.block(0, too_long)));
        }
        let begin = if self.passing {
            let Some(at) = memchr::memchr(b'\n', &self.buffer[fresh..self.end]) else {
                self.start = self.end;
                return Ok(Some(self.block(self.end, false)));
            };
            self.passing = false;
            fresh + at + 1
        } else {
            0
        };
        let new = begin.max(fresh);
        let Some(last) = memchr::memrchr(b'\n', &self.buffer[new..self.end]) else {
            self.passing = self.end - begin > LONGEST;
            self.start = if self.passing { self.end } else { begin };
            return Ok(Some(self.block(self.start, self.passing)));
        };
        self.start = new + last + 1;
        // Only a line that was begun before can be that long.
        let first = memchr::memchr(b'\n', &self.buffer[new..self.end]).unwrap_or(last);
        if new + first - begin > LONGEST {
            return Ok(Some(self.block(new + first + 1, true)));
        }
        Ok(Some(self.block(begin, false)))
    }

    /// The whole lines from `begin` on.
    fn block(&self, begin: usize, too_long: bool) -> Block<'_> {
        Block {
            offset: self.offset + begin as u64,
            bytes: &self.buffer[begin..self.start],
            too_long,
        }
    }

    /// Moves what is left over to the buffer's beginning.
    fn make_room(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.offset += self.start as u64;
        self.end -= self.start;
        self.start = 0;
        if self.buffer.len() < self.end + BITE {
            self.buffer.resize(self.end + BITE, 0);
        }
    }

    fn read(&mut self) -> io::Result<usize> {
        loop {
            match self.log.read(&mut self.buffer[self.end..self.end + BITE]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives so many bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(buffer.len()).min(self.0.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    /// Every line with its place, and how many were too long.
    fn lines(log: &[u8], at_a_time: usize) -> (Vec<(u64, Vec<u8>)>, usize) {
        let mut buffer = b"left over\n".to_vec();
        let mut blocks = Blocks::of(Slow(log, at_a_time), &mut buffer);
        let (mut lines, mut too_long) = (Vec::new(), 0);
        while let Some(block) = blocks.more().unwrap() {
            too_long += usize::from(block.too_long);
            let mut offset = block.offset;
            for line in block.bytes.split_inclusive(|byte| *byte == b'\n') {
                lines.push((offset, line.to_vec()));
                offset += line.len() as u64;
            }
        }
        assert!(buffer.len() <= LONGEST + 2 * BITE, "{}", buffer.len());
        (lines, too_long)
    }

    fn expected(log: &[u8]) -> (Vec<(u64, Vec<u8>)>, usize) {
        let (mut lines, mut too_long, mut offset) = (Vec::new(), 0, 0);
        for line in log.split_inclusive(|byte| *byte == b'\n') {
            if line.strip_suffix(b"\n").unwrap_or(line).len() > LONGEST {
                too_long += 1;
            } else {
                lines.push((offset, line.to_vec()));
            }
            offset += line.len() as u64;
        }
        (lines, too_long)
    }

    #[test]
    fn every_line_comes_once_and_what_is_too_long_is_told() {
        for length in [
            1,
            BITE - 1,
            BITE,
            LONGEST - 1,
            LONGEST,
            LONGEST + 1,
            LONGEST * 3,
        ] {
            for end in ["", "\n", "\nlast", "\n\nlast\n"] {
                let log = ["first\n", &"x".repeat(length), end].concat();
                for at_a_time in [1000, BITE, usize::MAX] {
                    let told = lines(log.as_bytes(), at_a_time);
                    assert!(
                        told == expected(log.as_bytes()),
                        "{length} {end:?} {at_a_time}"
                    );
                }
            }
        }
        assert_eq!(lines(b"", 1), (vec![], 0));
    }

    proptest! {
        #[test]
        fn lines_are_the_same_however_they_are_read(
            log in "[a\n]{0,60}", at_a_time in 1..20_usize,
        ) {
            prop_assert_eq!(lines(log.as_bytes(), at_a_time), expected(log.as_bytes()));
        }
    }
}
