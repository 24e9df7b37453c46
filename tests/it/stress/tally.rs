//! What happened, and in how many rounds.

use std::fmt;
use std::time::Instant;

use super::check::Seen;
use super::roles::Role;
use super::round::Report;

/// So many rounds tell how often something happens.
const ENOUGH: u64 = 50;

pub(super) struct Tally {
    name: &'static str,
    begun: Instant,
    rounds: u64,
    counts: Vec<Count>,
}

struct Count {
    what: &'static str,
    total: u64,
    /// The rounds in which it happened at all.
    rounds: u64,
}

impl Tally {
    pub(super) fn new(name: &'static str) -> Self {
        Self {
            name,
            begun: Instant::now(),
            rounds: 0,
            counts: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, reports: &[(Role, Report)], seen: &Seen, hot: &str) {
        self.rounds += 1;
        let many = |count: fn(&Report) -> u64| -> u64 {
            reports.iter().map(|(_, report)| count(report)).sum()
        };
        let counts = [
            ("granted", many(|report| report.granted)),
            ("refused", many(|report| report.refused)),
            ("gone", many(|report| report.gone)),
            ("removed", many(|report| report.removed.len() as u64)),
            ("put back", many(|report| report.put_back.len() as u64)),
            ("restored", many(|report| report.restored.len() as u64)),
            ("purged", seen.purged as u64),
            ("late children", seen.late as u64),
            ("remnants", seen.remnants as u64),
            ("taken by another", seen.taken as u64),
            ("batches kept", many(|report| report.kept_batches)),
            ("forks", many(|report| report.born.len() as u64)),
            ("written", many(|report| report.wrote.len() as u64)),
            ("stubs", many(|report| report.stubs.len() as u64)),
            ("the shared one removed", {
                let mut removed = reports.iter().flat_map(|(_, report)| &report.removed);
                u64::from(removed.any(|id| id == hot))
            }),
        ];
        let none = |&(what, _)| Count {
            what,
            total: 0,
            rounds: 0,
        };
        if self.counts.is_empty() {
            self.counts = counts.iter().map(none).collect();
        }
        for (count, (_, more)) in self.counts.iter_mut().zip(counts) {
            count.total += more;
            count.rounds += u64::from(more > 0);
        }
    }

    /// Each of these happened in a fifth of the rounds; in few rounds at least once.
    pub(super) fn check(&self, often: &[&'static str]) {
        for count in self.counts.iter().filter(|c| often.contains(&c.what)) {
            let enough = if self.rounds < ENOUGH {
                count.total > 0
            } else {
                count.rounds * 5 >= self.rounds
            };
            let Count { what, rounds, .. } = count;
            assert!(enough, "{what} in {rounds} of {} rounds only", self.rounds);
        }
    }
}

/// One line; whatever was wrong has ended the test before it is told.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.begun.elapsed().as_secs();
        let (name, all) = (self.name, self.rounds);
        write!(f, "{name}: {all} rounds in {seconds} s, violations 0")?;
        for Count {
            what,
            total,
            rounds,
        } in &self.counts
        {
            let share = rounds * 100 / all.max(1);
            write!(f, ", {what} {total} (in {share} %)")?;
        }
        Ok(())
    }
}
