//! A search on a real store: what is found is found in the logs, and shown harmless.

use super::open;
use crate::support::{TestStore, days_ago};

fn store() -> TestStore {
    let store = TestStore::new();
    let long: Vec<String> = (0..200).map(|line| format!("line {line}")).collect();
    let mut session = store.session("long").at(days_ago(1));
    for turn in 0..40 {
        session = session.message("user", &format!("turn {turn}"));
        session = session.event(
            "tool_result",
            &serde_json::json!({"name": "bash", "status": "ok", "output": long.join("\n")}),
        );
    }
    session.message("user", "the Caf\u{e9} is open").write();
    store.add("other", "", 2);
    store
}

#[test]
fn enter_shows_it_where_it_stands_with_all_around_it() {
    let store = store();
    let mut desk = open(&store);
    desk.press("scaf\u{e9}<Enter>");
    desk.sees("1 match in 1 session · all 2 searched");
    desk.press("j<Enter>");
    desk.sees("you     the Caf\u{e9} is open");
    desk.press("k");
    desk.sees("result▸ bash ok");
    desk.press("<Esc>");
    desk.sees("1 match in 1 session");
}

/// It is in what is folded away: found, unfolded, and gone on to with n.
#[test]
fn what_is_found_in_a_folded_answer_is_unfolded() {
    let store = store();
    let mut desk = open(&store);
    desk.press("s/line 15\\d\\b/<Enter>");
    desk.sees("40 matches in 1 session");
    desk.press("j<Enter>");
    desk.sees("line 150");
    desk.sees("line 151");
    desk.press("n");
    let top = desk.text().lines().nth(5).unwrap_or_default().to_owned();
    assert!(top.contains("line 151"), "{}", desk.text());
}

#[test]
fn secrets_and_sequences_in_what_is_found_do_nothing() {
    let store = TestStore::new();
    let token = ["ghp_", "aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"].concat();
    let said = format!("take {token}\u{1b}]0;title\u{7} and \u{202e}go");
    store.session("a").message("user", &said).write();
    let mut desk = open(&store);
    desk.press("stake<Enter>");
    desk.sees("take ghp_[redacted] and ");
    desk.sees_not(&token);
    desk.sees_not("title\u{7}");
    // A secret can be searched for, by who knows it, and is not shown.
    desk.press("s<C-u>aBcDeFgHiJk<Enter>");
    desk.sees("1 match in 1 session");
    desk.sees("take ghp_[redacted]");
}
