//! From `p`, `d` and `u` to the report: nothing goes without a yes to what was seen.

use chrono::TimeDelta;
use sesstree::app::msg::{CheckTrouble, Effect, Msg};
use sesstree::prune::report::Progress;
use sesstree::session::Refusal;
use sesstree::text::SafeText;

use super::data::{now, sample, session};
use super::desk::{Desk, Setup, desk};

/// A store of which a 30d prune takes less than half.
pub(super) fn wide() -> Vec<sesstree::session::Session> {
    let mut sessions = sample();
    sessions.extend((0..6).map(|i| session(&format!("new{i}"), "of today", "", i)));
    sessions
}

pub(super) fn at_confirm() -> Desk {
    let mut desk = Setup::new(wide()).sit();
    desk.press("p<Enter>c");
    desk
}

#[test]
fn p_asks_for_an_age_and_counts_as_one_types() {
    let mut desk = desk();
    desk.press("p");
    desk.sees("would remove about 3 of 9 · 1.9 MiB");
    insta::assert_snapshot!(desk.text());
    desk.press("<BS><BS><BS>");
    desk.sees("requires a value");
    desk.press("soon");
    desk.sees("expected days like 30d or a duration like 720h");
    desk.press("<Enter>");
    assert!(!desk.asked("DryRun"));
    desk.press("<Esc>");
    desk.sees_not("Prune by age");
}

#[test]
fn the_arrows_step_through_ages() {
    let mut desk = desk();
    desk.press("p<Up>");
    desk.sees("not active for ▏90d");
    desk.press("<Up><Up><Up>");
    desk.sees("not active for ▏365d");
    desk.press("<Down><Down><Down><Down><Down><Down>");
    desk.sees("not active for ▏1d");
}

#[test]
fn a_filter_does_not_narrow_a_prune() {
    let mut desk = desk();
    desk.press("/queue<Enter>p");
    desk.sees("all 9, not only the 1 shown");
    desk.sees("would remove about 3 of 9");
}

#[test]
fn a_broken_setting_never_becomes_an_age() {
    let mut setup = Setup::new(sample());
    setup.start.retention = Err(SafeText::line("sessions.retentionDays is -1"));
    let mut desk = setup.sit();
    desk.sees_not("✂");
    desk.press("p");
    desk.sees("sessions.retentionDays is -1");
    desk.sees("requires a value");
    desk.press("<Enter>");
    assert!(!desk.asked("DryRun"));
}

#[test]
fn the_marks_follow_the_cutoff() {
    let mut desk = desk();
    desk.sees("✂ scratch");
    desk.press("p<Up><Up><Enter><Esc>");
    desk.sees_not("✂ scratch");
    desk.sees("a 180d prune would take it");
}

#[test]
fn enter_starts_a_dry_run_with_progress_and_escape_stops_it() {
    let mut desk = desk();
    desk.keep_waiting(|effect| matches!(effect, Effect::DryRun { .. }));
    desk.press("p<Enter>");
    let Some(Effect::DryRun { generation, .. }) = desk.waiting.front() else {
        panic!("no dry run");
    };
    let progress = Progress { done: 2, total: 5 };
    desk.show(Msg::Progress {
        generation: *generation,
        progress,
    });
    insta::assert_snapshot!(desk.text());
    desk.press("<Esc>");
    assert!(desk.asked("Stop"));
    desk.release();
    desk.sees_not("Preview");
    desk.sees("dry run stopped; nothing was changed");
}

#[test]
fn a_prune_starts_when_the_scan_is_done() {
    let mut setup = Setup::new(sample());
    setup.keep = |effect| matches!(effect, Effect::Scan { .. });
    let mut desk = setup.sit();
    desk.press("p");
    desk.sees("prune starts when the scan is done");
    desk.press("<Enter>");
    assert!(!desk.asked("DryRun"));
    desk.release();
    assert!(desk.asked("DryRun"));
    desk.sees("Would remove 3");
}

#[test]
fn the_preview_says_what_goes_and_what_stays_and_why() {
    let mut desk = desk();
    desk.press("p<Enter>");
    insta::assert_snapshot!(desk.text());
    desk.press("<Right>");
    desk.sees("ancestor of “with a view”, which stays");
    desk.press("l");
    desk.sees("metadata unreadable");
    desk.press("hh");
    desk.sees("· 4 younger");
    desk.sees("with a queue");
    desk.press("<Esc>");
    desk.sees("Sessions · activity");
    assert_eq!(desk.sessions.len(), 9);
}

#[test]
fn space_takes_one_out_of_the_preview_and_puts_it_back() {
    let mut desk = desk();
    desk.press("p<Enter>");
    assert!(desk.cursor().contains("scratch"), "{}", desk.text());
    desk.press("<Space>");
    desk.sees("Would remove 2");
    assert!(desk.cursor().contains("notes"), "down, as in the list");
    assert!(desk.line("scratch").contains("taken out of the preview"));
    desk.sees("Would remove 2 · 1.1 MiB · 1 taken out ");
    desk.press("l");
    desk.sees("Kept 1 ");
    desk.sees_not("scratch");
    desk.press("hk<Space>");
    desk.sees("Would remove 3");
    desk.press("k<Space>cy");
    assert!(desk.has("scratch"));
    assert!(!desk.has("notes"));
}

#[test]
fn enter_reads_over_the_preview() {
    let mut desk = desk();
    desk.press("p<Enter><Enter>");
    desk.sees("and the cookie?");
    desk.press("<Esc>");
    desk.sees("Would remove 3");
}

#[test]
fn y_removes_what_was_shown() {
    let mut desk = at_confirm();
    insta::assert_snapshot!("confirm", desk.text());
    desk.press("y");
    assert!(!desk.has("scratch") && !desk.has("notes") && !desk.has("pg-a"));
    assert!(desk.has("postgres") && desk.has("pg-b"));
    insta::assert_snapshot!("report", desk.text());
}

#[test]
fn n_escape_and_enter_remove_nothing() {
    for key in ["n", "<Esc>", "<Enter>"] {
        let mut desk = at_confirm();
        desk.press(key);
        assert!(!desk.asked("Prune"), "{key}");
        assert_eq!(desk.sessions.len(), 15, "{key}");
        desk.sees("Would remove 3");
    }
}

#[test]
fn no_other_key_confirms() {
    let mut desk = at_confirm();
    desk.press("Yjkc pd<Space><Tab><C-y>");
    assert!(!desk.asked("Prune"));
    desk.sees("Move 3 sessions");
    desk.show(Msg::Paste("y".to_owned()));
    assert!(!desk.asked("Prune"));
}

#[test]
fn a_yes_typed_before_the_question_was_drawn_removes_nothing() {
    let mut desk = Setup::new(wide()).sit();
    desk.press("p<Enter>");
    desk.burst("cy");
    assert!(!desk.asked("Prune"));
    desk.sees("Move 3 sessions");
    assert!(desk.asked("DropTyped"));
    desk.burst("y");
    assert!(desk.asked("Prune"));
}

#[test]
fn a_word_typed_before_the_question_was_drawn_removes_nothing() {
    let mut desk = desk();
    desk.press("dVd<Enter>");
    desk.press("<Esc><Esc>");
    desk.press("p<Enter><Esc>");
    desk.press("Vd");
    desk.sees("Would remove");
    desk.burst("cprune<Enter>");
    assert!(!desk.asked("Prune"));
}

#[test]
fn removing_most_of_a_store_wants_the_word() {
    let old = |i| session(&format!("old{i}"), "an old one", "", 24 * 100);
    let mut desk = Setup::new((0..4).map(old).collect()).sit();
    desk.press("p<Enter>c");
    insta::assert_snapshot!(desk.text());
    desk.press("y<Enter>");
    assert!(!desk.asked("Prune"));
    desk.sees("Would remove 4");
    desk.press("cprune");
    assert!(!desk.asked("Prune"));
    desk.press("<Enter>");
    assert!(desk.asked("Prune"));
    assert_eq!(desk.sessions.len(), 0);
}

#[test]
fn a_preview_older_than_ten_minutes_is_taken_again() {
    for late in ["c", "y"] {
        let mut desk = Setup::new(wide()).sit();
        desk.press("p<Enter><Space>");
        if late == "y" {
            desk.press("c");
        }
        desk.asked.clear();
        desk.show(Msg::Tick(now() + TimeDelta::minutes(11)));
        desk.press(late);
        assert!(desk.asked("DryRun"), "{late}");
        assert!(!desk.asked("Prune"), "{late}");
        desk.sees("this is a new one");
        desk.sees("Would remove 2");
        desk.press("cy");
        assert!(desk.asked("Prune"), "{late}");
    }
}

#[test]
fn nothing_to_remove_is_said() {
    let mut desk = Setup::new(vec![session("a", "of today", "", 1)]).sit();
    desk.press("p<Enter>");
    desk.sees("nothing to remove: nothing last active before 2026-10-02 can go");
    desk.press("c");
    desk.sees_not("Move");
    desk.sees("nothing to remove");
}

#[test]
fn a_refusal_is_told_and_nothing_is_shown_as_a_preview() {
    let mut desk = desk();
    desk.keep_waiting(|effect| matches!(effect, Effect::DryRun { .. }));
    desk.press("p<Enter>");
    let Some(Effect::DryRun { generation, .. }) = desk.waiting.pop_front() else {
        panic!("no dry run");
    };
    desk.show(Msg::Checked {
        generation,
        outcome: Err(CheckTrouble::Refused(Refusal::StoreBusy)),
    });
    desk.sees("another sesstree is changing this store; try again");
    desk.press("<Enter>");
    desk.sees("Sessions · activity");
}

#[test]
fn escape_and_q_stop_a_prune_once() {
    for key in ["<Esc>", "q"] {
        let mut desk = at_confirm();
        desk.keep_waiting(|effect| matches!(effect, Effect::Prune { .. }));
        desk.press("y");
        desk.sees("moving to the trash");
        desk.press(key).press(key);
        let stops = desk.asked.iter().filter(|asked| *asked == "Stop").count();
        assert_eq!(stops, 1, "{key}");
        desk.sees("stopping after the batch at hand");
        assert!(!desk.asked("Quit"));
        desk.release();
        desk.sees("3 removed");
    }
}

#[test]
fn quitting_waits_for_the_batch_at_hand() {
    let mut desk = at_confirm();
    desk.keep_waiting(|effect| matches!(effect, Effect::Prune { .. }));
    desk.press("y<C-z>");
    assert!(!desk.asked("Suspend"), "a lock may be held");
    desk.press("<C-c>");
    assert!(desk.asked("Stop") && !desk.asked("Quit"));
    desk.show(Msg::Terminate);
    assert!(!desk.asked("Quit"));
    desk.release();
    assert!(desk.asked("Quit"));
}

#[test]
fn u_in_the_report_undoes_the_prune() {
    let mut desk = at_confirm();
    desk.press("yu");
    assert_eq!(desk.sessions.len(), 15);
    desk.sees("3 sessions restored");
    desk.sees("✂ scratch");
}

#[test]
fn escape_and_enter_leave_the_report() {
    for key in ["<Esc>", "<Enter>"] {
        let mut desk = at_confirm();
        desk.press("y").press(key);
        desk.sees("Sessions · activity");
        desk.sees("trash 1.9 MiB");
    }
}

#[test]
fn a_failed_prune_says_that_nothing_was_removed() {
    let mut desk = at_confirm();
    desk.keep_waiting(|effect| matches!(effect, Effect::Prune { .. }));
    desk.press("y");
    desk.waiting.clear();
    desk.show(Msg::Pruned(Err(Refusal::StoreBusy)));
    desk.sees("Nothing was removed");
}
