//! One test per key of the list and of its filter.

use super::data::{id, now, sample, session};
use super::desk::{Setup, desk};
use chrono::TimeDelta;
use sesstree::app::msg::Msg;
use sesstree::session::{Folder, Openness};

#[test]
fn j_k_and_the_arrows_move() {
    let mut desk = desk();
    desk.press("j");
    assert!(desk.cursor().contains("cookie"));
    desk.press("<Down>");
    assert!(desk.cursor().contains("Migrate"));
    desk.press("k");
    assert!(desk.cursor().contains("cookie"));
    desk.press("<Up><Up>");
    assert!(desk.cursor().contains("Fix login"));
}

#[test]
fn g_and_home_go_to_the_top_and_back() {
    let mut desk = desk();
    desk.press("G");
    assert!(desk.cursor().contains("damaged"));
    desk.press("g");
    assert!(desk.cursor().contains("Fix login"));
    desk.press("<End>");
    assert!(desk.cursor().contains("damaged"));
    desk.press("<Home>");
    assert!(desk.cursor().contains("Fix login"));
}

#[test]
fn pages_and_half_pages_move_by_what_is_drawn() {
    let many = (0..100).map(|i| session(&format!("s{i:02}"), &format!("title {i:02}"), "", i));
    let mut desk = Setup::new(many.collect()).size(80, 24).sit();
    desk.press("<PgDn>");
    assert!(desk.cursor().contains("title 19"));
    desk.press("<C-d>");
    assert!(desk.cursor().contains("title 28"));
    desk.press("<C-u>");
    assert!(desk.cursor().contains("title 19"));
    desk.press("<PgUp>");
    assert!(desk.cursor().contains("title 00"));
}

#[test]
fn left_folds_and_goes_to_the_parent() {
    let mut desk = desk();
    desk.press("jjj");
    assert!(desk.cursor().contains("with a view"));
    desk.press("h");
    assert!(desk.cursor().contains("Migrate"));
    desk.press("<Left>");
    desk.sees_not("with a view");
    let row = desk.cursor();
    assert!(row.contains("▸◆ Migrate to postgres (2)"), "{row}");
    assert!(row.contains("61d·9d"), "{row}");
    assert!(row.contains("1.9 MiB"), "{row}");
}

#[test]
fn right_unfolds_and_goes_to_the_first_child() {
    let mut desk = desk();
    desk.press("jjh");
    desk.sees_not("with a view");
    desk.press("l");
    desk.sees("with a view");
    desk.press("<Right>");
    assert!(desk.cursor().contains("with a view"));
}

#[test]
fn z_folds_all_and_unfolds_all() {
    let mut desk = desk();
    desk.press("jz");
    assert!(
        desk.cursor().contains("Fix login"),
        "the row that stands for it"
    );
    desk.sees_not("try the cookie");
    desk.sees_not("with a view");
    desk.press("z");
    desk.sees("try the cookie");
    desk.sees("with a view");
}

#[test]
fn space_selects_and_goes_down() {
    let mut desk = desk();
    desk.press("<Space>");
    assert!(desk.line("Fix login redirect").contains('✓'));
    assert!(desk.cursor().contains("cookie"));
    desk.sees("1 selected");
    desk.press("k<Space>");
    desk.sees_not("selected ·");
}

#[test]
fn v_selects_the_subtree() {
    let mut desk = desk();
    desk.press("jjv");
    desk.sees("3 selected");
    assert!(desk.line("with a queue").contains('✓'));
    desk.press("v");
    desk.sees_not("selected ·");
}

#[test]
fn shift_v_selects_all_shown() {
    let mut desk = desk();
    desk.press("/queue<Enter>V");
    desk.sees("1 selected");
    desk.press("<Esc><Esc>");
    desk.sees_not("selected ·");
    desk.press("V");
    desk.sees("8 selected");
}

#[test]
fn o_sorts_by_the_next_column_and_shift_o_reverses() {
    let mut desk = desk();
    desk.press("o");
    desk.sees("Sessions · created ↓");
    desk.press("o");
    desk.sees("Sessions · size ↓");
    desk.press("o");
    desk.sees("Sessions · title ↑");
    assert!(
        desk.cursor().contains("Fix login"),
        "the cursor stays on its session"
    );
    let text = desk.text();
    assert!(text.find("Fix login redirect").unwrap() < text.find("notes on").unwrap());
    desk.press("O");
    desk.sees("Sessions · title ↓");
    desk.press("oo");
    desk.sees("Sessions · activity ↓");
}

#[test]
fn a_shows_the_agents_own_runs() {
    let mut desk = desk();
    desk.sees_not("look for callers");
    desk.press("a");
    assert!(desk.line("look for callers").contains("child"));
    desk.press("a");
    desk.sees_not("look for callers");
}

#[test]
fn a_session_below_a_hidden_run_shows_it_dim() {
    let mut sessions = sample();
    sessions.push(session("below", "went on by hand", "run", 1));
    let desk = Setup::new(sessions).sit();
    desk.sees("look for callers");
    desk.sees("went on by hand");
}

#[test]
fn dot_shows_only_this_folder() {
    let mut sessions = sample();
    let mut web = session("web", "the landing page", "", 5);
    let folder = Folder::new("/home/you/src/web/app".as_ref());
    web.cwd = Some(std::sync::Arc::new(folder));
    sessions.push(web);
    let mut desk = Setup::new(sessions).sit();
    desk.press(".");
    desk.sees("Sessions · activity ↓ · in ~/src/web");
    desk.sees("the landing page");
    desk.sees_not("Migrate");
    desk.press(".");
    desk.sees("Migrate");
}

#[test]
fn shift_r_looks_again() {
    let mut desk = desk();
    desk.sessions.push(session("new", "just begun", "", 0));
    desk.press("R");
    desk.sees("just begun");
    assert!(
        desk.cursor().contains("Fix login"),
        "the cursor stays on its session"
    );
}

#[test]
fn y_copies_the_id_and_shift_y_the_command() {
    let mut desk = desk();
    desk.press("y");
    assert!(desk.asked("Copy(SafeText(\"login\"))"));
    desk.sees("sent to the terminal's clipboard: login");
    desk.press("Y");
    desk.sees(
        "sent to the terminal's clipboard: cd /home/you/src/api && zero exec --resume login -- ''",
    );
}

#[test]
fn question_mark_shows_the_keys() {
    let mut desk = desk();
    desk.press("?");
    insta::assert_snapshot!(desk.text());
    desk.press("G");
    desk.sees("the terminal's own selection");
    desk.press("<Esc>");
    desk.sees("Sessions · activity");
}

#[test]
fn q_and_ctrl_c_quit() {
    for key in ["q", "<C-c>"] {
        let mut desk = desk();
        desk.press(key);
        assert!(desk.asked("Quit"), "{key}");
    }
}

#[test]
fn ctrl_z_suspends() {
    let mut desk = desk();
    desk.press("<C-z>");
    assert!(desk.asked("Suspend"));
}

#[test]
fn slash_filters_as_one_types() {
    let mut desk = desk();
    desk.press("/QUEUE with");
    desk.sees("1 of 9");
    desk.sees("with a queue");
    desk.sees_not("with a view");
    assert!(
        desk.cursor().contains("with a queue"),
        "the cursor is on the first hit"
    );
    insta::assert_snapshot!(desk.text());
}

#[test]
fn escape_clears_the_filter_and_leaves_it_then() {
    let mut desk = desk();
    desk.press("jj/queue<Esc>");
    desk.sees(" / ");
    desk.sees("notes on the build");
    desk.press("<Esc>");
    desk.sees_not(" of 9");
    assert!(desk.cursor().contains("Migrate"), "back on its session");
}

#[test]
fn enter_keeps_the_filter_and_resumes_then() {
    let mut desk = desk();
    desk.press("/cookie<Enter>");
    desk.sees("1 of 9");
    assert!(!desk.asked("Hold"));
    desk.press("<Enter>");
    assert!(desk.asked("Hold { generation"));
}

#[test]
fn the_filter_moves_with_arrows_ctrl_n_and_ctrl_p() {
    let mut desk = desk();
    desk.press("/with<Down>");
    assert!(desk.cursor().contains("with a queue"));
    desk.press("<C-p>");
    assert!(desk.cursor().contains("with a view"));
    desk.press("<C-n><Up>");
    assert!(desk.cursor().contains("with a view"));
}

#[test]
fn a_filter_unfolds_and_what_was_folded_is_folded_after_it() {
    let mut desk = desk();
    desk.press("z/queue");
    desk.sees("with a queue");
    desk.press("<Esc><Esc>");
    desk.sees_not("with a queue");
}

#[test]
fn a_query_filters_from_the_start() {
    let mut setup = Setup::new(sample());
    setup.start.query = Some("queue\u{1b}".to_owned());
    let desk = setup.sit();
    desk.sees("/ queue");
    desk.sees("1 of 9");
}

#[test]
fn the_cursor_stays_on_top_until_the_first_key_and_on_its_session_after_it() {
    let mut desk = desk();
    desk.sessions.push(session("new", "just begun", "", 1));
    desk.show(Msg::StoreChanged);
    assert!(desk.cursor().contains("just begun"));
    desk.press("j");
    assert!(desk.cursor().contains("Fix login"));
    desk.sessions.push(session("newer", "even newer", "", 0));
    desk.show(Msg::StoreChanged);
    assert!(desk.cursor().contains("Fix login"));
}

#[test]
fn a_key_acts_on_the_row_as_it_was_drawn() {
    let mut desk = desk();
    desk.sessions.push(session("new", "just begun", "", 0));
    desk.tell(Msg::StoreChanged);
    desk.press("y");
    desk.sees("sent to the terminal's clipboard: login");
    desk.sessions.retain(|session| session.id != id("login"));
    desk.tell(Msg::StoreChanged);
    desk.press("<Enter>");
    desk.sees("the session under the cursor is gone; nothing was done");
    assert!(!desk.asked("Hold"));
}

#[test]
fn a_session_that_is_gone_leaves_the_cursor_to_its_neighbour() {
    let mut desk = desk();
    desk.press("jjjj");
    assert!(desk.cursor().contains("with a queue"));
    desk.sessions.retain(|session| session.id != id("pg-b"));
    desk.show(Msg::StoreChanged);
    assert!(desk.cursor().contains("with a queue"));
    desk.sessions.retain(|session| session.id != id("pg-a"));
    desk.show(Msg::StoreChanged);
    assert!(desk.cursor().contains("notes on the build"));
}

#[test]
fn a_paste_is_no_command() {
    let mut desk = desk();
    desk.show(Msg::Paste("qpdy\n".to_owned()));
    assert!(!desk.asked("Quit"));
    desk.sees("Sessions · activity");
    desk.press("/");
    desk.show(Msg::Paste("que\nue".to_owned()));
    desk.sees("/ que ue");
}

#[test]
fn openness_is_asked_for_every_two_seconds() {
    let mut desk = desk();
    desk.asked.clear();
    desk.show(Msg::Tick(now() + TimeDelta::seconds(1)));
    assert!(!desk.asked("Openness"));
    desk.open.insert(id("scratch"), Openness::Maybe);
    desk.show(Msg::Tick(now() + TimeDelta::seconds(2)));
    assert!(desk.asked("Openness"));
    assert!(desk.line("scratch").contains("? scratch"));
}

#[test]
fn sizes_are_asked_for_drawn_rows_first() {
    let mut desk = Setup::new(
        (0..200)
            .map(|i| session(&format!("s{i:03}"), "", "", i))
            .collect(),
    )
    .size(80, 12)
    .sit();
    let first = desk
        .asked
        .iter()
        .find(|asked| asked.starts_with("Size"))
        .unwrap();
    assert!(
        first.starts_with(r#"Size([SessionId("s000"), SessionId("s001")"#),
        "{first}"
    );
    desk.asked.clear();
    desk.press("R");
    assert!(!desk.asked("Size"), "what is known is carried over");
}
