//! A store that cannot be listed never looks like one that was.

use sesstree::app::msg::{Effect, Msg, ScanTrouble};
use sesstree::session::Refusal;
use sesstree::text::SafeText;

use super::data::sample;
use super::desk::{Desk, Setup, desk};

/// As the performer words it.
fn unreadable() -> ScanTrouble {
    let why = "cannot list /home/you/.local/share/zero/sessions: Permission denied (os error 13)";
    ScanTrouble::Unreadable(SafeText::line(why))
}

/// A screen of that size on a store that could never be listed.
fn never(trouble: ScanTrouble, width: u16, height: u16) -> Desk {
    let mut setup = Setup::new(Vec::new()).size(width, height);
    setup.scan = Err(trouble);
    setup.sit()
}

#[track_caller]
fn is_refused(desk: &mut Desk, why: &str) {
    for keys in ["p", "d"] {
        desk.asked.clear();
        desk.press(keys);
        desk.sees("Nothing can be pruned");
        desk.sees(why);
        desk.press("x<Space>y<Enter>");
        assert!(!desk.asked("DryRun"));
        desk.sees("Sessions · ");
        desk.sees_not("Nothing can be pruned");
    }
}

#[test]
fn trouble_stays_in_the_title_until_a_scan_succeeds() {
    let mut desk = desk();
    desk.scan = Err(unreadable());
    desk.press("R");
    let said = "╭ Sessions · cannot be listed: Permission denied (os error 13) ─";
    desk.sees(said);
    desk.press("jko");
    desk.sees(said);
    desk.sees("try the cookie approach");
    is_refused(&mut desk, "cannot be listed: Permission denied");
    desk.scan = Ok(());
    desk.press("R");
    desk.sees("╭ Sessions · created ↓");
    desk.press("p<Enter>");
    desk.sees("Would remove 3");
}

#[test]
fn a_first_scan_that_breaks_half_way_does_not_look_whole() {
    let mut setup = Setup::new(sample());
    setup.scan = Err(unreadable());
    let mut desk = setup.sit();
    desk.sees("Fix login redirect");
    desk.sees("╭ Sessions · cannot be listed: Permission denied");
    is_refused(&mut desk, "cannot be listed: Permission denied");
}

#[test]
fn a_dry_run_that_waits_for_such_a_scan_says_why_there_is_none() {
    let mut setup = Setup::new(sample());
    setup.keep = |effect| matches!(effect, Effect::Scan { .. });
    setup.scan = Err(unreadable());
    let mut desk = setup.sit();
    desk.press("p<Enter>");
    desk.release();
    desk.sees("Nothing can be pruned");
    assert!(!desk.asked("DryRun"));
}

#[test]
fn trouble_that_comes_while_an_age_is_asked_for_refuses_too() {
    for keys in ["p", "jjd"] {
        let mut desk = desk();
        desk.press(keys);
        desk.scan = Err(ScanTrouble::Missing);
        desk.show(Msg::StoreChanged);
        desk.press(if keys == "p" { "<Enter>" } else { "s" });
        desk.sees("Nothing can be pruned");
        assert!(!desk.asked("DryRun"));
    }
}

#[test]
fn a_missing_root_says_what_was_looked_for_wherever_it_is_asked() {
    let mut desk = never(ScanTrouble::Missing, 120, 35);
    let said = "Looked for sessions of zero in ~/.local/share/zero/sessions: there";
    desk.sees(said);
    desk.sees("sesstree --demo shows invented ones, --root DIR looks elsewhere.");
    desk.press("jkGg<Enter>fv Vzhlyay/x<Enter><Esc>o");
    is_refused(&mut desk, said.split(": there").next().unwrap());
    desk.press("u");
    desk.show(Msg::Trash(Err(SafeText::line("No such file or directory"))));
    desk.sees("the trash is empty");
    desk.sees_not("No such file");
}

#[test]
fn a_file_as_root_is_named_once() {
    let desk = never(unreadable(), 120, 35);
    let text = desk.text();
    assert_eq!(text.matches("cannot").count(), 1, "{text}");
    desk.sees("~/.local/share/zero/sessions cannot be listed: Permission denied (os ");
    desk.sees("R reloads.");
}

#[test]
fn sentences_are_whole_on_the_smallest_screen() {
    never(ScanTrouble::Missing, 40, 10).sees("--root DIR looks elsewhere.");
    never(unreadable(), 40, 10).sees("R reloads.");
    Setup::new(Vec::new())
        .size(40, 10)
        .sit()
        .sees("appear here.");
    let mut desk = Setup::new(sample()).size(40, 10).sit();
    desk.press("/nothing like this one");
    desk.sees("Esc clears the filter.");
    for trouble in [ScanTrouble::Missing, unreadable()] {
        let mut desk = never(trouble, 40, 10);
        desk.press("p");
        let text = desk.text();
        assert!(
            text.contains("elsewhere.") || text.contains("R reloads."),
            "{text}"
        );
        desk.sees("Esc back");
    }
}

/// Said at once, before anybody thinks about an age.
#[test]
fn where_locks_may_not_work_p_and_d_say_so_at_once() {
    let mut desk = desk();
    desk.show(Msg::Changeable(Err(Refusal::Untrusted(SafeText::line(
        "NFS",
    )))));
    for key in ["p", "d"] {
        desk.press(key);
        desk.sees("Nothing can be pruned");
        desk.sees("the sessions are on NFS");
        desk.sees("--trust-locks");
        assert!(!desk.asked("DryRun"));
        desk.press("<Esc>");
    }
    desk.show(Msg::Changeable(Ok(())));
    desk.press("p");
    desk.sees("Prune by age");
}
