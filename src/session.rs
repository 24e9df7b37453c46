//! What a session is: plain data, whichever agent wrote it.
//!
//! Nothing here opens a file, asks a clock or decides what may be removed.

mod refusal;
mod title;

use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};

pub use refusal::{Refusal, unleased};
pub use title::{NoTitle, Title};

use crate::text::{SafeText, Secrets};

/// The program that wrote a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Agent {
    /// Gitlawb's Zero.
    Zero,
    /// magi-code.
    Magi,
}

impl Agent {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Zero, Self::Magi];

    /// The agent of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    /// Its program, unless somebody says otherwise.
    pub fn program(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Magi => "magi-code",
        }
    }

    /// The environment variable that says otherwise.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Zero => "SESSTREE_ZERO_COMMAND",
            Self::Magi => "SESSTREE_MAGI_COMMAND",
        }
    }

    /// The name used on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Magi => "magi",
        }
    }
}

/// How an agent is told which session to go on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// It gives one reply to a text, or opens its own screen where the session is asked for; it forks too.
    Replies,
    /// Its own screen opens with the session in it; there is no other way.
    Screen,
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A session's name: `^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$`, so it is safe as a file name and as text.
///
/// Invariant: an id is always the name of the session's own folder, never a field of its JSON.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(Arc<str>);

impl SessionId {
    /// The longest id, in bytes.
    pub const MAX: usize = 128;

    /// `None` if `name` is not an id.
    pub fn parse(name: &str) -> Option<Self> {
        let bytes = name.as_bytes();
        let (first, rest) = bytes.split_first()?;
        let fits = bytes.len() <= Self::MAX
            && first.is_ascii_alphanumeric()
            && rest
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        fits.then(|| Self(name.into()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AsRef<Path> for SessionId {
    fn as_ref(&self) -> &Path {
        Path::new(&*self.0)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for SessionId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// How a session came to be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SessionKind {
    /// Started by a person.
    Main,
    /// A person's copy of another one, from some event on.
    Fork,
    /// A subagent's run.
    Child,
    /// A side question.
    Side,
    /// Drafting a specification.
    SpecDraft,
    /// Building one.
    SpecImpl,
    /// A kind this build does not know.
    Other(SafeText),
}

impl SessionKind {
    /// The word for it, as agents write it; empty for [`SessionKind::Main`].
    pub fn word(&self) -> &str {
        match self {
            Self::Main => "",
            Self::Fork => "fork",
            Self::Child => "child",
            Self::Side => "side",
            Self::SpecDraft => "spec-draft",
            Self::SpecImpl => "spec-impl",
            Self::Other(word) => word.as_str(),
        }
    }

    /// Whether a person can go on with it; the rest are the agents' own runs, folded away by default.
    pub fn resumable(&self) -> bool {
        matches!(self, Self::Main | Self::Fork)
    }
}

/// Who has a session open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Holder {
    /// Process id, in our own pid namespace.
    pub pid: u32,
    /// The process's name (`/proc/<pid>/comm`).
    pub process: SafeText,
}

/// Whether a session is open somewhere. Only locks decide what a prune may take; this is for showing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Openness {
    /// No sign of a holder. Proves nothing: it may be in another pid namespace.
    #[default]
    NoSign,
    /// Proof: the process has the lease's file open and locked.
    Open(Holder),
    /// A lock on the lease without a process we can look into.
    Maybe,
    /// This system does not tell.
    Unknown,
}

impl Openness {
    /// The holder, when there is proof of one.
    pub fn holder(&self) -> Option<&Holder> {
        match self {
            Self::Open(holder) => Some(holder),
            _ => None,
        }
    }
}

/// Whether a session's folder is as its agent writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Condition {
    /// As it should be.
    #[default]
    Sound,
    /// The metadata names another session (`None`: names none): a copied folder.
    Copy(Option<SafeText>),
    /// The folder is a link to one elsewhere.
    Linked,
    /// The metadata cannot be read; says why.
    Damaged(SafeText),
    /// A folder without metadata: half removed by another tool, or just being made. When anything in it
    /// last changed; `None`: that cannot be told.
    Remnant(Option<DateTime<Utc>>),
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sound => f.write_str("sound"),
            Self::Copy(Some(of)) => write!(f, "copied folder: its metadata names {of}"),
            Self::Copy(None) => f.write_str("its metadata names no session"),
            Self::Linked => f.write_str("linked folder"),
            Self::Damaged(why) => write!(f, "damaged: {why}"),
            Self::Remnant(_) => f.write_str("remnant: no metadata"),
        }
    }
}

/// Which folder of a system it is, whatever its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Its device.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
}

/// Which state of a file it is, as far as can be told without reading it: who replaces a file makes
/// another inode, who writes it in place changes its time. A hash of both, since every session has
/// one; only compared within one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version(NonZeroU64);

impl Version {
    /// Of a file's inode, and when that changed: seconds, and nanoseconds beside them.
    pub fn new(inode: u64, changed: (i64, i64)) -> Self {
        let mut hasher = DefaultHasher::new();
        (inode, changed).hash(&mut hasher);
        Self(NonZeroU64::new(hasher.finish()).unwrap_or(NonZeroU64::MIN))
    }
}

/// What was seen of a session's files when it was scanned: a prune takes nothing that no longer matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sighting {
    /// Device of the session's folder.
    pub device: u64,
    /// Inode of the session's folder.
    pub inode: u64,
    /// Hash of the metadata's bytes, or of the parent's id and of what is in the folder where there is no
    /// metadata; only compared within one run.
    pub metadata: u64,
    /// Of the metadata; `None`: there was none to look at.
    pub version: Option<Version>,
}

/// What was seen of sessions whose metadata need not be read again while it is still in that state.
pub type Seen = hashbrown::HashMap<SessionId, Sighting>;

impl Sighting {
    /// Which folder it was.
    pub fn place(&self) -> Place {
        let (device, inode) = (self.device, self.inode);
        Place { device, inode }
    }
}

/// A folder that sessions worked in. What is shown of it is made once, not for every row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// As stored: raw, not to be shown.
    path: Box<Path>,
    shown: SafeText,
    project: SafeText,
}

impl Folder {
    /// The folder at a path as an agent wrote it down.
    pub fn new(path: &Path) -> Self {
        Self::with_secrets(path, Secrets::Hidden)
    }

    /// The same, shown with the secrets in its path or without.
    pub fn with_secrets(path: &Path, secrets: Secrets) -> Self {
        let name = path.file_name().map(Path::new);
        let shown = |path| SafeText::path_with(path, secrets);
        Self {
            path: path.into(),
            shown: shown(path),
            project: name.map(shown).unwrap_or_default(),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole path, to be shown.
    pub fn shown(&self) -> &SafeText {
        &self.shown
    }

    /// The last part of the path, to be shown.
    pub fn project(&self) -> &SafeText {
        &self.project
    }
}

/// One saved session.
#[derive(Clone, Debug)]
pub struct Session {
    /// Who wrote it.
    pub agent: Agent,
    /// Its folder's name.
    pub id: SessionId,
    /// What its agent calls it; empty if nothing.
    pub title: SafeText,
    /// How it came to be.
    pub kind: SessionKind,
    /// The folder it worked in, one value for all that worked there.
    pub cwd: Option<Arc<Folder>>,
    /// The model last used.
    pub model: Option<Arc<SafeText>>,
    /// The session it descends from.
    pub parent: Option<SessionId>,
    /// When it began.
    pub created_at: Option<DateTime<Utc>>,
    /// Its activity as the metadata tells it (`updatedAt`); `None`: unreadable. The log may be ahead.
    pub activity_at: Option<DateTime<Utc>>,
    /// Events in its log, as the metadata counts them.
    pub events: Option<u64>,
    /// Whether its folder is as it should be.
    pub condition: Condition,
    /// Bytes on disk (allocated blocks, hard links once); `None`: not measured yet.
    pub bytes: Option<u64>,
    /// Whether it is open somewhere.
    pub open: Openness,
    /// The user pinned it: no prune takes it.
    pub pinned: bool,
    /// What a prune compares with.
    pub seen: Sighting,
}

impl Session {
    /// When it was last active; of what has no metadata, when anything in it last changed.
    pub fn last_change(&self) -> Option<DateTime<Utc>> {
        match self.condition {
            Condition::Remnant(changed) => changed,
            _ => self.activity_at,
        }
    }

    /// What to call it on screen: its title, else its id.
    pub fn name(&self) -> &str {
        if self.title.is_empty() {
            self.id.as_str()
        } else {
            self.title.as_str()
        }
    }

    /// The last part of the folder it worked in; empty if unknown.
    pub fn project(&self) -> &str {
        self.cwd.as_deref().map_or("", |cwd| cwd.project().as_str())
    }

    /// The folder it worked in.
    pub fn folder(&self) -> Option<&Path> {
        self.cwd.as_deref().map(Folder::path)
    }
}

/// Something in a store that is not a session, or could not be read: told, never fatal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub path: PathBuf,
    /// What, and if possible what to do.
    pub what: SafeText,
}
