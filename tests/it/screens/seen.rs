//! Nothing typed acts on a screen that came up by itself before it was drawn.

use chrono::TimeDelta;
use sesstree::app::msg::{Effect, Held, MissingFolder, Msg};
use sesstree::session::Refusal;

use super::data::{id, now, sample};
use super::desk::{Desk, Setup, desk};
use super::mouse::click;
use super::prune::wide;

/// Presses keys up to one whose answer waits; then the answer and more keys come in one moment.
#[track_caller]
fn rush(desk: &mut Desk, keys: &str, keep: fn(&Effect) -> bool, more: &str) {
    desk.keep_waiting(keep);
    desk.press(keys);
    desk.keep_waiting(|_| false);
    desk.asked.clear();
    let effect = desk.waiting.pop_front().unwrap();
    desk.answer_now(effect);
    assert!(desk.asked("DropTyped"), "typed before it came up");
    desk.asked.clear();
    desk.burst(more);
}

fn hold(effect: &Effect) -> bool {
    matches!(effect, Effect::Hold { .. })
}

#[test]
fn enter_twice_starts_no_agent() {
    let mut desk = desk();
    rush(&mut desk, "j<Enter>", hold, "<Enter>");
    assert!(!desk.asked("Run"));
    desk.sees("Continue with:");
    desk.press("<Enter>");
    assert!(desk.asked("Run"));
}

#[test]
fn a_box_that_comes_up_is_not_answered_unseen() {
    let missing = Held {
        missing_folder: Some(MissingFolder {
            folder: Some("/home/you/src/api".into()),
            home: None,
            nearest: Some("/home/you/src".into()),
        }),
        ..Held::default()
    };
    for (held, keys, title) in [
        (Ok(missing), "hp<Esc>", "Where?"),
        (Err(Refusal::OpenOrLocked), "of<Esc>", "Open elsewhere"),
        (Err(Refusal::LockedByPrune), "r<Esc>", "Locked"),
        (Err(Refusal::Gone), "<Enter>", "Not opened"),
    ] {
        let mut desk = desk();
        desk.held = held;
        rush(&mut desk, "j<Enter>", hold, keys);
        desk.sees(title);
        assert!(desk.asked.is_empty(), "{title}: {:?}", desk.asked);
    }
}

#[test]
fn a_second_refusal_is_a_new_box() {
    let mut desk = desk();
    desk.held = Err(Refusal::LockedByPrune);
    desk.press("j<Enter>");
    rush(&mut desk, "r", hold, "<Esc>");
    desk.sees("Locked");
}

#[test]
fn a_preview_and_a_report_are_not_acted_on_unseen() {
    let mut desk = Setup::new(wide()).sit();
    let dry = |effect: &Effect| matches!(effect, Effect::DryRun { .. });
    rush(&mut desk, "p<Enter>", dry, "<Space>c<Esc>");
    desk.sees("Would remove 3");
    desk.sees_not("taken out");
    let prune = |effect: &Effect| matches!(effect, Effect::Prune { .. });
    rush(&mut desk, "cy", prune, "u<Esc>");
    desk.sees("3 removed");
    assert!(!desk.asked("Restore"));
}

#[test]
fn enter_twice_in_the_trash_resumes_nothing() {
    let restore = |effect: &Effect| matches!(effect, Effect::Restore { .. });
    let mut desk = Setup::new(wide()).sit();
    desk.press("p<Enter>cy<Esc>jju");
    rush(&mut desk, "<Enter>", restore, "<Enter>f");
    desk.sees("3 sessions restored");
    assert!(!desk.asked("Hold"));

    let mut desk = Setup::new(wide()).sit();
    desk.press("p<Enter>cy<Esc>u");
    rush(&mut desk, "j<Enter>", restore, "<Enter>");
    assert!(!desk.asked("Restore"), "only what was seen");
}

#[test]
fn a_paste_or_a_click_comes_too_early_as_well() {
    let mut desk = desk();
    desk.keep_waiting(hold);
    desk.press("j<Enter>");
    desk.keep_waiting(|_| false);
    let effect = desk.waiting.pop_front().unwrap();
    desk.answer_now(effect);
    desk.tell(Msg::Paste("too early".to_owned()));
    desk.show(click(9, 9));
    desk.sees("Continue with:");
    desk.sees_not("too early");
}

#[test]
fn what_is_typed_behind_a_key_that_leads_somewhere_counts() {
    let mut desk = desk();
    desk.burst("/queue<Enter>");
    desk.sees("1 of 9");
    desk.burst("<Esc>p<BS><BS><BS>45d");
    desk.sees("not active for ▏45d");
}

#[test]
fn what_happens_on_a_screen_does_not_stop_its_keys() {
    let mut desk = Setup::new(sample()).sit();
    desk.press("p");
    desk.tell(Msg::Tick(now()));
    desk.tell(Msg::StoreChanged);
    desk.tell(Msg::Sized(vec![(id("login"), 5)]));
    desk.burst("<Esc>j");
    assert!(desk.cursor().contains("cookie"));
    assert!(!desk.asked("DropTyped"));
}

fn restore(effect: &Effect) -> bool {
    matches!(effect, Effect::Restore { .. })
}

/// Three selected sessions, a filter, and a report of a prune.
fn at_report() -> Desk {
    let mut desk = Setup::new(wide()).sit();
    desk.press("jj<Space><Space>/t<Enter>p<Enter>cy");
    desk.sees("3 removed");
    desk
}

/// An undo that took so many seconds.
fn undone(seconds: i64) -> Desk {
    let mut desk = at_report();
    desk.keep_waiting(restore);
    desk.press("u");
    desk.sees("bringing back");
    desk.show(Msg::Tick(now() + TimeDelta::seconds(seconds)));
    desk.release();
    desk.sees("3 sessions restored");
    desk
}

#[test]
fn a_stop_that_comes_as_the_work_ends_is_none_for_the_list() {
    for key in ["<Esc>", "q"] {
        let mut desk = undone(3);
        desk.press(key);
        desk.sees("3 sessions restored");
        desk.sees("/ t");
        assert!(!desk.asked("Quit"), "{key}");
        desk.press("<Esc>");
        desk.sees_not("/ t");
    }
}

#[test]
fn a_key_that_is_not_late_is_meant_for_the_list() {
    let mut desk = undone(0);
    desk.press("q");
    assert!(desk.asked("Quit"), "nobody stops what took no time");
    let mut desk = undone(3);
    desk.show(Msg::Tick(now() + TimeDelta::seconds(5)));
    desk.press("q");
    assert!(desk.asked("Quit"), "it has been over for long");
    let mut desk = undone(3);
    desk.press("jq");
    assert!(desk.asked("Quit"), "the list was gone on in");
}

#[test]
fn a_second_enter_on_a_report_or_a_box_resumes_nothing() {
    let mut desk = at_report();
    desk.press("<Enter><Enter>");
    desk.sees("Sessions · ");
    assert!(!desk.asked("Hold"));
    desk.press("<Enter>");
    assert!(desk.asked("Hold"));

    let mut desk = desk_with_no_such();
    desk.press("<Enter>");
    desk.sees("Not opened");
    desk.asked.clear();
    desk.press("<Enter><Enter>");
    assert!(!desk.asked("Hold"));
}

/// The cursor is on a session that is gone.
fn desk_with_no_such() -> Desk {
    let mut desk = desk();
    desk.held = Err(Refusal::Gone);
    desk.press("j");
    desk
}

#[test]
fn what_takes_the_place_of_a_line_of_the_trash_is_not_acted_on_unseen() {
    let mut desk = Setup::new(wide()).sit();
    desk.press("p<Enter>cy<Esc>uj");
    assert!(desk.cursor().contains("with a queue"));
    let mut batch = desk.trash[0].0.clone();
    batch.sessions.remove(0);
    desk.tell(Msg::Trash(Ok(vec![batch])));
    desk.asked.clear();
    desk.burst("<Enter>X");
    assert!(desk.asked.is_empty(), "{:?}", desk.asked);
    assert!(desk.cursor().contains("scratch"));
    desk.press("<Enter>");
    assert!(desk.asked("Restore"));
}

#[test]
fn a_line_of_the_trash_keeps_the_cursor_under_a_box_too() {
    let mut desk = Setup::new(wide()).sit();
    desk.press("p<Enter>cy<Esc>ujj");
    assert!(desk.cursor().contains("scratch"));
    let mut batch = desk.trash[0].0.clone();
    batch.sessions.remove(0);
    desk.press("?");
    desk.show(Msg::Trash(Ok(vec![batch])));
    desk.press("<Esc>");
    assert!(desk.cursor().contains("scratch"));
}
