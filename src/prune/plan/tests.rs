use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;

use super::*;
use crate::prune::policy::Age;
use crate::session::{Agent, Holder, Openness, Refusal, SessionKind};
use crate::text::SafeText;

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_793_534_400, 0).unwrap()
}

fn id(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

/// A sound session, active `days` ago, under `parent` unless that is empty.
fn session(name: &str, parent: &str, days: i64) -> Session {
    Session {
        agent: Agent::Zero,
        id: id(name),
        title: SafeText::default(),
        kind: SessionKind::Main,
        cwd: None,
        model: None,
        parent: SessionId::parse(parent),
        created_at: None,
        activity_at: Some(now() - TimeDelta::days(days)),
        events: None,
        condition: Condition::Sound,
        bytes: None,
        open: Openness::NoSign,
        pinned: false,
        seen: Sighting::default(),
    }
}

fn old() -> Policy {
    Policy::all(Age::days(30).unwrap(), now())
}

fn chosen(names: &[&str]) -> Policy {
    Policy::chosen(names.iter().map(|name| id(name)).collect(), now())
}

fn plan(sessions: &[Session], policy: Policy) -> PrunePlan {
    PrunePlan::new(&Lineage::new(sessions.to_vec()), policy)
}

/// `id: verdict` of every candidate, in the plan's order.
fn told(plan: &PrunePlan) -> Vec<String> {
    let line = |candidate: &Candidate| {
        let id = &candidate.session.id;
        match candidate.verdict() {
            Verdict::Remove => format!("{id}: remove"),
            Verdict::Keep(reason) => format!("{id}: {reason}"),
            Verdict::Gone => format!("{id}: gone"),
            Verdict::Failed(why) => format!("{id}: failed: {why}"),
        }
    };
    plan.candidates().iter().map(line).collect()
}

#[track_caller]
fn check(sessions: &[Session], policy: Policy, expected: &[&str]) {
    assert_eq!(told(&plan(sessions, policy)), expected);
}

#[test]
fn deepest_first_then_oldest_then_by_id() {
    check(
        &[
            session("root", "", 99),
            session("b", "root", 40),
            session("a", "root", 40),
            session("older", "root", 50),
            session("leaf", "b", 31),
            session("alone", "", 100),
        ],
        old(),
        &[
            "leaf: remove",
            "older: remove",
            "a: remove",
            "b: remove",
            "alone: remove",
            "root: remove",
        ],
    );
}

#[test]
fn strictly_before_the_cutoff_in_whole_seconds() {
    let mut at = session("at", "", 30);
    let mut before = session("before", "", 30);
    before.activity_at = Some(now() - TimeDelta::days(30) - TimeDelta::milliseconds(1));
    let policy = Policy::all(Age::days(30).unwrap(), now() + TimeDelta::milliseconds(999));
    check(&[at.clone(), before], policy.clone(), &["before: remove"]);
    at.activity_at = Some(now() - TimeDelta::days(30) + TimeDelta::milliseconds(500));
    check(&[at], policy, &[]);
}

#[test]
fn what_is_odd_stays_with_its_reason() {
    let with = |name: &str, change: fn(&mut Session)| {
        let mut session = session(name, "", 60);
        change(&mut session);
        session
    };
    check(
        &[
            with("undated", |s| s.activity_at = None),
            with("future", |s| {
                s.activity_at = Some(now() + TimeDelta::seconds(1));
            }),
            with("ancient", |s| {
                s.activity_at = DateTime::from_timestamp(0, 0);
            }),
            with("linked", |s| s.condition = Condition::Linked),
            with("copy", |s| s.condition = Condition::Copy(None)),
            with("remnant", |s| s.condition = Condition::Remnant(None)),
            with("torn", |s| {
                s.condition = Condition::Damaged(SafeText::line("torn"));
                s.pinned = true;
            }),
        ],
        old(),
        &[
            "undated: its last update time could not be read",
            "ancient: its time cannot be right: dated before 2020",
            "copy: its metadata names no session",
            "linked: linked folder",
            "remnant: remnant: no metadata",
            "torn: damaged: torn",
            "future: its time cannot be right: dated in the future",
        ],
    );
}

#[test]
fn a_cycle_stays_and_what_hangs_off_it_may_go() {
    check(
        &[
            session("a", "b", 60),
            session("b", "a", 60),
            session("self", "self", 60),
            session("leaf", "a", 60),
        ],
        old(),
        &[
            "leaf: remove",
            "a: descends from itself",
            "b: descends from itself",
            "self: descends from itself",
        ],
    );
}

#[test]
fn the_chosen_only_and_none_younger_than_a_day() {
    let sessions = [
        session("a", "", 90),
        session("b", "a", 2),
        session("c", "a", 0),
        session("d", "", 90),
    ];
    check(&sessions, chosen(&["b"]), &["b: remove"]);
    let young = "c: active in the last 24 hours";
    let parent = "a: ancestor of a session that stays: c";
    check(
        &sessions,
        chosen(&["a", "b", "c"]),
        &["b: remove", young, parent],
    );
    check(&sessions, chosen(&["nosuch"]), &[]);
}

#[test]
fn taking_one_out_keeps_its_ancestors_and_putting_it_back_lets_them_go() {
    let sessions = [
        session("a", "", 90),
        session("b", "a", 80),
        session("c", "b", 70),
        session("d", "b", 70),
    ];
    let mut plan = plan(&sessions, old());
    plan.toggle(&id("c"));
    assert_eq!(
        told(&plan),
        [
            "c: taken out of the preview",
            "d: remove",
            "b: ancestor of a session that stays: c",
            "a: ancestor of a session that stays: c",
        ]
    );
    assert!(plan.candidates()[0].taken_out());
    plan.toggle(&id("c"));
    assert_eq!(plan.removals().count(), 4);
    plan.toggle(&id("nosuch"));
    assert_eq!(plan.removals().count(), 4);
}

#[test]
fn what_stays_anyway_cannot_be_taken_out_or_put_in() {
    let sessions = [session("a", "", 90), session("b", "a", 0)];
    let mut plan = plan(&sessions, old());
    let before = told(&plan);
    plan.toggle(&id("a"));
    assert_eq!(told(&plan), before);
}

#[test]
fn a_refusal_keeps_the_ancestors_past_what_is_gone() {
    let sessions = [
        session("a", "", 90),
        session("b", "a", 80),
        session("c", "b", 70),
    ];
    let mut plan = plan(&sessions, old());
    let (c, b) = (0, 1);
    plan.judge(b, Verdict::Gone);
    assert_eq!(told(&plan)[2], "a: remove", "what is gone keeps nobody");
    plan.judge(c, Verdict::Keep(Refusal::OpenOrLocked.into()));
    let expected = [
        "c: open or locked by another process",
        "b: gone",
        "a: ancestor of a session that stays: c",
    ];
    assert_eq!(told(&plan), expected);
    plan.settle();
    assert_eq!(told(&plan), expected);
}

#[test]
fn a_refused_ancestor_of_what_stays_is_told_as_an_ancestor() {
    let sessions = [session("a", "", 90), session("b", "a", 80)];
    let open = || Verdict::Keep(Refusal::OpenOrLocked.into());
    let mut asked = plan(&sessions, old());
    asked.judge(1, open());
    asked.judge(0, Verdict::Keep(Refusal::Updated.into()));
    asked.settle();
    let mut not_asked = plan(&sessions, old());
    not_asked.judge(0, Verdict::Keep(Refusal::Updated.into()));
    not_asked.settle();
    assert_eq!(told(&asked), told(&not_asked));
    assert_eq!(told(&asked)[1], "a: ancestor of a session that stays: b");
}

#[test]
fn odd_folders_are_known_and_counted_too() {
    let mut sessions = vec![session("sound", "", 1), session("copy", "", 1)];
    sessions[1].condition = Condition::Copy(None);
    for (name, condition) in [
        ("remnant", Condition::Remnant(None)),
        ("linked", Condition::Linked),
        ("damaged", Condition::Damaged(SafeText::line("torn"))),
    ] {
        let mut odd = session(name, "", 1);
        odd.condition = condition;
        sessions.push(odd);
    }
    let plan = plan(&sessions, old());
    let known = |name: &str| plan.known(&id(name)).is_some();
    assert!(sessions.iter().all(|session| known(session.id.as_str())));
    assert!(!known("none"));
    assert_eq!(plan.damaged_without_parent(), 1);
    assert_eq!(plan.store_count(), 5);
}

#[test]
fn the_outlook_counts_what_is_known_to_be_open() {
    let mut sessions = [
        session("a", "", 90),
        session("b", "a", 80),
        session("c", "b", 70),
        session("d", "", 1),
    ];
    sessions[1].open = Openness::Open(Holder {
        pid: 1,
        process: SafeText::default(),
    });
    let lineage = Lineage::new(sessions.to_vec());
    let outlook = outlook(&lineage, &old());
    let of = |name: &str| outlook[lineage.find(&id(name)).unwrap().index()];
    assert_eq!(of("a"), Outlook::Ancestor);
    assert_eq!(of("b"), Outlook::Stays);
    assert_eq!(of("c"), Outlook::Goes);
    assert_eq!(of("d"), Outlook::Stays);
}

/// Any store: parents by index (cycles, missing and later ones too), ages around the cutoff, odd conditions.
fn store() -> impl Strategy<Value = Vec<Session>> {
    let one = (0..20usize, prop::option::of(26..34i64), 0..12u8);
    prop::collection::vec(one, 1..16).prop_map(|drawn| {
        let sessions = drawn
            .into_iter()
            .enumerate()
            .map(|(at, (parent, days, odd))| {
                let parent = if parent < 18 {
                    format!("s{parent}")
                } else {
                    String::new()
                };
                let mut session = session(&format!("s{at}"), &parent, days.unwrap_or(0));
                session.activity_at = session.activity_at.filter(|_| days.is_some());
                session.condition = match odd {
                    0 => Condition::Damaged(SafeText::line("torn")),
                    1 => Condition::Linked,
                    _ => Condition::Sound,
                };
                session
            });
        sessions.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_stays_loses_an_ancestor(
        sessions in store(),
        refused in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        taken_out in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
    ) {
        let lineage = Lineage::new(sessions);
        let mut plan = PrunePlan::new(&lineage, old());
        let count = plan.candidates().len();
        if count > 0 {
            for at in taken_out {
                let id = plan.candidates()[at.index(count)].session.id.clone();
                plan.toggle(&id);
            }
            for at in refused {
                let at = at.index(count);
                if plan.goes(at) {
                    plan.judge(at, Verdict::Keep(Refusal::Busy.into()));
                }
            }
        }
        let carried: HashSet<SessionId> = plan.removals().map(|c| c.session.id.clone()).collect();
        plan.settle();
        let going: HashSet<SessionId> = plan.removals().map(|c| c.session.id.clone()).collect();
        prop_assert_eq!(&carried, &going, "carried one by one or settled at once");
        for node in lineage.nodes().filter(|n| !going.contains(&lineage.get(*n).id)) {
            for ancestor in lineage.ancestors(node) {
                prop_assert!(!going.contains(&lineage.get(ancestor).id));
            }
        }
        for id in &going {
            let session = lineage.session(id).unwrap();
            prop_assert!(session.activity_at.unwrap() < old().cutoff());
            prop_assert_eq!(&session.condition, &Condition::Sound);
        }
        let places: Vec<&SessionId> = plan.candidates().iter().map(|c| &c.session.id).collect();
        for (at, candidate) in plan.candidates().iter().enumerate() {
            if let Some(parent) = candidate.parent {
                prop_assert!(parent > at, "{:?} before its parent", places);
            }
        }
    }

    #[test]
    fn the_order_of_a_listing_does_not_matter(sessions in store(), seed in any::<u64>()) {
        let mut shuffled = sessions.clone();
        let mut random = seed;
        for at in (1..shuffled.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            shuffled.swap(at, usize::try_from(random >> 33).unwrap() % (at + 1));
        }
        prop_assert_eq!(told(&plan(&sessions, old())), told(&plan(&shuffled, old())));
    }
}
