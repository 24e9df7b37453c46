//! The terminal: ours while we draw, the user's at every other moment.
//!
//! Invariant: whatever way the program goes, [`restore`] has run before anything else is
//! written: the guard's drop, the panic hook and every hand-over come through it.

use std::cell::RefCell;
use std::io::{self, Write};
use std::panic;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::style::ResetColor;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen,
};
use crossterm::{Command as _, execute, queue};
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};
use rustix::process::getpgrp;
use rustix::stdio::{stdin, stdout};
use rustix::termios::{
    OptionalActions, QueueSelector, SpecialCodeIndex, Termios, isatty, tcflush, tcgetattr,
    tcgetpgrp, tcgetwinsize, tcsetattr, tcsetpgrp,
};

use crate::text::SafeText;

/// What we have taken, and have to give back.
static TAKEN: Mutex<Option<Taken>> = Mutex::new(None);

struct Taken {
    /// The terminal's modes as they were before us.
    before: Termios,
    canvas: Canvas,
}

/// Where we draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Canvas {
    /// A screen of our own.
    Alternate,
    /// Below what others have printed, which must stay. To leave an alternate screen from here
    /// would move the cursor up into it.
    Main,
}

/// Presses, releases, drags and the wheel, with coordinates beyond 223. Moves without a button
/// are not asked for: nothing hovers, and they would be one event a cell.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l";

/// Undoes what an agent may have left, without moving the cursor or touching what it printed.
/// In this order: end an unfinished sequence; back to the main screen, by 47 for the terminals that
/// know it, as 1049 moves the cursor even when there is nothing to leave (tmux: to where it was
/// when we came; so it is saved around it); margins and origin (these home the cursor, so again
/// saved); keyboard protocols; insert, reverse video, autowrap, cursor keys and
/// keypad; every kind of mouse, focus and paste report; synchronised output; character set,
/// colours, cursor.
const AFTER_AGENT: &str = concat!(
    "\x18\x1b\\",
    "\x1b[?47l\x1b7\x1b[?1049l\x1b8",
    "\x1b7\x1b[r\x1b[?6l\x1b[=0u\x1b[>4;0m\x1b8",
    "\x1b[4l\x1b[?5l\x1b[?7h\x1b[?1l\x1b>",
    "\x1b[?9l\x1b[?1005l\x1b[?1015l\x1b[?1016l\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l",
    "\x1b[?1004l\x1b[?2004l\x1b[?2026l",
    "\x0f\x1b(B\x1b[0m\x1b[?25h",
);

/// The screen, ours until this is dropped.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Page>>,
    page: Page,
    /// The frame that was drawn last.
    last: Vec<u8>,
    before: Termios,
}

/// Where a frame is put together: it goes out in one piece, or, after a panic, not at all.
#[derive(Clone, Default)]
struct Page(Rc<RefCell<Vec<u8>>>);

impl Page {
    fn take(&self) -> Vec<u8> {
        self.0.take()
    }
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Screen {
    /// Takes the terminal: raw mode, alternate screen, mouse and paste reports.
    /// Standard input and output must be a terminal.
    pub fn open() -> io::Result<Self> {
        if !isatty(stdin()) || !isatty(stdout()) {
            let what = "the screen needs a terminal as standard input and output";
            return Err(io::Error::new(io::ErrorKind::Unsupported, what));
        }
        let page = Page::default();
        let mut screen = Self {
            terminal: canvas(&page)?,
            page,
            last: Vec::new(),
            before: tcgetattr(stdin())?,
        };
        screen.enter()?;
        Ok(screen)
    }

    /// Takes the terminal again; harmless if it is ours already.
    pub(super) fn enter(&mut self) -> io::Result<()> {
        self.take(Canvas::Alternate)?;
        let mut out = io::stdout();
        execute!(
            out,
            EnterAlternateScreen,
            Clear(ClearType::All),
            Hide,
            EnableBracketedPaste
        )?;
        out.write_all(MOUSE_ON.as_bytes())?;
        out.flush()?;
        self.fit()
    }

    /// Fits what is drawn to the terminal's size; the next frame is drawn as a whole.
    pub(super) fn fit(&mut self) -> io::Result<()> {
        // A fresh canvas, because ratatui's own resize and clear ask the terminal where its
        // cursor is, and the answer would have to be read from what the user types.
        self.terminal = canvas(&self.page)?;
        self.page.take();
        self.last.clear();
        execute!(io::stdout(), Clear(ClearType::All))
    }

    /// Gives the terminal back.
    pub(super) fn leave(&mut self) {
        restore();
        self.page.take();
    }

    /// Takes the terminal's modes as they are now for the user's: after a stop, the shell may have
    /// changed them.
    pub(super) fn relearn(&mut self) {
        if let Ok(now) = tcgetattr(stdin()) {
            self.before = now;
        }
    }

    /// After an agent: its modes are undone, and what was typed for it is thrown away.
    pub(super) fn clean_up(&mut self) {
        // A terminal that is gone cannot be cleaned, and needs it no more.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.before);
        let mut out = io::stdout();
        let _ = out.write_all(AFTER_AGENT.as_bytes());
        let _ = out.flush();
        drop_typed();
    }

    /// Raw mode on the main screen, for a prompt below an agent's output.
    pub(super) fn raw(&mut self) -> io::Result<()> {
        self.take(Canvas::Main)
    }

    fn take(&self, canvas: Canvas) -> io::Result<()> {
        let before = self.before.clone();
        *taken() = Some(Taken { before, canvas });
        set_raw(&self.before)
    }

    /// Draws a frame. What is only what the last one wrote changes nothing, and is not written: every
    /// place in a frame is told in full.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        self.terminal.draw(draw)?;
        let frame = self.page.take();
        if frame == self.last {
            return Ok(());
        }
        let mut out = io::stdout();
        queue!(out, BeginSynchronizedUpdate)?;
        out.write_all(&frame)?;
        self.last = frame;
        execute!(out, EndSynchronizedUpdate)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back as it was. Does nothing while it is not ours; trouble is passed over,
/// because there is nobody left to tell.
pub fn restore() {
    let Some(Taken { before, canvas }) = taken().take() else {
        return;
    };
    let mut out = io::stdout();
    if canvas == Canvas::Alternate {
        let _ = queue!(
            out,
            EndSynchronizedUpdate,
            DisableBracketedPaste,
            ResetColor
        );
        let _ = out.write_all(MOUSE_OFF.as_bytes());
        let _ = execute!(out, LeaveAlternateScreen, Show);
    }
    let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
}

/// Makes a panic of this thread restore the terminal before it is reported. Panics of other threads
/// are never printed, as that would be into our screen or an agent's: their answers say what went wrong.
pub fn install_panic_hook() {
    let screen = thread::current().id();
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if thread::current().id() == screen {
            restore();
            report(info);
        }
    }));
}

/// Puts text on the clipboard, if the terminal lets programs do that (OSC 52).
pub(super) fn copy(text: &SafeText, inside_tmux: bool) -> io::Result<()> {
    let command = CopyToClipboard::to_clipboard_from(text.as_str());
    let mut out = io::stdout();
    execute!(out, &command)?;
    if !inside_tmux {
        return Ok(());
    }
    // tmux takes the plain form with `set-clipboard on` alone; wrapped, it is for the terminal
    // outside, where `allow-passthrough` is on.
    let mut plain = String::new();
    command.write_ansi(&mut plain).map_err(io::Error::other)?;
    write!(out, "\x1bPtmux;{}\x1b\\", plain.replace('\x1b', "\x1b\x1b"))?;
    out.flush()
}

/// Whether the terminal takes us for its foreground.
pub(super) fn in_foreground() -> bool {
    tcgetpgrp(stdin()).is_ok_and(|group| group == getpgrp())
}

/// Takes the terminal's foreground from whatever process group an agent left there, alive or not.
/// Until then the terminal's driver stops whoever changes its modes, or refuses.
pub(super) fn take_foreground() {
    if in_foreground() {
        return;
    }
    // It would stop us for this very call, too, were its signal not blocked in this thread.
    let stop = SigSet::from(Signal::SIGTTOU);
    let Ok(before) = stop.thread_swap_mask(SigmaskHow::SIG_BLOCK) else {
        return;
    };
    // A terminal that is gone has no foreground.
    let _ = tcsetpgrp(stdin(), getpgrp());
    let _ = before.thread_set_mask();
}

/// Goes to the last line, and to a fresh one if we are there. Where the cursor is cannot be known once an
/// agent died, perhaps on a screen of its own: terminals differ in what leaving that from outside does to
/// the cursor, and a line written there could be over another one. The last line is either blank or,
/// where output goes on to its very end, the one with the cursor.
pub(super) fn go_below() -> io::Result<()> {
    // Far beyond any screen; it stops the cursor at its last line.
    write!(io::stdout(), "\r\n\x1b[{};1H", i16::MAX)
}

/// Throws away what was typed and not read yet.
pub(super) fn drop_typed() {
    let _ = tcflush(stdin(), QueueSelector::IFlush);
}

/// Columns and rows, clamped: a terminal may claim anything, and a cell costs memory.
/// One that does not know its size gets the classic one.
pub(super) fn size() -> (u16, u16) {
    match tcgetwinsize(stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
            (size.ws_col.min(1_000), size.ws_row.min(500))
        }
        _ => (80, 24),
    }
}

fn canvas(page: &Page) -> io::Result<Terminal<CrosstermBackend<Page>>> {
    let (columns, rows) = size();
    let viewport = Viewport::Fixed(Rect::new(0, 0, columns, rows));
    Terminal::with_options(
        CrosstermBackend::new(page.clone()),
        TerminalOptions { viewport },
    )
}

/// Raw mode in which a read never waits: [`super::input`] waits in poll, where it can be called off.
fn set_raw(before: &Termios) -> io::Result<()> {
    let mut raw = before.clone();
    raw.make_raw();
    raw.special_codes[SpecialCodeIndex::VMIN] = 0;
    raw.special_codes[SpecialCodeIndex::VTIME] = 0;
    // Now, not after a flush: what is typed ahead is kept.
    Ok(tcsetattr(stdin(), OptionalActions::Now, &raw)?)
}

fn taken() -> MutexGuard<'static, Option<Taken>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}
