//! The ways back: `q`, `?` over another screen, and Ctrl-c.

use super::desk::{Setup, desk};
use super::prune::{at_confirm, wide};

/// Keys to each screen that covers the list, and a word that only it has.
const OVER: [(&str, &str); 4] = [
    ("j<Tab>", "as the agent would continue it"),
    ("p<Enter>", "nothing removed yet"),
    ("p<Enter>cy", "freed now: 0 B"),
    ("u", "the trash is empty"),
];

#[test]
fn q_goes_back_and_does_not_quit() {
    for (keys, word) in OVER.into_iter().chain([("?", "Marks and kinds")]) {
        let mut desk = Setup::new(wide()).sit();
        desk.press(keys);
        desk.sees(word);
        desk.press("q");
        assert!(!desk.asked("Quit"), "{keys}");
        desk.sees("Sessions · activity");
    }
}

#[test]
fn question_mark_helps_over_other_screens_and_comes_back_to_them() {
    for (keys, word) in OVER {
        for back in ["<Esc>", "?", "q"] {
            let mut desk = Setup::new(wide()).sit();
            desk.press(keys).press("?");
            desk.sees("Marks and kinds");
            desk.sees_not(word);
            desk.press(back);
            desk.sees(word);
        }
    }
}

#[test]
fn the_help_begins_with_the_marks_and_has_every_place() {
    let mut desk = desk();
    desk.press("?");
    for mark in [
        "●",
        "?",
        "◆",
        "✂",
        "!",
        "✓",
        "▾ ▸",
        "(4)",
        "61d·9d",
        "5·",
        "fork",
        "child",
        "side",
        "spec-draft",
        "spec-impl",
    ] {
        desk.sees(&format!("│   {mark} "));
    }
    let mut seen = desk.text();
    for _ in 0..4 {
        desk.press("<PgDn>");
        seen += &desk.text();
    }
    for head in ["Trash", "Report", "Resume, fork"] {
        assert!(seen.contains(&format!("│ {head} ")), "{head} in\n{seen}");
    }
}

#[test]
fn ctrl_c_cancels_what_is_typed_and_quits_then() {
    for (keys, shown) in [
        ("/queue", " / queue"),
        ("p", "Prune by age"),
        ("j<Enter>hello", "Continue with:"),
        ("j<Enter><Esc>Vd", "Would remove"),
    ] {
        let mut desk = desk();
        desk.press(keys);
        desk.sees(shown);
        if keys.ends_with('d') {
            desk.press("<C-c>");
            assert!(desk.asked("Quit"), "nothing is typed into a preview");
            continue;
        }
        desk.press("<C-c>");
        assert!(!desk.asked("Quit"), "{keys}");
        desk.sees_not(shown);
        desk.sees("Sessions · activity");
        desk.press("<C-c>");
        assert!(desk.asked("Quit"), "{keys}");
    }
}

#[test]
fn ctrl_c_in_a_prompt_lets_go() {
    let mut desk = desk();
    desk.press("j<Enter>");
    desk.asked.clear();
    desk.press("<C-c>");
    assert!(desk.asked("LetGo"));
}

#[test]
fn ctrl_c_at_the_question_quits_and_at_the_word_goes_back() {
    let mut desk = at_confirm();
    desk.press("<C-c>");
    assert!(desk.asked("Quit"));
    let old = |i| super::data::session(&format!("old{i}"), "an old one", "", 2_400);
    let mut desk = Setup::new((0..4).map(old).collect()).sit();
    desk.press("p<Enter>cpru<C-c>");
    assert!(!desk.asked("Quit") && !desk.asked("Prune"));
    desk.sees("Would remove 4");
    desk.sees_not("more than half");
}
