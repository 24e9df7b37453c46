//! What a command has of a terminal: a question, and a line of progress.
//!
//! Must never take anything but a plain yes for one, or ask where nobody can answer.

use std::cell::Cell;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::stdio::stdin;
use rustix::termios::{QueueSelector, tcflush};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP};

use super::Failure;
use crate::prune::report::{Progress, Watch};

/// Whether there is somebody to ask; `why` says what for.
pub(super) fn can_ask(why: &str) -> Result<(), Failure> {
    if somebody_there() {
        return Ok(());
    }
    let what = format!("{why}; off a terminal say --yes, or --dry-run to look");
    Err(Failure::Usage(what))
}

/// Whether somebody can see a question and answer it.
pub(super) fn somebody_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Says something on stderr. Nobody may be there to read it any more, and that stops nothing:
/// `eprintln!` would panic, half way through a removal too.
pub(super) fn say(what: impl Display) {
    show(format_args!("sesstree: {what}\n"));
}

/// Shows something on stderr as it is; see [`say`].
pub(super) fn show(what: impl Display) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "{what}").and_then(|()| err.flush());
}

/// Asks on stderr; anything but y or yes is a no. What was typed before the question could be read
/// is no answer to it.
pub(super) fn ask(question: &str) -> Result<bool, Failure> {
    Ok(matches!(
        &*answer(format_args!("{question} [y/N] "))?,
        "y" | "Y" | "yes"
    ))
}

/// Asks on stderr; anything but the word is a no.
pub(super) fn ask_word(question: &str, word: &str) -> Result<bool, Failure> {
    Ok(answer(format_args!("{question}\n> "))? == word)
}

/// What is typed and ended with Enter, without the blanks around it.
fn answer(question: impl Display) -> Result<String, Failure> {
    // Fails only where nobody can type ahead.
    let _ = tcflush(stdin(), QueueSelector::IFlush);
    show(question);
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::Failed(format!("cannot read the answer: {error}")))?;
    Ok(answer.trim().to_owned())
}

/// The least time from one showing of progress to the next.
const TELLING: Duration = Duration::from_millis(50);

/// Shows progress on a terminal's stderr.
pub(super) struct Terminal {
    shows: bool,
    /// When it last did.
    told: Cell<Option<Instant>>,
    stop: Arc<AtomicBool>,
    /// Ctrl-Z was pressed: stopped at once, we would keep agents from their sessions for as long.
    pause: Arc<AtomicBool>,
    /// Nothing is locked: Ctrl-Z stops us at once.
    asking: Arc<AtomicBool>,
}

impl Terminal {
    pub(super) fn new() -> Result<Self, Failure> {
        let terminal = Self {
            shows: io::stderr().is_terminal(),
            told: Cell::default(),
            stop: Arc::new(AtomicBool::new(false)),
            pause: Arc::new(AtomicBool::new(false)),
            asking: Arc::new(AtomicBool::new(false)),
        };
        signal_hook::flag::register_conditional_default(SIGTSTP, Arc::clone(&terminal.asking))
            .map_err(|error| Failure::Failed(format!("cannot watch for signals: {error}")))?;
        catch(SIGTSTP, &terminal.pause)?;
        Ok(terminal)
    }

    /// From here on a signal stops the work where that is safe, instead of ending the process.
    pub(super) fn catch_signals(&self) -> Result<(), Failure> {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            catch(signal, &self.stop)?;
        }
        Ok(())
    }

    /// Asks something; no lock may be held meanwhile.
    pub(super) fn while_asking<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.asking.store(true, Ordering::Relaxed);
        let answer = ask();
        self.asking.store(false, Ordering::Relaxed);
        self.pause.store(false, Ordering::Relaxed);
        answer
    }

    /// Takes the progress line away.
    pub(super) fn end(&self) {
        if self.shows {
            show("\r\x1b[K");
        }
    }
}

/// From here on a signal sets this and nothing else; a second one ends the process.
pub(super) fn stop_on_signals() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop))
            .map_err(|error| Failure::Failed(format!("cannot watch for signals: {error}")))?;
        catch(signal, &stop)?;
    }
    Ok(stop)
}

fn catch(signal: i32, flag: &Arc<AtomicBool>) -> Result<(), Failure> {
    signal_hook::flag::register(signal, Arc::clone(flag))
        .map_err(|error| Failure::Failed(format!("cannot watch for signals: {error}")))?;
    Ok(())
}

impl Watch for Terminal {
    fn progress(&self, Progress { done, total }: Progress) {
        let due = self.told.get().is_none_or(|at| at.elapsed() >= TELLING);
        if self.shows && (due || done == total) {
            self.told.set(Some(Instant::now()));
            show(format_args!("\r{done} of {total}\x1b[K"));
        }
    }

    /// Asked while no session is locked, so this is where we let ourselves be stopped.
    fn stopped(&self) -> bool {
        if self.pause.swap(false, Ordering::Relaxed) {
            // Nothing is lost if it fails: we go on.
            let _ = signal_hook::low_level::emulate_default_handler(SIGTSTP);
        }
        self.stop.load(Ordering::Relaxed)
    }
}
