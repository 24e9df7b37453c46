//! The expired trash in a prune: shown, confirmed, taken out, told.

use chrono::TimeDelta;
use sesstree::app::msg::{Effect, Msg};
use sesstree::prune::expiry::{Living, TrashPlan, Wanted};
use sesstree::prune::report::{BatchId, Leftover, PruneReport, TrashBatch, Trashed};
use sesstree::prune::warning::Warning;
use sesstree::session::{Holder, Refusal};
use sesstree::text::SafeText;

use super::answers::{PLACE, shelved};
use super::data::{id, now, session};
use super::desk::{Desk, Setup};
use super::prune::wide;

/// A batch that was pruned so many days ago, with these sessions of 1 MiB.
fn batch(name: &str, days: i64, sessions: &[&str]) -> TrashBatch {
    let trashed = sessions.iter().map(|name| Trashed {
        remnant: false,
        id: id(name),
        title: SafeText::line(&format!("title of {name}")),
        parent: None,
        bytes: 1 << 20,
        updated_at: None,
    });
    TrashBatch {
        batch: BatchId::parse(name).unwrap(),
        at: Some(now() - TimeDelta::days(days)),
        expires_at: Some(now() - TimeDelta::days(days - 7)),
        bytes: (sessions.len() as u64) << 20,
        sessions: trashed.collect(),
    }
}

/// Two expired batches; what `cookie` in the store descends from lies in the second.
fn expired() -> TrashPlan {
    let batches = [
        batch("20261012-b", 20, &["x", "y"]),
        batch("20260922-a", 40, &["z"]),
    ];
    let living = Living {
        children: vec![(id("cookie"), id("z"))],
        ..Living::default()
    };
    TrashPlan::new(
        PLACE,
        batches.map(shelved).into(),
        &living,
        &Wanted::Expired(now()),
    )
}

fn at_preview(width: u16, height: u16) -> Desk {
    let mut desk = Setup::new(wide()).size(width, height).sit();
    desk.expired = expired();
    desk.press("p<Enter>");
    desk
}

#[test]
fn what_is_expired_is_a_section_with_its_reasons() {
    for (width, height) in [(120, 35), (80, 24), (60, 15)] {
        let mut desk = at_preview(width, height);
        desk.press("lll");
        insta::assert_snapshot!(format!("{width}_by_{height}_section"), desk.text());
        desk.press("c");
        insta::assert_snapshot!(format!("{width}_by_{height}_confirm"), desk.text());
        desk.press("y");
        insta::assert_snapshot!(format!("{width}_by_{height}_report"), desk.text());
    }
}

#[test]
fn space_takes_the_whole_trash_out_and_puts_it_back() {
    let mut desk = at_preview(120, 35);
    desk.press("lll<Space>");
    desk.sees("Trash to empty 0 · 1 taken out");
    assert!(
        desk.line("pruned 20d ago")
            .contains("taken out of the preview")
    );
    desk.press("c");
    desk.sees("Move 3 sessions");
    desk.sees_not("expired");
    desk.press("n<Space>");
    desk.sees("Trash to empty 1 · 2 MiB");
    desk.press("<Space>cy");
    desk.sees("3 removed · 1 kept · 1 unchecked");
    desk.sees_not("emptied");
    desk.sees("freed now: 0 B · in trash: 1.9 MiB");
}

#[test]
fn what_was_taken_out_stays_out_of_a_new_preview() {
    let mut desk = at_preview(120, 35);
    desk.press("lll<Space>");
    desk.show(Msg::Tick(now() + TimeDelta::minutes(11)));
    desk.press("c");
    desk.sees("this is a new one");
    desk.sees("Trash to empty 0 · 1 taken out");
}

#[test]
fn trash_alone_can_be_confirmed() {
    let mut desk = Setup::new(vec![session("a", "of today", "", 1)]).sit();
    desk.expired = expired();
    desk.press("p<Enter>");
    desk.sees("Trash to empty 1 · 2 MiB");
    assert!(desk.cursor().contains("pruned 20d ago · 2 sessions"));
    desk.press("c");
    desk.sees("Empty 1 expired batch of the trash?");
    desk.sees("This cannot be undone. It frees 2 MiB now.");
    desk.sees_not("delete now");
    desk.press("D");
    assert!(!desk.asked("AskDeletable"));
    desk.press("y");
    desk.sees("0 removed · 0 kept · 1 batch emptied, 1 kept");
    desk.sees("freed now: 2 MiB · gone for good, no undo");
    desk.press("u");
    desk.sees("there is no undo: what was in the trash is gone for good");
    desk.press("<Esc>p<Enter><Space>c");
    desk.sees("nothing to remove");
    desk.sees_not("Empty 1");
}

fn zero(pid: u32) -> Holder {
    Holder {
        pid,
        process: SafeText::line("zero"),
    }
}

#[test]
fn warnings_are_named_in_the_preview_and_the_question() {
    for (width, height) in [(120, 35), (80, 24), (60, 15), (40, 10)] {
        let mut desk = Setup::new(wide()).size(width, height).sit();
        desk.expired = expired();
        desk.warnings = vec![
            Warning::Unseen(vec![zero(12), zero(34)]),
            Warning::ReadLately(2),
        ];
        desk.press("p<Enter>");
        insta::assert_snapshot!(format!("{width}_by_{height}_warned"), desk.text());
        desk.press("w");
        desk.sees("runs without a");
        desk.press("<Esc>");
        desk.sees("Preview");
        desk.press("c");
        desk.sees("(pid 12, 34)");
        desk.sees(if height < 12 {
            "2 more warnings"
        } else {
            "1 damaged"
        });
        insta::assert_snapshot!(format!("{width}_by_{height}_warned_confirm"), desk.text());
    }
}

#[test]
fn delete_now_asks_in_its_own_words() {
    for (width, height) in [(120, 35), (60, 15)] {
        let mut desk = at_preview(width, height);
        desk.press("cD");
        insta::assert_snapshot!(format!("{width}_by_{height}_delete"), desk.text());
        desk.press("y");
        insta::assert_snapshot!(format!("{width}_by_{height}_deleted"), desk.text());
        desk.press("u");
        desk.sees("there is no undo: it was deleted for good");
        assert!(!desk.asked("Restore"));
    }
}

#[test]
fn delete_now_goes_back_to_the_trash() {
    let mut desk = at_preview(120, 35);
    desk.press("cD");
    desk.sees("Delete 3 sessions");
    desk.press("D");
    desk.sees("Move 3 sessions");
    desk.press("y");
    assert!(
        desk.asked
            .iter()
            .any(|asked| asked.contains("disposal: Trash"))
    );
    desk.sees("3 removed");
}

#[test]
fn delete_now_is_refused_with_the_reason() {
    let mut desk = at_preview(80, 24);
    desk.deletable = Err(Refusal::Unseen(vec![zero(12)]));
    desk.press("cD");
    desk.sees("Move 3 sessions");
    desk.sees("zero (pid 12) runs without a lease");
    insta::assert_snapshot!(desk.text());
    desk.press("y");
    assert!(
        !desk
            .asked
            .iter()
            .any(|asked| asked.contains("disposal: Delete"))
    );
}

#[test]
fn only_deleting_is_said_to_be_refused() {
    let mut desk = at_preview(80, 24);
    desk.deletable = Err(Refusal::StoreBusy);
    desk.press("cD");
    desk.sees("Move 3 sessions");
    desk.sees("it cannot be deleted now: another sesstree is changing this");
    desk.sees("y yes, move");
}

#[test]
fn a_yes_to_the_trash_is_none_to_deleting() {
    let mut desk = at_preview(120, 35);
    desk.press("c");
    desk.keep_waiting(|effect| matches!(effect, Effect::AskDeletable(_)));
    // Typed in one go: nothing was drawn in between.
    desk.burst("Dyy");
    assert!(!desk.asked("Prune"));
    desk.sees("asking whether it can be deleted now");
    desk.sees_not("yes, move");
    desk.sees("Esc no  D to the trash instead");
    desk.press("y");
    assert!(!desk.asked("Prune"), "not while it is asked");
    let effect = desk.waiting.pop_front().unwrap();
    desk.keep_waiting(|_| false);
    desk.asked.clear();
    desk.answer_now(effect);
    assert!(desk.asked("DropTyped"));
    desk.burst("y");
    assert!(!desk.asked("Prune"), "not before it was drawn");
    desk.sees("Delete 3 sessions");
    desk.burst("Dy");
    assert!(!desk.asked("Prune"), "nor the other way round");
    desk.sees("Move 3 sessions");
}

#[test]
fn an_answer_that_comes_late_changes_no_other_question() {
    let mut desk = at_preview(120, 35);
    desk.keep_waiting(|effect| matches!(effect, Effect::AskDeletable(_)));
    desk.press("cDnc");
    desk.release();
    desk.sees("Move 3 sessions");
    desk.press("D");
    desk.sees("Delete 3 sessions");
}

#[test]
fn deleting_most_of_a_store_wants_the_word_typed_for_that() {
    let old = |i| session(&format!("old{i}"), "an old one", "", 24 * 100);
    let mut desk = Setup::new((0..4).map(old).collect()).sit();
    desk.press("p<Enter>cpruneD");
    desk.sees("Delete 4 sessions");
    desk.press("<Enter>");
    assert!(!desk.asked("Prune"), "the word was for the trash");
    desk.press("cDprune<Enter>");
    assert!(
        desk.asked
            .iter()
            .any(|asked| asked.contains("disposal: Delete"))
    );
    desk.sees("4 deleted");
}

#[test]
fn what_a_stopped_prune_left_is_told() {
    let mut desk = at_preview(120, 35);
    desk.keep_waiting(|effect| matches!(effect, Effect::Prune { .. }));
    desk.press("cDy");
    desk.sees("emptying the expired trash, then deleting for good");
    let Some(Effect::Prune { plan, .. }) = desk.waiting.pop_front() else {
        panic!("no prune");
    };
    let mut report = PruneReport::dry(plan.plan());
    report.dry_run = false;
    let emptied = report.trash.emptied.pop().unwrap();
    report.trash.bytes = 0;
    report.trash.not_reached.push(emptied.batch);
    report.unfinished.push(Leftover::new("scratch", "stopped"));
    report.warnings.push(Warning::Unrecorded(SafeText::line(
        "the record cannot be written",
    )));
    desk.show(Msg::Pruned(Ok(Box::new(report))));
    desk.sees("3 deleted · 1 kept · 1 unchecked · 2 batches kept");
    let line = desk.line("trash of 12 Oct · 2 sessions");
    assert!(line.contains("not reached"), "{line}");
    let line = desk.line("not all of it could be unlinked (stopped)");
    assert!(line.contains("! scratch"), "{line}");
    desk.sees("! the record cannot be written");
    desk.sees_not("damaged session may descend");
    desk.sees("freed now: 1.1 MiB");
}

#[test]
fn what_was_emptied_is_counted_as_it_went_and_told_on_narrow_screens_too() {
    let mut desk = at_preview(80, 24);
    desk.keep_waiting(|effect| matches!(effect, Effect::Prune { .. }));
    desk.press("cy");
    let Some(Effect::Prune { plan, .. }) = desk.waiting.pop_front() else {
        panic!("no prune");
    };
    let mut report = PruneReport::dry(plan.plan());
    report.dry_run = false;
    report.kept.append(&mut report.removed);
    // One was restored since the preview.
    report.trash.emptied[0].sessions = 1;
    desk.show(Msg::Pruned(Ok(Box::new(report))));
    desk.sees("0 removed · 1 batch emptied, 1 kept · 3 fewer (!) · 4 kept · 1 unchecked");
    let line = desk.line("trash of 12 Oct · 1 session ");
    assert!(
        line.contains("! trash") && line.contains("emptied; 2 in the preview"),
        "{line}"
    );
    desk.resize(40, 10);
    desk.sees("0 removed · 1 batch emptied, 1 kept");
}

#[test]
fn the_report_repeats_no_warning_that_did_not_grow() {
    let mut desk = Setup::new(wide()).sit();
    desk.warnings = vec![Warning::Unseen(vec![zero(12)]), Warning::ReadLately(8)];
    desk.press("p<Enter>");
    desk.keep_waiting(|effect| matches!(effect, Effect::Prune { .. }));
    desk.press("cy");
    let Some(Effect::Prune { plan, .. }) = desk.waiting.pop_front() else {
        panic!("no prune");
    };
    let mut report = PruneReport::dry(plan.plan());
    report.dry_run = false;
    report.warnings = vec![
        Warning::Unseen(vec![zero(12), zero(34)]),
        Warning::ReadLately(4),
        Warning::DamagedWithoutParent(2),
    ];
    desk.show(Msg::Pruned(Ok(Box::new(report))));
    desk.sees("(pid 12, 34)");
    desk.sees("2 damaged sessions may descend from what is removed");
    desk.sees_not("have been read");
}
