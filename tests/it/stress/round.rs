//! What every process is told of a round, and what it tells of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// Where those of the product that can be looked into wait for somebody to meet them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Meet {
    Nowhere,
    /// With all leases taken: holders are refused.
    Claimed,
    /// With the batch moved and the second look still to come: forks are born under moved parents.
    Moved,
    /// With batches taken out of the trash and the second look still to come.
    Taken,
}

/// How hard the agents go for the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Pace {
    /// So hard that a prune hardly ever gets it; some keep it until the end.
    Eager,
    /// So that a prune gets it in one of their pauses.
    Calm,
}

/// Which of the two prunes deletes at once what it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Deletes {
    None,
    Binary,
    Open,
}

/// What of the trash is emptied by itself; a prune empties what is expired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Emptying {
    Nothing,
    Expired,
    Batch(String),
    All,
}

/// How another program's prune goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Foreign {
    /// Whether it asks for the lease, and so leaves alone what others have open.
    pub(super) knows_leases: bool,
    /// Killed before it unlinks so many names.
    pub(super) killed_before: Option<u64>,
}

/// What every process is told of a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Round {
    pub(super) number: u64,
    pub(super) root: PathBuf,
    /// The session that all go for.
    pub(super) hot: String,
    /// The others, for a change.
    pub(super) others: Vec<String>,
    pub(super) meet: Meet,
    pub(super) pace: Pace,
    pub(super) deletes: Deletes,
    pub(super) emptying: Emptying,
    pub(super) foreign: Foreign,
}

impl Round {
    /// A file beside the store by which processes of this round find each other.
    pub(super) fn mark(&self, name: &str) -> PathBuf {
        self.root.with_file_name(format!("{name}-{}", self.number))
    }

    /// The home of the product's processes.
    pub(super) fn home(&self) -> PathBuf {
        self.root.with_file_name("home")
    }
}

/// A session was made, its parent, and when it was certainly there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Birth {
    pub(super) id: String,
    pub(super) parent: String,
    pub(super) at: Duration,
    /// No prune takes it.
    pub(super) young: bool,
}

/// Sessions that lay in the trash together before the store was looked at once more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Moved {
    pub(super) ids: Vec<String>,
    pub(super) at: Duration,
}

/// What left the store for good.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Purged {
    pub(super) what: Doomed,
    /// The store was looked at once more after this.
    pub(super) after: Duration,
    /// Only what is expired was asked for.
    pub(super) expired: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Doomed {
    /// A batch of the trash, and how many sessions it had.
    Batch(String, u64),
    /// A session that was deleted at once.
    Session(String),
}

/// What a process did in a round.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Report {
    /// How often it went for the session that all go for.
    pub(super) tried_hot: u64,
    pub(super) granted: u64,
    pub(super) refused: u64,
    pub(super) gone: u64,
    pub(super) removed: Vec<String>,
    /// The batch that they are in.
    pub(super) batch: Option<String>,
    /// Moved, and back before the leases were let go; or a batch, before anything was unlinked.
    pub(super) put_back: Vec<String>,
    pub(super) restored: Vec<String>,
    pub(super) purged: Vec<Purged>,
    /// Batches that stayed although they were to be emptied.
    pub(super) kept_batches: u64,
    pub(super) born: Vec<Birth>,
    pub(super) moved: Vec<Moved>,
    /// How many events a session has at least.
    pub(super) wrote: BTreeMap<String, u64>,
    /// Folders without metadata that were made where a session had been.
    pub(super) stubs: Vec<String>,
    /// What another program's prune removed, or may have before it was killed.
    pub(super) taken: Vec<String>,
    /// Held, and not there: the session and what was seen.
    pub(super) lost: Vec<(String, String)>,
    /// What must not be.
    pub(super) wrong: Vec<String>,
}

/// Time that all processes agree on.
pub(super) fn clock() -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap_or_default()
}
