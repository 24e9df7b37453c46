//! `s`: searching inside transcripts, whatever the answers and in whatever order they come.

use sesstree::app::msg::{Effect, Msg};
use sesstree::search::found::{End, Hit, News};
use sesstree::text::SafeText;
use sesstree::transcript::Role;

use super::data::{now, sample, session};
use super::desk::{Desk, Setup};

/// A search is kept waiting; the test tells what it finds.
fn desk() -> Desk {
    let mut setup = Setup::new(sample());
    setup.keep = |effect| matches!(effect, Effect::Search { .. });
    setup.sit()
}

/// What the screen asked to be searched, newest first, and the number of the request.
fn asked(desk: &Desk) -> (Vec<String>, u64) {
    match desk.waiting.back() {
        Some(Effect::Search {
            generation, ids, ..
        }) => (ids.iter().map(ToString::to_string).collect(), *generation),
        other => panic!("{other:?}"),
    }
}

fn hit(text: &str) -> Hit {
    let at = text.find("cookie");
    Hit {
        offset: 100,
        role: Role::Agent,
        at: Some(now()),
        context: SafeText::line(text),
        marks: at.map(|at| at..at + 6).into_iter().collect(),
    }
}

fn news(session: usize, hits: &[&str], count: Option<u64>) -> News {
    News {
        session,
        hits: hits.iter().map(|text| hit(text)).collect(),
        end: count.map(|count| End {
            count,
            ..End::default()
        }),
    }
}

fn found(desk: &mut Desk, news: Vec<News>) {
    let (_, generation) = asked(desk);
    desk.show(Msg::Found { generation, news });
}

fn ended(desk: &mut Desk, whole: bool) {
    let (_, generation) = asked(desk);
    desk.show(Msg::SearchEnded { generation, whole });
}

const LONG: &str = "the session cookie expires in the middle of a request, and then the page that was asked \
                    for is the login page itself, which sends the browser to the page that was asked for";

/// One with much, one with one, and one that is still being searched.
fn some(desk: &mut Desk) {
    desk.press("scookie<Enter>");
    let one = news(1, &["try the cookie approach"], Some(1));
    found(desk, vec![one]);
    let much = news(0, &[LONG, "a cookie", "two cookies"], Some(12));
    found(desk, vec![much, news(2, &["no cookie here"], None)]);
}

#[test]
fn it_looks_like_this() {
    for (width, height) in [(120, 35), (60, 15), (40, 10)] {
        let mut desk = desk();
        desk.resize(width, height);
        desk.press("s");
        let size = format!("{width}_by_{height}");
        insta::assert_snapshot!(format!("{size}_asking"), desk.text());
        desk.press("<Esc>");
        some(&mut desk);
        insta::assert_snapshot!(format!("{size}_found"), desk.text());
    }
}

#[test]
fn what_the_list_shows_is_searched_folded_away_or_not() {
    let mut desk = desk();
    desk.press("zsx<Enter>");
    let (all, _) = asked(&desk);
    assert_eq!(all[0], "login", "{all:?}");
    assert!(all.iter().any(|id| id == "cookie"), "{all:?}");
    let before = all.len();
    desk.press("<Esc><Esc>asx<Enter>");
    assert!(asked(&desk).0.len() > before, "agents' runs as well");
    desk.press("<Esc><Esc>/cookie<Enter>sx<Enter>");
    assert_eq!(asked(&desk).0, ["cookie"]);
}

#[test]
fn esc_stops_it_and_keeps_what_was_found_and_leaves_at_last() {
    let mut desk = desk();
    some(&mut desk);
    desk.sees("14 matches in 3 sessions · 2 of");
    desk.sees("Esc stops");
    desk.press("<Esc>");
    assert!(desk.asked("StopSearch"));
    desk.sees("stopped: 2 of");
    desk.sees("try the cookie approach");
    // What was under way comes in still.
    found(&mut desk, vec![news(2, &[], Some(1))]);
    ended(&mut desk, false);
    desk.sees("stopped: 3 of");
    desk.press("<Esc>");
    desk.sees("Sessions");
    // Nothing of it is taken for anything later.
    let (_, old) = asked(&desk);
    desk.press("sother<Enter>");
    let news = vec![news(0, &["a cookie"], Some(1))];
    desk.show(Msg::Found {
        generation: old,
        news,
    });
    desk.sees("nothing found yet");
}

#[test]
fn enter_reads_it_there_and_the_way_back_finds_the_cursor_again() {
    let mut desk = desk();
    some(&mut desk);
    desk.press("jj");
    assert!(desk.cursor().contains("a cookie"), "{}", desk.cursor());
    desk.press("<Enter>");
    desk.sees("every event");
    let asked_for = desk
        .asked
        .iter()
        .rev()
        .find(|asked| asked.starts_with("Read "));
    assert!(asked_for.unwrap().contains("From(100)"), "{asked_for:?}");
    // More is found meanwhile.
    found(&mut desk, vec![news(3, &["cookie"], Some(1))]);
    desk.press("?<Esc><Esc>");
    desk.sees("in 4 sessions");
    assert!(desk.cursor().contains("a cookie"), "{}", desk.cursor());
}

#[test]
fn brackets_and_arrows_go_from_session_to_session() {
    let mut desk = desk();
    some(&mut desk);
    for (key, row) in [
        ("l", "try the cookie"),
        ("<Right>", "with a view"),
        ("]", "with a view"),
        ("h", "try the cookie"),
        ("[", "Fix login"),
    ] {
        desk.press(key);
        assert!(desk.cursor().contains(row), "{key}: {}", desk.cursor());
    }
}

#[test]
fn what_cannot_be_searched_for_is_said_and_nothing_is_lost() {
    let mut desk = desk();
    some(&mut desk);
    desk.press("s");
    desk.press("<C-u>/a(b/<Enter>");
    desk.sees("unclosed group: “(”");
    desk.press("<C-u><Enter>");
    desk.sees("nothing to search for");
    desk.press("<Esc>");
    desk.sees("Search: cookie");
    desk.sees("14 matches in 3 sessions");
}

#[test]
fn nothing_found_says_what_to_do() {
    let mut desk = desk();
    desk.press("snowhere<Enter>");
    let all = asked(&desk).0.len();
    found(
        &mut desk,
        (0..all).map(|at| news(at, &[], Some(0))).collect(),
    );
    ended(&mut desk, true);
    desk.sees(&format!("nothing found · all {all} searched"));
    desk.sees("s searches for something else");
}

#[test]
fn what_was_not_searched_is_told() {
    let mut desk = desk();
    desk.press("scookie<Enter>");
    let mut news = news(0, &["a cookie"], Some(1));
    let end = news.end.as_mut().unwrap();
    end.failed = Some(SafeText::line("Input/output error"));
    (end.unreadable, end.too_long) = (3, 1);
    found(&mut desk, vec![news]);
    desk.sees(
        "! 1 session not searched: Input/output error · 1 line longer than 1 MiB not searched · \
         3 lines unreadable",
    );
}

#[test]
fn a_paste_is_typed_and_ctrl_c_leaves_the_typing() {
    let mut desk = desk();
    desk.press("s");
    desk.show(Msg::Paste("coo\u{1b}[31mkie\n".to_owned()));
    desk.sees("Search: coo[31mkie");
    desk.press("<C-c>");
    desk.sees("Sessions");
    some(&mut desk);
    desk.show(Msg::Paste("q".to_owned()));
    desk.sees("14 matches");
}

/// However many are found: drawing starts at what is drawn.
#[test]
fn the_cursor_can_go_to_the_end_of_very_many() {
    let many = (0..500).map(|i| session(&format!("s{i:03}"), &format!("title {i:03}"), "", i));
    let mut setup = Setup::new(many.collect());
    setup.keep = |effect| matches!(effect, Effect::Search { .. });
    let mut desk = setup.sit();
    desk.press("sx<Enter>");
    found(
        &mut desk,
        (0..500).map(|at| news(at, &["cookie"], Some(1))).collect(),
    );
    ended(&mut desk, true);
    desk.press("G");
    assert!(desk.cursor().contains("cookie"));
    desk.press("k");
    assert!(desk.cursor().contains("title 499"), "{}", desk.cursor());
    desk.press("g<PgDn>");
    assert!(desk.cursor().contains("title"), "{}", desk.cursor());
}
