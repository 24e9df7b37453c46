//! The lines of what is read: wrapped, and what tools were asked and answered in one line each.
//!
//! Invariant: what is folded is found all the same, and unfolded when it is gone to.

use super::{Fold, Line, Reader};
use crate::app::wrap::wrap;
use crate::transcript::{Message, Role};

/// What has no more lines is not worth folding.
const SHORT: usize = 3;

impl Reader {
    pub(super) fn wrap(&mut self) {
        let mut lines = Vec::new();
        let mut hits = Vec::new();
        for message in self.pages.iter().flat_map(|page| &page.messages) {
            let first = lines.len();
            self.add(message, &mut lines);
            if let Some(needle) = &self.needle
                && needle.is_in(message.body.as_str())
            {
                let own = first..lines.len();
                let before = hits.len();
                hits.extend(own.filter(|line| !needle.places(&lines[*line].text).is_empty()));
                // It is folded, or broken between two lines.
                if hits.len() == before {
                    hits.push(first);
                }
            }
        }
        (self.lines, self.hits) = (lines, hits);
    }

    fn add(&self, message: &Message, lines: &mut Vec<Line>) {
        let mut texts = wrap(message.body.as_str(), self.size.0);
        let folds =
            matches!(message.role, Role::ToolCall | Role::ToolResult) && texts.len() > SHORT;
        let fold = if !folds {
            Fold::None
        } else if self.is_open(message.offset) {
            Fold::Open
        } else {
            let hidden = texts.split_off(1);
            Fold::Closed(hidden.len())
        };
        lines.extend(texts.into_iter().enumerate().map(|(part, text)| Line {
            role: message.role,
            text,
            part,
            fold: if part == 0 { fold } else { Fold::None },
            at: message.at,
            offset: message.offset,
        }));
    }

    fn is_open(&self, offset: u64) -> bool {
        self.all_open != self.turned.contains(&offset)
    }

    /// The line of what `Enter` folds or unfolds: the first one on the screen that can be.
    pub(crate) fn foldable(&self) -> Option<usize> {
        let page = self.lines.iter().enumerate().skip(self.top);
        let mut page = page.take(self.size.1);
        let found = page.find(|(_, line)| line.fold != Fold::None);
        found.map(|(at, _)| at)
    }

    /// Folds or unfolds what a line belongs to; the line stays where it is.
    pub(super) fn turn(&mut self, line: usize) {
        let anchor = self.anchor();
        let offset = self.lines[line].offset;
        if !self.turned.remove(&offset) {
            self.turned.insert(offset);
        }
        self.lay_out_at(anchor);
    }

    /// Folds everything, or unfolds it.
    pub(super) fn turn_all(&mut self) {
        let anchor = self.anchor();
        self.all_open = !self.all_open;
        self.turned.clear();
        self.lay_out_at(anchor);
    }

    /// Goes to a line; if it is of something folded that holds what is looked for, to that.
    pub(super) fn go_to(&mut self, line: usize) {
        self.top = line;
        let Some(Line { offset, fold, .. }) = self.lines.get(line).cloned() else {
            return;
        };
        if matches!(fold, Fold::Closed(_)) && self.hits.contains(&line) {
            self.turn(line);
            let own = |hit: &&usize| self.lines[**hit].offset == offset;
            self.top = self.hits.iter().find(own).copied().unwrap_or(line);
        }
        self.clamp();
    }

    /// Makes the lines anew, with the same one on top.
    pub(super) fn lay_out_at(&mut self, anchor: Option<(u64, usize)>) {
        self.wrap();
        self.top = anchor.map_or(0, |anchor| self.line_at(anchor));
        self.clamp();
    }
}
