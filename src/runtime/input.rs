//! The thread that reads what is typed, and can be parked.
//!
//! Invariants:
//! - Not one byte is read while parked, and none beyond the event at hand: the terminal is read byte
//!   by byte, under the lock that [`Input::park`] takes, and the next event is not begun before the
//!   loop has answered for the last. So what is typed behind the key that starts an agent is still
//!   the terminal's, and the agent gets it.
//! - Nothing that was read before [`Input::drop_typed`] or [`Input::park`] is acted on after it: each
//!   event carries the round it was read in.
//!
//! crossterm's own reader is not used: it reads up to 1,024 bytes ahead, can neither be asked for
//! them nor told to stop, and waits inside a read for the rest of a sequence.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::stdio::stdin;

use super::Event;
use super::decode::Decoder;
use super::signals::Signal;
use super::terminal;
use crate::app::msg::Msg;

/// Something typed, and the round it was read in.
#[derive(Debug)]
pub(super) struct Typed {
    round: u64,
    number: Number,
    msg: Msg,
}

/// Tells one event from the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Number(u64);

impl Typed {
    /// Which event it is.
    pub(super) fn number(&self) -> Number {
        self.number
    }
}

/// The reading thread's reins.
pub(super) struct Input {
    shared: Arc<Shared>,
    /// A byte in here calls off a wait for the terminal.
    wake: OwnedFd,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    parked: bool,
    /// The event that is with the loop.
    unanswered: Option<Number>,
    last: Number,
    /// Counts what makes everything read before it void.
    round: u64,
}

impl State {
    fn may_read(&self) -> bool {
        !self.parked && self.unanswered.is_none()
    }
}

/// What became of an attempt to read a byte.
enum Attempt {
    Byte(u8),
    Nothing,
    /// The terminal is gone.
    Gone,
    /// Not now; or what was begun is void.
    Void,
}

impl Input {
    /// Begins to read; parked until [`Input::unpark`].
    pub(super) fn start(events: SyncSender<Event>) -> io::Result<Self> {
        let (woken, wake) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let shared = Arc::new(Shared::default());
        shared.lock().parked = true;
        let reader = Reader {
            shared: shared.clone(),
            woken,
            decoder: Decoder::default(),
            round: 0,
        };
        thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || reader.run(&events))?;
        Ok(Self { shared, wake })
    }

    /// From when this returns on, the terminal is not read; what was read before is void.
    pub(super) fn park(&self) {
        let mut state = self.shared.lock();
        state.parked = true;
        state.unanswered = None;
        state.round += 1;
        drop(state);
        self.wake();
    }

    /// Reads again.
    pub(super) fn unpark(&self) {
        self.shared.lock().parked = false;
        self.shared.changed.notify_all();
    }

    /// Throws away all that was typed up to now.
    pub(super) fn drop_typed(&self) {
        let mut state = self.shared.lock();
        state.round += 1;
        // Under the lock, so that the reader cannot take a byte in between.
        terminal::drop_typed();
        drop(state);
        self.wake();
    }

    /// What was typed, unless it is void.
    pub(super) fn take(&self, typed: Typed) -> Option<Msg> {
        (typed.round == self.shared.lock().round).then_some(typed.msg)
    }

    /// An event has been acted on: the next may be read.
    pub(super) fn answered(&self, number: Number) {
        let mut state = self.shared.lock();
        if state.unanswered == Some(number) {
            state.unanswered = None;
            self.shared.changed.notify_all();
        }
    }

    fn wake(&self) {
        // A full pipe wakes as well.
        let _ = rustix::io::write(&self.wake, b"!");
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Reader {
    shared: Arc<Shared>,
    woken: OwnedFd,
    decoder: Decoder,
    /// The round that the decoder's bytes belong to.
    round: u64,
}

impl Reader {
    fn run(mut self, events: &SyncSender<Event>) {
        loop {
            self.wait_for_leave();
            let msg = match self.attempt() {
                Attempt::Byte(byte) => self.decoder.push(byte),
                Attempt::Nothing => self.wait_for_byte(),
                Attempt::Void => continue,
                Attempt::Gone => {
                    let hangup = signal_hook::consts::SIGHUP;
                    let _ = events.send(Event::Signal(Signal::End(hangup)));
                    return;
                }
            };
            if let Some(typed) = msg.and_then(|msg| self.hand_over(msg))
                && events.send(Event::Typed(typed)).is_err()
            {
                return;
            }
        }
    }

    /// Waits until reading is allowed.
    fn wait_for_leave(&self) {
        let mut state = self.shared.lock();
        while !state.may_read() {
            let woken = self.shared.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Reads a byte if there is one, without waiting, under the lock.
    fn attempt(&mut self) -> Attempt {
        let state = self.shared.lock();
        if state.round != self.round {
            self.round = state.round;
            self.decoder.clear();
        }
        if !state.may_read() {
            return Attempt::Void;
        }
        let tty = stdin();
        let seen = match wait_for(&[tty.as_fd()], Some(Duration::ZERO)) {
            Ok(seen) if seen.is_empty() => return Attempt::Nothing,
            Ok(seen) => seen,
            Err(_) => return Attempt::Gone,
        };
        let mut byte = [0];
        match rustix::io::read(tty, &mut byte) {
            // Another process may have been quicker; but a terminal that hung up reads so for ever.
            Ok(0) if seen.intersects(PollFlags::HUP | PollFlags::ERR) => Attempt::Gone,
            Ok(0) | Err(Errno::INTR | Errno::AGAIN) => Attempt::Nothing,
            Ok(_) => Attempt::Byte(byte[0]),
            Err(_) => Attempt::Gone,
        }
    }

    /// Waits for a byte or a call; tells the key, if what has begun stays as it is.
    fn wait_for_byte(&mut self) -> Option<Msg> {
        let tty = stdin();
        let patience = self.decoder.patience();
        let begun = Instant::now();
        match wait_for(&[tty.as_fd(), self.woken.as_fd()], patience) {
            Ok(seen) if seen.is_empty() && patience.is_some_and(|wait| begun.elapsed() >= wait) => {
                self.decoder.give_up()
            }
            _ => {
                let mut calls = [0; 64];
                let _ = rustix::io::read(&self.woken, &mut calls);
                None
            }
        }
    }

    /// Marks an event as the loop's, unless it is void by now.
    fn hand_over(&self, msg: Msg) -> Option<Typed> {
        let mut state = self.shared.lock();
        if state.round != self.round || !state.may_read() {
            return None;
        }
        state.last.0 += 1;
        state.unanswered = Some(state.last);
        Some(Typed {
            round: self.round,
            number: state.last,
            msg,
        })
    }
}

/// Waits until one of these can be read, or is gone, and tells which it was; `None`: for ever.
fn wait_for(files: &[BorrowedFd<'_>], wait: Option<Duration>) -> io::Result<PollFlags> {
    let mut polled: Vec<PollFd> = files
        .iter()
        .map(|file| PollFd::from_borrowed_fd(*file, PollFlags::IN))
        .collect();
    let wait = wait.and_then(|wait| Timespec::try_from(wait).ok());
    match poll(&mut polled, wait.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(e) => return Err(e.into()),
    }
    let seen = polled.iter().map(PollFd::revents);
    Ok(seen.fold(PollFlags::empty(), PollFlags::union))
}
