//! Reading a conversation, a few pages of it at a time.
//!
//! Invariant: however long the log is, no more than [`PAGES`] parts of it are kept.

mod keys;
mod lines;
pub(crate) mod needle;
mod pages;
pub(crate) mod search;
mod seek;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use tui_input::Input;

use super::Screen;
use super::keymap::Action;
use super::msg::{Effect, Generation};
use super::scroll::Step;
use crate::session::SessionId;
use crate::text::{SafeText, Secrets};
use crate::transcript::{Page, Role, Usage, View};
use needle::Needle;
use pages::Asked;
use search::Search;

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

impl Reader {
    /// Opens a conversation in a text area of so many columns and rows: at its end, or at what was
    /// found in it, where every event is shown.
    pub(crate) fn open(
        id: SessionId,
        back: Screen,
        hit: Option<(u64, Needle)>,
        size: (u16, u16),
        secrets: Secrets,
        generation: Generation,
    ) -> (Self, Effect) {
        let (asked, needle) = match hit {
            Some((offset, needle)) => (Asked::At(offset), Some(needle)),
            None => (Asked::End, None),
        };
        let view = match needle {
            Some(_) => View::Raw,
            None => View::default(),
        };
        let mut reader = Self {
            id,
            view,
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
            arrives: needle.is_some(),
            needle,
            hits: Vec::new(),
            all_open: false,
            turned: HashSet::new(),
            size: (0, 0),
        };
        reader.resize(size);
        let effect = reader.ask(asked, generation);
        (reader, effect)
    }

    /// Asks for the tokens of all of its log.
    pub(super) fn count_tokens(&self) -> Effect {
        Effect::Usage {
            generation: self.counting,
            id: self.id.clone(),
            wanted: Arc::downgrade(&self.waits),
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
