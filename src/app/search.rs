//! `s`: searching inside the transcripts of the sessions that are shown.
//!
//! Invariants: what was found stays until another search begins, stopped or not; a key acts on the line
//! that was drawn under the cursor, and once it was moved that stays on its line, whatever is found
//! above it.

mod results;

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use crossterm::event::KeyEvent;
use tui_input::Input;

use super::chosen::run;
use super::help::Help;
use super::keymap::{self, Action};
use super::msg::{Effect, Generation};
use super::reader::needle::Needle;
use super::scroll::{Scroll, Step};
use super::{Model, Screen, edit};
use crate::search::found::{End, News};
use crate::search::query::Query;
use crate::session::{Condition, SessionId};
use crate::text::SafeText;
use results::Place;
pub(crate) use results::{Found, Line, Results};

/// What is typed to be searched for, and what was found of the last that was.
#[derive(Debug)]
pub(crate) struct Searching {
    pub(crate) input: Input,
    /// Keys go to the input.
    pub(crate) typing: bool,
    /// Why what was typed cannot be searched for.
    pub(crate) wrong: Option<Wrong>,
    pub(crate) run: Option<Run>,
    /// Sessions that would be searched.
    pub(crate) shown: usize,
}

/// What is wrong with what was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) what: SafeText,
    /// Where, in bytes.
    pub(crate) place: Option<Range<usize>>,
}

/// A search, under way or over.
#[derive(Debug)]
pub(crate) struct Run {
    generation: Generation,
    /// As it was typed.
    pub(crate) text: String,
    query: Query,
    /// What is searched, in this order.
    pub(crate) ids: Arc<[SessionId]>,
    /// How many of them have been.
    pub(crate) searched: usize,
    pub(crate) state: State,
    pub(crate) results: Results,
    pub(crate) scroll: Scroll,
    /// The line under the cursor when it was drawn; `None`: nothing was there.
    drawn: Option<Place>,
    /// Somebody went somewhere: until then the cursor stays on the top line.
    moved: bool,
    pub(crate) missed: Missed,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    /// By a key, or because it broke off.
    Stopped,
    Done,
}

/// What was not searched although it should have been.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Missed {
    /// Sessions, and why the first of them.
    pub(crate) sessions: usize,
    pub(crate) why: Option<SafeText>,
    /// Lines that might match but cannot be understood.
    pub(crate) unreadable: u64,
    /// Lines that are longer than lines may be.
    pub(crate) too_long: u64,
}

impl Missed {
    fn add(&mut self, end: &End) {
        self.unreadable += end.unreadable;
        self.too_long += end.too_long;
        if let Some(why) = &end.failed {
            self.sessions += 1;
            self.why.get_or_insert_with(|| why.clone());
        }
    }
}

impl Run {
    /// Takes in what was found; the cursor stays on its line, or on top.
    fn take(&mut self, news: Vec<News>, page: usize) {
        let at = self.results.place(self.scroll.at).filter(|_| self.moved);
        for news in news {
            if let Some(end) = &news.end {
                self.searched += 1;
                self.missed.add(end);
            }
            self.results.add(&self.ids, news);
        }
        self.results.count();
        if let Some(at) = at {
            self.scroll.at = self.results.line(at);
        }
        self.scroll.follow(self.results.len(), page);
    }

    pub(crate) fn go(&mut self, step: Step, page: usize) {
        self.moved = true;
        self.scroll.go(step, self.results.len(), page);
    }

    /// There may be less room than before.
    pub(super) fn follow(&mut self, page: usize) {
        self.scroll.follow(self.results.len(), page);
    }

    /// What the next key acts on is seen.
    pub(super) fn seen(&mut self) {
        self.drawn = self.results.place(self.scroll.at);
    }

    /// A key acts on the line that was drawn under the cursor.
    fn hold_on(&mut self) {
        if let Some(drawn) = self.drawn {
            self.scroll.at = self.results.line(drawn);
        }
    }

    /// Goes to a row that was drawn.
    pub(super) fn put(&mut self, row: usize) {
        self.moved = true;
        self.scroll.put(row, self.results.len());
    }
}

impl Model {
    /// `s` in the list.
    pub(super) fn ask_search(&mut self) -> Screen {
        Screen::Search(Box::new(Searching {
            input: Input::default(),
            typing: true,
            wrong: None,
            run: None,
            shown: self.to_search().count(),
        }))
    }

    /// What the list shows, folded away or not. Nothing is read through a link.
    fn to_search(&self) -> impl Iterator<Item = &crate::session::Session> {
        let lineage = &self.known.lineage;
        let sessions = lineage.nodes().map(|node| (node, lineage.get(node)));
        let shown = sessions.filter(|(node, session)| self.chosen.has(*node, session));
        let shown = shown.map(|(_, session)| session);
        let runs = self.chosen.runs;
        shown.filter(move |session| {
            session.condition != Condition::Linked && (runs || !run(session))
        })
    }

    pub(super) fn search_key(
        &mut self,
        mut search: Box<Searching>,
        key: KeyEvent,
        fx: &mut Vec<Effect>,
    ) -> Screen {
        if search.typing {
            match keymap::find(keymap::SEARCH, key) {
                Some(Action::Back) => return search.leave_input(),
                Some(_) => self.search(&mut search, fx),
                None => {
                    edit::key(&mut search.input, key);
                    search.wrong = None;
                }
            }
            return Screen::Search(search);
        }
        let page = self.layout.items().height.into();
        let action = keymap::find(keymap::FOUND, key);
        if let Some(run) = &mut search.run {
            run.hold_on();
        }
        match (action, &mut search.run) {
            (Some(Action::Back), Some(run)) if run.state == State::Running => {
                run.state = State::Stopped;
                fx.push(Effect::StopSearch);
            }
            (Some(Action::Back), _) => return Screen::Tree,
            (Some(Action::Help), _) => return Screen::Help(Help::over(Screen::Search(search))),
            (Some(Action::Search), _) => search.typing = true,
            (Some(Action::Go(step)), Some(run)) => run.go(step, page),
            (Some(Action::PreviousSection), Some(run)) => {
                run.scroll.at = run.results.session_before(run.scroll.at);
                run.go(Step::By(0), page);
            }
            (Some(Action::NextSection), Some(run)) => {
                run.scroll.at = run.results.session_after(run.scroll.at);
                run.go(Step::By(0), page);
            }
            (Some(Action::Enter), _) => return self.read_found(search, fx),
            _ => {}
        }
        Screen::Search(search)
    }

    /// Begins with what was typed, in place of what there is.
    fn search(&mut self, search: &mut Searching, fx: &mut Vec<Effect>) {
        let text = search.input.value();
        let query = match Query::parse(text) {
            Ok(query) => query,
            Err(bad) => {
                search.wrong = Some(Wrong {
                    what: SafeText::line(&bad.to_string()),
                    place: bad.place,
                });
                return;
            }
        };
        let mut sessions: Vec<_> = self.to_search().collect();
        sessions.sort_by_key(|session| (Reverse(session.activity_at), &session.id));
        let ids: Arc<[SessionId]> = sessions.iter().map(|s| s.id.clone()).collect();
        let text = text.trim().to_owned();
        let generation = self.next();
        fx.push(Effect::Search {
            generation,
            ids: ids.clone(),
            query: query.clone(),
        });
        search.typing = false;
        search.shown = ids.len();
        search.run = Some(Run {
            generation,
            text,
            query,
            ids,
            searched: 0,
            state: State::Running,
            results: Results::default(),
            scroll: Scroll::default(),
            drawn: None,
            moved: false,
            missed: Missed::default(),
        });
    }

    /// Enter on a line: reads it where it stands.
    fn read_found(&mut self, search: Box<Searching>, fx: &mut Vec<Effect>) -> Screen {
        let target = search.run.as_ref().and_then(|run| {
            let (id, offset) = run.results.target(run.scroll.at)?;
            Some((id, (offset, Needle::of(&run.text, run.query.clone()))))
        });
        match target {
            Some((id, hit)) => self.open_reader_at(id, Screen::Search(search), Some(hit), fx),
            None => Screen::Search(search),
        }
    }

    /// Something was found, or searched in vain.
    pub(super) fn found(&mut self, generation: Generation, news: Vec<News>) {
        let page = self.layout.items().height.into();
        if let Some(run) = self.running(generation) {
            run.take(news, page);
        }
    }

    /// A search is over.
    pub(super) fn search_ended(&mut self, generation: Generation, whole: bool) {
        if let Some(run) = self.running(generation) {
            run.state = if whole { State::Done } else { State::Stopped };
        }
    }

    /// The search of that number, though something may be over it.
    fn running(&mut self, generation: Generation) -> Option<&mut Run> {
        let run = self.screen.search()?.run.as_mut()?;
        (run.generation == generation).then_some(run)
    }
}

impl Searching {
    /// Esc while typing: back to what was found, or out of it.
    pub(super) fn leave_input(mut self: Box<Self>) -> Screen {
        let Some(run) = &self.run else {
            return Screen::Tree;
        };
        self.input = Input::new(run.text.clone());
        self.typing = false;
        self.wrong = None;
        Screen::Search(self)
    }
}

impl Screen {
    /// The search, here or under what is over it.
    pub(super) fn search(&mut self) -> Option<&mut Searching> {
        match self {
            Self::Search(search) => Some(search),
            Self::Reader(reader) => reader.back.search(),
            Self::Help(help) => help.back.search(),
            Self::Export(export) => export.back.search(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
