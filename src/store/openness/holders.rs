//! Who holds a lease that was refused.
//!
//! Must never look through the processes for each of thousands of leases: one look answers for all
//! that are refused at about the same time.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{hints, named, opened, processes};
use crate::session::Holder;
use crate::store::dir::Identity;
use crate::store::lease::LEASE_PATIENCE;

/// Answers who holds which lease.
#[derive(Debug)]
pub(crate) struct Holders {
    proc: PathBuf,
    lease: &'static str,
    last: Mutex<Option<Look>>,
}

/// What could be seen at one time.
#[derive(Debug)]
struct Look {
    until: Instant,
    /// The inodes of what is locked.
    locked: HashSet<u64>,
    /// By the leases' files: the processes that took a lock and have the file open.
    takers: HashMap<Identity, u32>,
    /// The same, whoever took the lock: it may be inherited. Asked for last, it takes longest.
    anybody: OnceCell<HashMap<Identity, u32>>,
}

impl Holders {
    /// How long a look is good for: who has tried a lease for as long as it is tried sees anew.
    const FRESH: Duration = LEASE_PATIENCE;

    /// Of leases whose files have that name.
    pub(crate) fn new(proc: &Path, lease: &'static str) -> Self {
        Self {
            proc: proc.to_owned(),
            lease,
            last: Mutex::default(),
        }
    }

    /// A process that has this lease's file open and locked shared, if there is proof of one.
    pub(crate) fn find(&self, file: Identity) -> Option<Holder> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = last.take().filter(|look| Instant::now() < look.until);
        let look = last.insert(fresh.unwrap_or_else(|| self.look()));
        let pid = look.takers.get(&file).or_else(|| {
            look.locked.get(&file.inode)?;
            look.anybody.get_or_init(|| self.anybody()).get(&file)
        });
        Some(named(&self.proc, *pid?))
    }

    fn look(&self) -> Look {
        let hints = hints(&self.proc).unwrap_or_default();
        let taken = hints.iter().map(|hint| (hint.pid, hint.file.inode));
        let taken: HashSet<(u32, u64)> = taken.collect();
        let pids: HashSet<u32> = hints.iter().map(|hint| hint.pid).collect();
        let mut takers = HashMap::new();
        for pid in pids {
            let files = opened(&self.proc, pid, self.lease).map(|opened| opened.file);
            let own = files.filter(|file| taken.contains(&(pid, file.inode)));
            takers.extend(own.map(|file| (file, pid)));
        }
        Look {
            until: Instant::now() + Self::FRESH,
            locked: hints.iter().map(|hint| hint.file.inode).collect(),
            takers,
            anybody: OnceCell::new(),
        }
    }

    fn anybody(&self) -> HashMap<Identity, u32> {
        let mut found = HashMap::new();
        for pid in processes(&self.proc) {
            for opened in opened(&self.proc, pid, self.lease) {
                found.entry(opened.file).or_insert(pid);
            }
        }
        found
    }
}
