//! How many files may be open, which is how many sessions can be claimed at one time.
//!
//! Must never leave the limit raised: what is started later would inherit it.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The descriptors this process may have, raised for as long as this lives.
pub(super) struct MoreFiles {
    before: Rlimit,
    now: u64,
}

impl MoreFiles {
    /// A claim takes two descriptors, its folder's and its lease's, and others for a moment.
    const PER_SESSION: u64 = 2;
    /// What the rest of the program needs; where there are few, a quarter of them.
    const SPARE: u64 = 256;
    /// More sessions at a time would gain nothing.
    const SESSIONS: u64 = 1_000;

    pub(super) fn allow() -> Self {
        let before = getrlimit(Resource::Nofile);
        let wanted = Self::SESSIONS * Self::PER_SESSION + Self::SPARE;
        let current = before.current.unwrap_or(u64::MAX);
        let raised = wanted.min(before.maximum.unwrap_or(u64::MAX));
        let limit = Rlimit {
            current: Some(raised),
            maximum: before.maximum,
        };
        let now = match current {
            enough if enough >= wanted => enough,
            current if setrlimit(Resource::Nofile, limit).is_err() => current,
            _ => raised,
        };
        Self { before, now }
    }

    /// How many sessions can be claimed.
    pub(super) fn sessions(&self) -> usize {
        sessions(self.now)
    }
}

fn sessions(now: u64) -> usize {
    let spare = MoreFiles::SPARE.min(now / 4);
    let sessions = (now - spare) / MoreFiles::PER_SESSION;
    usize::try_from(sessions.clamp(1, MoreFiles::SESSIONS)).unwrap_or(1)
}

impl Drop for MoreFiles {
    fn drop(&mut self) {
        // An agent started later must not inherit more than it would have had. Should it
        // fail, it has more.
        let _ = setrlimit(Resource::Nofile, self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_descriptors_still_make_batches() {
        let most = [0, 3, 64, 256, 1_024, 2_256, u64::MAX].map(sessions);
        assert_eq!(most, [1, 1, 24, 96, 384, 1_000, 1_000]);
    }
}
