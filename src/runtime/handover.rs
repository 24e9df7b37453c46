//! The terminal given to an agent, and taken back.
//!
//! Invariants: not a byte that is typed for the agent is read by us; Ctrl-C is the agent's, not ours;
//! the session is let go of as soon as the agent has ended, before anything else; the terminal
//! comes back clean and to us, whatever the agent left, unless the shell has taken it meanwhile.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place that starts programs"
)]

use std::io::{self, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyModifiers};
use rustix::process::{Pid, Signal as Kill, kill_process};

use super::perform::Tools;
use super::signals::{self, Signal};
use super::{End, Event, Main, TICK, terminal};
use crate::app::msg::{Action, AgentEnd, Msg};
use crate::resume;
use crate::session::{Launch, SessionId};
use crate::store::Hold;
use crate::text::SafeText;

/// How often a lease that could not be taken is tried again.
const RETRY: Duration = Duration::from_secs(5);
/// How long an agent has to end when we are told to.
const PATIENCE: Duration = Duration::from_secs(5);

/// Who has the terminal's foreground while an agent runs, as far as we know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Foreground {
    /// We gave it, and it comes back to us: an agent may make job groups of its own, as shells do.
    Lent,
    /// The shell has it: we were stopped, and continued in the background.
    Shells,
}

impl Main {
    /// Runs an agent in the terminal's foreground, in our own process group: what the keyboard
    /// sends to the group (Ctrl-C, Ctrl-Z) reaches it as it would without us.
    ///
    /// What was read together with the key that started it is void: it was typed before. That key's
    /// own sequence is all that was read, see [`super::input`].
    pub(super) fn hand_over(
        &mut self,
        id: &SessionId,
        action: &Action,
        folder: &Path,
    ) -> io::Result<AgentEnd> {
        self.input.park();
        let launch = self.workers.tools().store.launch();
        if *action == Action::OpenScreen && launch == Launch::Replies {
            terminal::copy(&resume::typed_command(id), self.inside_tmux)?;
        }
        self.screen.leave();
        let started = start(self.workers.tools(), id, action, folder);
        let end = match started.and_then(wait_on_thread(self)) {
            Ok(pid) => self.attend(pid, id),
            Err(why) => AgentEnd::NotStarted(why),
        };
        self.workers.tools().keeper.let_go();
        self.agent_over = Some(Instant::now());
        self.screen.clean_up();
        if keeps_output(action, &end) && self.end.is_none() {
            self.wait_for_enter(&end)?;
        }
        if self.end.is_none() {
            self.come_back()?;
        }
        self.input.drop_typed();
        self.input.unpark();
        Ok(end)
    }

    /// Waits for the agent's end; meanwhile nothing but signals is acted on.
    fn attend(&mut self, agent: Pid, id: &SessionId) -> AgentEnd {
        // Dropped at the end, which ends the thread.
        let _retry = keep_trying(self.workers.tools().clone(), id.clone());
        let mut foreground = Foreground::Lent;
        let end = self.wait_for_end(agent, &mut foreground);
        if foreground == Foreground::Lent {
            terminal::take_foreground();
        }
        end
    }

    fn wait_for_end(&mut self, agent: Pid, foreground: &mut Foreground) -> AgentEnd {
        let mut deadline = None;
        loop {
            match self.inbox.fresh(TICK) {
                Some(Event::AgentOver(status)) => return agent_end(status),
                Some(Event::Signal(Signal::End(signal))) => {
                    self.end = Some(End::Signal(signal));
                    pass_on(agent, signal);
                    deadline.get_or_insert(Instant::now() + PATIENCE);
                }
                // The agent was stopped with us, and is continued with us; the terminal's modes
                // are its own and the shell's.
                Some(Event::Signal(Signal::Stop)) => {
                    self.finish_changes();
                    signals::stop();
                    if !terminal::in_foreground() {
                        *foreground = Foreground::Shells;
                    }
                }
                Some(Event::Signal(Signal::Continue)) if terminal::in_foreground() => {
                    *foreground = Foreground::Lent;
                }
                Some(told @ Event::Told(_)) => self.inbox.keep(told),
                // What was typed before is void; an interrupt is the agent's, and so is the size.
                Some(Event::Typed(_) | Event::Signal(_)) | None => {}
            }
            if deadline.is_some_and(|at| Instant::now() >= at) {
                return AgentEnd::NotStarted(SafeText::line("the agent did not end"));
            }
        }
    }

    /// Leaves the agent's output on the screen until Enter.
    fn wait_for_enter(&mut self, end: &AgentEnd) -> io::Result<()> {
        let how = match end {
            AgentEnd::Exited(0) | AgentEnd::NotStarted(_) => String::new(),
            AgentEnd::Exited(code) => format!("The agent ended with exit code {code}. "),
            AgentEnd::Signalled(signal) => format!("The agent was ended by signal {signal}. "),
        };
        // Raw before the prompt is seen: in the other mode, Enter would arrive as another key.
        self.screen.raw()?;
        let mut out = io::stdout();
        match end {
            AgentEnd::Exited(0) => write!(out, "\r\n")?,
            _ => terminal::go_below()?,
        }
        write!(out, "{how}Press Enter to return to sesstree ")?;
        out.flush()?;
        self.input.unpark();
        while self.end.is_none() {
            match self.inbox.fresh(TICK) {
                Some(Event::Typed(typed)) => {
                    let number = typed.number();
                    if self.input.take(typed).is_some_and(|msg| returns(&msg)) {
                        break;
                    }
                    self.input.answered(number);
                }
                Some(Event::Signal(Signal::Interrupt(_))) if self.agent_just_ended() => {}
                Some(Event::Signal(Signal::End(signal) | Signal::Interrupt(signal))) => {
                    self.end = Some(End::Signal(signal));
                }
                Some(Event::Signal(Signal::Stop)) => {
                    self.screen.leave();
                    signals::stop();
                    self.screen.relearn();
                    self.screen.raw()?;
                }
                Some(told @ Event::Told(_)) => self.inbox.keep(told),
                _ => {}
            }
        }
        self.input.park();
        writeln!(out, "\r")
    }
}

/// Whether the agent's output has to be seen before our screen covers it. Its own screen leaves
/// none, unless it failed: then the last line may say why.
fn keeps_output(action: &Action, end: &AgentEnd) -> bool {
    match end {
        AgentEnd::NotStarted(_) => false,
        AgentEnd::Exited(0) | AgentEnd::Signalled(_) => *action != Action::OpenScreen,
        AgentEnd::Exited(_) => true,
    }
}

/// The keys that end the wait; Ctrl-C too, as somebody may press it just too late for the agent.
fn returns(msg: &Msg) -> bool {
    let Msg::Key(key) = msg else { return false };
    match key.code {
        KeyCode::Enter | KeyCode::Esc => true,
        KeyCode::Char('c') => key.modifiers == KeyModifiers::CONTROL,
        _ => false,
    }
}

/// Starts the agent, whose program was found when the session was held. All we have open is closed in
/// it; what we catch is at its default there.
///
/// The loop waits for the system to have loaded the program: until then there is nobody to give the
/// terminal to, and nothing to draw.
fn start(tools: &Tools, id: &SessionId, action: &Action, folder: &Path) -> Result<Child, SafeText> {
    let program = match tools.keeper.program() {
        Some(found) => found.map_err(|missing| SafeText::line(&missing.to_string()))?,
        None => return Err(SafeText::line("the agent's program was not looked for")),
    };
    let launch = tools.store.launch();
    let line = resume::command(action, id, launch, &tools.settings.command);
    let mut command = Command::new(&program);
    command.args(&line[1..]).current_dir(folder);
    // The folder as the session names it, links and all, for agents that look here.
    command.env("PWD", folder);
    command.spawn().map_err(|e| {
        let (program, folder) = (SafeText::path(&program), SafeText::path(folder));
        SafeText::line(&format!("cannot start {program} in {folder}: {e}"))
    })
}

/// Has a thread wait for the agent and tell the loop.
fn wait_on_thread(main: &Main) -> impl FnOnce(Child) -> Result<Pid, SafeText> {
    let events = main.workers.events();
    move |mut agent| {
        let pid = Pid::from_child(&agent);
        thread::spawn(move || {
            let _ = events.send(Event::AgentOver(agent.wait()));
        });
        Ok(pid)
    }
}

/// Takes the lease again and again while the session is without, until the sender is dropped.
fn keep_trying(tools: Tools, id: SessionId) -> Sender<()> {
    let (stop, stopped) = channel::<()>();
    let ticket = tools.keeper.ticket();
    thread::spawn(move || {
        while !tools.keeper.has_lease(&id) {
            if let Ok(hold @ Hold::Leased(_)) = tools.store.hold(&id) {
                // Too late for an agent that has ended meanwhile: the ticket sees to that.
                tools.keeper.keep(ticket, id.clone(), hold);
            }
            if stopped.recv_timeout(RETRY) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    });
    stop
}

/// Passes a signal on to the agent, which may have it already from the terminal.
fn pass_on(agent: Pid, signal: i32) {
    if let Some(signal) = Kill::from_named_raw(signal) {
        let _ = kill_process(agent, signal);
    }
}

fn agent_end(status: io::Result<ExitStatus>) -> AgentEnd {
    match status {
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => AgentEnd::Exited(code),
            (None, signal) => AgentEnd::Signalled(signal.unwrap_or_default()),
        },
        Err(e) => AgentEnd::NotStarted(SafeText::line(&format!("cannot wait for the agent: {e}"))),
    }
}
