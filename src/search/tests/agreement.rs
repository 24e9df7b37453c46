//! A search finds what decoding all of a log would, however its JSON is written.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::query;
use crate::search::query::Query;
use crate::store::Store as _;
use crate::store::zero::Zero;

/// Writes a text in a JSON string, each character in a way that is chosen for it.
fn written(text: &str, ways: &[u8]) -> String {
    let mut json = String::from("\"");
    for (at, c) in text.chars().enumerate() {
        let way = ways.get(at % ways.len().max(1)).copied().unwrap_or(0);
        let short = match c {
            '"' => "\\\"",
            '\\' => "\\\\",
            '/' => "\\/",
            '\n' => "\\n",
            '\t' => "\\t",
            _ => "",
        };
        let must = matches!(c, '"' | '\\') || c.is_control();
        if way % 5 == 0 || must && short.is_empty() {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let digits = format!("{unit:04x}");
                let digits = if way % 2 == 0 {
                    digits
                } else {
                    digits.to_uppercase()
                };
                let _ = write!(json, "\\u{digits}");
            }
        } else if !short.is_empty() && (must || way % 3 == 0) {
            json.push_str(short);
        } else {
            json.push(c);
        }
    }
    json + "\""
}

fn folded(text: &str) -> String {
    let fold = |c: char| match c {
        '\u{17F}' => 's',
        '\u{212A}' => 'k',
        c => c.to_lowercase().next().unwrap_or(c),
    };
    text.chars().map(fold).collect()
}

/// Words are in a text, found the plain way.
fn plainly(words: &str, text: &str) -> bool {
    words.split_whitespace().all(|word| {
        if word.chars().any(char::is_uppercase) {
            text.contains(word)
        } else {
            folded(text).contains(&folded(word))
        }
    })
}

/// Whether the sieve keeps a line, and whether it is found.
fn through(query: &Query, line: &str) -> (bool, bool) {
    let (before, behind) = ("{\"before\":1}\n", "{\"behind\":1}\n");
    let lines = [before, line, behind].concat();
    let mut sifted = query.sift(lines.as_bytes());
    let kept = sifted.any(|(at, kept)| at == before.len() && kept == line.as_bytes());
    let kept = kept && query.may_be_in(line.as_bytes());
    let zero = Zero::new("/nowhere".into());
    let said = zero.said(line.as_bytes()).unwrap();
    (kept, query.is_in(&said.words))
}

const LETTERS: &str = "[a-cu0kKsSA\u{17F}\u{212A}éÉß🚀\u{FFFD}\"\\\\/\n\t <\u{1}.]{0,12}";

/// Words that are written like what the sieve looks for.
#[test]
fn words_that_look_like_escapes_are_found() {
    for word in [
        "u004", "U004", "u0041", "0030", "003c", "<ab>", "a-b-c", "\\u0041", "u00", "003",
    ] {
        for (text, found) in [
            (format!("x{word}y"), true),
            (format!("x{}y", &word[1..]), false),
        ] {
            for way in 0..6 {
                let line = format!(
                    "{{\"type\":\"error\",\"payload\":{{\"message\":{}}}}}\n",
                    written(&text, &[way])
                );
                let (kept, is_in) = through(&query(word), &line);
                assert!(is_in == found && (kept || !found), "{word} in {line}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_search_finds_what_decoding_all_of_it_would(
        text in LETTERS, typed in "[a-cu0kKsSA\u{17F}éÉ🚀\"\\\\< ]{1,3}", from in 0..12_usize,
        length in 1..8_usize, ways in prop::collection::vec(any::<u8>(), 1..12),
        again in prop::collection::vec(any::<u8>(), 1..12),
    ) {
        // Half of the words are from the text, else hardly any would match.
        let typed = if from % 2 == 0 { typed } else {
            text.chars().skip(from / 2).take(length).collect()
        };
        if typed.trim().is_empty() || typed.trim().starts_with('/') {
            return Ok(());
        }
        let query = query(&typed);
        let event = |kind, field, value: &str| format!(
            "{{\"type\":\"{kind}\",\"payload\":{{\"role\":\"user\",\"{field}\":{value}}}}}\n"
        );
        let content = written(&text, &ways);
        let inside = format!("{{\"x\":[{content},true]}}");
        for (line, words) in [
            (event("message", "content", &content), text.clone()),
            (event("tool_result", "output", &content), text.clone()),
            (event("tool_call", "arguments", &written(&inside, &again)), format!("{text}\ntrue")),
            (event("tool_call", "arguments", &inside), format!("{text}\ntrue")),
        ] {
            let words = if words.trim().is_empty() { String::new() } else { words };
            let expected = plainly(&typed, &words);
            let (kept, found) = through(&query, &line);
            prop_assert_eq!(found, expected, "{:?} in {}", typed, line);
            prop_assert!(kept || !expected, "{:?} fell through: {}", typed, line);
        }
    }

    #[test]
    fn nothing_that_matches_a_pattern_falls_through(
        text in LETTERS, pattern in "(a|b|é|k|S|u|[a-c]|\\.|\\(a\\)|\\(ab\\|k\\)|\\*|\\+|\\||\\\\n|/){1,6}",
        ways in prop::collection::vec(any::<u8>(), 1..12),
        again in prop::collection::vec(any::<u8>(), 1..12),
    ) {
        let Ok(query) = Query::parse(&format!("/{pattern}/")) else { return Ok(()) };
        let content = written(&text, &ways);
        let inside = written(&format!("{{\"x\":{content}}}"), &again);
        for line in [
            format!("{{\"type\":\"error\",\"payload\":{{\"message\":{content}}}}}\n"),
            format!("{{\"type\":\"tool_call\",\"payload\":{{\"arguments\":{inside}}}}}\n"),
        ] {
            let (kept, found) = through(&query, &line);
            prop_assert!(kept || !found, "/{}/ fell through: {}", pattern, line);
        }
    }
}
