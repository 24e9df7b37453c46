//! A program in a terminal: keys in, a screen out, and a look at the modes it leaves.

use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, PtyPair, PtySize, native_pty_system};
use vt100::{MouseProtocolMode, Parser, Screen};

/// How long anything may take before a test gives up; far more than it needs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A terminal of 100 by 30 with a program in it.
pub(crate) struct Terminal {
    pair: PtyPair,
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    seen: Arc<Seen>,
    /// The modes before the program began.
    before: String,
}

#[derive(Default)]
struct Seen {
    shown: Mutex<Shown>,
    more: Condvar,
}

struct Shown {
    parser: Parser,
    raw: Vec<u8>,
}

impl Default for Shown {
    fn default() -> Self {
        let parser = Parser::new(30, 100, 0);
        Self {
            parser,
            raw: Vec::new(),
        }
    }
}

impl Terminal {
    /// Starts a program with these arguments and nothing but this environment.
    pub(crate) fn start<A: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = A>,
        env: &[(&str, OsString)],
    ) -> Self {
        let pair = native_pty_system().openpty(size(100, 30)).unwrap();
        let before = modes(&pair);
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let seen = Arc::new(Seen::default());
        let mut output = pair.master.try_clone_reader().unwrap();
        let screen = seen.clone();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                // Poisoned: the test has failed already.
                let Ok(mut shown) = screen.shown.lock() else {
                    return;
                };
                shown.parser.process(&bytes[..count]);
                shown.raw.extend_from_slice(&bytes[..count]);
                screen.more.notify_all();
            }
        });
        let keyboard = pair.master.take_writer().unwrap();
        Self {
            pair,
            child,
            keyboard,
            seen,
            before,
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Types all of this at once.
    pub(crate) fn keys(&mut self, keys: impl AsRef<[u8]>) {
        self.keyboard.write_all(keys.as_ref()).unwrap();
        self.keyboard.flush().unwrap();
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let mut shown = self.seen.shown.lock().unwrap();
        shown.parser.screen_mut().set_size(rows, columns);
        self.pair.master.resize(size(columns, rows)).unwrap();
    }

    /// Waits until the screen is as it should be.
    pub(crate) fn wait_for(&self, what: &str, fits: impl Fn(&Screen) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        let mut shown = self.seen.shown.lock().unwrap();
        while !fits(shown.parser.screen()) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "{what} never came; the screen:\n{}",
                shown.parser.screen().contents()
            );
            shown = self.seen.more.wait_timeout(shown, left).unwrap().0;
        }
    }

    /// Waits until the screen says this.
    pub(crate) fn wait_for_text(&self, text: &str) {
        self.wait_for(text, |screen| screen.contents().contains(text));
    }

    /// What is on the screen now.
    pub(crate) fn text(&self) -> String {
        let shown = self.seen.shown.lock().unwrap();
        shown.parser.screen().contents()
    }

    /// All that was ever written to the terminal.
    pub(crate) fn raw(&self) -> Vec<u8> {
        self.seen.shown.lock().unwrap().raw.clone()
    }

    /// Goes back to the list from another screen, and quits. One Esc may not do: it closes one box, and what is typed before a question can be seen is thrown away.
    pub(crate) fn quit(&mut self) -> ExitStatus {
        until("the list", || {
            self.keys("\x1b");
            let text = self.text();
            text.contains("Enter resume") && text.contains("Sessions ·")
        });
        let mut ended = None;
        until("the end", || {
            // Right behind an Esc it is Alt-q. The terminal is gone with the program.
            let _ = self.keyboard.write_all(b"q");
            ended = self.child.try_wait().unwrap();
            ended.is_some()
        });
        ended.unwrap()
    }

    /// Waits for the program's end.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "the program never ended");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whether the terminal is as it was before the program began.
    pub(crate) fn assert_clean(&self) {
        self.wait_for("a clean terminal", |screen| {
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && !screen.bracketed_paste()
                && !screen.application_cursor()
                && !screen.application_keypad()
                && screen.mouse_protocol_mode() == MouseProtocolMode::None
        });
        assert_eq!(modes(&self.pair), self.before);
    }

    /// The terminal driver's modes right now.
    pub(crate) fn modes(&self) -> String {
        modes(&self.pair)
    }

    /// Its modes before the program began.
    pub(crate) fn modes_before(&self) -> &str {
        &self.before
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Already ended, if the test went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn modes(pair: &PtyPair) -> String {
    format!("{:?}", pair.master.get_termios().unwrap())
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "never came: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}
