//! `X` in the trash: a batch goes for good, after a yes.

use chrono::TimeDelta;
use sesstree::app::msg::{Effect, Msg};
use sesstree::prune::report::Progress;
use sesstree::prune::report::{BatchId, Emptied, EmptyReport, KeptBatch};
use sesstree::prune::warning::Warning;
use sesstree::session::{Refusal, Sighting};

use super::data::now;
use super::desk::{Desk, Setup};
use super::prune::wide;

fn at_trash(width: u16, height: u16) -> Desk {
    let mut desk = Setup::new(wide()).size(width, height).sit();
    desk.press("p<Enter>cy<Esc>u");
    desk.emptied = EmptyReport {
        emptied: vec![Emptied {
            batch: BatchId::parse("20261101-0").unwrap(),
            sessions: 3,
            bytes: 1_978_368,
        }],
        bytes: 1_978_368,
        ..EmptyReport::default()
    };
    desk
}

#[test]
fn x_asks_and_y_empties() {
    for (width, height) in [(120, 35), (80, 24), (60, 15), (40, 10)] {
        let mut desk = at_trash(width, height);
        desk.press("jX");
        insta::assert_snapshot!(format!("{width}_by_{height}_asks"), desk.text());
        assert!(!desk.asked("EmptyTrash"));
        desk.press("y");
        assert!(desk.asked("EmptyTrash"));
        desk.sees(if width < 60 {
            "emptied for good: 1 batch, 3 sessions, …"
        } else {
            "emptied for good: 1 batch, 3 sessions, 1.9 MiB"
        });
        desk.sees("the trash is empty");
    }
}

#[test]
fn n_escape_enter_and_other_keys_empty_nothing() {
    for key in ["n", "<Esc>", "<Enter>", "XDY<Space>n"] {
        let mut desk = at_trash(120, 35);
        desk.press("X").press(key);
        assert!(!desk.asked("EmptyTrash"), "{key}");
        desk.sees("Enter restores 3 sessions");
    }
}

#[test]
fn a_yes_typed_ahead_empties_nothing() {
    let mut desk = at_trash(120, 35);
    desk.burst("Xyy");
    assert!(!desk.asked("EmptyTrash"));
    desk.sees("This cannot be undone. It frees 1.9 MiB.");
    assert!(desk.asked("DropTyped"));
}

#[test]
fn an_old_question_is_asked_again() {
    let mut desk = at_trash(120, 35);
    desk.press("X");
    desk.show(Msg::Tick(now() + TimeDelta::minutes(11)));
    desk.press("y");
    assert!(!desk.asked("EmptyTrash"));
    desk.sees("this is a new one");
    desk.press("y");
    assert!(desk.asked("EmptyTrash"));
}

#[test]
fn a_look_can_be_stopped_and_an_emptying_shows_how_far_it_is() {
    let mut desk = at_trash(120, 35);
    desk.keep_waiting(|effect| matches!(effect, Effect::CheckTrash { .. }));
    desk.press("X");
    desk.sees("looking what descends from it");
    desk.press("<Esc>");
    assert!(desk.asked("Stop"));
    desk.release();
    desk.sees("stopped; nothing was changed");
    desk.sees("Enter restores 3 sessions");

    desk.keep_waiting(|effect| matches!(effect, Effect::EmptyTrash { .. }));
    desk.asked.clear();
    desk.press("Xy");
    let Some(Effect::EmptyTrash { generation, .. }) = desk.waiting.front() else {
        panic!("not emptied");
    };
    let (generation, progress) = (*generation, Progress { done: 1, total: 3 });
    desk.show(Msg::Progress {
        generation,
        progress,
    });
    desk.sees(" 1 of 3 ");
    desk.press("<C-z>");
    assert!(!desk.asked("Suspend"), "a lock may be held");
    desk.press("<Esc>");
    assert!(desk.asked("Stop"));
    desk.show(Msg::Terminate);
    assert!(!desk.asked("Quit"));
    desk.release();
    assert!(desk.asked("Quit"));
}

#[test]
fn what_stays_is_told_with_its_reason() {
    let mut desk = at_trash(60, 15);
    desk.emptied = EmptyReport {
        failed: vec![KeptBatch {
            batch: BatchId::parse("20261101-0").unwrap(),
            reason: "not all of it could be unlinked (EIO)".to_owned(),
            why: None,
        }],
        ..EmptyReport::default()
    };
    desk.press("Xy");
    desk.sees("It stays: not all of it could be unlinked (EIO).");
    desk.press("<Enter>");
    desk.sees("Trash");
    desk.press("<Esc>");
    let mut desk = at_trash(60, 15);
    desk.keep_waiting(|effect| matches!(effect, Effect::EmptyTrash { .. }));
    desk.press("Xy");
    desk.waiting.clear();
    desk.show(Msg::Emptied(Err(Refusal::StoreBusy)));
    desk.sees("Nothing was emptied");
}

#[test]
fn what_the_question_warned_of_is_not_told_again() {
    for (now, again) in [(1, false), (2, true)] {
        let mut desk = at_trash(120, 35);
        desk.living.unreadable = [(super::data::id("torn"), Sighting::default())].into();
        desk.emptied.warnings = vec![Warning::DamagedWithoutParent(now)];
        desk.press("X");
        desk.sees("1 damaged session may descend from what is removed");
        desk.press("y");
        desk.sees(if again {
            "2 damaged sessions may descend from what is removed"
        } else {
            "emptied for good: 1 batch"
        });
    }
}
