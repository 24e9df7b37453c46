use chrono::TimeDelta;
use proptest::prelude::*;

use super::*;
use crate::prune::report::{Member, TrashBatch, Trashed};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_793_534_400, 0).unwrap()
}

fn id(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

fn place(inode: u64) -> Place {
    Place { device: 1, inode }
}

/// A batch whose grace ended an hour ago; `members`: ids with their parents.
fn batch(name: &str, members: &[(&str, &str)]) -> Shelved {
    let sessions = members.iter().map(|(name, parent)| Trashed {
        id: id(name),
        title: SafeText::default(),
        parent: SessionId::parse(parent),
        bytes: 100,
        updated_at: None,
        remnant: false,
    });
    let sessions: Vec<Trashed> = sessions.collect();
    let members = sessions.iter().map(|session| Member {
        id: session.id.clone(),
        seen: Sighting::default(),
        parents: session.parent.iter().cloned().collect(),
    });
    Shelved {
        members: members.collect(),
        batch: TrashBatch {
            batch: BatchId::parse(name).unwrap(),
            at: None,
            expires_at: Some(now() - TimeDelta::hours(1)),
            bytes: 100 * sessions.len() as u64,
            sessions,
        },
        place: place(1),
        unclear: None,
    }
}

fn living(pairs: &[(&str, &str)]) -> Living {
    let pairs = pairs.iter().map(|(child, parent)| (id(child), id(parent)));
    Living {
        children: pairs.collect(),
        unreadable: BTreeMap::new(),
    }
}

/// What is told of each batch that was asked for: its reason, or nothing when it goes.
fn told(shelves: Vec<Shelved>, alive: &[(&str, &str)], wanted: &Wanted) -> Vec<(String, String)> {
    let plan = TrashPlan::new(place(1), shelves, &living(alive), wanted);
    let line = |(shelved, fate): &(Shelved, Fate)| {
        let reason = match fate {
            Fate::Empty => String::new(),
            Fate::Keep(reason) => reason.to_string(),
        };
        (shelved.batch.batch.to_string(), reason)
    };
    plan.batches().iter().map(line).collect()
}

fn expect(told: &[(String, String)], expected: &[(&str, &str)]) {
    let told: Vec<(&str, &str)> = told.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(told, expected);
}

fn these(names: &[&str]) -> Wanted {
    Wanted::Batches(
        names
            .iter()
            .map(|name| BatchId::parse(name).unwrap())
            .collect(),
    )
}

#[test]
fn only_what_is_known_to_be_over_expires() {
    let at = |expires_at| {
        let mut batch = batch("1", &[("a", "")]);
        batch.batch.expires_at = expires_at;
        told(vec![batch], &[], &Wanted::Expired(now())).len()
    };
    let second = TimeDelta::seconds(1);
    assert_eq!(at(Some(now() - second)), 1);
    assert_eq!(at(Some(now())), 0);
    assert_eq!(at(Some(now() + second)), 0);
    assert_eq!(at(None), 0, "an unreadable record never expires");
}

#[test]
fn what_does_not_expire_goes_when_it_is_asked_for() {
    let mut undated = batch("2", &[("a", "")]);
    undated.batch.expires_at = None;
    let all = vec![undated, batch("1", &[("b", "")])];
    expect(
        &told(all.clone(), &[], &Wanted::All),
        &[("2", ""), ("1", "")],
    );
    expect(&told(all, &[], &these(&["2"])), &[("2", "")]);
}

#[test]
fn an_ancestor_of_the_living_keeps_its_whole_batch() {
    let all = vec![batch("1", &[("a", ""), ("b", "")])];
    let keeps = "a is an ancestor of c, which is in the store";
    expect(&told(all, &[("c", "a")], &Wanted::All), &[("1", keeps)]);
}

#[test]
fn ancestors_are_kept_across_batches_and_past_what_is_gone() {
    let all = vec![
        batch("3", &[("c", "b")]),
        batch("2", &[("x", "")]),
        batch("1", &[("a", "")]),
    ];
    // `b` lives between the two; `d` descends from `c`.
    let alive = [("b", "a"), ("d", "c")];
    let of = |session: &str, of: &str| {
        format!("{session} is an ancestor of {of}, which is in the store")
    };
    expect(
        &told(all, &alive, &Wanted::Expired(now())),
        &[("3", &of("c", "d")), ("2", ""), ("1", &of("a", "b"))],
    );
}

#[test]
fn an_ancestor_of_what_stays_in_the_trash_stays_and_goes_with_it() {
    let all = vec![batch("2", &[("b", "a")]), batch("1", &[("a", "")])];
    let keeps = "a is an ancestor of b, which is in the trash";
    expect(&told(all.clone(), &[], &these(&["1"])), &[("1", keeps)]);
    expect(&told(all.clone(), &[], &these(&["2"])), &[("2", "")]);
    expect(&told(all, &[], &Wanted::All), &[("2", ""), ("1", "")]);
}

#[test]
fn what_is_kept_keeps_its_own_ancestors() {
    let all = vec![
        batch("3", &[("c", ""), ("x", "b")]),
        batch("2", &[("b", "a")]),
        batch("1", &[("a", "")]),
    ];
    expect(
        &told(all, &[("d", "c")], &Wanted::All),
        &[
            ("3", "c is an ancestor of d, which is in the store"),
            ("2", "b is an ancestor of x, which is in the trash"),
            ("1", "a is an ancestor of x, which is in the trash"),
        ],
    );
}

#[test]
fn of_two_folders_of_one_id_neither_goes() {
    let all = vec![batch("2", &[("a", "")]), batch("1", &[("a", "")])];
    let keeps = "a is an ancestor of c, which is in the store";
    let told = told(all, &[("c", "a")], &Wanted::All);
    expect(&told, &[("2", keeps), ("1", keeps)]);
}

#[test]
fn cycles_end_and_keep_only_what_something_else_needs() {
    let all = vec![
        batch("3", &[("self", "self")]),
        batch("2", &[("b", "a")]),
        batch("1", &[("a", "b")]),
    ];
    let none = told(all.clone(), &[], &Wanted::All);
    expect(&none, &[("3", ""), ("2", ""), ("1", "")]);
    let keeps = "a is an ancestor of b, which is in the trash";
    expect(&told(all, &[], &these(&["1"])), &[("1", keeps)]);
}

#[test]
fn nothing_goes_while_a_part_of_the_trash_cannot_be_read() {
    let mut unclear = batch("2", &[]);
    unclear.unclear = Some(SafeText::line("it cannot be read: EIO"));
    let all = vec![batch("3", &[("b", "")]), unclear, batch("1", &[("a", "")])];
    let keeps = "what descends from it cannot be told: batch 2: it cannot be read: EIO";
    expect(&told(all, &[], &these(&["1"])), &[("1", keeps)]);
}

#[test]
fn a_report_counts_and_gives_reasons() {
    let all = vec![
        batch("2", &[("b", "a"), ("x", "")]),
        batch("1", &[("a", "")]),
    ];
    let plan = TrashPlan::new(place(1), all, &living(&[("c", "a")]), &Wanted::All);
    let mut report = plan.report();
    let text = "\
Trash to empty (1 batch, 2 sessions, 200 B):
  2  2 sessions, 200 B
Kept in the trash 1 batch:
  1  a is an ancestor of c, which is in the store
";
    assert_eq!(report.to_string(), text);
    report
        .warnings
        .push(Warning::Unrecorded(SafeText::line("w")));
    let json = serde_json::json!({
        "schema": 1, "dryRun": true, "bytes": 200,
        "emptied": [{"batch": "2", "sessions": 2, "bytes": 200}],
        "kept": [{"batch": "1", "reason": "a is an ancestor of c, which is in the store"}],
        "failed": [], "warnings": ["w"],
    });
    assert_eq!(serde_json::to_value(&report).unwrap(), json);
}

#[test]
fn what_in_the_store_cannot_be_read_is_told_if_anything_goes() {
    let unreadable = Living {
        unreadable: BTreeMap::from(["x", "y"].map(|name| (id(name), Sighting::default()))),
        ..Living::default()
    };
    let all = vec![batch("1", &[("a", "")])];
    let plan = |wanted: &Wanted| TrashPlan::new(place(1), all.clone(), &unreadable, wanted);
    let told = plan(&Wanted::All).report().warnings;
    assert_eq!(told, [Warning::DamagedWithoutParent(2)]);
    assert_eq!(plan(&these(&[])).report().warnings, []);
}

#[test]
fn what_the_store_refuses_has_failed() {
    let all = vec![batch("1", &[("a", "")])];
    let mut plan = TrashPlan::new(place(1), all, &Living::default(), &Wanted::All);
    plan.keep_all(&Refusal::StoreBusy);
    assert_eq!(plan.going().count(), 0);
    let report = plan.report();
    assert_eq!((report.emptied.len(), report.kept.len()), (0, 0));
    assert_eq!(report.failed[0].reason, Refusal::StoreBusy.to_string());
}

/// Sessions 0 to 9 with any parents (cycles too), each in the store (0) or in a batch (1 to 4).
fn forests() -> impl Strategy<Value = (Vec<(usize, usize)>, Vec<usize>)> {
    let sessions = prop::collection::vec((0..12usize, 0..5usize), 10);
    (sessions, prop::collection::vec(1..5usize, 0..5))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_stays_loses_an_ancestor((sessions, asked) in forests()) {
        let name = |number: usize| format!("s{number}");
        let shelves: Vec<Shelved> = (1..5).map(|number| {
            let members: Vec<(String, String)> = sessions.iter().enumerate()
                .filter(|(_, (_, home))| *home == number)
                .map(|(at, (parent, _))| (name(at), name(*parent)))
                .collect();
            let members: Vec<(&str, &str)> =
                members.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            batch(&number.to_string(), &members)
        }).collect();
        let alive: Vec<_> = sessions.iter().enumerate()
            .filter(|(_, (_, home))| *home == 0)
            .map(|(at, (parent, _))| (id(&name(at)), id(&name(*parent))))
            .collect();
        let names: Vec<String> = asked.iter().map(usize::to_string).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let alive = Living { children: alive, ..Living::default() };
        let plan = TrashPlan::new(place(1), shelves, &alive, &these(&names));
        let goes = |home: usize| {
            plan.going().any(|shelved| shelved.batch.batch.as_str() == home.to_string())
        };
        // By hand: who stays, and all it descends from.
        let mut needed = [false; 12];
        for (at, (_, home)) in sessions.iter().enumerate() {
            let mut next = (!goes(*home)).then_some(at);
            let mut steps = 0;
            while let Some(at) = next.filter(|_| steps < 20) {
                next = sessions.get(at).map(|(parent, _)| *parent);
                if let Some(parent) = next {
                    needed[parent] = true;
                }
                steps += 1;
            }
        }
        for (at, (_, home)) in sessions.iter().enumerate() {
            prop_assert!(!(needed[at] && goes(*home)), "{} is needed", name(at));
        }
        // And nothing is kept for no reason.
        for (shelved, fate) in plan.batches() {
            if let Fate::Keep(KeepBatch::Ancestor { session, .. }) = fate {
                let number: usize = session.as_str()[1..].parse().unwrap();
                prop_assert!(needed[number], "{} keeps {:?}", session, shelved.batch.batch);
            }
        }
    }
}
