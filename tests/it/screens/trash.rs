//! `d` on what was chosen, and `u`: the way back.

use sesstree::app::msg::{Effect, Msg};
use sesstree::session::{Refusal, SessionId};

use super::data::id;
use super::desk::{Setup, desk};
use super::prune::{at_confirm, wide};

#[test]
fn d_prunes_this_one_after_a_yes() {
    let mut desk = desk();
    desk.press("/notes<Enter>d");
    desk.sees("1 chosen session");
    desk.press("cn");
    assert!(desk.has("notes"));
    desk.press("cy");
    assert!(!desk.has("notes"));
    assert_eq!(desk.sessions.len(), 8);
}

#[test]
fn d_prunes_the_selected() {
    let mut desk = desk();
    desk.press("/notes<Enter><Space><Esc>/scratch<Enter><Space><Esc>d");
    desk.sees("Would remove 2");
    desk.press("cy<Esc>");
    assert!(!desk.has("notes") && !desk.has("scratch"));
    desk.sees_not("selected ·");
}

#[test]
fn d_offers_the_subtree() {
    let mut desk = desk();
    desk.press("jjd");
    insta::assert_snapshot!(desk.text());
    desk.press("x<Enter>y");
    desk.sees("only this one");
    desk.press("t");
    desk.sees("ancestor of a session that stays: pg-b");
    desk.press("<Esc>ds");
    desk.sees("Would remove 3");
    desk.press("<Esc>d<Esc>");
    desk.sees("Sessions · activity");
}

#[test]
fn d_keeps_what_was_active_within_a_day() {
    let mut desk = desk();
    desk.press("dt");
    desk.sees("Kept 1");
    desk.sees("active in the last 24 hours");
}

#[test]
fn after_a_prune_the_cursor_is_on_the_nearest_row() {
    let mut desk = Setup::new(wide()).sit();
    desk.press("/scratch<Enter><Esc>");
    assert!(desk.cursor().contains("scratch"));
    desk.press("p<Enter>cy<Esc>");
    assert!(desk.cursor().contains("damaged"), "{}", desk.text());
}

#[test]
fn u_shows_the_trash_and_enter_restores_a_batch() {
    let mut desk = at_confirm();
    desk.press("y<Esc>u");
    insta::assert_snapshot!(desk.text());
    desk.press("<Enter>");
    assert_eq!(desk.sessions.len(), 15);
    desk.press("u");
    desk.sees("the trash is empty");
    desk.press("<Esc>");
    desk.sees("Sessions · activity");
}

#[test]
fn a_restore_that_leaves_some_says_which() {
    use sesstree::prune::report::{NotRestored, RestoreReport};
    let mut desk = at_confirm();
    desk.keep_waiting(|effect| matches!(effect, Effect::Restore { .. }));
    desk.press("yu");
    desk.waiting.clear();
    let failed = |name: SessionId| NotRestored {
        id: name,
        reason: Refusal::Clash.to_string(),
    };
    desk.show(Msg::Restored(Ok(RestoreReport {
        schema: 1,
        restored: vec![id("notes")],
        failed: vec![failed(id("scratch"))],
        warnings: vec![],
    })));
    desk.sees("1 session restored, not these:");
    desk.sees("scratch: a session of this id is in the store already");
}
