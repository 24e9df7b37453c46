//! Going to what is looked for, or looking for it in what is not read yet.

use super::needle::Needle;
use super::search::{Search, Wanted, Way};
use super::{Asked, Reader};
use crate::transcript::Role;

impl Reader {
    /// Goes to the next that is wanted, or looks for one in what is not read yet.
    pub(super) fn seek(&mut self, way: Way, wanted: Wanted) {
        if wanted == Wanted::Needle && self.needle.is_none() {
            return;
        }
        let top = self.top.min(self.lines.len());
        let is_it = |line: &usize| match wanted {
            Wanted::User => self.lines[*line].role == Role::User && self.lines[*line].part == 0,
            Wanted::Needle => self.hits.binary_search(line).is_ok(),
        };
        let (found, next, last) = match way {
            Way::Earlier => {
                let start = self.pages.front().map(|page| page.start);
                ((0..top).rev().find(is_it), start, self.at_start())
            }
            Way::Later => {
                let end = self.pages.back().map(|page| page.end);
                let later = (top + 1..self.lines.len()).find(is_it);
                (later, end, self.at_end())
            }
        };
        match (found, next) {
            (Some(line), _) => self.go_to(line),
            (None, Some(at)) if !last => self.search = Search::Looking(way, wanted, at),
            (None, _) => self.search = Search::Nothing(way, wanted),
        }
    }

    /// Looks for what was typed, from the line on top on.
    pub(super) fn find(&mut self, text: &str) {
        self.stop_looking();
        let anchor = self.anchor();
        self.needle = Needle::new(text);
        self.lay_out_at(anchor);
        let here = self.hits.iter().find(|hit| **hit >= self.top).copied();
        match here {
            Some(line) => self.go_to(line),
            None => self.seek(Way::Later, Wanted::Needle),
        }
    }

    /// Ends a search, wherever it is.
    pub(super) fn stop_looking(&mut self) {
        self.search = Search::Idle;
        self.asked
            .take_if(|(_, asked)| matches!(asked, Asked::Search(..)));
    }

    /// What was looked for is in the message on top: goes to its first line that has it.
    pub(super) fn arrive(&mut self) {
        let offset = self.lines.get(self.top).map(|line| line.offset);
        let own = |hit: &&usize| Some(self.lines[**hit].offset) == offset;
        if let Some(hit) = self.hits.iter().find(own) {
            self.go_to(*hit);
        }
    }
}
