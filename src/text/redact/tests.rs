//! No secret is shown, and nothing else is lost.

use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::corpus::{LOOK_ALIKES, SECRETS};
use super::*;
use crate::text::{SafeText, limit, strip};

/// The text as it would be shown with its secrets.
fn visible(text: &str, shape: Shape) -> String {
    limit::limited(strip::visible(text, shape)).into_owned()
}

/// The text of a secret with and without what has to go.
fn told(case: &str) -> (String, String) {
    let mut redacted = String::new();
    for (index, part) in case.split(['«', '»']).enumerate() {
        redacted.push_str(if index % 2 == 0 { part } else { REDACTED });
    }
    (case.replace(['«', '»'], ""), redacted)
}

#[test]
fn every_secret_goes_and_what_told_it_stays() {
    let mut wrong = Vec::new();
    for case in SECRETS {
        let (raw, redacted) = told(case);
        let block = SafeText::block(&raw);
        if block.as_str() != visible(&redacted, Shape::Block) {
            wrong.push(format!("block {case:?}\n   is {block:?}"));
        }
        let line = SafeText::line(&raw);
        if !raw.contains('\n') && line.as_str() != visible(&redacted, Shape::Line) {
            wrong.push(format!("line {case:?}\n  is {line:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} secrets", SECRETS.len());
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    let mut wrong = Vec::new();
    for text in LOOK_ALIKES {
        let block = SafeText::block(text);
        if block.as_str() != *text {
            wrong.push(format!("{text:?} became {block:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} look-alikes", LOOK_ALIKES.len());
}

#[test]
fn a_path_is_shown_but_for_tokens_and_passwords() {
    let check = |path: &str| {
        let (raw, redacted) = told(path);
        assert_eq!(SafeText::path(Path::new(&raw)).as_str(), redacted);
    };
    check("/tmp/https:/you:«hunter2»@git.test/x");
    check("/tmp/ghp_«aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789»@git.test");
    check("/home/you/password=hunter2/token: a1b2c3d4e5f6");
    check("/models/hf_aBcD");
    check("/home/you/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
    check("/sessions/zero_20260401T101112_a1b2c3d4e5f6");
}

/// Text made of parts of secrets, and of what ends and splits them.
fn secretive() -> impl Strategy<Value = String> {
    let words: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
    let corpus: Vec<&str> = SECRETS.iter().chain(LOOK_ALIKES).copied().collect();
    let parts = corpus
        .iter()
        .flat_map(|text| text.split_inclusive([' ', '"', '=', '«', '»', '/', '-']));
    let parts: Vec<&str> = parts.map(|part| part.trim_matches(['«', '»'])).collect();
    let others = [
        REDACTED,
        "[redacted",
        "redacted]",
        "=",
        ": ",
        " = ",
        "\"",
        "'",
        "\\",
        "\\\"",
        "\\n",
        "\n",
        " ",
        "  ",
        "\t",
        "://",
        "@",
        "/",
        ".",
        "-",
        "--",
        "_",
        ",",
        ";",
        "&x=",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "$",
        "<",
        ">",
        "*",
        "**",
        "?",
        "…",
        "...",
        "·",
        "\u{200b}",
        "\u{1b}[1m",
        "\u{301}",
        "\\u0073",
        "\\u003d",
        "\\u005b",
        "1\u{fe0f}\u{20e3}",
        "👩\u{200d}👧",
        "\u{903}",
        "\u{600}",
        "é",
        "日",
        "-----END ",
        "-----",
        "PRIVATE KEY-----",
        "a",
        "B",
        "1",
        "a1B2",
        "0123456789abcdefABCDEF",
        "Basic ",
        "Token ",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ];
    let piece = prop_oneof![
        3 => prop::sample::select(words),
        3 => prop::sample::select(parts),
        4 => prop::sample::select(others.to_vec()),
        1 => prop::sample::select(corpus),
    ];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn redacted_text_is_not_changed_again(raw in secretive()) {
        let block = SafeText::block(&raw);
        prop_assert_eq!(&SafeText::block(block.as_str()), &block);
        let line = SafeText::line(&raw);
        prop_assert_eq!(&SafeText::line(line.as_str()), &line);
        let path = SafeText::path(Path::new(&raw));
        prop_assert_eq!(&SafeText::path(Path::new(path.as_str())), &path);
    }

    #[test]
    fn redacting_does_not_make_text_long(raw in secretive()) {
        let shown = visible(&raw, Shape::Block);
        let redacted = redacted(Cow::Borrowed(&shown), Shape::Block);
        prop_assert!(redacted.len() <= 3 * shown.len());
    }

    #[test]
    fn a_secret_goes_wherever_it_stands(
        secret in prop::sample::select(SECRETS.iter().filter(|case| case.starts_with("sk-ant-")
            || case.starts_with("ghp_")).copied().collect::<Vec<_>>()),
        before in "[ -~]{0,20}[ \"'(=:]", after in "[ \"')\n,][ -~]{0,20}",
    ) {
        let (raw, _) = told(secret);
        let token = secret.split(['«', '»']).nth(1).unwrap_or_default();
        let block = SafeText::block(&format!("{before}{raw}{after}"));
        prop_assert!(!block.as_str().contains(token), "{block:?}");
    }
}

/// The worst texts for each rule: without bounds, each would be looked at again and again.
#[test]
fn long_text_takes_no_longer_than_its_length() {
    for piece in [
        "token=",
        "token='",
        "token=\"x",
        "password:$",
        "password",
        "sk-·",
        "eyJ·",
        "eyJa.",
        "eyJabcdefgh.",
        "Bearer ",
        "authorization: ",
        "Authorization: token ",
        "://a:",
        "://",
        ":/",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "token ",
        "--token ",
        "\\nsk-",
        "A1b",
        "token=a\\",
        "·",
        "x\u{301}",
        "?token=a&",
    ] {
        let text = piece.repeat((128 << 10) / piece.len());
        let started = Instant::now();
        let block = SafeText::block(&text);
        let took = started.elapsed();
        // Without optimisation, and with other tests beside it; squares of it would take minutes.
        assert!(took < Duration::from_secs(20), "{piece:?} took {took:?}");
        assert!(block.as_str().len() <= 3 * text.len());
    }
}
