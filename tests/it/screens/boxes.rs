//! Enter, `f`, and all that can be in the way of a session.

use sesstree::app::msg::{AgentEnd, Effect, Held, MissingFolder, Msg};
use sesstree::session::{Condition, Holder, Openness, Refusal, SessionKind};
use sesstree::text::SafeText;

use super::data::{id, sample, session};
use super::desk::{Desk, Setup, desk};

/// On a session that nobody has open.
fn at_cookie() -> Desk {
    let mut desk = desk();
    desk.press("j");
    desk
}

#[test]
fn enter_asks_for_a_text_and_sends_it() {
    let mut desk = at_cookie();
    desk.press("<Enter>");
    assert!(desk.asked("Hold"));
    desk.sees("● try the cookie approach");
    insta::assert_snapshot!(desk.text());
    desk.press("go on<Enter>");
    assert!(desk.asked(
        r#"Run { id: SessionId("cookie"), action: Continue("go on"), folder: "/home/you/src/api" }"#
    ));
    desk.sees("Sessions · activity");
    desk.sees_not("● try the cookie approach");
}

#[test]
fn an_empty_text_opens_the_agents_own_screen() {
    let mut desk = at_cookie();
    desk.press("<Enter>");
    desk.sees("Enter with a text: one reply of zero, then back here");
    desk.sees("Enter empty: opens zero's own screen; paste there:");
    desk.sees("│ /resume cookie ");
    desk.press("<Enter>");
    assert!(desk.asked(r#"Run { id: SessionId("cookie"), action: OpenScreen"#));
    desk.sees("zero has ended: “try the cookie approach”");
}

#[test]
fn escape_lets_go() {
    let mut desk = at_cookie();
    desk.press("<Enter>q<Esc>");
    assert!(desk.asked("LetGo"));
    assert!(!desk.asked("Run") && !desk.asked("Quit"));
    desk.sees("Sessions · activity");
}

#[test]
fn f_forks_with_a_text() {
    let mut desk = at_cookie();
    desk.press("f<Enter>");
    desk.sees("a fork begins with a text");
    desk.press("another way<Enter>");
    assert!(desk.asked(r#"Run { id: SessionId("cookie"), action: Fork("another way")"#));
}

#[test]
fn a_paste_goes_into_the_prompt_as_one_line() {
    let mut desk = at_cookie();
    desk.press("<Enter>");
    desk.show(Msg::Paste("fix\nthis\u{1b}[2J".to_owned()));
    desk.press("<Enter>");
    assert!(desk.asked(r#"Run { id: SessionId("cookie"), action: Continue("fix this[2J")"#));
}

#[test]
fn an_agents_own_run_is_read_instead_and_says_why() {
    let mut desk = desk();
    desk.press("aj");
    assert!(desk.cursor().contains("look for callers"));
    desk.press("<Enter>");
    desk.sees("an agent's own run (child) cannot be resumed");
    desk.sees("and the cookie?");
    assert!(!desk.asked("Hold"));
}

#[test]
fn a_damaged_session_is_read_instead_and_says_why() {
    let mut desk = desk();
    desk.press("G<Enter>");
    desk.sees("cannot be resumed: damaged: metadata unreadable");
    assert!(!desk.asked("Hold"));
}

#[test]
fn a_session_open_elsewhere_is_told_with_who() {
    let mut desk = desk();
    desk.press("<Enter>");
    insta::assert_snapshot!(desk.text());
    desk.press("x<Enter>ynd");
    desk.sees("Open elsewhere");
    desk.press("<Esc>");
    assert!(!desk.asked("Hold"));
    desk.press("<Enter>o");
    desk.sees("Continue with:");
    desk.press("<Esc><Enter>f");
    desk.sees("Begin with:");
}

#[test]
fn a_hold_refused_because_of_somebody_else_can_be_overridden() {
    let mut desk = at_cookie();
    desk.held = Err(Refusal::Open(Holder {
        pid: 7,
        process: SafeText::line("zero"),
    }));
    desk.press("<Enter>");
    desk.sees("open in zero (pid 7)");
    desk.press("o");
    desk.sees("unprotected");
    desk.press("hi<Enter>");
    assert!(desk.asked(r#"Run { id: SessionId("cookie"), action: Continue("hi")"#));
}

#[test]
fn a_folder_that_cannot_be_shown_as_it_is_is_not_copied() {
    let mut sessions = sample();
    let odd = std::path::Path::new("/tmp/a\nrm -rf ~");
    sessions[1].cwd = Some(std::sync::Arc::new(sesstree::session::Folder::new(odd)));
    let mut desk = Setup::new(sessions).sit();
    desk.press("jY");
    desk.sees("not copied: this has something in it that cannot be shown as it is: /tmp/a");
    assert!(!desk.asked("Copy"));
}

#[test]
fn one_that_is_gone_is_said_and_the_list_refreshed() {
    for refusal in [Refusal::Gone, Refusal::RemovedWhileOpening] {
        let mut desk = at_cookie();
        desk.held = Err(refusal.clone());
        desk.sessions.retain(|session| session.id != id("cookie"));
        desk.press("<Enter>");
        desk.sees(&refusal.to_string());
        desk.press("<Esc>");
        desk.sees_not("try the cookie");
        assert!(!desk.asked("Run"));
    }
}

#[test]
fn a_missing_folder_asks_where() {
    let held = Held {
        missing_folder: Some(MissingFolder {
            folder: Some("/home/you/src/api".into()),
            home: Some("/home/you".into()),
            nearest: Some("/home/you/src".into()),
        }),
        ..Held::default()
    };
    let mut desk = at_cookie();
    desk.held = Ok(held);
    desk.press("<Enter>");
    insta::assert_snapshot!(desk.text());
    desk.press("<Enter>x");
    desk.sees("Where?");
    desk.press("y");
    desk.sees("sent to the terminal's clipboard: zero exec --resume cookie -- ''");
    desk.sees_not("clipboard: cd");
    desk.press("<Esc>");
    assert!(desk.asked("LetGo"));
    desk.press("<Enter>h<Enter>");
    assert!(desk.asked(
        r#"Run { id: SessionId("cookie"), action: OpenScreen, folder: "/home/you/src/web" }"#
    ));
    desk.press("<Enter>p<Enter>");
    assert!(
        desk.asked(
            r#"Run { id: SessionId("cookie"), action: OpenScreen, folder: "/home/you/src" }"#
        )
    );
}

#[test]
fn a_session_without_a_folder_asks_where() {
    let mut sessions = sample();
    sessions[1].cwd = None;
    let mut desk = Setup::new(sessions).sit();
    desk.press("j<Enter>");
    desk.sees("It does not say which folder it worked in.");
}

#[test]
fn a_missing_program_is_named_with_the_setting() {
    let mut desk = at_cookie();
    desk.held = Ok(Held {
        missing_program: Some(SafeText::line("zero")),
        ..Held::default()
    });
    desk.press("<Enter>");
    desk.sees("zero cannot be found on PATH");
    desk.sees("SESSTREE_ZERO_COMMAND");
    assert!(desk.asked("LetGo"));
    desk.press("x<Enter><Esc>");
    assert!(!desk.asked("Run"));
}

#[test]
fn an_unprotected_hold_is_said() {
    let mut desk = at_cookie();
    desk.held = Ok(Held {
        unprotected: Some(SafeText::line("no lock support")),
        ..Held::default()
    });
    desk.press("<Enter>");
    desk.sees("unprotected, a prune by another program could take it");
    desk.sees("no lock support");
}

#[test]
fn how_the_agent_ended_is_never_swallowed() {
    let ends = [
        (AgentEnd::Exited(3), "the agent ended with exit code 3"),
        (AgentEnd::Signalled(9), "the agent was ended by signal 9"),
        (
            AgentEnd::NotStarted(SafeText::line("permission denied")),
            "permission denied",
        ),
    ];
    for (end, said) in ends {
        let mut desk = at_cookie();
        desk.end = end;
        desk.press("<Enter>hi<Enter>");
        desk.sees(said);
    }
}

#[test]
fn our_own_hold_does_not_count_as_somebody_elses() {
    let mut desk = at_cookie();
    desk.press("<Enter>");
    let us = Holder {
        pid: 1,
        process: SafeText::line("sesstree"),
    };
    desk.open.insert(id("cookie"), Openness::Open(us));
    desk.show(Msg::Opened(desk.open.clone()));
    desk.sees("● try the cookie");
    desk.sees("held open by sesstree");
    desk.open.remove(&id("cookie"));
    desk.press("<Esc><Enter>");
    desk.sees("Continue with:");
}

#[test]
fn odd_kinds_and_conditions_are_shown_as_what_they_are() {
    let mut sessions = sample();
    sessions[4].kind = SessionKind::Other(SafeText::line("dream"));
    sessions[5].condition = Condition::Copy(Some(SafeText::line("login")));
    let mut desk = Setup::new(sessions).sit();
    assert!(desk.line("with a view").contains("! with a view"));
    desk.press("a");
    assert!(desk.line("with a queue").contains("dream"));
}

#[test]
fn somebody_else_who_has_what_we_hold_stays_named() {
    let mut desk = desk();
    desk.press("<Enter>o");
    desk.sees("open in zero (pid 4242), and held by");
    let us = Holder {
        pid: 1,
        process: SafeText::line("sesstree"),
    };
    desk.open.insert(id("login"), Openness::Open(us));
    desk.show(Msg::Opened(desk.open.clone()));
    desk.sees("open in zero (pid 4242), and held by");
    let other = Holder {
        pid: 77,
        process: SafeText::line("zero"),
    };
    desk.open.insert(id("login"), Openness::Open(other));
    desk.show(Msg::Opened(desk.open.clone()));
    desk.sees("open in zero (pid 77), and held by");
    desk.open.clear();
    desk.show(Msg::Opened(desk.open.clone()));
    desk.sees("held open by sesstree");
}

/// A fork of the session under the cursor of [`at_cookie`], made by the agent.
fn forked() -> Desk {
    let mut desk = at_cookie();
    desk.keep_waiting(|effect| matches!(effect, Effect::Scan { .. }));
    desk.press("fanother way<Enter>");
    desk.sessions
        .push(session("new", "another way", "cookie", 0));
    desk.sees("zero has ended: “try the cookie approach”");
    desk
}

#[test]
fn a_new_fork_is_gone_to() {
    let mut desk = forked();
    desk.release();
    assert!(desk.cursor().contains("another way"), "{}", desk.text());
    desk.press("y");
    desk.sees("clipboard: new");
}

#[test]
fn a_new_fork_is_not_gone_to_after_a_key() {
    let mut desk = forked();
    desk.press("k");
    desk.release();
    assert!(desk.cursor().contains("Fix login"), "{}", desk.text());
    desk.sees("another way");
}

#[test]
fn a_later_child_is_no_new_fork() {
    let mut desk = at_cookie();
    desk.press("fanother way<Enter>");
    desk.sessions
        .push(session("new", "another way", "cookie", 0));
    desk.show(Msg::StoreChanged);
    assert!(desk.cursor().contains("try the cookie"));
}

#[test]
fn a_long_id_is_shown_whole_on_every_screen() {
    let long = "zero_20251120125701_1763643421687504128_816";
    for (size, lines) in [
        ((120, 35), format!("│ /resume {long} ")),
        ((80, 24), format!("│ /resume {long} ")),
        ((60, 15), format!("│ /resume {long} ")),
        ((40, 10), "│ 128_816 ".to_owned()),
    ] {
        let sessions = vec![session(long, "a title that takes its room", "", 1)];
        let mut desk = Setup::new(sessions).size(size.0, size.1).sit();
        desk.press("<Enter>");
        desk.sees(&lines);
        desk.sees("Esc cancel");
    }
}
