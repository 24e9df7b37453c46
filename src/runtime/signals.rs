//! Signals, as events of the loop.
//!
//! Invariant: a handler only writes to a pipe; what a signal asks for is done by the loop, with the
//! terminal restored. An agent inherits no handler: they are reset to default when it starts.

use std::io;
use std::sync::mpsc::SyncSender;
use std::thread;

use rustix::process::{Signal as Kill, getpgrp, getppid, getsid, kill_current_process_group};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGSTOP, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use super::Event;

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// End, with this signal as the reason.
    End(i32),
    /// The keyboard's interrupt or quit: an agent's matter while one has the terminal.
    Interrupt(i32),
    /// Stop until continued.
    Stop,
    /// We were stopped and go on.
    Continue,
    /// The terminal's size has changed.
    Resize,
}

/// Sends an event for every signal from now on.
pub(super) fn watch(events: SyncSender<Event>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH])?;
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in &mut signals {
                let event = match signal {
                    SIGINT | SIGQUIT => Signal::Interrupt(signal),
                    SIGTSTP => Signal::Stop,
                    SIGCONT => Signal::Continue,
                    SIGWINCH => Signal::Resize,
                    _ => Signal::End(signal),
                };
                if events.send(Event::Signal(event)).is_err() {
                    return;
                }
            }
        })?;
    Ok(())
}

/// Asks the whole job to stop, as the terminal does for Ctrl-Z; it comes back to us as [`Signal::Stop`].
pub(super) fn ask_job_to_stop() -> io::Result<()> {
    Ok(kill_current_process_group(Kill::TSTP)?)
}

/// Stops this process until somebody continues it. Without a shell to do that (no job control in
/// our session) it goes on at once: stopped, it would hold the terminal for ever.
pub(super) fn stop() {
    if !can_be_continued() {
        return;
    }
    let _ = low_level::raise(SIGSTOP);
}

/// Whether a shell with job control sees us stop: our parent is in our session, and our group is not
/// the session leader's own.
fn can_be_continued() -> bool {
    let theirs = getppid().and_then(|parent| getsid(Some(parent)).ok());
    let ours = getsid(None).ok();
    theirs.is_some() && theirs == ours && ours != Some(getpgrp())
}

/// Ends the process as `signal` does by default, so that its exit status tells.
pub(super) fn die_of(signal: i32) {
    let _ = low_level::emulate_default_handler(signal);
}
