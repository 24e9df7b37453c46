//! A screen with somebody in front of it, and a performer behind it.

use std::collections::{HashMap, VecDeque};
use std::ops::{Deref, DerefMut};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use sesstree::app::msg::{AgentEnd, Effect, Held, Msg, ScanTrouble};
use sesstree::app::{Model, Start, update};
use sesstree::prune::expiry::{Living, TrashPlan};
use sesstree::prune::report::EmptyReport;
use sesstree::session::{Agent, Fault, Holder, Launch, Openness, Session};
use sesstree::text::{SafeText, Secrets};
use sesstree::view::draw;
use unicode_width::UnicodeWidthStr;

use super::answers::Memory;
use super::data::{id, now, page, sample};
use super::typing::parse;

/// Does what the screen asks for, at once.
pub(super) trait Performer {
    /// What comes of it.
    fn answer(&mut self, effect: Effect) -> Vec<Msg>;
}

/// The screen. What its performer has is the desk's own: the two belong together.
pub(super) struct Desk<P = Memory> {
    pub(super) model: Model,
    performer: P,
    /// Every effect so far, as text.
    pub(super) asked: Vec<String>,
    /// Effects that are kept waiting, see [`Desk::keep_waiting`].
    pub(super) waiting: VecDeque<Effect>,
    keep: fn(&Effect) -> bool,
    terminal: Terminal<TestBackend>,
}

impl<P> Deref for Desk<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.performer
    }
}

impl<P> DerefMut for Desk<P> {
    fn deref_mut(&mut self) -> &mut P {
        &mut self.performer
    }
}

/// Begins a [`Desk`] with invented sessions.
pub(super) struct Setup {
    pub(super) start: Start,
    pub(super) sessions: Vec<Session>,
    pub(super) keep: fn(&Effect) -> bool,
    pub(super) scan: Result<(), ScanTrouble>,
    pub(super) faults: Vec<Fault>,
}

impl Setup {
    pub(super) fn new(sessions: Vec<Session>) -> Self {
        Self {
            start: Start {
                launch: Launch::Replies,
                agent: Agent::Zero,
                root: "/home/you/.local/share/zero/sessions".into(),
                label: None,
                home: Some("/home/you".into()),
                here: Some("/home/you/src/web".into()),
                retention: Ok(None),
                command: vec!["zero".into()],
                pid: 1,
                now: now(),
                size: (120, 35),
                no_color: false,
                secrets: Secrets::Hidden,
                query: None,
            },
            sessions,
            keep: |_| false,
            scan: Ok(()),
            faults: Vec::new(),
        }
    }

    pub(super) fn size(mut self, width: u16, height: u16) -> Self {
        self.start.size = (width, height);
        self
    }

    pub(super) fn sit(self) -> Desk {
        let holder = Holder {
            pid: 4242,
            process: SafeText::line("zero"),
        };
        let memory = Memory {
            sessions: self.sessions,
            faults: self.faults,
            scan: self.scan,
            open: HashMap::from([(id("login"), Openness::Open(holder))]),
            trash: Vec::new(),
            expired: TrashPlan::default(),
            living: Living::default(),
            warnings: Vec::new(),
            deletable: Ok(()),
            emptied: EmptyReport::default(),
            held: Ok(Held::default()),
            end: AgentEnd::Exited(0),
            page: Ok(page()),
        };
        Desk::new(self.start, memory, self.keep)
    }
}

/// The sample store on a screen of 120×35.
pub(super) fn desk() -> Desk {
    Setup::new(sample()).sit()
}

impl<P: Performer> Desk<P> {
    /// Opens the screen; what `keep` picks is kept waiting from the first effect on.
    pub(super) fn new(start: Start, performer: P, keep: fn(&Effect) -> bool) -> Self {
        let (width, height) = start.size;
        let (model, effects) = Model::new(start);
        let mut desk = Self {
            model,
            performer,
            asked: Vec::new(),
            waiting: VecDeque::new(),
            keep,
            terminal: Terminal::new(TestBackend::new(width, height)).unwrap(),
        };
        desk.perform(effects);
        desk.draw();
        desk
    }

    /// Keeps effects waiting from now on, for [`Desk::release`].
    pub(super) fn keep_waiting(&mut self, keep: fn(&Effect) -> bool) {
        self.keep = keep;
    }

    /// Does what was kept waiting.
    pub(super) fn release(&mut self) {
        self.keep = |_| false;
        let waiting = std::mem::take(&mut self.waiting);
        self.perform(waiting.into());
        self.draw();
    }

    /// Does something that was kept waiting, without drawing what comes of it.
    pub(super) fn answer_now(&mut self, effect: Effect) {
        self.perform(vec![effect]);
    }

    pub(super) fn tell(&mut self, msg: Msg) {
        let effects = update(&mut self.model, msg);
        self.perform(effects);
    }

    /// Tells something, and lets it be seen.
    pub(super) fn show(&mut self, msg: Msg) {
        self.tell(msg);
        self.draw();
    }

    pub(super) fn draw(&mut self) {
        let model = &self.model;
        self.terminal.draw(|frame| draw(model, frame)).unwrap();
        let effects = self.model.drawn();
        self.perform(effects);
    }

    pub(super) fn resize(&mut self, width: u16, height: u16) {
        self.terminal.backend_mut().resize(width, height);
        self.show(Msg::Resize(width, height));
    }

    /// Presses keys, each after what the one before did was drawn: characters, or `<Enter>` and the like.
    pub(super) fn press(&mut self, keys: &str) -> &mut Self {
        for key in parse(keys) {
            self.tell(Msg::Key(key));
            self.draw();
        }
        self
    }

    /// Presses keys so fast that nothing is drawn in between.
    pub(super) fn burst(&mut self, keys: &str) -> &mut Self {
        for key in parse(keys) {
            self.tell(Msg::Key(key));
        }
        self.draw();
        self
    }

    /// What is on the screen.
    pub(super) fn buffer(&self) -> &Buffer {
        self.terminal.backend().buffer()
    }

    pub(super) fn text(&self) -> String {
        text(self.terminal.backend().buffer())
    }

    /// The line of the screen that has this in it.
    #[track_caller]
    pub(super) fn line(&self, part: &str) -> String {
        let text = self.text();
        let line = text.lines().find(|line| line.contains(part));
        line.unwrap_or_else(|| panic!("no {part:?} in\n{text}"))
            .to_owned()
    }

    #[track_caller]
    pub(super) fn sees(&self, part: &str) {
        self.line(part);
    }

    #[track_caller]
    pub(super) fn sees_not(&self, part: &str) {
        let text = self.text();
        assert!(!text.contains(part), "{part:?} in\n{text}");
    }

    /// The text of the row with the cursor.
    pub(super) fn cursor(&self) -> String {
        self.line("▌")
    }

    /// Whether an effect that begins like this was asked for.
    pub(super) fn asked(&self, effect: &str) -> bool {
        self.asked.iter().any(|asked| asked.starts_with(effect))
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if (self.keep)(&effect) {
                self.waiting.push_back(effect);
                continue;
            }
            self.asked.push(format!("{effect:?}"));
            for msg in self.performer.answer(effect) {
                self.tell(msg);
            }
        }
    }
}

/// A buffer as text; what a wide character covers is skipped.
fn text(buffer: &Buffer) -> String {
    let area = buffer.area;
    let mut text = String::new();
    for y in area.top()..area.bottom() {
        let mut line = String::new();
        let mut x = area.left();
        while x < area.right() {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(symbol.width()).unwrap().max(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
