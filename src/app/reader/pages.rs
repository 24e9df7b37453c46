//! The pages of a conversation: asking for them, and taking them in.
//!
//! Invariant: no more than [`PAGES`] of them are kept, and they follow one another without a gap.

use std::collections::VecDeque;

use super::search::{Search, Wanted, Way};
use super::{PAGES, Reader, State};
use crate::app::msg::{Asker, Effect, Generation};
use crate::text::SafeText;
use crate::transcript::{Message, Page, Window};

/// What is to become of the page that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// It replaces what there is, to be read from its end.
    End,
    /// It replaces what there is, to be read from here.
    At(u64),
    Before,
    After,
    /// It is only looked at, for what is wanted.
    Search(Way, Wanted, u64),
}

impl Reader {
    pub(super) fn ask(&mut self, asked: Asked, generation: Generation) -> Effect {
        self.asked = Some((generation, asked));
        let before = self.pages.front().map_or(0, |page| page.start);
        let after = self.pages.back().map_or(0, |page| page.end);
        let window = match asked {
            Asked::End => Window::Tail,
            Asked::At(offset) => Window::From(offset),
            Asked::Before => Window::Before(before),
            Asked::After => Window::From(after),
            Asked::Search(way, _, at) => way.window(at),
        };
        Effect::Read {
            generation,
            asker: Asker::Reader,
            id: self.id.clone(),
            view: self.view,
            window,
            secrets: self.secrets,
        }
    }

    /// Whether a page of that number is what was asked for last.
    pub(in crate::app) fn awaits(&self, from: Generation) -> bool {
        self.asked.is_some_and(|(generation, _)| generation == from)
    }

    /// Takes in the page that was asked for.
    pub(in crate::app) fn read(&mut self, page: Result<Page, SafeText>) {
        let Some((_, asked)) = self.asked.take() else {
            return;
        };
        let page = match page {
            Ok(page) => page,
            Err(why) => {
                if self.pages.is_empty() {
                    self.state = State::Missing(why);
                }
                if let Asked::Search(way, wanted, _) = asked {
                    self.search = Search::Nothing(way, wanted);
                }
                return;
            }
        };
        if let Asked::Search(way, wanted, at) = asked {
            let needle = self.needle.as_ref();
            let fits = |message: &Message| wanted.is(message, needle);
            self.search = way.look_at(wanted, at, &page, fits);
            return;
        }
        self.state = State::Shown;
        let anchor = match asked {
            Asked::At(offset) => Some((offset, 0)),
            Asked::End => None,
            Asked::Before | Asked::After | Asked::Search(..) => self.anchor(),
        };
        self.insert(asked, page);
        self.wrap();
        self.top = match anchor {
            Some(anchor) => self.line_at(anchor),
            None => self.lines.len(),
        };
        self.clamp();
        if std::mem::take(&mut self.arrives) {
            self.arrive();
        }
    }

    fn insert(&mut self, asked: Asked, mut page: Page) {
        match asked {
            Asked::End | Asked::At(_) => self.pages = VecDeque::from([page]),
            Asked::Before => {
                // A page that does not lead on is the last one that way, whatever it says.
                let known = self.pages.front().map_or(u64::MAX, |page| page.start);
                if page.start >= known {
                    page.start = 0;
                }
                self.pages.push_front(page);
                self.pages.truncate(PAGES);
            }
            Asked::After => {
                let known = self.pages.back().map_or(0, |page| page.end);
                if page.end <= known {
                    page.size = page.end;
                }
                self.pages.push_back(page);
                while self.pages.len() > PAGES {
                    self.pages.pop_front();
                }
            }
            Asked::Search(..) => {}
        }
    }

    /// What to ask for to read on from here.
    pub(super) fn here(&self) -> Asked {
        match self.anchor() {
            Some((offset, _)) if !self.at_bottom() => Asked::At(offset),
            _ => Asked::End,
        }
    }

    /// Asks for what comes before or after, once that is near.
    pub(crate) fn more(&mut self, generation: Generation) -> Option<Effect> {
        if self.asked.is_some() || self.state != State::Shown {
            return None;
        }
        match self.search {
            Search::Looking(way, wanted, at) => {
                return Some(self.ask(Asked::Search(way, wanted, at), generation));
            }
            Search::Found(offset, wanted) => {
                self.search = Search::Idle;
                self.arrives = wanted == Wanted::Needle;
                return Some(self.ask(Asked::At(offset), generation));
            }
            Search::Idle | Search::Nothing(..) => {}
        }
        let height = self.size.1;
        let up = self.top < height;
        let down = self.top + 2 * height > self.lines.len();
        if up && !self.at_start() {
            Some(self.ask(Asked::Before, generation))
        } else if down && !self.at_end() {
            Some(self.ask(Asked::After, generation))
        } else {
            None
        }
    }
}
