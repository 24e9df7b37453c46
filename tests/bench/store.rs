//! Invented stores of any size: the same for the same numbers.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
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
