//! Real processes over one store: holders, writers and forkers with leases and without, flock(1),
//! two prunes, dry runs, restores and purges at once, round after round; after each round an
//! independent checker looks at the disk. Once more with another program's prune beside ours,
//! which removes the metadata first and then file by file, and is killed on the way.
//!
//! `SESSTREE_STRESS_ROUNDS` says how many rounds. A round in which nobody met proves nothing, so
//! what happened is counted, and must have happened in a fifth of all rounds.

mod check;
mod crew;
mod roles;
mod round;
mod stage;
mod tally;
mod zero;

use crew::Crew;
use roles::Role;
use stage::Stage;
use tally::Tally;

const ROLES: [Role; 11] = [
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
    Role::Purger,
];

/// Rounds over one store; its forks would be too many after more.
const ROUNDS_PER_STORE: u64 = 20;
/// Without [`ROUNDS`] in the environment: what is quick.
const FEW_ROUNDS: u64 = 40;
const ROUNDS: &str = "SESSTREE_STRESS_ROUNDS";

/// What must happen often, or nothing is proved.
const OFTEN: [&str; 7] = [
    "granted", "refused", "gone", "removed", "put back", "restored", "purged",
];

#[test]
#[ignore = "one process of the tests below, which start it"]
fn plays_a_role() {
    crew::member();
}

#[test]
fn nobody_loses_a_session_that_is_in_use() {
    play("stress", &ROLES, &OFTEN);
}

#[test]
fn another_prune_beside_ours_leaves_only_what_is_listed() {
    let roles = [&ROLES[..], &[Role::Foreign]].concat();
    let often = [&OFTEN[..], &["taken by another", "remnants"]].concat();
    play("stress with another prune", &roles, &often);
}

fn play(name: &'static str, roles: &[Role], often: &[&'static str]) {
    let rounds = std::env::var(ROUNDS).map_or(FEW_ROUNDS, |rounds| rounds.parse().unwrap());
    let mut crew = Crew::start(roles);
    let mut tally = Tally::new(name);
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
    tally.check(often);
}
