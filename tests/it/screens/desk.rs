//! A screen with somebody in front of it, and a performer that answers from memory.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use sesstree::app::msg::{AgentEnd, Effect, Held, Msg, ScanTrouble};
use sesstree::app::{Model, Start, update};
use sesstree::prune::report::{BatchId, PruneReport, Restore, RestoreReport, TrashBatch, Trashed};
use sesstree::session::{
    Agent, Condition, Fault, Holder, Openness, Refusal, Session, SessionId, SessionKind, Sighting,
};
use sesstree::text::SafeText;
use sesstree::transcript::{Message, Page, Role};
use sesstree::view::draw;
use unicode_width::UnicodeWidthStr;

pub(super) fn now() -> DateTime<Utc> {
    crate::support::now()
}

pub(super) fn id(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

/// A session last active so many hours ago, below `parent` unless that is empty.
pub(super) fn session(name: &str, title: &str, parent: &str, hours: i64) -> Session {
    let at = now() - TimeDelta::hours(hours);
    Session {
        agent: Agent::Zero,
        id: id(name),
        title: SafeText::line(title),
        kind: if parent.is_empty() {
            SessionKind::Main
        } else {
            SessionKind::Fork
        },
        cwd: Some(Arc::from(Path::new("/home/you/src/api"))),
        model: Some(Arc::new(SafeText::line("gpt-x"))),
        parent: SessionId::parse(parent),
        created_at: Some(at - TimeDelta::hours(1)),
        activity_at: Some(at),
        events: Some(214),
        condition: Condition::Sound,
        bytes: None,
        open: Openness::NoSign,
        seen: Sighting::default(),
    }
}

/// A store with one of each.
pub(super) fn sample() -> Vec<Session> {
    const DAY: i64 = 24;
    let mut damaged = session("damaged", "", "", 0);
    damaged.activity_at = None;
    damaged.cwd = None;
    damaged.model = None;
    damaged.condition = Condition::Damaged(SafeText::line("metadata unreadable"));
    let mut home = session("scratch", "scratch", "", 90 * DAY);
    home.cwd = Some(Arc::from(Path::new("/home/you")));
    let mut run = session("run", "look for callers", "login", 3);
    run.kind = SessionKind::Child;
    vec![
        session("login", "Fix login redirect", "", 2),
        session("cookie", "try the cookie approach", "login", 3 * DAY),
        run,
        session("postgres", "Migrate to postgres", "", 61 * DAY),
        session("pg-a", "with a queue", "postgres", 40 * DAY),
        session("pg-b", "with a view", "postgres", 9 * DAY),
        home,
        session("notes", "notes on the build", "", 45 * DAY),
        damaged,
    ]
}

/// The screen, and what its performer remembers.
pub(super) struct Desk {
    pub(super) model: Model,
    pub(super) sessions: Vec<Session>,
    pub(super) faults: Vec<Fault>,
    pub(super) scan: Result<(), ScanTrouble>,
    pub(super) open: HashMap<SessionId, Openness>,
    pub(super) trash: Vec<(TrashBatch, Vec<Session>)>,
    pub(super) held: Result<Held, Refusal>,
    pub(super) end: AgentEnd,
    pub(super) page: Result<Page, SafeText>,
    /// Every effect so far, as text.
    pub(super) asked: Vec<String>,
    /// Effects that are kept waiting, see [`Desk::keep_waiting`].
    pub(super) waiting: VecDeque<Effect>,
    keep: fn(&Effect) -> bool,
    terminal: Terminal<TestBackend>,
}

/// Begins a [`Desk`].
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
                agent: Agent::Zero,
                root: "/home/you/.local/share/zero/sessions".into(),
                home: Some("/home/you".into()),
                here: Some("/home/you/src/web".into()),
                retention: Ok(None),
                command: vec!["zero".into()],
                now: now(),
                size: (120, 35),
                no_color: false,
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
        let (width, height) = self.start.size;
        let (model, effects) = Model::new(self.start);
        let holder = Holder {
            pid: 4242,
            process: SafeText::line("zero"),
        };
        let mut desk = Desk {
            model,
            sessions: self.sessions,
            faults: self.faults,
            scan: self.scan,
            open: HashMap::from([(id("login"), Openness::Open(holder))]),
            trash: Vec::new(),
            held: Ok(Held::default()),
            end: AgentEnd::Exited(0),
            page: Ok(page()),
            asked: Vec::new(),
            waiting: VecDeque::new(),
            keep: self.keep,
            terminal: Terminal::new(TestBackend::new(width, height)).unwrap(),
        };
        desk.perform(effects);
        desk.draw();
        desk
    }
}

/// The sample store on a screen of 120×35.
pub(super) fn desk() -> Desk {
    Setup::new(sample()).sit()
}

/// A short conversation.
pub(super) fn page() -> Page {
    let message = |role, body: &str, offset| Message {
        role,
        at: Some(now()),
        body: SafeText::block(body),
        offset,
    };
    Page {
        messages: vec![
            message(Role::User, "the login page loops after the redirect", 0),
            message(Role::Agent, "I'll look at the redirect.", 100),
            message(Role::ToolCall, "grep redirect src/", 200),
            message(Role::User, "and the cookie?", 300),
            message(
                Role::Agent,
                "It is set without SameSite.\n\nThat is the bug.",
                400,
            ),
        ],
        start: 0,
        end: 500,
        size: 500,
        unreadable: 0,
        fell_back: false,
    }
}

impl Desk {
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

    /// Whether a session is in the store.
    pub(super) fn has(&self, name: &str) -> bool {
        self.sessions.iter().any(|session| session.id == id(name))
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if (self.keep)(&effect) {
                self.waiting.push_back(effect);
                continue;
            }
            self.asked.push(format!("{effect:?}"));
            for msg in self.answer(effect) {
                self.tell(msg);
            }
        }
    }

    fn answer(&mut self, effect: Effect) -> Vec<Msg> {
        match effect {
            Effect::Scan(generation) => vec![
                Msg::Scanned {
                    generation,
                    sessions: self.sessions.clone(),
                    faults: self.faults.clone(),
                },
                Msg::ScanEnded {
                    generation,
                    outcome: self.scan.clone(),
                },
            ],
            Effect::Size(ids) => {
                let sizes = ids.into_iter().map(|id| {
                    let bytes = 4_096 * (1 + id.as_str().len() as u64 * 30);
                    (id, bytes)
                });
                vec![Msg::Sized(sizes.collect())]
            }
            Effect::Openness => vec![Msg::Opened(self.open.clone())],
            Effect::Read { generation, id, .. } => vec![Msg::Read {
                generation,
                id,
                page: self.page.clone(),
            }],
            Effect::DryRun { generation, plan } => vec![Msg::Checked {
                generation,
                outcome: Ok(plan),
            }],
            Effect::Prune { plan, .. } => {
                let mut report = PruneReport::dry(plan.plan());
                report.dry_run = false;
                report.batch = Some(self.bin(&report));
                vec![Msg::Pruned(Ok(Box::new(report)))]
            }
            Effect::ListTrash => {
                let batches = self.trash.iter().map(|(batch, _)| batch.clone());
                vec![Msg::Trash(Ok(batches.collect()))]
            }
            Effect::Restore { what, .. } => vec![Msg::Restored(Ok(self.unbin(&what)))],
            Effect::Hold { generation, id, .. } => vec![Msg::Held {
                generation,
                id,
                outcome: self.held.clone(),
            }],
            Effect::Run { id, .. } => vec![Msg::AgentEnded {
                id,
                end: self.end.clone(),
            }],
            Effect::Stop
            | Effect::LetGo
            | Effect::Copy(_)
            | Effect::DropTyped
            | Effect::Suspend
            | Effect::Quit => Vec::new(),
        }
    }

    /// Moves what a report removed to the trash.
    fn bin(&mut self, report: &PruneReport) -> BatchId {
        let gone = |s: &Session| report.removed.iter().any(|entry| entry.session_id == s.id);
        let (removed, kept) = self.sessions.drain(..).partition(gone);
        self.sessions = kept;
        let batch = BatchId::parse(&format!("20261101-{}", self.trash.len())).unwrap();
        let trashed = report.removed.iter().map(|entry| Trashed {
            id: entry.session_id.clone(),
            title: entry.title.clone(),
            parent: None,
            bytes: entry.bytes,
            updated_at: Some(entry.updated_at.clone()),
        });
        let batch_of = TrashBatch {
            batch: batch.clone(),
            at: Some(now()),
            expires_at: Some(now() + TimeDelta::days(7)),
            bytes: report.bytes(),
            sessions: trashed.collect(),
        };
        self.trash.insert(0, (batch_of, removed));
        batch
    }

    fn unbin(&mut self, what: &Restore) -> RestoreReport {
        let Restore::Batch(batch) = what else {
            panic!("only batches are restored here");
        };
        let place = self.trash.iter().position(|(of, _)| of.batch == *batch);
        let (_, sessions) = self.trash.remove(place.unwrap());
        let restored = sessions.iter().map(|session| session.id.clone()).collect();
        self.sessions.extend(sessions);
        RestoreReport {
            schema: 1,
            restored,
            failed: Vec::new(),
        }
    }
}

fn parse(keys: &str) -> Vec<KeyEvent> {
    let mut parsed = Vec::new();
    let mut rest = keys;
    while let Some(c) = rest.chars().next() {
        let named = rest
            .strip_prefix('<')
            .and_then(|named| named.split_once('>'));
        let (code, modifiers) = match named {
            Some((name, tail)) => {
                rest = tail;
                named_key(name)
            }
            None => {
                rest = &rest[c.len_utf8()..];
                (KeyCode::Char(c), KeyModifiers::NONE)
            }
        };
        parsed.push(KeyEvent::new(code, modifiers));
    }
    parsed
}

fn named_key(name: &str) -> (KeyCode, KeyModifiers) {
    if let Some(c) = name.strip_prefix("C-") {
        return (
            KeyCode::Char(c.chars().next().unwrap()),
            KeyModifiers::CONTROL,
        );
    }
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "Space" => KeyCode::Char(' '),
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "PgUp" => KeyCode::PageUp,
        "PgDn" => KeyCode::PageDown,
        "BS" => KeyCode::Backspace,
        other => panic!("no key <{other}>"),
    };
    (code, KeyModifiers::NONE)
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
