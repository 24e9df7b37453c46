//! A refusal is told over the screen that asked, which is there again after it.

use chrono::TimeDelta;
use sesstree::app::msg::{CheckTrouble, Effect, Msg};
use sesstree::session::Refusal;

use super::data::now;
use super::desk::{Desk, Setup};
use super::prune::wide;

fn at_preview() -> Desk {
    let mut desk = Setup::new(wide()).sit();
    desk.press("p<Enter>");
    desk
}

/// Presses keys; what they ask for is refused, if it is kept.
#[track_caller]
fn refuse(desk: &mut Desk, keys: &str, keep: fn(&Effect) -> bool) {
    desk.keep_waiting(keep);
    desk.press(keys);
    desk.keep_waiting(|_| false);
    let busy = Refusal::StoreBusy;
    let msg = match desk.waiting.pop_front().unwrap() {
        Effect::DryRun { generation, .. } => Msg::Checked {
            generation,
            outcome: Err(CheckTrouble::Refused(busy)),
        },
        Effect::CheckTrash { generation, .. } => Msg::TrashChecked {
            generation,
            outcome: Err(busy),
        },
        Effect::Prune { .. } => Msg::Pruned(Err(busy)),
        Effect::Restore { .. } => Msg::Restored(Err(busy)),
        Effect::EmptyTrash { .. } => Msg::Emptied(Err(busy)),
        other => panic!("{other:?}"),
    };
    desk.show(msg);
    desk.sees("another sesstree is changing this store");
    desk.press("<Enter>");
}

#[test]
fn a_refused_prune_shows_the_preview_as_it_was() {
    let mut desk = at_preview();
    desk.press("j<Space>");
    desk.sees("1 taken out");
    let before = desk.text();
    for keys in ["cy", "cDy"] {
        refuse(&mut desk, keys, |effect| {
            matches!(effect, Effect::Prune { .. })
        });
        assert_eq!(desk.text(), before, "{keys}");
    }
    desk.press("cy");
    desk.sees("2 removed");
}

#[test]
fn a_preview_that_cannot_be_taken_again_stays() {
    let dry_run = |effect: &Effect| matches!(effect, Effect::DryRun { .. });
    let mut desk = at_preview();
    desk.press("<Space>");
    desk.show(Msg::Tick(now() + TimeDelta::minutes(11)));
    refuse(&mut desk, "c", dry_run);
    desk.sees("1 taken out");
    desk.keep_waiting(dry_run);
    desk.press("c<Esc>");
    desk.sees("dry run stopped; nothing was changed");
    desk.sees("1 taken out");
    desk.keep_waiting(|_| false);
    desk.press("c");
    desk.sees("this is a new one");
    desk.sees("1 taken out");
}

#[test]
fn a_refused_undo_can_be_asked_for_again() {
    let mut desk = at_preview();
    desk.press("cy");
    refuse(&mut desk, "u", |effect| {
        matches!(effect, Effect::Restore { .. })
    });
    desk.sees("3 removed");
    desk.press("u");
    desk.sees("3 sessions restored");
    desk.sees("Sessions · activity");
}

#[test]
fn what_is_refused_in_the_trash_leaves_one_there() {
    let mut desk = at_preview();
    desk.press("cy<Esc>u");
    for keys in ["<Enter>", "j<Enter>"] {
        refuse(&mut desk, keys, |effect| {
            matches!(effect, Effect::Restore { .. })
        });
        desk.sees("Enter restores");
    }
    refuse(&mut desk, "X", |effect| {
        matches!(effect, Effect::CheckTrash { .. })
    });
    desk.sees("Enter restores");
    refuse(&mut desk, "Xy", |effect| {
        matches!(effect, Effect::EmptyTrash { .. })
    });
    desk.sees("Enter restores");
}
