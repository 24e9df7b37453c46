//! Real processes over one store: holders, writers and forkers with leases and without, flock(1),
//! two prunes, dry runs and restores at once, round after round; after each round an independent
//! checker looks at the disk.
//!
//! `SESSTREE_STRESS_ROUNDS` says how many rounds. A round in which nobody met proves nothing, so
//! what happened is counted, and must have happened in a fifth of all rounds.

mod check;
mod crew;
mod roles;
mod zero;

use std::collections::BTreeMap;
use std::fs;

use sesstree::prune::report::{Progress, Restore, Watch};
use sesstree::session::SessionId;
use sesstree::store::Store as _;
use sesstree::store::zero::Zero;

use check::{Ledger, Seen};
use crew::{Crew, Meet, Pace, Report, Round};
use roles::Role;

use crate::support::TestStore;

const ROLES: [Role; 10] = [
    Role::Holder,
    Role::Flock,
    Role::Writer,
    Role::BareWriter,
    Role::Forker,
    Role::BareForker,
    Role::OpenPruner,
    Role::Pruner,
    Role::DryRun,
    Role::Restorer,
];

/// Rounds over one store; its forks would be too many after more.
const ROUNDS_PER_STORE: u64 = 10;
/// Without [`ROUNDS`] in the environment: what is quick.
const FEW_ROUNDS: u64 = 60;
const ROUNDS: &str = "SESSTREE_STRESS_ROUNDS";

/// Old sessions that all go for, one in a round.
const HOT: [&str; 4] = ["root", "middle", "leaf", "lone"];

#[test]
#[ignore = "one process of the test below, which starts it"]
fn plays_a_role() {
    crew::member();
}

#[test]
fn nobody_loses_a_session_that_is_in_use() {
    let rounds = std::env::var(ROUNDS).map_or(FEW_ROUNDS, |rounds| rounds.parse().unwrap());
    let mut crew = Crew::start(&ROLES);
    let mut tally = Tally::default();
    let mut stage = Stage::new();
    for number in 0..rounds {
        if number > 0 && number.is_multiple_of(ROUNDS_PER_STORE) {
            stage.bring_all_back();
            stage = Stage::new();
        }
        stage.round(number, &mut crew, &mut tally);
    }
    stage.bring_all_back();
    println!("{tally}");
    tally.check();
}

/// A store and all that is known of it.
struct Stage {
    store: TestStore,
    ledger: Ledger,
}

impl Stage {
    fn new() -> Self {
        let store = TestStore::new();
        fs::create_dir(store.beside("home")).unwrap();
        let mut ledger = Ledger::default();
        let mut add = |id: &str, parent: &str, days: i64| {
            store.add_aged(id, parent, days);
            ledger.add(id, parent);
        };
        add("root", "", 90);
        add("middle", "root", 80);
        add("leaf", "middle", 70);
        add("lone", "", 60);
        for number in 0..6 {
            add(&format!("other{number}"), "", 50);
        }
        add("elder", "", 90);
        add("young", "elder", 1);
        for id in ["elder", "young"] {
            ledger.stays(id);
        }
        // A lease's file is made by whoever needs it.
        fs::remove_file(store.path("lone/lease.lock")).unwrap();
        Self { store, ledger }
    }

    fn round(&mut self, number: u64, crew: &mut Crew, tally: &mut Tally) {
        let seen = self.look(number, &[]);
        let at = usize::try_from(number / 3).unwrap_or(0) % HOT.len();
        let hot = HOT[at].to_owned();
        if seen.in_trash.contains(&hot) {
            self.restore(&Restore::Session(SessionId::parse(&hot).unwrap()));
        }
        let others = seen.in_place.into_iter().chain(seen.in_trash);
        let round = Round {
            number,
            root: self.store.root(),
            // Whoever writes makes what it writes old.
            others: others
                .filter(|id| *id != hot && !self.ledger.must_stay(id))
                .collect(),
            hot,
            meet: match number % 5 {
                0 | 2 => Meet::Moved,
                1 | 3 => Meet::Claimed,
                _ => Meet::Nowhere,
            },
            pace: match number % 5 {
                1 | 2 => Pace::Eager,
                _ => Pace::Calm,
            },
        };
        let reports = crew.play(&round);
        let mut moved = Vec::new();
        for (_, report) in &reports {
            self.ledger.note(report);
            moved.extend(report.moved.clone());
        }
        for (_, report) in &reports {
            self.ledger.note_events(&report.wrote);
        }
        let wrong = |(role, report): &(Role, Report)| {
            report
                .wrong
                .iter()
                .map(|what| format!("{role:?}: {what}"))
                .collect::<Vec<_>>()
        };
        let wrong: Vec<String> = reports.iter().flat_map(wrong).collect();
        assert!(wrong.is_empty(), "round {number}: {wrong:#?}");
        let met = reports
            .iter()
            .filter(|(_, report)| report.tried_hot > 0)
            .count();
        assert!(
            met >= 4,
            "round {number}: only {met} went for {}",
            round.hot
        );
        let seen = self.look(number, &moved);
        eprintln!(
            "DBG {number} {:?} {:?} hot {} trash {} removed by {:?} restored {:?} put back {:?} born {:?}",
            round.meet,
            round.pace,
            round.hot,
            seen.in_trash.contains(&round.hot),
            reports
                .iter()
                .filter(|(_, r)| r.removed.contains(&round.hot))
                .map(|(r, _)| *r)
                .collect::<Vec<_>>(),
            reports.iter().any(|(_, r)| r.restored.contains(&round.hot)),
            reports.iter().any(|(_, r)| r.put_back.contains(&round.hot)),
            reports
                .iter()
                .map(|(_, r)| r.born.iter().filter(|b| b.parent == round.hot).count())
                .sum::<usize>()
        );
        tally.add(&reports, &seen, &round.hot);
        self.grow_old(&reports);
        if number % 4 == 3 {
            self.bring_all_back();
        }
    }

    /// What stayed because it was new goes with the next prune, or there would soon be nothing that
    /// can.
    fn grow_old(&mut self, reports: &[(Role, Report)]) {
        let births = reports.iter().flat_map(|(_, report)| &report.born);
        for birth in births.filter(|birth| birth.young) {
            let count = zero::write(&self.store.root(), &birth.id).unwrap();
            let wrote = BTreeMap::from([(birth.id.clone(), count.unwrap())]);
            self.ledger.note_events(&wrote);
        }
    }

    fn look(&self, number: u64, moved: &[crew::Moved]) -> Seen {
        let seen = self.ledger.check(&self.store, moved);
        assert!(seen.wrong.is_empty(), "round {number}: {:#?}", seen.wrong);
        seen
    }

    /// The undo of everything: whatever went is there again, as it was.
    fn bring_all_back(&self) {
        let zero = Zero::new(self.store.root());
        for batch in zero.trash().unwrap().0 {
            // Another one may have brought the last of this one back, as an ancestor.
            let left = zero.trash().unwrap().0;
            if left.iter().any(|other| other.batch == batch.batch) {
                self.restore(&Restore::Batch(batch.batch));
            }
        }
        let seen = self.ledger.check(&self.store, &[]);
        let (lost, wrong) = (seen.in_trash, seen.wrong);
        assert!(lost.is_empty() && wrong.is_empty(), "{lost:?} {wrong:#?}");
    }

    fn restore(&self, what: &Restore) {
        struct Quiet;
        impl Watch for Quiet {
            fn progress(&self, _: Progress) {}
            fn stopped(&self) -> bool {
                false
            }
        }
        let report = Zero::new(self.store.root()).restore(what, &Quiet).unwrap();
        assert_eq!(report.failed, [], "{what:?}");
    }
}

/// What happened, and in how many rounds.
#[derive(Default)]
struct Tally {
    rounds: u64,
    counts: BTreeMap<&'static str, (u64, u64)>,
}

/// What must happen often, or nothing is proved.
const OFTEN: [&str; 6] = [
    "granted", "refused", "gone", "removed", "put back", "restored",
];

impl Tally {
    fn add(&mut self, reports: &[(Role, Report)], seen: &Seen, hot: &str) {
        self.rounds += 1;
        let sum = |count: fn(&Report) -> usize| {
            let counts = reports.iter().map(|(_, report)| count(report) as u64);
            counts.sum::<u64>()
        };
        let many = |count: fn(&Report) -> u64| {
            reports.iter().map(|(_, report)| count(report)).sum::<u64>()
        };
        let counts = [
            ("granted", many(|report| report.granted)),
            ("refused", many(|report| report.refused)),
            ("gone", many(|report| report.gone)),
            ("removed", sum(|report| report.removed.len())),
            ("put back", sum(|report| report.put_back.len())),
            ("restored", sum(|report| report.restored.len())),
            ("forks", sum(|report| report.born.len())),
            ("written", sum(|report| report.wrote.len())),
            ("stubs", sum(|report| report.stubs.len())),
            ("born late", seen.late as u64),
            (
                "the one all go for is gone",
                u64::from(seen.in_trash.contains(hot)),
            ),
        ];
        for (name, count) in counts {
            let (total, rounds) = self.counts.entry(name).or_default();
            *total += count;
            *rounds += u64::from(count > 0);
        }
    }

    fn check(&self) {
        for name in OFTEN {
            let (_, rounds) = self.counts[name];
            let enough = rounds * 5 >= self.rounds;
            assert!(enough, "{name} in {rounds} of {} rounds only", self.rounds);
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stress: {} rounds", self.rounds)?;
        for (name, (total, rounds)) in &self.counts {
            write!(f, "; {name} {total} (in {rounds})")?;
        }
        Ok(())
    }
}
