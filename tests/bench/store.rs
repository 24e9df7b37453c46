//! Invented stores of any size: the same for the same numbers.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

/// Changes whenever the stores do, so that kept ones are not taken for these.
const VERSION: u32 = 1;
/// Days from the oldest root to now.
const DAYS: i64 = 400;
/// Levels below a root.
const DEPTH: u32 = 6;

const WORDS: [&str; 16] = [
    "login", "redirect", "postgres", "cache", "flaky", "release", "docs", "parser", "config",
    "upload", "billing", "export", "index", "locks", "retry", "keys",
];
const PROJECTS: [&str; 5] = ["api", "db", "cli", "site", "billing"];

/// Numbers without a pattern that matters here (Marsaglia's xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        let at = self.below(from.len() as u64);
        from[usize::try_from(at).unwrap_or(0)]
    }
}

/// A store of `count` sessions that stays between runs; it must not be changed.
pub(crate) fn kept(count: usize) -> io::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench");
    let root = folder.join(format!("{VERSION}-{count}"));
    let done = root.with_extension("done");
    if !done.exists() {
        eprintln!("making a store of {count} sessions in {}", root.display());
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        make(&root, count)?;
        File::create(done)?;
    }
    Ok(root)
}

/// A word that is in a few messages of [`logs`], and one that is in every hundredth.
pub(crate) const RARE: &str = "heliotrope";
pub(crate) const COMMON: &str = "marmalade";

/// A store whose logs have so many bytes in all, as real ones have them: prose, tools that are called
/// with JSON in JSON, and their output, which is most of it. It stays between runs.
pub(crate) fn logs(bytes: u64) -> io::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench");
    let root = folder.join(format!("{VERSION}-logs-{bytes}"));
    let done = root.with_extension("done");
    if done.exists() {
        return Ok(root);
    }
    eprintln!("making {bytes} bytes of logs in {}", root.display());
    if root.exists() {
        fs::remove_dir_all(&root)?;
    }
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut written, mut number) = (0, 0);
    while written < bytes {
        let id = format!("zero_{number}");
        session(&root, &id, None, Utc::now(), &mut random)?;
        // Many small ones, and some of several megabytes.
        let size = 1_usize << (14 + random.below(8) + random.below(2));
        let mut log = String::with_capacity(size + (64 << 10));
        while log.len() < size {
            events(&mut log, &id, &mut random);
        }
        fs::write(root.join(&id).join("events.jsonl"), &log)?;
        written += log.len() as u64;
        number += 1;
    }
    File::create(done)?;
    Ok(root)
}

/// A store of one session whose log has so many bytes.
pub(crate) fn log(bytes: u64) -> io::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench");
    let root = folder.join(format!("{VERSION}-log-{bytes}"));
    let done = root.with_extension("done");
    if done.exists() {
        return Ok(root);
    }
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    session(&root, "zero_1", None, Utc::now(), &mut random)?;
    let mut log = BufWriter::new(File::create(root.join("zero_1/events.jsonl"))?);
    let mut written = 0;
    while written < bytes {
        let mut turn = String::new();
        events(&mut turn, "zero_1", &mut random);
        log.write_all(turn.as_bytes())?;
        written += turn.len() as u64;
    }
    log.flush()?;
    File::create(done)?;
    Ok(root)
}

/// Adds what is said in one turn.
fn events(log: &mut String, id: &str, random: &mut Random) {
    let mut event = |kind: &str, payload: &str| {
        let _ = writeln!(
            log,
            "{{\"id\":\"{id}:1\",\"sessionId\":\"{id}\",\"sequence\":1,\"type\":\"{kind}\",\
             \"createdAt\":\"2026-10-01T10:00:00Z\",\"payload\":{payload}}}"
        );
    };
    let mut words = |count: u64| {
        let mut text = String::new();
        for _ in 0..count {
            let word = match random.below(2_000_000) {
                0 => RARE,
                1..20 => COMMON,
                word if word % 40 == 0 => "Vec\\u003cString\\u003e",
                word if word % 9 == 0 => "\\n\\t",
                word if word % 25 == 0 => "caf\u{e9}",
                _ => random.of(&WORDS),
            };
            text.push_str(word);
            text.push(' ');
        }
        text
    };
    let (asked, said, sought, seen) = (words(30), words(60), words(3), words(900));
    event(
        "message",
        &format!("{{\"role\":\"user\",\"content\":\"{asked}\"}}"),
    );
    event(
        "message",
        &format!("{{\"role\":\"assistant\",\"content\":\"{said}\"}}"),
    );
    event(
        "tool_call",
        &format!(
            "{{\"id\":\"call\",\"name\":\"bash\",\"arguments\":\"{{\\\"command\\\":\\\"grep {}\\\"}}\"}}",
            sought.replace('\\', "\\\\")
        ),
    );
    event(
        "tool_result",
        &format!("{{\"name\":\"bash\",\"status\":\"ok\",\"output\":\"{seen}\"}}"),
    );
}

/// Makes a store: a third of the sessions descend from others, a fifth have checkpoints.
///
/// A tree is of one time: who prunes it prunes all of it, as far as nobody holds it.
pub(crate) fn make(root: &Path, count: usize) -> io::Result<()> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let now = Utc::now();
    let mut tree: Vec<(String, u32)> = Vec::new();
    let mut born = now;
    for number in 0..count {
        let parent = if random.below(3) == 0 {
            let at = random.below(tree.len().max(1) as u64);
            let parent = usize::try_from(at).ok().and_then(|at| tree.get(at));
            parent.filter(|(_, depth)| *depth < DEPTH).cloned()
        } else {
            None
        };
        if parent.is_none() {
            tree.clear();
            let age = random.below(u64::try_from(DAYS * 86_400).unwrap_or(1));
            born = now - TimeDelta::seconds(age.cast_signed());
        }
        let id = format!(
            "zero_{}_{}_{number}",
            born.format("%Y%m%d%H%M%S"),
            born.timestamp()
        );
        session(
            root,
            &id,
            parent.as_ref().map(|(id, _)| id.as_str()),
            born,
            &mut random,
        )?;
        tree.push((id, parent.map_or(0, |(_, depth)| depth + 1)));
    }
    Ok(())
}

fn session(
    root: &Path,
    id: &str,
    parent: Option<&str>,
    at: DateTime<Utc>,
    random: &mut Random,
) -> io::Result<()> {
    let folder = root.join(id);
    fs::create_dir_all(&folder)?;
    let title = format!(
        "job {} {} {}",
        random.of(&WORDS),
        random.of(&WORDS),
        random.of(&WORDS)
    );
    let time = at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let events = 1 + random.below(8);
    let mut metadata = format!("{{\n  \"sessionId\": \"{id}\",\n");
    if let Some(parent) = parent {
        let kind = random.of(&["fork", "child", "child"]);
        let _ = write!(
            metadata,
            "  \"sessionKind\": \"{kind}\",\n  \"parentSessionId\": \"{parent}\",\n"
        );
    }
    let project = random.of(&PROJECTS);
    let _ = write!(
        metadata,
        "  \"title\": \"{title}\",\n  \"cwd\": \"/home/you/src/{project}\",\n  \"modelId\": \"model-x\",\n  \
         \"provider\": \"provider-y\",\n  \"createdAt\": \"{time}\",\n  \"updatedAt\": \"{time}\",\n  \
         \"eventCount\": {events},\n  \"lastEventType\": \"message\"\n}}\n"
    );
    fs::write(folder.join("metadata.json"), metadata)?;
    let mut log = String::new();
    for sequence in 1..=events {
        let role = if sequence % 2 == 1 {
            "user"
        } else {
            "assistant"
        };
        let words = random.of(&WORDS);
        let _ = writeln!(
            log,
            "{{\"id\":\"{id}:{sequence}\",\"sessionId\":\"{id}\",\"sequence\":{sequence},\"type\":\"message\",\
             \"createdAt\":\"{time}\",\"payload\":{{\"role\":\"{role}\",\"content\":\"look at the {words} again\"}}}}"
        );
    }
    fs::write(folder.join("events.jsonl"), log)?;
    File::create(folder.join("session.lock"))?;
    File::create(folder.join("lease.lock"))?;
    if random.below(5) == 0 {
        let blobs = folder.join("checkpoints/blobs");
        fs::create_dir_all(&blobs)?;
        let size = usize::try_from(random.below(40_000)).unwrap_or(0);
        fs::write(
            blobs.join(format!("{:064x}", random.below(u64::MAX))),
            vec![b'x'; size],
        )?;
    }
    Ok(())
}
