//! Hits as people read them: a block for each session, and the first of its hits.

use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};
use std::ops::Range;

use chrono::{DateTime, Utc};
use rustix::stdio::stdout;
use rustix::termios::tcgetwinsize;

use super::super::list::age;
use super::super::{Context, Failure, counted};
use super::{End, Hit, Limits, Summary, Told};
use crate::session::Session;
use crate::text::{SafeText, Secrets};

/// Hits of one session that are shown.
const HITS: usize = 3;
/// Columns where no terminal says otherwise.
const COLUMNS: usize = 100;
/// Columns that the roles take.
const MARGIN: usize = 10;

pub(super) struct Text {
    out: BufWriter<Stdout>,
    now: DateTime<Utc>,
    columns: usize,
    colours: bool,
    secrets: Secrets,
    first: bool,
}

impl Text {
    pub(super) fn new(context: &Context) -> Self {
        let terminal = io::stdout().is_terminal();
        let size = tcgetwinsize(stdout()).ok().filter(|_| terminal);
        let columns = size.map_or(COLUMNS, |size| usize::from(size.ws_col));
        Self {
            out: BufWriter::new(io::stdout()),
            now: context.now,
            columns: columns.clamp(40, 1000) - MARGIN,
            colours: terminal && !context.settings.no_color,
            secrets: context.settings.secrets,
            first: true,
        }
    }

    pub(super) fn limits(&self) -> Limits {
        Limits {
            hits: HITS,
            columns: self.columns,
            secrets: self.secrets,
        }
    }

    /// A text with what was found set off, if it can be.
    fn marked(&self, text: &SafeText, marks: &[Range<usize>]) -> String {
        let mut shown = text.to_string();
        if self.colours {
            for mark in marks.iter().rev() {
                shown.insert_str(mark.end, "\x1b[0m");
                shown.insert_str(mark.start, "\x1b[1;31m");
            }
        }
        shown
    }
}

impl Told for Text {
    fn session(&mut self, session: &Session, hits: &[Hit], end: &End) -> Result<(), Failure> {
        if !self.first {
            writeln!(self.out)?;
        }
        self.first = false;
        let age = age(session.activity_at, self.now);
        let count = usize::try_from(end.count).unwrap_or(usize::MAX);
        let mut told = counted(count, "match", "matches");
        if !session.kind.word().is_empty() {
            told = format!("{}, {told}", session.kind.word());
        }
        let title = match session.title.as_str() {
            "" => String::new(),
            title => format!("  {title}"),
        };
        writeln!(self.out, "{}  {age}{title}  ({told})", session.id)?;
        for hit in hits {
            let context = self.marked(&hit.context, &hit.marks);
            let line = format!("  {:7} {context}", hit.role.word());
            writeln!(self.out, "{}", line.trim_end())?;
        }
        if count > hits.len() {
            writeln!(self.out, "  … {} more", count - hits.len())?;
        }
        // Who waits for more sees what there is.
        self.out.flush()?;
        Ok(())
    }

    fn end(mut self, summary: &Summary<'_>) -> Result<(), Failure> {
        self.out.flush()?;
        summary.say();
        Ok(())
    }
}
