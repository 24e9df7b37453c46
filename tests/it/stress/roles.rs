//! What each process does in a round. Those that use the store as agents do go on until the round
//! is over; those of the product run once, and end it.

mod agents;
mod binary;
mod foreign;
mod open;

pub(super) use foreign::to_the_death;

use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::crew::Inbox;
use super::round::{Meet, Pace, Report, Round};

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
    /// The same in a process of ours, so that it can be looked into and met.
    OpenPruner,
    /// The binary's `prune --dry-run`.
    DryRun,
    /// The binary's `trash restore`.
    Restorer,
    /// The binary's `trash empty`, and in some rounds the same in a process of ours.
    Purger,
    /// Another program's prune: metadata first, then file by file.
    Foreign,
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
            Self::Pruner
            | Self::OpenPruner
            | Self::DryRun
            | Self::Restorer
            | Self::Purger
            | Self::Foreign => false,
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
            Role::Pruner => binary::pruner(&mut scene),
            Role::OpenPruner => open::pruner(&mut scene),
            Role::DryRun => binary::dry_run(&mut scene),
            Role::Restorer => binary::restorer(&mut scene),
            Role::Purger => match round.meet {
                Meet::Taken => open::purger(&mut scene),
                _ => binary::purger(&mut scene),
            },
            Role::Foreign => foreign::pruner(&mut scene),
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
        self.dice.pick(others).unwrap_or(&self.round.hot).clone()
    }

    /// A moment between nothing and `most`.
    fn moment(&mut self, most: Duration) {
        thread::sleep(self.dice.moment(most));
    }

    /// The same for those that go on until the round is over, which may end it.
    fn linger(&mut self, most: Duration) {
        self.inbox.wait(self.dice.moment(most));
    }

    /// The time between two things that an agent does.
    fn pause(&mut self) {
        let most = match (self.round.pace, self.round.meet) {
            (Pace::Eager, _) => Duration::from_micros(1_500),
            // Somebody is waited for, to be refused.
            (Pace::Calm, Meet::Claimed) => Duration::from_millis(20),
            (Pace::Calm, _) => Duration::from_millis(100),
        };
        self.linger(most);
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

    /// A session that was held is not there.
    fn lost(&mut self, id: &str, what: String) {
        self.report.lost.push((id.to_owned(), what));
    }

    fn wrong(&mut self, what: impl Into<String>) {
        self.report.wrong.push(what.into());
    }
}

/// Numbers that no one needs to foresee (xorshift).
pub(super) struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }

    /// One of these; `None`: there are none.
    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let at = self.below(from.len() as u64);
        from.get(usize::try_from(at).unwrap_or(0))
    }

    /// Between nothing and `most`.
    fn moment(&mut self, most: Duration) -> Duration {
        let nanos = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
        Duration::from_nanos(self.below(nanos))
    }
}
