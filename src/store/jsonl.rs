//! Bounded reads of a file of lines, from either end.
//!
//! Must never hold more than one part in memory, whatever the file's size and however long its
//! lines: a part is at most [`PART`] bytes, or one line of at most [`LINE_MAX`]; longer lines are
//! passed over in small bites and told of, and no read looks further than [`REACH`] for a line's
//! end. Reads are positioned: many can go on at once, and nothing is written.
//!
//! Lines end with `\n`. The last one may lack it: it is whole if it is JSON, else it is torn (its
//! writer is not done, or never will be) and counts for nothing, not even for the file's size.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use serde::de::IgnoredAny;

/// The most that a part holds when its lines are short, in bytes.
const PART: u64 = 64 << 10;

/// The longest line that is read, in bytes without its end.
pub(super) const LINE_MAX: u64 = 1 << 20;

/// How far one read looks for a line's end, in bytes.
pub(super) const REACH: u64 = 64 << 20;

/// How much is looked at at once when a line's end is looked for, in bytes.
const BITE: usize = 64 << 10;

/// A file of lines as it was when it was looked at; it may grow meanwhile.
pub(super) struct Lines<'f> {
    file: &'f File,
    size: u64,
}

/// Some lines in a row.
#[derive(Debug)]
pub(super) struct Part {
    bytes: Vec<u8>,
    /// Where `bytes` begin.
    first: u64,
    /// Where the part begins: that of its first line, or of a line that is passed over.
    pub(super) start: u64,
    /// Where what follows the part begins.
    pub(super) end: u64,
    /// Where the lines begin that are longer than [`LINE_MAX`]. In a part read backwards they come
    /// behind the others, in one read forwards before them.
    pub(super) too_long: Vec<u64>,
}

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'p> {
    /// Where it begins, in bytes.
    pub(super) offset: u64,
    /// What it holds, without its end.
    pub(super) bytes: &'p [u8],
}

impl Part {
    fn empty(at: u64) -> Self {
        Self {
            bytes: Vec::new(),
            first: at,
            start: at,
            end: at,
            too_long: Vec::new(),
        }
    }

    /// All the lines' bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The lines in the file's order; blank ones are left out.
    pub(super) fn lines(&self) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        let mut offset = self.first;
        for bytes in self.bytes.split(|b| *b == b'\n') {
            if !bytes.trim_ascii().is_empty() {
                lines.push(Line { offset, bytes });
            }
            offset += bytes.len() as u64 + 1;
        }
        lines
    }
}

impl<'f> Lines<'f> {
    /// Looks at the size, and at the last line if it has no end.
    pub(super) fn of(file: &'f File) -> io::Result<Self> {
        let size = file.metadata()?.len();
        let lines = Self { file, size };
        let Some(before) = size.checked_sub(1) else {
            return Ok(lines);
        };
        if lines.read(before, size)? == b"\n" {
            return Ok(lines);
        }
        let begin = lines.line_begin(size, REACH)?;
        let whole = match begin {
            Some(begin) if size - begin <= LINE_MAX => {
                let last = lines.read(begin, size)?;
                serde_json::from_slice::<IgnoredAny>(&last).is_ok()
            }
            _ => false,
        };
        let torn_at = begin.unwrap_or(size.saturating_sub(REACH));
        Ok(Self {
            file,
            size: if whole { size } else { torn_at },
        })
    }

    /// Bytes of whole lines.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The last lines that end at `offset` or before it. What is there of a line that does not
    /// is left out.
    pub(super) fn before(&self, offset: u64) -> io::Result<Part> {
        let offset = offset.min(self.size);
        let Some(mut end) = self.boundary_before(offset)? else {
            return Ok(Part::empty(offset.saturating_sub(REACH)));
        };
        let mut part = Part::empty(end);
        while end > 0 {
            let text_end = end - u64::from(self.read(end - 1, end)? == b"\n");
            if let Some(begin) = self.line_begin(text_end, LINE_MAX)? {
                let start = self.first_within(begin, end)?;
                part.bytes = self.read(start, end)?;
                (part.first, part.start) = (start, start);
                break;
            }
            // The reach is for all that is passed over in one read.
            let reach = REACH.saturating_sub(part.end - text_end);
            let begin = self.line_begin(text_end, reach)?;
            end = begin.unwrap_or(text_end.saturating_sub(reach));
            part.start = end;
            part.too_long.insert(0, end);
            if begin.is_none() {
                break;
            }
        }
        Ok(part)
    }

    /// The first lines that begin at `offset` or behind it.
    pub(super) fn from(&self, offset: u64) -> io::Result<Part> {
        let offset = offset.min(self.size);
        let Some(mut start) = self.boundary_after(offset)? else {
            return Ok(Part::empty(offset.saturating_add(REACH).min(self.size)));
        };
        let mut part = Part::empty(start);
        while start < self.size {
            if let Some(next) = self.line_end(start, LINE_MAX + 1)? {
                part.end = self.last_within(start, next)?;
                part.bytes = self.read(start, part.end)?;
                part.first = start;
                break;
            }
            part.too_long.push(start);
            let reach = REACH.saturating_sub(start - part.start);
            let next = self.line_end(start, reach)?;
            start = next.unwrap_or(start.saturating_add(reach).min(self.size));
            part.end = start;
            if next.is_none() {
                break;
            }
        }
        Ok(part)
    }

    /// Where the first line begins that is in a part that ends at `end` and holds at least the
    /// line that begins at `begin`.
    fn first_within(&self, begin: u64, end: u64) -> io::Result<u64> {
        match end.saturating_sub(PART) {
            0 => Ok(0),
            low if low >= begin => Ok(begin),
            low => Ok(self.line_end(low - 1, PART)?.unwrap_or(begin)),
        }
    }

    /// Where the last line ends that is in a part that begins at `start` and holds at least the
    /// line that ends at `next`.
    fn last_within(&self, start: u64, next: u64) -> io::Result<u64> {
        let high = start.saturating_add(PART);
        if high >= self.size {
            return Ok(self.size.max(next));
        }
        if next >= high {
            return Ok(next);
        }
        Ok(self.line_begin(high, PART)?.unwrap_or(next))
    }

    /// `offset` if a line begins there or nothing follows, else where the line around it begins.
    fn boundary_before(&self, offset: u64) -> io::Result<Option<u64>> {
        if offset == self.size {
            return Ok(Some(offset));
        }
        self.line_begin(offset, REACH)
    }

    /// `offset` if a line begins there, else where the next one does.
    fn boundary_after(&self, offset: u64) -> io::Result<Option<u64>> {
        match offset.checked_sub(1) {
            None => Ok(Some(0)),
            Some(before) => self.line_end(before, REACH),
        }
    }

    /// Where the line around the byte before `end` begins, if that is within `reach` bytes.
    fn line_begin(&self, end: u64, reach: u64) -> io::Result<Option<u64>> {
        let floor = end.saturating_sub(reach.saturating_add(1));
        let mut high = end;
        let mut bite = vec![0; BITE];
        while high > floor {
            let low = floor.max(high.saturating_sub(BITE as u64));
            let seen = self.read_into(&mut bite, low, high)?;
            if let Some(at) = memchr::memrchr(b'\n', seen) {
                return Ok(Some(low + at as u64 + 1));
            }
            high = low;
        }
        Ok((floor == 0 && end <= reach).then_some(0))
    }

    /// Where what follows the first line's end at `start` or behind it begins, if that is within
    /// `reach` bytes. The last line ends with the file.
    fn line_end(&self, start: u64, reach: u64) -> io::Result<Option<u64>> {
        let ceiling = start.saturating_add(reach).min(self.size);
        let mut low = start;
        let mut bite = vec![0; BITE];
        while low < ceiling {
            let high = ceiling.min(low + BITE as u64);
            let seen = self.read_into(&mut bite, low, high)?;
            if let Some(at) = memchr::memchr(b'\n', seen) {
                return Ok(Some(low + at as u64 + 1));
            }
            low = high;
        }
        Ok((ceiling == self.size && self.size - start < reach).then_some(self.size))
    }

    /// The bytes from `start` to `end`. Fails if the file has become shorter.
    pub(super) fn read(&self, start: u64, end: u64) -> io::Result<Vec<u8>> {
        let length = usize::try_from(end - start).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, start)?;
        Ok(bytes)
    }

    fn read_into<'b>(&self, bite: &'b mut [u8], low: u64, high: u64) -> io::Result<&'b [u8]> {
        let length = usize::try_from(high - low).map_err(io::Error::other)?;
        let bite = &mut bite[..length];
        self.file.read_exact_at(bite, low)?;
        Ok(bite)
    }
}

#[cfg(test)]
mod tests;
