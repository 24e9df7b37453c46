//! Reading a conversation, a few pages of it at a time.
//!
//! Invariant: however long the log is, no more than [`PAGES`] parts of it are kept.

mod keys;
mod lines;
pub(crate) mod needle;
pub(crate) mod search;
mod seek;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use tui_input::Input;

use super::Screen;
use super::keymap::Action;
use super::msg::{Asker, Effect, Generation};
use super::scroll::Step;
use crate::session::SessionId;
use crate::text::{SafeText, Secrets};
use crate::transcript::{Message, Page, Role, Usage, View, Window};
use needle::Needle;
use search::{Search, Wanted, Way};

/// Parts of a log that are kept.
const PAGES: usize = 6;

/// Columns of the margin with the roles.
pub(crate) const MARGIN: u16 = 8;

/// A conversation being read.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) id: SessionId,
    pub(crate) view: View,
    /// Whether this one conversation is shown with its secrets.
    pub(crate) secrets: Secrets,
    pub(crate) state: State,
    /// Tokens of all of its log, once they are counted.
    pub(crate) usage: Option<Usage>,
    /// The request for them.
    counting: Generation,
    /// As long as there is this, somebody waits for them.
    waits: Arc<()>,
    pub(crate) lines: Vec<Line>,
    /// The first line drawn.
    pub(crate) top: usize,
    /// Where one comes from.
    pub(crate) back: Box<Screen>,
    pages: VecDeque<Page>,
    asked: Option<(Generation, Asked)>,
    /// What is looked for in what is not read yet.
    pub(crate) search: Search,
    /// What is being typed to be looked for.
    pub(crate) typing: Option<Input>,
    pub(crate) needle: Option<Needle>,
    /// The lines that have it.
    hits: Vec<usize>,
    /// What tools were asked and answered is unfolded, but for what was turned.
    all_open: bool,
    /// Where the messages begin that are folded while others are not, or the other way round.
    turned: HashSet<u64>,
    /// What was found is in the page that was asked for.
    arrives: bool,
    /// Columns and rows for the text.
    size: (usize, usize),
}

/// Whether there is something to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Loading,
    Shown,
    /// The log cannot be read; says why.
    Missing(SafeText),
}

/// One drawn line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) role: Role,
    pub(crate) text: String,
    /// Which line of its message; 0: the one with the role beside it.
    pub(crate) part: usize,
    pub(crate) fold: Fold,
    /// When its message was written.
    pub(crate) at: Option<DateTime<Utc>>,
    offset: u64,
}

/// Whether a line stands for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    None,
    Open,
    /// For so many lines.
    Closed(usize),
}

/// What is to become of the page that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
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
    /// Opens a conversation at its end, in a text area of so many columns and rows.
    pub(crate) fn open(
        id: SessionId,
        back: Screen,
        size: (u16, u16),
        secrets: Secrets,
        generation: Generation,
    ) -> (Self, Effect) {
        let mut reader = Self {
            id,
            view: View::default(),
            secrets,
            state: State::Loading,
            usage: None,
            counting: generation,
            waits: Arc::default(),
            lines: Vec::new(),
            top: 0,
            back: Box::new(back),
            pages: VecDeque::new(),
            asked: None,
            search: Search::Idle,
            typing: None,
            needle: None,
            hits: Vec::new(),
            all_open: false,
            turned: HashSet::new(),
            arrives: false,
            size: (0, 0),
        };
        reader.resize(size);
        let effect = reader.ask(Asked::End, generation);
        (reader, effect)
    }

    fn ask(&mut self, asked: Asked, generation: Generation) -> Effect {
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

    /// Asks for the tokens of all of its log.
    pub(super) fn count_tokens(&self) -> Effect {
        Effect::Usage {
            generation: self.counting,
            id: self.id.clone(),
            wanted: Arc::downgrade(&self.waits),
        }
    }

    /// Whether a page of that number is what was asked for last.
    pub(super) fn awaits(&self, from: Generation) -> bool {
        self.asked.is_some_and(|(generation, _)| generation == from)
    }

    /// Takes in the page that was asked for.
    pub(super) fn read(&mut self, page: Result<Page, SafeText>) {
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
    fn here(&self) -> Asked {
        match self.anchor() {
            Some((offset, _)) if !self.at_bottom() => Asked::At(offset),
            _ => Asked::End,
        }
    }

    fn anchor(&self) -> Option<(u64, usize)> {
        let line = self.lines.get(self.top)?;
        Some((line.offset, line.part))
    }

    fn line_at(&self, anchor: (u64, usize)) -> usize {
        self.lines
            .partition_point(|line| (line.offset, line.part) < anchor)
    }

    fn clamp(&mut self) {
        self.top = self.top.min(self.lines.len().saturating_sub(self.size.1));
    }

    /// The text area has so many columns and rows now.
    pub(crate) fn resize(&mut self, (width, height): (u16, u16)) {
        let size = (
            usize::from(width.saturating_sub(MARGIN)).max(1),
            usize::from(height),
        );
        if size != self.size {
            let anchor = self.anchor();
            self.size = size;
            self.lay_out_at(anchor);
        }
    }

    /// Does what a key asks for; what must be read for it is asked for with `generation`.
    pub(crate) fn act(&mut self, action: Action, generation: Generation) -> Option<Effect> {
        self.stop_looking();
        match action {
            Action::Go(Step::First) if !self.at_start() => {
                return Some(self.ask(Asked::At(0), generation));
            }
            Action::Go(Step::Last) if !self.at_end() => {
                return Some(self.ask(Asked::End, generation));
            }
            Action::Go(step) => {
                self.top = step.from(self.top, self.lines.len(), self.size.1);
                self.clamp();
            }
            Action::Enter => {
                if let Some(line) = self.foldable() {
                    self.turn(line);
                }
            }
            Action::FoldAll => self.turn_all(),
            Action::Filter => self.typing = Some(Input::default()),
            _ if let Some((way, wanted)) = search::meant(action) => self.seek(way, wanted),
            Action::View => {
                self.view = match self.view {
                    View::Continued => View::Raw,
                    View::Raw => View::Continued,
                };
                return Some(self.ask(self.here(), generation));
            }
            Action::Secrets => {
                self.secrets = match self.secrets {
                    Secrets::Hidden => Secrets::Shown,
                    Secrets::Shown => Secrets::Hidden,
                };
                let here = self.here();
                // Not one secret stays on the screen until the answer comes, or if none does.
                self.pages.clear();
                self.wrap();
                self.state = State::Loading;
                return Some(self.ask(here, generation));
            }
            _ => {}
        }
        self.more(generation)
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

    fn at_start(&self) -> bool {
        self.pages.front().is_none_or(|page| page.start == 0)
    }

    fn at_end(&self) -> bool {
        self.pages.back().is_none_or(|page| page.end >= page.size)
    }

    fn at_bottom(&self) -> bool {
        self.top + self.size.1 >= self.lines.len()
    }

    /// Lines of the log that could not be understood.
    pub(crate) fn unreadable(&self) -> usize {
        self.pages.iter().map(|page| page.unreadable).sum()
    }

    /// The continued view was asked for, but every event is shown.
    pub(crate) fn fell_back(&self) -> bool {
        self.pages.iter().any(|page| page.fell_back)
    }

    /// How far one is in the log, in hundredths.
    pub(crate) fn percent(&self) -> Option<u64> {
        let size = self.pages.back()?.size;
        let last = (self.top + self.size.1).min(self.lines.len());
        let offset = match self.lines.get(last) {
            Some(line) => line.offset,
            None => self.pages.back()?.end,
        };
        let hundredths = u128::from(offset) * 100 / u128::from(size.max(1));
        Some(u64::try_from(hundredths).unwrap_or(100).min(100))
    }
}

#[cfg(test)]
mod tests;
