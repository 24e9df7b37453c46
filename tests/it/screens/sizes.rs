//! The screens as they look, from wide to nothing.

use super::data::{sample, session};
use super::desk::{Setup, desk};
use super::prune::wide;

#[test]
fn tree_at_120_by_35() {
    insta::assert_snapshot!(desk().text());
}

#[test]
fn tree_at_80_by_24() {
    insta::assert_snapshot!(Setup::new(sample()).size(80, 24).sit().text());
}

#[test]
fn tree_at_80_by_40_with_the_preview_below() {
    insta::assert_snapshot!(Setup::new(sample()).size(80, 40).sit().text());
}

#[test]
fn tree_at_60_by_15() {
    insta::assert_snapshot!(Setup::new(sample()).size(60, 15).sit().text());
}

#[test]
fn tree_at_40_by_10() {
    insta::assert_snapshot!(Setup::new(sample()).size(40, 10).sit().text());
}

/// Keys to every screen there is.
const SCREENS: [&str; 11] = [
    "",
    "/with",
    "<Tab>",
    "?",
    "p",
    "p<Enter>",
    "p<Enter>c",
    "p<Enter>cy",
    "u",
    "jjd",
    "j<Enter>",
];

#[test]
fn every_screen_fits_every_size() {
    let sizes = [
        (0, 0),
        (1, 1),
        (0, 5),
        (5, 0),
        (39, 9),
        (40, 10),
        (41, 11),
        (49, 10),
        (50, 12),
        (69, 20),
        (70, 29),
        (99, 30),
        (100, 10),
        (250, 80),
    ];
    for keys in SCREENS {
        let mut desk = desk();
        desk.press(keys);
        for (width, height) in sizes {
            desk.resize(width, height);
            desk.press("jk");
        }
        desk.resize(120, 35);
    }
}

#[test]
fn a_frame_may_have_another_size_than_the_last_resize_said() {
    use ratatui::{Terminal, backend::TestBackend};
    for keys in SCREENS {
        let mut desk = desk();
        desk.press(keys);
        for (width, height) in [(0, 0), (7, 3), (40, 10), (300, 90)] {
            let mut other = Terminal::new(TestBackend::new(width, height)).unwrap();
            let draw = |frame: &mut ratatui::Frame| sesstree::view::draw(&desk.model, frame);
            other.draw(draw).unwrap();
        }
    }
}

#[test]
fn on_a_small_screen_a_box_keeps_its_keys() {
    for keys in ["p<Enter>c", "p", "j<Enter>", "jjd", "<Enter>"] {
        let mut desk = Setup::new(sample()).size(40, 10).sit();
        desk.press(keys);
        desk.sees("Esc");
    }
}

#[test]
fn too_small_a_screen_says_so_and_keys_do_nothing_there() {
    let mut desk = Setup::new(sample()).size(30, 8).sit();
    insta::assert_snapshot!(desk.text());
    desk.press("p<Enter>cy<Enter>");
    assert!(!desk.asked("Hold") && !desk.asked("DryRun") && !desk.asked("Prune"));
    desk.press("q");
    assert!(desk.asked("Quit"));
}

#[test]
fn a_question_that_cannot_be_seen_cannot_be_answered() {
    let mut desk = desk();
    desk.press("p<Enter>");
    desk.tell(sesstree::app::msg::Msg::Resize(120, 5));
    desk.burst("cy");
    desk.resize(120, 35);
    desk.burst("cn");
    desk.resize(20, 5);
    desk.press("y");
    assert!(!desk.asked("Prune"));
}

#[test]
fn columns_align_whatever_the_title() {
    let titles = [
        "日本語のタイトルはとても長いので切られる必要があるはずです",
        "👩‍👩‍👧‍👦 family 🏳️‍🌈 flags ❤️",
        "שלום עולם כותרת",
        "e\u{301}\u{301}\u{301}\u{301} marks",
        "plain",
    ];
    let mut sessions = Vec::new();
    for (i, title) in (0..).zip(titles) {
        let name = format!("s{i}");
        sessions.push(session(&name, title, "", i));
    }
    let desk = Setup::new(sessions).size(80, 24).sit();
    insta::assert_snapshot!(desk.text());
}

#[test]
fn a_deep_tree_stops_indenting_and_says_how_deep() {
    let mut sessions = vec![session("d0", "the root", "", 0)];
    for i in 1..9 {
        let (name, parent) = (format!("d{i}"), format!("d{}", i - 1));
        sessions.push(session(&name, "a fork of a fork of a fork", &parent, i));
    }
    for (width, height) in [(80, 24), (100, 24)] {
        let desk = Setup::new(sessions.clone()).size(width, height).sit();
        insta::assert_snapshot!(desk.text());
    }
}

#[test]
fn without_colours_nothing_is_coloured_and_the_cursor_is_still_seen() {
    use ratatui::style::{Color, Modifier};
    use ratatui::{Terminal, backend::TestBackend};
    for keys in SCREENS {
        let mut setup = Setup::new(sample());
        setup.start.no_color = true;
        let mut desk = setup.sit();
        desk.press(keys);
        let mut plain = Terminal::new(TestBackend::new(120, 35)).unwrap();
        plain
            .draw(|frame| sesstree::view::draw(&desk.model, frame))
            .unwrap();
        let cells = &plain.backend().buffer().content;
        assert!(
            cells
                .iter()
                .all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset)
        );
        if keys.is_empty() {
            assert!(
                cells
                    .iter()
                    .any(|cell| cell.modifier.contains(Modifier::REVERSED))
            );
        }
    }
}

#[test]
fn the_screens_at_40_by_10() {
    for (name, keys) in [
        ("preview", "p<Enter>"),
        ("confirm", "p<Enter>c"),
        ("report", "p<Enter>cy"),
        ("cutoff", "p"),
        ("prompt", "j<Enter>"),
        ("reader", "j<Tab>"),
        ("filter", "/with"),
    ] {
        let mut desk = Setup::new(wide()).size(40, 10).sit();
        desk.press(keys);
        insta::assert_snapshot!(format!("40_by_10_{name}"), desk.text());
    }
}

#[test]
fn the_screens_at_80_by_24() {
    for (name, keys) in [
        ("preview", "p<Enter>"),
        ("confirm", "p<Enter>c"),
        ("trash", "p<Enter>cy<Esc>u"),
    ] {
        let mut desk = Setup::new(wide()).size(80, 24).sit();
        desk.press(keys);
        insta::assert_snapshot!(format!("80_by_24_{name}"), desk.text());
    }
}

#[test]
fn the_word_is_asked_for_on_the_smallest_screen_too() {
    let mut sessions = sample();
    let old = |i| session(&format!("old{i}"), "an old one", "", 24 * 100);
    sessions.extend((0..20).map(old));
    let mut desk = Setup::new(sessions).size(40, 10).sit();
    desk.press("p<Enter>c");
    insta::assert_snapshot!(desk.text());
}
