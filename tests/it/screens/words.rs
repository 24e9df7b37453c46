//! What is promised, counted and told of a prune, a restore and a session.

use chrono::TimeDelta;
use sesstree::app::msg::{Effect, Held, Msg};
use sesstree::prune::report::{NotRestored, Progress, RestoreReport};
use sesstree::session::Refusal;

use super::data::{id, now, session};
use super::desk::{Desk, Setup, desk};
use super::prune::{at_confirm, wide};

#[test]
fn until_when_it_can_be_undone_is_said_and_when_the_space_comes_back() {
    let mut desk = at_confirm();
    desk.sees("Can be undone until 8 Nov: u, or sesstree trash restore.");
    desk.sees("The first prune by age after that frees their space.");
    desk.press("y");
    desk.sees("freed now: 0 B · in trash: 1.9 MiB · can be undone until 8 Nov");
    desk.show(Msg::Tick(now() + TimeDelta::days(2)));
    desk.sees("can be undone until 8 Nov");
    for (width, said) in [
        (60, "undo until 8 Nov · in trash: 1.9 MiB · freed now: 0 B"),
        (40, "│ undo until 8 Nov · in trash: 1.9 MiB "),
    ] {
        desk.resize(width, 15);
        desk.sees(said);
    }
}

#[test]
fn a_prune_that_removed_nothing_promises_no_undo() {
    let mut desk = at_confirm();
    desk.keep_waiting(|effect| matches!(effect, Effect::Prune { .. }));
    desk.press("y");
    let Some(Effect::Prune { plan, .. }) = desk.waiting.pop_front() else {
        panic!("no prune");
    };
    let mut report = sesstree::prune::report::PruneReport::dry(plan.plan());
    report.kept.append(&mut report.removed);
    desk.show(Msg::Pruned(Ok(Box::new(report))));
    desk.sees("0 removed · 4 kept · 1 unchecked · 3 fewer than in the preview (!)");
    desk.sees("│ freed now: 0 B  ");
    desk.sees_not("undone");
}

/// A restore in which these could not be brought back.
fn restored(desk: &mut Desk, restored: usize, failed: Vec<(String, Refusal)>) {
    desk.keep_waiting(|effect| matches!(effect, Effect::Restore { .. }));
    desk.press("yu");
    desk.waiting.clear();
    let failed = failed.into_iter().map(|(name, reason)| NotRestored {
        id: id(&name),
        reason: reason.to_string(),
    });
    desk.show(Msg::Restored(Ok(RestoreReport {
        schema: 1,
        restored: (0..restored).map(|i| id(&format!("back{i}"))).collect(),
        failed: failed.collect(),
        warnings: Vec::new(),
    })));
}

#[test]
fn what_was_not_restored_is_counted_by_reason_and_a_few_are_named() {
    let mut failed = vec![("scratch".to_owned(), Refusal::Busy)];
    failed.push(("notes".to_owned(), Refusal::Clash));
    failed.extend((0..1_234).map(|i| (format!("lost{i}"), Refusal::Clash)));
    let mut desk = at_confirm();
    restored(&mut desk, 3_474, failed.clone());
    desk.sees("3,474 sessions restored, 1,236 still in the trash (u).");
    desk.sees("1,235: a session of this id is in the store already:");
    desk.sees("“notes on the build”, “lost0”, “lost1” and 1,232 more");
    desk.sees("1: busy: being written:");
    desk.sees("“scratch”");
    desk.press("<Enter>");
    desk.sees("Sessions · ");
    let mut desk = Setup::new(wide()).size(40, 10).sit();
    desk.press("p<Enter>c");
    restored(&mut desk, 3_474, failed);
    desk.sees("1,236 still");
    desk.sees("in the trash (u).");
    desk.sees("Esc back");
}

#[test]
fn numbers_have_separators_everywhere() {
    let mut desk = at_confirm();
    restored(&mut desk, 3_474, Vec::new());
    desk.sees("3,474 sessions restored");

    let old = |i| session(&format!("old{i:04}"), "an old one", "", 2_400);
    let mut sessions: Vec<_> = (0..1_200).map(old).collect();
    sessions.push(session("top", "the top", "", 2_500));
    sessions.extend((0..1_000).map(|i| session(&format!("kid{i:03}"), "a kid", "top", 2_400)));
    let mut desk = Setup::new(sessions).sit();
    desk.press("/the top<Enter>d");
    desk.sees("has 1,000 sessions below it");
    desk.sees("s all 1,001");
    desk.press("<Esc><Esc>p<Enter>c");
    desk.sees("That is more than half of all 2,201.");
    desk.press("<Esc>");
    desk.keep_waiting(|effect| matches!(effect, Effect::DryRun { .. }));
    desk.press("<Esc>p<Enter>");
    let Some(Effect::DryRun { generation, .. }) = desk.waiting.front() else {
        panic!("no dry run");
    };
    let (generation, progress) = (
        *generation,
        Progress {
            done: 1_609,
            total: 2_201,
        },
    );
    desk.show(Msg::Progress {
        generation,
        progress,
    });
    desk.sees(" 1,609 of 2,201 ");
}

#[test]
fn a_wrong_word_removes_nothing_and_says_so() {
    let old = |i| session(&format!("old{i}"), "an old one", "", 2_400);
    let mut desk = Setup::new((0..4).map(old).collect()).sit();
    desk.press("p<Enter>cprun<Enter>");
    desk.sees("nothing was removed: the word was not typed");
    desk.sees("Would remove 4");
    desk.press("c<Esc>");
    desk.sees_not("nothing was removed");
    assert!(!desk.asked("Prune"));
}

#[test]
fn a_lock_that_stays_is_seen_to_have_been_tried_again() {
    let mut desk = desk();
    desk.held = Err(Refusal::LockedByPrune);
    desk.press("j<Enter>");
    desk.sees("“try the cookie approach” is locked by a prune; try again");
    desk.press("r");
    desk.sees("“try the cookie approach” is still locked by a prune; try");
    desk.sees("(tried 2 times)");
    desk.press("r");
    desk.sees("(tried 3 times)");
    desk.held = Ok(Held::default());
    desk.press("r");
    desk.sees("Continue with:");
}

#[test]
fn a_fork_says_that_it_is_one_reply_without_a_screen() {
    for (width, height) in [(120, 35), (40, 10)] {
        let mut desk = Setup::new(wide()).size(width, height).sit();
        desk.press("jf");
        desk.sees("Enter: one reply of zero in the");
        desk.sees("without its screen");
        desk.sees("Esc cancel");
    }
}

#[test]
fn one_below_is_told_as_one() {
    let sessions = vec![
        session("top", "the top", "", 2_400),
        session("low", "the only one", "top", 2_400),
    ];
    let mut desk = Setup::new(sessions).sit();
    desk.press("d");
    desk.sees("“the top” has 1 session below it: “the only one”. If it");
    desk.sees("that one goes too.");
    desk.sees("s both  t only this one");
}

#[test]
fn a_session_of_the_future_is_marked_and_ranks_last() {
    let mut sessions = wide();
    let mut ahead = session("ahead", "from the future", "", -24 * 400);
    ahead.created_at = ahead.activity_at;
    sessions.push(ahead);
    sessions.push(session("soon", "a clock that differs a little", "", 0));
    let at = sessions.last().unwrap().activity_at.unwrap() + TimeDelta::seconds(30);
    sessions.last_mut().unwrap().activity_at = Some(at);
    let mut desk = Setup::new(sessions).sit();
    assert!(
        desk.cursor().contains("a clock that differs"),
        "{}",
        desk.text()
    );
    for keys in ["", "o"] {
        desk.press(keys);
        let row = desk.line("! from the future · its time");
        assert!(row.contains(" ? "), "{row}");
        let text = desk.text();
        assert!(
            text.find("from the future") > text.find("scratch"),
            "{text}"
        );
    }
    desk.press("oooo/future<Enter>");
    desk.sees("kept by a prune: its time cannot be right:");
    desk.sees("2027-12-06");
}

#[test]
fn a_newer_one_below_is_told_although_another_is_of_the_future() {
    let mut sessions = wide();
    sessions.push(session("kid", "of this hour", "scratch", 1));
    sessions.push(session("ahead", "from the future", "scratch", -2_400));
    let mut desk = Setup::new(sessions).sit();
    desk.press("z");
    assert!(desk.line("scratch").contains("90d·1h"), "{}", desk.text());
}
