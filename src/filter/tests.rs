use std::path::Path;
use std::sync::Arc;

use chrono::TimeDelta;
use proptest::prelude::*;

use super::*;
use crate::session::{
    Agent, Condition, Folder, Holder, Openness, SessionId, SessionKind, Sighting,
};

fn now() -> DateTime<Utc> {
    "2026-11-01T12:00:00Z".parse().unwrap()
}

fn session() -> Session {
    Session {
        agent: Agent::Zero,
        id: SessionId::parse("zero_20260801_1").unwrap(),
        title: SafeText::line("Fix Login ÄRGER"),
        kind: SessionKind::Fork,
        cwd: Some(Arc::new(Folder::new(Path::new("/home/you/src/api")))),
        model: Some(Arc::new(SafeText::line("gpt-x"))),
        parent: None,
        created_at: None,
        activity_at: Some(now() - TimeDelta::days(3)),
        events: None,
        condition: Condition::Sound,
        bytes: Some(5_000_000),
        open: Openness::NoSign,
        pinned: false,
        seen: Sighting::default(),
    }
}

fn titled(id: &str, title: &str) -> Session {
    Session {
        id: SessionId::parse(id).unwrap(),
        title: SafeText::line(title),
        cwd: None,
        model: None,
        ..session()
    }
}

fn score(text: &str, session: &Session, marks: Marks) -> Score {
    let filter = Filter::new(text, now());
    assert_eq!(filter.mistakes(), [], "{text:?}");
    Finder::new(&filter).score(session, marks)
}

#[track_caller]
fn check(text: &str, expected: bool) {
    let matches = score(text, &session(), Marks::default()) > 0;
    assert_eq!(matches, expected, "{text:?}");
}

#[test]
fn every_word_must_be_somewhere_whatever_the_case() {
    check("", true);
    check("  ", true);
    check("login", true);
    check("LOGIN fix", true);
    check("ärger", true);
    check("arger", true);
    check("api", true);
    check("gpt", true);
    check("fork", true);
    check("20260801", true);
    check("login other", false);
    check("loginapi", false);
    check("src", false);
}

#[test]
fn letters_may_be_left_out_of_texts_but_not_of_names() {
    check("fxlgn", true);
    check("'fxlgn", false);
    check("2681", false);
    check("gtx", false);
    check("^fix", true);
    check("^login", false);
    check("ärger$", true);
    check("!login", false);
    check("!other", true);
}

#[test]
fn terms_are_true_or_not() {
    for (text, expected) in [
        ("agent:zero", true),
        ("agent:codex", false),
        ("project:SRC/ap", true),
        ("project:web", false),
        ("!project:web login", true),
        ("kind:fork", true),
        ("kind:main", false),
        ("model:gpt", true),
        ("model:opus", false),
        ("older:2d", true),
        ("older:3d", false),
        ("newer:3d", true),
        ("newer:71h", false),
        ("older:1w", false),
        ("newer:1y", true),
        ("size:>4mb", true),
        ("size:>5mb", true),
        ("size:4MB", true),
        ("size:<5mb", false),
        ("size:<1gib", true),
        ("is:open", false),
        ("!is:open is:old", false),
        ("project:\"/home/you\"", true),
        ("fix:", false),
        ("is: login", true),
    ] {
        check(text, expected);
    }
}

#[test]
fn states_are_told_from_the_session_and_what_is_known_besides() {
    let held = Session {
        open: Openness::Open(Holder {
            pid: 1,
            process: SafeText::line("zero"),
        }),
        pinned: true,
        condition: Condition::Linked,
        ..session()
    };
    let marks = Marks {
        old: true,
        selected: true,
    };
    for state in ["open", "old", "pinned", "damaged", "selected"] {
        assert!(score(&format!("is:{state}"), &held, marks) > 0, "{state}");
        assert_eq!(score(&format!("!is:{state}"), &held, marks), 0, "{state}");
        assert_eq!(
            score(&format!("is:{state}"), &session(), Marks::default()),
            0
        );
    }
    let unknown = Session {
        activity_at: None,
        bytes: None,
        ..session()
    };
    for text in ["older:1d", "newer:1d", "size:>1", "size:<1gb"] {
        assert_eq!(score(text, &unknown, Marks::default()), 0, "{text}");
    }
}

#[test]
fn what_cannot_be_understood_is_told_and_chooses_nothing() {
    for (text, expected) in [
        ("older:soon", "an age: 12h, 3d, 2w, 1y"),
        ("newer:3", "an age: 12h, 3d, 2w, 1y"),
        ("older:-3d", "an age: 12h, 3d, 2w, 1y"),
        ("older:99999999999999y", "an age: 12h, 3d, 2w, 1y"),
        ("size:big", "a size: >10mb, <1gb"),
        ("is:opened", "open, old, pinned, damaged or selected"),
    ] {
        let filter = Filter::new(&format!("login {text}"), now());
        let mistake = Mistake {
            term: SafeText::line(text),
            expected,
        };
        assert_eq!(filter.mistakes(), [mistake], "{text}");
        assert!(Finder::new(&filter).score(&session(), Marks::default()) > 0);
    }
}

#[test]
fn a_better_match_has_the_better_score() {
    let better = |text: &str, good: &str, bad: &str| {
        let good = score(text, &titled("a", good), Marks::default());
        let bad = score(text, &titled("b", bad), Marks::default());
        assert!(good > bad && bad > 0, "{text}: {good} {bad}");
    };
    better(
        "login",
        "Fix the login page",
        "later: look again into it, now",
    );
    better("db", "db migration", "add bold");
    better("fix log", "fix login", "fix the old catalog");
}

#[test]
fn letters_that_matched_are_told() {
    let filter = Filter::new("lgn !other fix", now());
    assert_eq!(
        Finder::new(&filter).found_in("Fix Login"),
        [0, 1, 2, 4, 6, 8]
    );
    assert!(Finder::new(&filter).found_in("api").is_empty());
    assert_eq!(
        Finder::new(&Filter::new("ärger", now())).found_in("ein ÄRGER"),
        [4, 5, 6, 7, 8]
    );
}

proptest! {
    /// Typing on looks only at what matched, and finds the same as looking at all.
    #[test]
    fn typing_on_finds_what_looking_at_all_does(
        titles in prop::collection::vec("[abc ]{0,8}", 1..30),
        typed in "[abc!'^$: ]{0,6}",
        more in "[abc!'^$ ]{0,3}",
    ) {
        let sessions = titles.iter().enumerate();
        let sessions = sessions.map(|(at, title)| titled(&format!("s{at}"), title));
        let lineage = Lineage::unsorted(sessions.collect());
        let none = |_| Marks::default();
        let before = Filter::new(&typed, now());
        let scores = before.scores(&lineage, &none, None);
        let filter = Filter::new(&format!("{typed}{more}"), now());
        prop_assert_eq!(
            filter.scores(&lineage, &none, Some((&before, &scores))),
            filter.scores(&lineage, &none, None)
        );
    }
}

#[test]
fn many_are_looked_at_by_several() {
    let count = SHARE * 2 + 1;
    let sessions =
        (0..count).map(|at| titled(&format!("s{at}"), if at % 3 == 0 { "login" } else { "x" }));
    let lineage = Lineage::unsorted(sessions.collect());
    let scores = Filter::new("login", now()).scores(&lineage, &|_| Marks::default(), None);
    let expected: Vec<bool> = lineage
        .sessions()
        .iter()
        .map(|s| s.title.as_str() == "login")
        .collect();
    assert_eq!(
        scores.iter().map(|score| *score > 0).collect::<Vec<_>>(),
        expected
    );
}

#[track_caller]
fn completes(text: &str, to: Option<&str>, choices: &[&str]) {
    let lineage = Lineage::unsorted(vec![session(), titled("other", "x")]);
    let completion = complete(text, &lineage);
    assert_eq!(completion.text.as_deref(), to, "{text:?}");
    assert_eq!(completion.choices, choices, "{text:?}");
}

#[test]
fn keys_and_values_are_completed() {
    completes("", None, &[]);
    completes("login ", None, &[]);
    completes("xyz", None, &[]);
    completes("pr", Some("project:"), &[]);
    completes("login !is:o", None, &["old", "open"]);
    completes("login !is:op", Some("login !is:open "), &[]);
    completes("o", Some("older:"), &[]);
    completes("project:", Some("project:api "), &[]);
    completes("kind:", Some("kind:fork "), &[]);
    completes("size:>", None, &[]);
    completes("is:p", Some("is:pinned "), &[]);
}
