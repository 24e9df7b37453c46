//! The screen in a terminal: its first rows, its keys, its memory, and its rest.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, PtyPair, PtySize, native_pty_system};

use crate::commands::ROUNDS;
use crate::store;
use crate::table::{Table, median, p99, time};

/// The end of a frame: a synchronized update's.
const FRAME: &[u8] = b"\x1b[?2026l";
/// In every title of an invented store.
pub(crate) const ROW: &[u8] = b"job ";
/// A key that changes nothing draws nothing.
const QUIET: Duration = Duration::from_millis(500);
/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(1);

const ROWS: u16 = 35;
const COLUMNS: u16 = 120;

pub(crate) struct Screen {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    output: Receiver<(Instant, Vec<u8>)>,
    begun: Instant,
    /// What came after the last frame that was waited for.
    rest: Vec<u8>,
    shown: vt100::Parser,
    _pair: PtyPair,
}

impl Screen {
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        let size = PtySize {
            rows: ROWS,
            cols: COLUMNS,
            ..PtySize::default()
        };
        let pair = native_pty_system()
            .openpty(size)
            .map_err(io::Error::other)?;
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sesstree"));
        command.env_clear();
        command.env("HOME", "/nonexistent");
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.args(["--root".as_ref(), root.as_os_str()]);
        command.cwd("/");
        let mut bytes = pair.master.try_clone_reader().map_err(io::Error::other)?;
        let keyboard = pair.master.take_writer().map_err(io::Error::other)?;
        let (tell, output) = channel();
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count @ 1..) = bytes.read(&mut buffer) {
                if tell
                    .send((Instant::now(), buffer[..count].to_vec()))
                    .is_err()
                {
                    return;
                }
            }
        });
        let begun = Instant::now();
        let child = pair
            .slave
            .spawn_command(command)
            .map_err(io::Error::other)?;
        Ok(Self {
            child,
            keyboard,
            output,
            begun,
            rest: Vec::new(),
            shown: vt100::Parser::new(ROWS, COLUMNS, 0),
            _pair: pair,
        })
    }

    /// Waits for the end of a frame in which this is drawn; when that was.
    pub(crate) fn frame_with(&mut self, text: &[u8]) -> io::Result<Instant> {
        self.frame_within(text, PATIENCE)?.ok_or_else(|| {
            let text = String::from_utf8_lossy(text);
            let seen = String::from_utf8_lossy(&self.rest);
            io::Error::other(format!("{text:?} never came: {seen:?}"))
        })
    }

    /// The same; `None`: it did not come in that time.
    fn frame_within(&mut self, text: &[u8], patience: Duration) -> io::Result<Option<Instant>> {
        let mut at = Instant::now();
        loop {
            let found = find(&self.rest, text).and_then(|text| {
                find(&self.rest[text..], FRAME).map(|end| text + end + FRAME.len())
            });
            if let Some(end) = found {
                self.rest.drain(..end);
                return Ok(Some(at));
            }
            match self.output.recv_timeout(patience) {
                Ok((when, bytes)) => {
                    at = when;
                    self.shown.process(&bytes);
                    self.rest.extend(bytes);
                }
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }

    /// Lets it do what it has to do for so long; how many bytes it wrote meanwhile.
    fn rest_for(&mut self, time: Duration) -> usize {
        let until = Instant::now() + time;
        let mut count = 0;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            if let Ok((_, bytes)) = self.output.recv_timeout(left) {
                self.shown.process(&bytes);
                count += bytes.len();
            }
        }
        self.rest.clear();
        count
    }

    /// Waits until it has nothing to do any more.
    pub(crate) fn settle(&mut self) -> io::Result<()> {
        let mut before = self.cpu()?;
        loop {
            self.rest_for(Duration::from_secs(1));
            let now = self.cpu()?;
            if now.saturating_sub(before) < Duration::from_millis(50) {
                return Ok(());
            }
            before = now;
        }
    }

    /// From a key to the end of the next frame; `None`: it changed nothing.
    pub(crate) fn key(&mut self, key: &str) -> io::Result<Option<Duration>> {
        while let Ok((_, bytes)) = self.output.try_recv() {
            self.shown.process(&bytes);
        }
        self.rest.clear();
        let begun = Instant::now();
        self.keyboard.write_all(key.as_bytes())?;
        self.keyboard.flush()?;
        let drawn = self.frame_within(b"", QUIET)?;
        Ok(drawn.map(|at| at - begun))
    }

    /// From keys to the end of the first frame that has this in one of its lines.
    pub(crate) fn until(&mut self, keys: &str, text: &str) -> io::Result<Duration> {
        self.rest.clear();
        let begun = Instant::now();
        self.keyboard.write_all(keys.as_bytes())?;
        self.keyboard.flush()?;
        loop {
            let at = self.frame_with(b"")?;
            let shown = self.shown.screen().contents();
            if shown.lines().any(|line| line.contains(text)) {
                return Ok(at - begun);
            }
        }
    }

    /// Goes down to the first row with others unfolded below it.
    fn go_to_unfolded(&mut self) -> io::Result<()> {
        let shown = self.shown.screen().contents();
        let line = |sign| shown.lines().position(|line| line.contains(sign));
        let (Some(from), Some(to)) = (line('▌'), line('▾')) else {
            return Err(io::Error::other(format!("nothing is unfolded: {shown}")));
        };
        for _ in from..to {
            self.key("j")?;
        }
        Ok(())
    }

    /// A line of what the system says of the process.
    fn says(&self, file: &str) -> io::Result<String> {
        let pid = self.child.process_id().unwrap_or(0);
        fs::read_to_string(format!("/proc/{pid}/{file}"))
    }

    /// The most memory it ever had, in bytes.
    pub(crate) fn peak(&self) -> io::Result<u64> {
        let status = self.says("status")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.split_whitespace().next());
        Ok(number
            .and_then(|number| number.parse::<u64>().ok())
            .unwrap_or(0)
            * 1024)
    }

    /// Processor time so far.
    fn cpu(&self) -> io::Result<Duration> {
        let stat = self.says("stat")?;
        let after = stat.rsplit(')').next().unwrap_or_default();
        let ticks = after.split_whitespace().skip(11).take(2);
        let ticks: u64 = ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        // sysconf(_SC_CLK_TCK) is 100 on Linux.
        Ok(Duration::from_millis(ticks * 10))
    }

    pub(crate) fn close(mut self) -> io::Result<()> {
        // Quits from any screen.
        self.keyboard.write_all(b"\x03")?;
        self.child.wait()?;
        Ok(())
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, what)
}

pub(crate) fn first_frame(table: &mut Table) -> io::Result<()> {
    let mut all = Vec::new();
    for count in [1_000, 10_000, 100_000] {
        let root = store::kept(count)?;
        let mut times = Vec::new();
        for round in 0..=ROUNDS {
            let mut screen = Screen::open(&root)?;
            let took = screen.frame_with(ROW)? - screen.begun;
            screen.close()?;
            // The first one only warms up.
            if round > 0 {
                times.push(took);
            }
        }
        all.push((count, median(times)));
    }
    for (count, took) in &all {
        table.alone(
            &format!("first frame with rows, {count}"),
            time(*took),
            "≤ 100 ms at 1000",
        );
    }
    let smallest = all.iter().map(|(_, took)| *took).min().unwrap_or_default();
    let largest = all.iter().map(|(_, took)| *took).max().unwrap_or_default();
    table.ratio(
        "first frame, the largest",
        largest,
        ("the smallest", smallest),
        2.0,
    );
    Ok(())
}

pub(crate) fn keys(table: &mut Table) -> io::Result<()> {
    let count = 100_000;
    let mut screen = Screen::open(&store::kept(count)?)?;
    screen.frame_with(ROW)?;
    screen.settle()?;
    // All runs shown; nothing is folded.
    screen.key("a")?;
    let several = |what: &str,
                   keys: &[&str],
                   times: usize,
                   most: &str,
                   screen: &mut Screen,
                   table: &mut Table| {
        let mut took = Vec::new();
        for key in keys.iter().cycle().take(times) {
            took.extend(screen.key(key)?);
            thread::sleep(Duration::from_millis(17));
        }
        table.alone(&format!("{what}, p99 at {count}"), time(p99(took)), most);
        io::Result::Ok(())
    };
    several(
        "movement",
        &["j", "j", "j", "k", "\x04", "G", "k", "g"],
        400,
        "≤ 16 ms",
        &mut screen,
        table,
    )?;
    screen.key("g")?;
    screen.go_to_unfolded()?;
    several(
        "folding one",
        &["h", "l"],
        200,
        "≤ 16 ms",
        &mut screen,
        table,
    )?;
    several("folding all", &["z"], 100, "≤ 16 ms", &mut screen, table)?;
    several("sorting", &["o", "O"], 100, "≤ 33 ms", &mut screen, table)?;
    screen.key("/")?;
    several(
        "filter key",
        &["l", "o", "g", "\x7f", "\x7f", "\x7f"],
        300,
        "≤ 33 ms",
        &mut screen,
        table,
    )?;
    screen.key("\x1b")?;
    let peak = screen.peak()?;
    table.alone(
        &format!("peak memory of the screen at {count}"),
        format!("{} MB", peak / 1_000_000),
        "≤ 120 MB",
    );
    screen.keyboard.write_all(b"\x1b")?;
    screen.rest_for(Duration::from_millis(300));
    screen.close()
}

pub(crate) fn refresh(table: &mut Table) -> io::Result<()> {
    let count = 100_000;
    let root = store::kept(count)?;
    let mut screen = Screen::open(&root)?;
    screen.frame_with(ROW)?;
    screen.settle()?;
    let mut took = Vec::new();
    for _ in 0..ROUNDS {
        let before = screen.cpu()?;
        // Something came and went: the store is listed again, and all is as it was.
        let passing = root.join(".passing");
        fs::create_dir(&passing)?;
        fs::remove_dir(&passing)?;
        screen.settle()?;
        took.push(screen.cpu()?.saturating_sub(before));
    }
    table.alone(
        &format!("refresh at {count}, processor"),
        time(median(took)),
        "≤ 500 ms",
    );
    screen.close()
}

pub(crate) fn idle(table: &mut Table) -> io::Result<()> {
    let mut screen = Screen::open(&store::kept(10_000)?)?;
    screen.frame_with(ROW)?;
    screen.settle()?;
    let before = screen.cpu()?;
    let written = screen.rest_for(Duration::from_mins(1));
    let took = screen.cpu()?.saturating_sub(before);
    table.alone("60 s idle at 10000, processor", time(took), "≤ 200 ms");
    table.alone("60 s idle, written", format!("{written} bytes"), "ages");
    screen.close()
}
