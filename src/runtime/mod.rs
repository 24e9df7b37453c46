//! The loop: what happens → [`update`] → draw; and everything that reaches outside of the state.
//!
//! Invariants: the loop's thread touches no disk and waits for nothing but events, a slow terminal
//! and, without the screen, an agent (its start included); it never sends on its own channel; the clock is read here and
//! nowhere else.
//!
//! | room | what it does |
//! |---|---|
//! | [`terminal`] | takes the terminal and gives it back |
//! | `signals`, `input`, `decode` | what comes in |
//! | `lane`, `work`, [`perform`] | effects, on threads |
//! | [`keeper`] | the session that is held |
//! | `handover` | the terminal given to an agent |

mod decode;
#[cfg(test)]
mod fake;
mod handover;
mod inbox;
mod input;
pub mod keeper;
pub mod lane;
pub mod perform;
mod signals;
pub mod terminal;
mod work;

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use chrono::Utc;

use crate::app::msg::{Effect, Msg};
use crate::app::{Model, Start, update};
use crate::config::{Env, Settings};
use crate::store::Store;
use crate::view;
use inbox::Inbox;
use input::{Input, Typed};
use keeper::Keeper;
use perform::Tools;
use signals::Signal;
use terminal::Screen;
use work::Workers;

/// Events that may wait for the loop: few, so that a key never waits long behind a scan's parts.
const WAITING: usize = 8;
/// The shortest time between two frames.
const FRAME: Duration = Duration::from_millis(8);
/// How often the time is told.
const TICK: Duration = Duration::from_secs(1);
/// How long after an agent's end a Ctrl-C is still taken for one that was meant for it.
const AFTERMATH: Duration = Duration::from_millis(300);

/// Something for the loop.
#[derive(Debug)]
enum Event {
    Typed(Typed),
    Told(Msg),
    Signal(Signal),
    AgentOver(io::Result<ExitStatus>),
}

/// Why the screen is over.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The user quit.
    Quit,
    /// This signal asked for it.
    Signal(i32),
}

impl End {
    /// Ends the process of the signal that ended the screen, if one did, so that the exit status
    /// tells; for when nothing else is left to be done.
    pub fn conclude(self) {
        if let Self::Signal(signal) = self {
            signals::die_of(signal);
        }
    }
}

/// Opens the screen and stays until the user quits or a signal ends it; the terminal is restored.
pub fn run(
    settings: Settings,
    store: Arc<dyn Store>,
    query: Option<String>,
) -> color_eyre::Result<End> {
    let (events, waiting) = sync_channel(WAITING);
    signals::watch(events.clone())?;
    terminal::install_panic_hook();
    let screen = Screen::open()?;
    let input = Input::start(events.clone())?;
    let start = start(&settings, &*store, query);
    let tools = Tools {
        store,
        settings: Arc::new(settings),
        keeper: Arc::new(Keeper::default()),
        clock: Utc::now,
    };
    let workers = Workers::new(tools, events);
    let (model, first) = Model::new(start);
    let now = Instant::now();
    let mut main = Main {
        model,
        screen,
        input,
        workers,
        inbox: Inbox::new(waiting),
        inside_tmux: Env::of_process().get("TMUX").is_some(),
        changed: true,
        next_frame: now,
        next_tick: now,
        agent_over: None,
        reason: None,
        end: None,
    };
    let end = main.run(first);
    let Main {
        screen,
        input,
        workers,
        inbox,
        ..
    } = main;
    input.park();
    drop(screen);
    // Nobody listens any more, so no worker waits for somebody who does.
    drop(inbox);
    workers.finish();
    Ok(end?)
}

fn start(settings: &Settings, store: &dyn Store, query: Option<String>) -> Start {
    Start {
        agent: store.agent(),
        launch: store.launch(),
        root: settings.root.clone(),
        label: settings.label.clone(),
        home: settings.home.clone(),
        here: settings.here.clone(),
        retention: settings.retention.clone(),
        command: settings.command.clone(),
        pid: std::process::id(),
        now: Utc::now(),
        size: terminal::size(),
        no_color: settings.no_color,
        secrets: settings.secrets,
        query,
    }
}

/// All that the loop holds in its hands.
struct Main {
    model: Model,
    screen: Screen,
    input: Input,
    workers: Workers,
    inbox: Inbox,
    inside_tmux: bool,
    /// What is on the screen may not be the state any more.
    changed: bool,
    next_frame: Instant,
    next_tick: Instant,
    agent_over: Option<Instant>,
    /// The signal that the state was told of with [`Msg::Terminate`].
    reason: Option<i32>,
    end: Option<End>,
}

impl Main {
    fn run(&mut self, first: Vec<Effect>) -> io::Result<End> {
        self.do_all(first)?;
        self.workers.look_for_changes();
        self.input.unpark();
        loop {
            if let Some(end) = self.end {
                return Ok(end);
            }
            self.draw_if_due()?;
            if let Some(event) = self.inbox.next(self.leisure()) {
                self.handle(event)?;
            }
            if Instant::now() >= self.next_tick {
                self.next_tick = Instant::now() + TICK;
                self.tell(Msg::Tick(Utc::now()))?;
            }
        }
    }

    /// How long there is nothing to do but to wait.
    fn leisure(&self) -> Duration {
        let next = if self.changed {
            self.next_frame.min(self.next_tick)
        } else {
            self.next_tick
        };
        next.saturating_duration_since(Instant::now())
    }

    fn draw_if_due(&mut self) -> io::Result<()> {
        if !self.changed || Instant::now() < self.next_frame {
            return Ok(());
        }
        self.changed = false;
        let model = &self.model;
        self.screen.draw(|frame| view::draw(model, frame))?;
        // From the end of this frame on: a slow terminal leaves time for events in between.
        self.next_frame = Instant::now() + FRAME;
        let asked = self.model.drawn();
        self.do_all(asked)
    }

    fn handle(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Typed(typed) => {
                let number = typed.number();
                if let Some(msg) = self.input.take(typed) {
                    self.tell(msg)?;
                }
                self.input.answered(number);
                Ok(())
            }
            Event::Told(msg) => self.tell(msg),
            Event::Signal(signal) => self.obey(signal),
            Event::AgentOver(_) => Ok(()),
        }
    }

    fn obey(&mut self, signal: Signal) -> io::Result<()> {
        match signal {
            Signal::Interrupt(_) if self.agent_just_ended() => Ok(()),
            Signal::End(signal) | Signal::Interrupt(signal) => {
                self.reason = Some(signal);
                self.tell(Msg::Terminate)
            }
            Signal::Stop => self.suspend(),
            Signal::Continue => self.come_back(),
            Signal::Resize => self.fit(),
        }
    }

    fn agent_just_ended(&self) -> bool {
        self.agent_over.is_some_and(|at| at.elapsed() < AFTERMATH)
    }

    /// Stops as Ctrl-Z does, once no lock of ours can make others wait.
    fn suspend(&mut self) -> io::Result<()> {
        self.finish_changes();
        self.input.park();
        self.screen.leave();
        signals::stop();
        self.screen.relearn();
        self.come_back()?;
        self.input.unpark();
        Ok(())
    }

    /// Stops what changes the store, after the batch at hand.
    fn finish_changes(&mut self) {
        while self.workers.is_changing() {
            self.workers.submit(Effect::Stop);
            self.inbox.put_off(FRAME);
        }
    }

    /// Takes the terminal, whatever has become of it.
    fn come_back(&mut self) -> io::Result<()> {
        self.screen.enter()?;
        self.fit()
    }

    fn fit(&mut self) -> io::Result<()> {
        self.screen.fit()?;
        let (columns, rows) = terminal::size();
        self.tell(Msg::Resize(columns, rows))
    }

    fn tell(&mut self, msg: Msg) -> io::Result<()> {
        self.changed = true;
        let asked = update(&mut self.model, msg);
        self.do_all(asked)
    }

    fn do_all(&mut self, effects: Vec<Effect>) -> io::Result<()> {
        effects.into_iter().try_for_each(|effect| self.act(effect))
    }

    fn act(&mut self, effect: Effect) -> io::Result<()> {
        match effect {
            Effect::Quit => self.end = Some(self.reason.map_or(End::Quit, End::Signal)),
            Effect::Suspend => signals::ask_job_to_stop()?,
            Effect::DropTyped => self.input.drop_typed(),
            Effect::Copy(text) => terminal::copy(&text, self.inside_tmux)?,
            Effect::LetGo => self.workers.tools().keeper.let_go(),
            Effect::Run { id, action, folder } => {
                let end = self.hand_over(&id, &action, &folder)?;
                self.tell(Msg::AgentEnded { id, end })?;
            }
            other => self.workers.submit(other),
        }
        Ok(())
    }
}
