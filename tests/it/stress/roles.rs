//! What each process does in a round. Those that use the store as agents do go on until the round
//! is over; those of the product run once, and end it.

mod agents;
mod product;

pub(super) use product::lineage;

use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::crew::{Inbox, Pace, Report, Round};

/// Who a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Role {
    /// Holds sessions by the product's own means.
    Holder,
    /// flock(1) holds the session.
    Flock,
    /// Continues sessions as a Zero with leases does.
    Writer,
    /// Continues sessions as a Zero without leases does.
    BareWriter,
    /// Forks sessions as a Zero with leases does.
    Forker,
    /// Forks sessions as a Zero without leases does.
    BareForker,
    /// The binary's `prune --yes`.
    Pruner,
    /// The same without the binary, so that it can be looked into and met.
    OpenPruner,
    /// The binary's `prune --dry-run`.
    DryRun,
    /// The binary's `trash restore`.
    Restorer,
}

impl Role {
    /// Whether it goes on until it is called back.
    pub(super) fn goes_on(self) -> bool {
        match self {
            Self::Holder
            | Self::Flock
            | Self::Writer
            | Self::BareWriter
            | Self::Forker
            | Self::BareForker => true,
            Self::Pruner | Self::OpenPruner | Self::DryRun | Self::Restorer => false,
        }
    }
}

/// A process with its role and its dice.
pub(super) struct Actor {
    role: Role,
    dice: Dice,
}

impl Actor {
    pub(super) fn new(role: Role) -> Self {
        let dice = Dice(0x9E37_79B9_7F4A_7C15 ^ u64::from(std::process::id()));
        Self { role, dice }
    }

    pub(super) fn play(&mut self, round: &Round, inbox: &Inbox) -> Report {
        let mut report = Report::default();
        let mut scene = Scene {
            round,
            inbox,
            dice: &mut self.dice,
            report: &mut report,
        };
        match self.role {
            Role::Holder => agents::holder(&mut scene),
            Role::Flock => agents::flock(&mut scene),
            Role::Writer => agents::writer(&mut scene),
            Role::BareWriter => agents::bare_writer(&mut scene),
            Role::Forker => agents::forker(&mut scene),
            Role::BareForker => agents::bare_forker(&mut scene),
            Role::Pruner => product::pruner(&mut scene),
            Role::OpenPruner => product::open_pruner(&mut scene),
            Role::DryRun => product::dry_run(&mut scene),
            Role::Restorer => product::restorer(&mut scene),
        }
        report
    }
}

/// One process in one round.
struct Scene<'a> {
    round: &'a Round,
    inbox: &'a Inbox,
    dice: &'a mut Dice,
    report: &'a mut Report,
}

impl Scene<'_> {
    /// The session that all go for, at first and mostly.
    fn pick(&mut self) -> String {
        let others = &self.round.others;
        let first = self.report.tried_hot == 0;
        if first || others.is_empty() || self.dice.below(10) < 7 {
            self.report.tried_hot += 1;
            return self.round.hot.clone();
        }
        let at = self.dice.below(others.len() as u64);
        others[usize::try_from(at).unwrap_or(0)].clone()
    }

    /// A moment between nothing and `most`.
    fn moment(&mut self, most: Duration) {
        let nanos = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
        thread::sleep(Duration::from_nanos(self.dice.below(nanos)));
    }

    /// The time between two things that an agent does.
    fn pause(&mut self) {
        let most = match self.round.pace {
            Pace::Eager => Duration::from_micros(1_500),
            Pace::Calm => Duration::from_millis(100),
        };
        self.moment(most);
    }

    /// Whether to make another session, which keeps all that it descends from.
    fn forks(&mut self) -> bool {
        /// The most sessions that one process makes in a round.
        const MOST: usize = 2;
        let odds = match self.round.pace {
            Pace::Eager => 2,
            Pace::Calm => 20,
        };
        self.report.born.len() < MOST && self.dice.below(odds) == 0
    }

    fn wrong(&mut self, what: impl Into<String>) {
        self.report.wrong.push(what.into());
    }
}

/// Numbers that no one needs to foresee (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}
