//! What stands above a conversation: where it comes from, when it was, what it took.

use sesstree::app::msg::{Effect, Msg};
use sesstree::transcript::Usage;

use super::data::session;
use super::desk::{Desk, Setup, desk};

/// The reader over the last of a line of forks.
fn fork(forks: &[&str]) -> Desk {
    let mut sessions = Vec::new();
    let mut parent = String::new();
    for (number, title) in (0..).zip(forks) {
        let name = format!("s{number}");
        sessions.push(session(&name, title, &parent, 20 - number));
        parent = name;
    }
    let mut desk = Setup::new(sessions).sit();
    desk.press("G<Tab>");
    desk
}

#[test]
fn the_title_says_where_it_comes_from_as_far_as_there_is_room() {
    let titles = [
        "Fix login",
        "try the cookie",
        "without SameSite",
        "with a test",
    ];
    let title = |desk: &Desk| {
        desk.text()
            .lines()
            .nth(1)
            .unwrap()
            .trim_end_matches(['─', '╮'])
            .to_owned()
    };
    assert_eq!(title(&fork(&titles[..1])), "╭ Fix login ");
    assert_eq!(title(&fork(&titles[..2])), "╭ Fix login › try the cookie ");
    let three = "╭ Fix login › try the cookie › without SameSite ";
    assert_eq!(title(&fork(&titles[..3])), three);
    let mut desk = fork(&titles);
    let four = "╭ Fix login › … › without SameSite › with a test ";
    assert_eq!(title(&desk), four);
    desk.resize(48, 15);
    assert_eq!(
        title(&desk),
        "╭ Fix login › … › without SameS… › with a test "
    );
    desk.resize(40, 10);
    assert_eq!(title(&desk), "╭ Fix login › … › with a test ");
    let long = "a title that takes more room than there is";
    let mut desk = fork(&["Fix login", long]);
    desk.resize(40, 10);
    assert_eq!(title(&desk), "╭ … › a title that takes more room th… ");
}

#[test]
fn tokens_are_shown_once_they_are_counted() {
    let mut desk = desk();
    desk.keep_waiting(|effect| matches!(effect, Effect::Usage { .. }));
    desk.press("j<Tab>");
    desk.sees_not("tokens");
    let Some(Effect::Usage {
        generation, wanted, ..
    }) = desk.waiting.pop_front()
    else {
        panic!("nothing was counted");
    };
    let told = |generation, input| {
        let output = 1;
        Msg::Usage {
            generation,
            usage: Ok(Usage { input, output }),
        }
    };
    desk.show(told(generation - 1, 7));
    desk.sees_not("tokens");
    desk.show(told(generation, 1_500));
    desk.sees("UTC · 1.5k tokens in, 1 out");
    // The help is over the reader: it waits still.
    desk.press("?");
    assert_eq!(wanted.strong_count(), 1);
    desk.show(told(generation, 2_500));
    desk.press("<Esc>");
    desk.sees("2.5k tokens in, 1 out");
    desk.press("<Esc>");
    assert_eq!(wanted.strong_count(), 0);
}
