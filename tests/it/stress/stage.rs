//! A store and all that is known of it, round after round.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::Value;
use sesstree::prune::report::{Progress, Restore, Watch};
use sesstree::session::SessionId;
use sesstree::store::Store as _;
use sesstree::store::zero::Zero;

use super::check::{Ledger, Seen};
use super::crew::Crew;
use super::roles::Role;
use super::round::{Deletes, Emptying, Foreign, Meet, Pace, Report, Round};
use super::tally::Tally;
use super::zero;
use crate::support::{TestStore, make_folder, write_file};

/// Old sessions that all go for, one in a round.
const HOT: [&str; 4] = ["root", "middle", "leaf", "lone"];
/// With fewer sessions in their places a prune has too little to do.
const FEW: usize = 10;

pub(super) struct Stage {
    store: TestStore,
    ledger: Ledger,
    /// How often those that all go for were made anew.
    casts: usize,
    /// How many others were made.
    extras: usize,
    seen: Seen,
}

impl Stage {
    pub(super) fn new() -> Self {
        let store = TestStore::new();
        fs::create_dir(store.beside("home")).unwrap();
        let mut stage = Self {
            store,
            ledger: Ledger::default(),
            casts: 0,
            extras: 0,
            seen: Seen::default(),
        };
        stage.cast();
        stage.add("elder", "", 90);
        stage.add("young", "elder", 1);
        for id in ["elder", "young"] {
            stage.ledger.stays(id);
        }
        stage.seen = stage.ledger.check(&stage.store, &[]);
        assert_eq!(stage.seen.wrong, [""; 0]);
        stage
    }

    fn add(&mut self, id: &str, parent: &str, days: i64) {
        self.store.add_aged(id, parent, days);
        let blobs = self.store.path(id).join("checkpoints/blobs");
        make_folder(&blobs);
        write_file(&blobs.join("0a"), b"blob");
        self.ledger.add(id, parent, true);
    }

    /// Those that all go for.
    fn hot(&self, at: usize) -> String {
        format!("{}{}", HOT[at], self.casts)
    }

    fn cast(&mut self) {
        self.casts += 1;
        let [root, middle, leaf, lone] = [0, 1, 2, 3].map(|at| self.hot(at));
        self.add(&root, "", 90);
        self.add(&middle, &root, 80);
        self.add(&leaf, &middle, 70);
        self.add(&lone, "", 60);
        // A lease's file is made by whoever needs it.
        fs::remove_file(self.store.path(&lone).join("lease.lock")).unwrap();
    }

    pub(super) fn round(&mut self, number: u64, crew: &mut Crew, tally: &mut Tally) {
        let round = self.set(number);
        let reports = crew.play(&round);
        for (_, report) in &reports {
            self.ledger.note(report);
        }
        for (_, report) in &reports {
            self.ledger.note_events(&report.wrote);
        }
        let mut seen = self.ledger.check(&self.store, &reports);
        seen.wrong.splice(0..0, wrongs(&round, &reports));
        let met = reports.iter().filter(|(_, r)| r.tried_hot > 0).count();
        if met < 4 {
            seen.wrong
                .push(format!("only {met} went for {}", round.hot));
        }
        if !seen.wrong.is_empty() {
            self.fail(&round, &reports, &seen.wrong);
        }
        tally.add(&reports, &seen, &round.hot);
        self.seen = seen;
        self.grow_old(&reports);
    }

    /// Sees to it that there is something to prune and to empty, and says what is to be done.
    fn set(&mut self, number: u64) -> Round {
        let at = usize::try_from(number / 3).unwrap_or(0) % HOT.len();
        let mut back = Vec::new();
        let Seen {
            in_place, in_trash, ..
        } = &self.seen;
        if !in_place.contains(&self.hot(at)) && !in_trash.contains(&self.hot(at)) {
            self.cast();
        }
        let hot = self.hot(at);
        if self.seen.in_trash.contains(&hot) {
            self.restore(&Restore::Session(SessionId::parse(&hot).unwrap()));
            back.push(hot.clone());
        }
        for _ in self.seen.in_place.len()..FEW {
            self.extras += 1;
            let id = format!("extra{}", self.extras);
            self.add(&id, "", 50);
            back.push(id);
        }
        let mut emptying = match number % 6 {
            1 => Emptying::Expired,
            3 => self.oldest().map_or(Emptying::Nothing, Emptying::Batch),
            5 => Emptying::All,
            _ => Emptying::Nothing,
        };
        if number.is_multiple_of(3) || emptying == Emptying::Expired {
            self.expire();
        }
        if number % 12 == 5 {
            emptying = Emptying::Nothing;
        }
        let seen = &self.seen;
        let others = seen.in_place.iter().chain(&seen.in_trash).chain(&back);
        // Whoever writes makes what it writes old.
        let others = others.filter(|id| **id != hot && !self.ledger.must_stay(id));
        Round {
            number,
            root: self.store.root(),
            others: others.cloned().collect(),
            hot,
            meet: match number % 6 {
                0 | 2 => Meet::Moved,
                1 | 3 => Meet::Claimed,
                _ if number % 12 == 5 => Meet::Taken,
                _ => Meet::Nowhere,
            },
            pace: match number % 5 {
                1 | 2 => Pace::Eager,
                _ => Pace::Calm,
            },
            deletes: match number % 12 {
                2 => Deletes::Open,
                10 => Deletes::Binary,
                _ => Deletes::None,
            },
            emptying,
            foreign: Foreign {
                knows_leases: !number.is_multiple_of(3),
                killed_before: (number % 5 > 1).then_some(number / 5 % 9),
            },
        }
    }

    fn oldest(&self) -> Option<String> {
        self.seen.batches.first().cloned()
    }

    /// The grace of the oldest batch of the trash ends.
    fn expire(&mut self) {
        let Some(batch) = self.oldest() else { return };
        let file = self.store.path(".sesstree/trash").join(&batch);
        let file = file.join("batch.json");
        // It may have been restored to the last.
        let Ok(record) = fs::read(&file) else { return };
        let mut record: Value = serde_json::from_slice(&record).unwrap();
        record["expiresAt"] = "2026-01-01T00:00:00Z".into();
        fs::write(&file, record.to_string()).unwrap();
        self.ledger.expired(&batch);
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

    /// The undo of everything: whatever went and was not purged is there again, as it was.
    pub(super) fn bring_all_back(&mut self) {
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
        assert_eq!(self.ledger.check_record(&self.store), [""; 0]);
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

    /// Keeps what the disk looks like, and ends the test.
    fn fail(&self, round: &Round, reports: &[(Role, Report)], wrong: &[String]) -> ! {
        let kept = std::env::temp_dir().join(format!("sesstree-stress-{}", std::process::id()));
        let mut copy = Command::new("cp");
        let _ = copy.arg("-a").arg(self.store.home()).arg(&kept).status();
        let told = format!("{wrong:#?}\n{round:#?}\n{reports:#?}\n");
        let _ = fs::write(kept.join("told"), told);
        let (number, kept) = (round.number, kept.display());
        panic!("round {number}, see {kept}: {wrong:#?}");
    }
}

/// What the processes found wrong. What another program takes that knows no leases it takes from
/// whoever has it open.
fn wrongs(round: &Round, reports: &[(Role, Report)]) -> Vec<String> {
    let knows_none = !round.foreign.knows_leases;
    let taken = |id: &String| knows_none && reports.iter().any(|(_, r)| r.taken.contains(id));
    let mut wrongs = Vec::new();
    for (role, report) in reports {
        let lost = report.lost.iter().filter(|(id, _)| !taken(id));
        let wrong = lost.map(|(_, what)| what).chain(&report.wrong);
        wrongs.extend(wrong.map(|what| format!("{role:?}: {what}")));
    }
    wrongs
}
