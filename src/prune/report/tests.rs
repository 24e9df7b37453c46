use chrono::TimeDelta;

use super::*;
use crate::lineage::Lineage;
use crate::prune::policy::{Age, Policy};
use crate::session::{Agent, Condition, Openness, Refusal, SessionKind, Sighting};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_793_534_400, 0).unwrap()
}

fn session(name: &str, parent: &str) -> Session {
    Session {
        agent: Agent::Zero,
        id: SessionId::parse(name).unwrap(),
        title: SafeText::line(&format!("title of {name}")),
        kind: SessionKind::Fork,
        cwd: None,
        model: None,
        parent: SessionId::parse(parent),
        created_at: None,
        activity_at: Some(now() - TimeDelta::days(60)),
        events: None,
        condition: Condition::Sound,
        bytes: Some(2048),
        open: Openness::NoSign,
        pinned: false,
        seen: Sighting::default(),
    }
}

/// `c` stays open and keeps `b`; `a` goes; `d` is gone, `e` went wrong.
fn plan() -> PrunePlan {
    let sessions = [("a", ""), ("b", ""), ("c", "b"), ("d", ""), ("e", "")];
    let sessions = sessions.map(|(name, parent)| session(name, parent));
    let policy = Policy::all(Age::days(30).unwrap(), now());
    let mut plan = PrunePlan::new(&Lineage::new(sessions.to_vec()), policy);
    let place = |plan: &PrunePlan, name: &str| plan.find(&SessionId::parse(name).unwrap()).unwrap();
    for (name, verdict) in [
        ("c", Verdict::Keep(Refusal::OpenOrLocked.into())),
        ("d", Verdict::Gone),
        ("e", Verdict::Failed(SafeText::line("no space"))),
    ] {
        let at = place(&plan, name);
        plan.judge(at, verdict);
    }
    plan
}

#[test]
fn a_dry_run_in_words() {
    let text = "\
Would remove 1 session last updated before 2026-10-02T12:00:00Z (2.0 KiB):
  a  2026-09-02  title of a
Kept 2 old enough to remove:
  c  2026-09-02  open or locked by another process
  b  2026-09-02  ancestor of a session that stays: c
Could not remove 1:
  e  2026-09-02  no space
Found 1 already gone:
  d  2026-09-02  already gone
";
    assert_eq!(PruneReport::dry(&plan()).to_string(), text);
}

#[test]
fn nothing_to_remove_in_words() {
    let policy = Policy::all(Age::days(90).unwrap(), now());
    let plan = PrunePlan::new(&Lineage::new(vec![session("a", "")]), policy);
    let text = "\
No sessions to remove: nothing last updated before 2026-08-03T12:00:00Z can go.
";
    assert_eq!(PruneReport::dry(&plan).to_string(), text);
}

#[test]
fn a_removal_tells_how_to_undo_it_and_what_it_did_not_reach() {
    let batch = BatchId::parse("20261101T120000Z-abc123");
    let done = PruneReport::done(&plan(), batch.clone(), |_| true);
    let undo = "In the trash; to undo: sesstree trash restore 20261101T120000Z-abc123\n";
    assert!(done.to_string().starts_with("Removed 1 session "));
    assert!(done.to_string().ends_with(undo));
    let stopped = PruneReport::done(&plan(), None, |_| false);
    assert_eq!((stopped.removed.len(), stopped.not_reached.len()), (0, 1));
    let told = stopped.to_string();
    assert!(told.starts_with("Removed 0 sessions "), "{told}");
    assert!(told.contains("Did not reach 1:\n  a  2026-09-02\n"));
}

#[test]
fn json_is_the_reference_shape() {
    let json = serde_json::to_value(PruneReport::dry(&plan())).unwrap();
    let expected = serde_json::json!({
        "schema": 1, "cutoff": "2026-10-02T12:00:00Z", "dryRun": true,
        "removed": [{"sessionId": "a", "title": "title of a", "kind": "fork",
            "updatedAt": "2026-09-02T12:00:00Z", "bytes": 2048}],
        "kept": [
            {"sessionId": "c", "title": "title of c", "kind": "fork",
                "updatedAt": "2026-09-02T12:00:00Z", "bytes": 2048,
                "reason": "open or locked by another process"},
            {"sessionId": "b", "title": "title of b", "kind": "fork",
                "updatedAt": "2026-09-02T12:00:00Z", "bytes": 2048,
                "reason": "ancestor of a session that stays: c"},
        ],
        "failed": [{"sessionId": "e", "title": "title of e", "kind": "fork",
            "updatedAt": "2026-09-02T12:00:00Z", "bytes": 2048, "reason": "no space"}],
        "gone": [{"sessionId": "d", "title": "title of d", "kind": "fork",
            "updatedAt": "2026-09-02T12:00:00Z", "bytes": 2048, "reason": "already gone"}],
    });
    assert_eq!(json, expected);
}

#[test]
fn an_undated_session_has_an_empty_time() {
    let mut undated = session("a", "");
    undated.activity_at = None;
    let policy = Policy::all(Age::MIN, now());
    let report = PruneReport::dry(&PrunePlan::new(&Lineage::new(vec![undated]), policy));
    assert_eq!(report.kept[0].updated_at, "");
    assert!(
        report
            .to_string()
            .contains("  a  undated     its last update time")
    );
}

#[test]
fn names_of_batches() {
    for name in ["20261101T120000Z-abc123", "2", &"1".repeat(64)] {
        assert_eq!(BatchId::parse(name).unwrap().as_str(), name);
    }
    for name in [
        "",
        "a",
        "-1",
        ".1",
        "1/2",
        "1.2",
        "1 2",
        "1é",
        &"1".repeat(65),
    ] {
        assert_eq!(BatchId::parse(name), None, "{name:?}");
    }
}
