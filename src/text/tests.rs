//! What no text may do, tried with hostile and with random text.

use std::ffi::OsStr;

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthChar as _;

use super::*;

#[track_caller]
fn check_line(raw: &str, shown: &str) {
    assert_eq!(SafeText::line(raw).as_str(), shown, "line of {raw:?}");
}

#[track_caller]
fn check_block(raw: &str, shown: &str) {
    assert_eq!(SafeText::block(raw).as_str(), shown, "block of {raw:?}");
}

/// Asserts that the text is one that no terminal acts on.
#[track_caller]
fn assert_safe(text: &SafeText) {
    for c in text.as_str().chars() {
        let break_in_block = c == '\n';
        assert!(break_in_block || !c.is_control(), "{c:?} in {text:?}");
        let hidden = matches!(c, '\u{200b}' | '\u{200c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}' | '\u{ad}');
        assert!(!hidden, "{c:?} in {text:?}");
    }
    for line in text.lines() {
        for grapheme in line.graphemes(true) {
            assert!(
                measure::grapheme_width(grapheme) > 0,
                "{grapheme:?} in {text:?}"
            );
            let marks = grapheme.chars().filter(|c| c.width() == Some(0)).count();
            assert!(marks <= 16, "{grapheme:?} in {text:?}");
        }
    }
}

#[test]
fn escape_sequences_go_as_a_whole() {
    check_line("a\x1b[31mred\x1b[0m b", "ared b");
    check_line("a\x1b[38;2;1;2;3mb", "ab");
    check_line("a\x1b[?25lb\x1b[1 qc", "abc");
    check_line("\x1b]0;title\x07a", "a");
    check_line("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link");
    check_line(
        "\x1bP1$r0m\x1b\\a\x1b_apc\x1b\\b\x1b^pm\x1b\\c\x1bXsos\x1b\\d",
        "abcd",
    );
    check_line("a\x1bcb\x1b(Bc\x1b#8d\x1b7e", "abcde");
    check_line("a\u{9b}31mb\u{9d}0;t\u{9c}c\u{90}q\u{9c}d\u{9c}e", "abcde");
}

#[test]
fn an_unfinished_sequence_ends_where_it_must() {
    check_line("a\x1b[31", "a");
    check_line("a\x1b[31\x1b[1mb", "ab");
    check_line("a\x1b[3é", "aé");
    check_line("a\x1b", "a␛");
    check_line("a\x1bé", "a␛é");
    check_line("a\x1b\x1b[1mb", "a␛b");
    check_line("a\x1b(", "a");
    check_block("a\x1b]52;c;aGk\nb", "a\nb");
    check_block("a\u{9d}open\r\nb", "a\nb");
    check_block("a\x1bPdcs\n\x1b\\b", "a\nb");
    check_line("a\x1b]0;t\x18b\x1b]0;t\x1b[1mc", "abc");
}

#[test]
fn controls_and_invisible_characters_become_marks() {
    check_line("a\0b\x07c\x08d\x7fe", "a␀b␇c␈d␡e");
    check_line("a\u{85}b\u{81}c", "a·b·c");
    check_line("user\u{202e}gpj.exe", "user·gpj.exe");
    check_line(
        "a\u{200b}b\u{200d}c\u{feff}d\u{ad}e\u{2060}f",
        "a·b·c·d·e·f",
    );
    check_line(
        "a\u{e0041}\u{e007f}b\u{2028}c\u{fff9}d\u{3164}e",
        "a··b·c·d·e",
    );
    check_line("a\u{fe0f}b\u{e0100}", "a·b·");
    check_block("a\rb\x0bc", "a␍b␋c");
}

#[test]
fn white_space_follows_the_shape() {
    check_line("  a \t\r\n b\u{a0}\u{3000}c  ", "a b c");
    check_line("\u{2800}\u{2800}", "");
    check_line("", "");
    check_block("a\tb\r\n\tc\n\n  d  ", "a   b\n    c\n\n  d  ");
    check_block("日\tb\nabcd\te", "日  b\nabcd    e");
}

#[test]
fn emoji_stay_whole() {
    for emoji in ["👩‍👩‍👧‍👦", "👩🏽‍💻", "🏳️‍🌈", "❤️", "1️⃣", "🇩🇪", "✔︎", "👩🏻‍❤️‍💋‍👨🏻"]
    {
        check_line(emoji, emoji);
        check_line(&format!("a {emoji} b"), &format!("a {emoji} b"));
    }
    check_line("1\u{fe0f}a", "1·a");
    check_line("👩\u{200d}", "👩·");
    check_line("👩\u{200d} 👧", "👩· 👧");
    let chain = "👩\u{200d}".repeat(6) + "👩";
    check_line(
        &chain,
        "👩\u{200d}👩\u{200d}👩\u{200d}👩\u{200d}👩·👩\u{200d}👩",
    );
}

#[test]
fn marks_do_not_pile_up_or_stand_alone() {
    let marks = "\u{301}".repeat(8);
    check_line(&format!("a{marks}\u{301}\u{301}b"), &format!("a{marks}b"));
    check_line("\u{301}a", "·a");
    check_block("a\n\u{301}b", "a\n·b");
    check_line("a\u{1161}b", "a·b");
    check_line(&format!("क{}", "ा".repeat(40)), "·");
    check_line("e\u{301} क्ष हिन्दी 한국어", "e\u{301} क्ष हिन्दी 한국어");
}

#[test]
fn paths_keep_their_spaces_and_spell_out_odd_bytes() {
    let path = |bytes| SafeText::path(Path::new(OsStr::from_bytes(bytes)));
    assert_eq!(path(b"/a  b/c ").as_str(), "/a  b/c ");
    assert_eq!(path(b"/a\n\tb\xff\xfec").as_str(), "/a␊␉b\\xff\\xfec");
    assert_eq!(path("/ü\u{1b}[1m".as_bytes()).as_str(), "/ü");
}

#[test]
fn cuts_by_grapheme() {
    let cut = |raw, columns| SafeText::line(raw).cut(columns).as_str().to_owned();
    assert_eq!(cut("abcdef", 6), "abcdef");
    assert_eq!(cut("abcdef", 5), "abcd…");
    assert_eq!(cut("abcdef", 1), "…");
    assert_eq!(cut("abcdef", 0), "");
    assert_eq!(cut("日本語", 5), "日本…");
    assert_eq!(cut("日本語", 4), "日…");
    assert_eq!(cut("👩🏽‍💻x", 2), "…");
    assert_eq!(SafeText::block("one\ntwo").cut(9).as_str(), "one…");
    assert_eq!(SafeText::line("日本語").pad(4).as_str(), "日… ");
    let end = |raw, columns| SafeText::line(raw).cut_start(columns).as_str().to_owned();
    assert_eq!(end("/home/you/src", 13), "/home/you/src");
    assert_eq!(end("/home/you/src", 5), "…/src");
    assert_eq!(end("日本語", 4), "…語");
    assert_eq!(end("abc", 0), "");
}

#[test]
fn wraps_between_words() {
    let wrap = |raw, columns| -> Vec<String> {
        let lines = SafeText::block(raw).wrap(columns);
        lines.iter().map(|line| line.as_str().to_owned()).collect()
    };
    assert_eq!(wrap("one two  three", 8), ["one two", "three"]);
    assert_eq!(wrap("a\n\nb", 8), ["a", "", "b"]);
    assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
    assert_eq!(wrap("    indented code", 12), ["    indented", "code"]);
    assert_eq!(wrap("日本語", 1), ["…", "…", "…"]);
    assert_eq!(wrap("日本語", 3), ["日", "本", "語"]);
    assert_eq!(wrap("a日b", 1), ["a", "…", "b"]);
    assert!(wrap("abc", 0).is_empty());
    assert!(wrap("", 5).is_empty());
}

/// Nothing that Unicode or ratatui treats as a control or as without width gets through alone.
#[test]
fn every_character_alone_is_safe() {
    for c in '\0'..=char::MAX {
        // Of the planes that hold nothing but private or unassigned characters, the ends will do.
        if matches!(c, '\u{21000}'..='\u{2fff0}' | '\u{31000}'..='\u{dfff0}' | '\u{e1000}'..='\u{10fff0}')
        {
            continue;
        }
        let text = SafeText::line(c.encode_utf8(&mut [0; 4]));
        assert_safe(&text);
        assert!(text.is_empty() || text.width() > 0, "{c:?}");
        assert!(!text.as_str().contains(char::is_control), "{c:?}");
    }
}

/// Random text made of what is dangerous more than of letters.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~]{0,6}",
        any::<char>().prop_map(String::from),
        (0_u32..0x3100).prop_filter_map("a character", |c| char::from_u32(c).map(String::from)),
        prop::sample::select(vec![
            "\x1b[",
            "\x1b]0;",
            "\x1bP",
            "\x1b",
            "\x1b\\",
            "\x07",
            "\u{9b}",
            "\u{9d}",
            "\u{9c}",
            "\n",
            "\r\n",
            "\t",
            "  ",
            "\u{200d}",
            "\u{fe0f}",
            "👩",
            "🏽",
            "❤",
            "1",
            "\u{20e3}",
            "🇩",
            "\u{301}",
            "\u{600}",
            "\u{d4e}",
            "क",
            "\u{94d}",
            "\u{903}",
            "\u{1100}",
            "\u{1161}",
            "\u{11a8}",
            "\u{ff9e}",
            "日",
            "\u{301}\u{301}\u{301}\u{301}\u{301}",
            "\u{e0041}",
            "\u{202e}",
            "\u{2800}",
        ])
        .prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Columns the screen uses up when it draws the text.
fn drawn(text: &str) -> usize {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 1000, 1));
    let (end, _) = buffer.set_stringn(0, 0, text, 1000, Style::default());
    usize::from(end)
}

proptest! {
    #[test]
    fn text_with_its_secrets_is_as_safe(raw in hostile()) {
        let shown = [
            SafeText::line_with(&raw, Secrets::Shown),
            SafeText::block_with(&raw, Secrets::Shown),
            SafeText::path_with(Path::new(&raw), Secrets::Shown),
        ];
        for text in shown {
            assert_safe(&text);
            prop_assert_eq!(&SafeText::block_with(text.as_str(), Secrets::Shown), &text);
        }
    }

    #[test]
    fn any_bytes_become_safe(raw in prop::collection::vec(any::<u8>(), 0..64)) {
        let text = String::from_utf8_lossy(&raw);
        assert_safe(&SafeText::line(&text));
        assert_safe(&SafeText::block(&text));
        assert_safe(&SafeText::path(Path::new(OsStr::from_bytes(&raw))));
    }

    #[test]
    fn any_text_becomes_safe(raw in hostile()) {
        let line = SafeText::line(&raw);
        assert_safe(&line);
        prop_assert!(!line.as_str().contains('\n'));
        prop_assert_eq!(line.as_str(), line.as_str().trim_matches(' '));
        assert_safe(&SafeText::block(&raw));
        let path = SafeText::path(Path::new(&raw));
        assert_safe(&path);
        prop_assert!(!path.as_str().contains('\n'));
    }

    #[test]
    fn safe_text_is_not_changed_again(raw in hostile()) {
        let line = SafeText::line(&raw);
        prop_assert_eq!(&SafeText::line(line.as_str()), &line);
        let block = SafeText::block(&raw);
        prop_assert_eq!(&SafeText::block(block.as_str()), &block);
    }

    #[test]
    fn is_as_wide_as_the_screen_draws_it(raw in hostile()) {
        let line = SafeText::line(&raw);
        prop_assert_eq!(line.width(), drawn(line.as_str()));
    }

    #[test]
    fn is_cut_to_the_columns(raw in hostile(), columns in 0_usize..30) {
        for text in [SafeText::line(&raw), SafeText::block(&raw)] {
            let (start, end, pad) = (text.cut(columns), text.cut_start(columns), text.pad(columns));
            prop_assert!(start.width() <= columns);
            prop_assert!(end.width() <= columns);
            prop_assert_eq!(drawn(pad.as_str()), columns);
            for part in [start, end, pad] {
                assert_safe(&part);
                prop_assert!(!part.as_str().contains('\n'));
            }
        }
    }

    #[test]
    fn is_wrapped_to_the_columns(raw in hostile(), columns in 0_usize..100) {
        let block = SafeText::block(&raw);
        let lines = block.wrap(columns);
        for line in &lines {
            assert_safe(line);
            prop_assert!(line.width() <= columns);
        }
        if columns >= 64 {
            let letters = |text: &str| text.replace([' ', '\n'], "");
            let all: String = lines.iter().map(|line| letters(line.as_str())).collect();
            prop_assert_eq!(all, letters(block.as_str()));
        }
    }
}

#[test]
fn what_is_around_a_place() {
    let text = SafeText::block("first\nthe needle is in the hay\nlast");
    let at = text.as_str().find("needle").unwrap();
    for (columns, shown) in [
        (80, "the needle is in the hay"),
        (24, "the needle is in the hay"),
        (23, "the needle is in the h…"),
        (12, "…e needle i…"),
        (3, "…n…"),
    ] {
        let piece = text.around(at, columns);
        assert_eq!(piece.text.as_str(), shown);
        let place = piece.place(&(at..at + 6)).unwrap();
        let wanted = if columns > 3 { "needle" } else { "n" };
        assert_eq!(&piece.text.as_str()[place], wanted, "{columns}");
        assert_eq!(piece.place(&(0..5)), None);
    }
    assert_eq!(text.around(at + 16, 14).text.as_str(), "…is in the hay");
    assert_eq!(text.around(0, 80).text.as_str(), "first");
    assert_eq!(text.around(1000, 80).text.as_str(), "last");
}

proptest! {
    #[test]
    fn a_piece_is_safe_and_fits_and_has_its_place(
        raw in "[a\n \u{4e2d}\u{301}\u{1f468}\u{200d}\u{1f469}é]{0,40}", at in 0..200_usize, columns in 4..20_usize,
    ) {
        let text = SafeText::block(&raw);
        let piece = text.around(at, columns);
        assert_safe(&piece.text);
        prop_assert!(piece.text.width() <= columns, "{:?}", piece);
        let at = text.as_str().floor_char_boundary(at);
        let next = text.as_str()[at..].chars().next().filter(|c| *c != '\n');
        if let Some(c) = next {
            let place = piece.place(&(at..at + c.len_utf8()));
            let there = place.map(|place| piece.text.as_str()[place].to_owned());
            prop_assert_eq!(there, Some(c.to_string()), "{:?}", piece);
        }
    }
}
