//! What has to be seen however narrow or small the screen is, or becomes.

use sesstree::session::Fault;
use sesstree::text::SafeText;

use super::data::{sample, session};
use super::desk::{Desk, Setup};
use super::prune::wide;

/// The hint line.
fn hints(desk: &Desk) -> String {
    desk.text().lines().last().unwrap().to_owned()
}

/// Sixty old sessions and as many of today.
fn many() -> Vec<sesstree::session::Session> {
    let old = |i: i64| {
        session(
            &format!("old{i:02}"),
            &format!("title {i:02}"),
            "",
            2_400 + i,
        )
    };
    let new = |i| session(&format!("new{i:02}"), "of today", "", 1);
    (0..60).map(old).chain((0..70).map(new)).collect()
}

#[test]
fn the_cursor_is_in_view_after_every_resize() {
    for keys in ["p<Enter>", "p<Enter>cy", "p<Enter>cy<Esc>u"] {
        let mut desk = Setup::new(many()).sit();
        desk.press(keys).press("<PgDn>");
        let title = |desk: &Desk| {
            let row = desk.cursor();
            row[row.find("title").unwrap()..][..8].to_owned()
        };
        let at = title(&desk);
        for (width, height) in [(60, 15), (40, 10), (120, 50), (80, 24)] {
            desk.resize(width, height);
            assert_eq!(title(&desk), at, "{keys} at {width}×{height}");
        }
    }
}

#[test]
fn the_preview_below_a_question_and_the_help_follow_a_resize_too() {
    let mut desk = Setup::new(many()).sit();
    desk.press("p<Enter><PgDn>c");
    desk.resize(250, 16);
    desk.sees("▌");
    desk.press("n<Esc>?G");
    desk.resize(120, 60);
    desk.sees("the terminal's own selection");
    let blank = desk
        .text()
        .lines()
        .filter(|line| line.trim_matches(['│', ' ']).is_empty())
        .count();
    assert!(blank < 15, "{}", desk.text());
}

#[test]
fn half_pages_work_wherever_pages_do() {
    for keys in ["", "p<Enter>", "p<Enter>cy", "p<Enter>cy<Esc>u"] {
        let mut desk = Setup::new(many()).size(80, 24).sit();
        desk.press(keys);
        let before = desk.text();
        desk.press("<C-d>");
        assert_ne!(desk.text(), before, "{keys}");
        desk.press("<C-u>");
        assert_eq!(desk.text(), before, "{keys}");
    }
    let mut desk = Setup::new(sample()).size(40, 10).sit();
    desk.press("j<Tab>");
    let end = desk.text();
    desk.press("<C-u>");
    assert_ne!(desk.text(), end);
    desk.press("<C-d>");
    assert_eq!(desk.text(), end);
}

#[test]
fn the_tab_that_is_shown_is_always_seen() {
    for (width, tabs) in [
        (40, ["Remove 3", "Kept 1", "Unchecked 1"]),
        (
            60,
            ["Would remove 3 · 1.9 MiB", "Kept 1", "Could not check 1"],
        ),
    ] {
        let mut desk = Setup::new(wide()).size(width, 15).sit();
        desk.press("p<Enter>");
        for tab in tabs {
            desk.sees(&format!(" {tab} "));
            desk.press("l");
        }
    }
}

#[test]
fn the_date_of_a_batch_is_never_cut() {
    for (width, row) in [
        (
            120,
            "▌pruned 0s ago · 3 sessions · 1.9 MiB · kept at least until 8 Nov · “",
        ),
        (
            60,
            "▌kept until 8 Nov · 3 sessions · 1.9 MiB · pruned 0s ago ",
        ),
        (40, "▌kept until 8 Nov · 3 sessions "),
    ] {
        let mut desk = Setup::new(wide()).size(width, 15).sit();
        desk.press("p<Enter>cy<Esc>u");
        desk.sees(row);
    }
}

#[test]
fn the_help_is_whole_at_any_width() {
    let long = "a/folder/with/a/name/that/does/not/fit/into/one/line/of/a/narrow/screen";
    for width in [40, 60, 80] {
        let mut setup = Setup::new(sample()).size(width, 15);
        setup.faults = vec![Fault {
            path: long.into(),
            what: SafeText::line("not a session's name, the end"),
        }];
        let mut desk = setup.sit();
        desk.press("?");
        let mut seen = desk.text();
        for _ in 0..30 {
            desk.press("<PgDn>");
            seen += &desk.text();
        }
        // One text of ours ends like that.
        let cut = seen
            .lines()
            .filter(|line| line.contains("…│") || line.contains("… │"));
        assert_eq!(cut.count(), 0, "{width}: {seen}");
        assert!(seen.contains("the end"), "{width}: {seen}");
        let under = seen.lines().any(|line| {
            line.starts_with(&format!("│{}", " ".repeat(21)))
                && line.trim_matches(['│', ' ']).len() > 3
        });
        assert!(
            width == 80 || under,
            "{width}: under the text, not under the keys"
        );
    }
}

#[test]
fn no_key_is_offered_that_does_nothing() {
    let desk = Setup::new(Vec::new()).sit();
    let line = hints(&desk);
    for word in ["resume", "fork", "read", "select", "prune", "filter"] {
        assert!(!line.contains(word), "{line}");
    }
    assert!(line.contains("? help") && line.contains("q quit"), "{line}");

    let mut desk = Setup::new(vec![session("a", "of today", "", 1)]).sit();
    desk.press("p<Enter>");
    let line = hints(&desk);
    assert_eq!(line, "←→ sections  ? help  Esc back");

    let mut desk = Setup::new(wide()).sit();
    desk.press("p<Enter>");
    assert!(hints(&desk).contains("c confirm …") && hints(&desk).contains("Space keep"));
    desk.press("l");
    assert!(!hints(&desk).contains("Space keep"), "{}", hints(&desk));
    desk.press("<Esc>/nothing like it<Enter>");
    assert!(!hints(&desk).contains("resume") && hints(&desk).contains("/ filter"));
}

#[test]
fn sums_are_marked_until_all_sizes_are_known() {
    use sesstree::app::msg::{Effect, Msg};
    let mut setup = Setup::new(sample());
    setup.keep = |effect| matches!(effect, Effect::Size(_));
    let mut desk = setup.sit();
    desk.press("z");
    desk.sees("9 sessions  …  ");
    let size = |name: &str| (super::data::id(name), 4 << 20);
    desk.show(Msg::Sized(vec![size("postgres"), size("pg-a")]));
    desk.sees("9 sessions  8 MiB…  ");
    assert!(
        desk.line("Migrate to").contains(" 8 MiB…│"),
        "{}",
        desk.text()
    );
    desk.show(Msg::Sized(vec![size("pg-b")]));
    desk.sees("9 sessions  12 MiB…  ");
    assert!(
        desk.line("Migrate to").contains(" 12 MiB│"),
        "{}",
        desk.text()
    );
    desk.release();
    desk.sees_not("MiB…");
}
