//! No secret is shown, and nothing else is lost.

use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::corpus::edges::{EDGES, STAY};
use super::corpus::{LOOK_ALIKES, SECRETS};
use super::*;
use crate::text::{SafeText, limit, strip};

fn secrets() -> impl Iterator<Item = &'static str> {
    SECRETS.iter().chain(EDGES).copied()
}

fn look_alikes() -> impl Iterator<Item = &'static str> {
    LOOK_ALIKES.iter().chain(STAY).copied()
}

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
    for case in secrets() {
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
    println!("{} secrets", secrets().count());
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    let mut wrong = Vec::new();
    for text in look_alikes() {
        let block = SafeText::block(text);
        if block.as_str() != text {
            wrong.push(format!("{text:?} became {block:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} look-alikes", look_alikes().count());
}

/// What may split a secret without being seen, or being seen as nothing that belongs to it.
const SPLITTERS: &[&str] = &[
    "\u{1b}[1m",
    "\u{1b}[38;5;1m",
    "\u{1b}]8;;x\u{7}",
    "\u{1b}]0;t\u{1b}\\",
    "\u{1b}Pq\u{1b}\\",
    "\u{1b}_a\u{1b}\\",
    "\u{1b}(B",
    "\u{9b}0m",
    "\u{9d}0;t\u{9c}",
    "\u{200b}",
    "\u{200d}",
    "\u{2060}",
    "\u{feff}",
    "\u{ad}",
    "\u{202e}",
    "\u{e0041}",
    "\u{fe0f}",
    "\0",
    "\u{7}",
    "\u{8}",
    "\u{7f}",
    "\u{1b}\u{1b}[1m",
];

/// Wherever a secret is split, no more of it is seen than if it were whole: what tells it is
/// looked for behind the split too.
#[test]
fn a_secret_goes_wherever_it_is_split() {
    let mut tried = 0;
    let mut wrong = Vec::new();
    for case in secrets() {
        let (raw, redacted) = told(case);
        // Not those that are split already, or in which an escape would be.
        if raw.contains(['\\', '\u{1b}']) || !raw.is_ascii() {
            continue;
        }
        let whole = visible(&redacted, Shape::Block);
        for (at, splitter) in (1..raw.len()).flat_map(|at| {
            SPLITTERS
                .iter()
                .skip(at % 4)
                .step_by(4)
                .map(move |s| (at, s))
        }) {
            tried += 1;
            let split = format!("{}{splitter}{}", &raw[..at], &raw[at..]);
            let shown = SafeText::block(&split)
                .as_str()
                .replace(['·', '␀', '␇', '␈', '␡', '␛'], "");
            if shown != whole {
                wrong.push(format!("{split:?}\n   is {shown:?}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {tried}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{tried} splits");
}

/// Of a token that is known by its beginning, a text that was cut before it came here shows no
/// more than a beginning that may be a word or a number.
#[test]
fn a_secret_goes_wherever_it_is_cut() {
    let mut tried = 0;
    let mut wrong = Vec::new();
    for case in secrets() {
        let (before, rest) = case.split_once('«').unwrap_or_default();
        let known = WORDS.iter().any(|(word, rule)| {
            matches!(rule, Rule::Token(_) | Rule::Jwt) && before.ends_with(word)
        });
        if !known {
            continue;
        }
        let secret = &rest[..rest.find('»').unwrap_or(rest.len())];
        for at in (1..secret.len()).filter(|at| secret.is_char_boundary(*at)) {
            tried += 1;
            let block = SafeText::block(&format!("{before}{}", &secret[..at]));
            let words = !looks::jumps(&secret[..at]);
            if !block.as_str().contains(REDACTED) && at > if words { 19 } else { 8 } {
                wrong.push(format!("{case:?}\n   is {block:?}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {tried}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{tried} cuts");
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
    let corpus: Vec<&str> = secrets().chain(look_alikes()).collect();
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
        "-----END RSA PRIVATE KEY-----",
        "aB3dEfGh1jKlMn0pQrSt",
        "|\n  ",
        ":\n  ",
        " -u ",
        "login a ",
        "</",
        "%3D",
        "%22",
        "\\u200b",
        "\\x1b[1m",
        "\\/",
        "␀",
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
        "-----END RSA PRIVATE KEY-----",
        "aB3dEfGh1jKlMn0pQrSt ",
        "aB3dEfGh1jKlMn0pQrStaB3dEfGh1jKlMn0pQrSt\n",
        "curl -u ",
        "curl",
        "password:\n",
        "<password>",
        "login a password ",
        "hooks.slack.com/services/",
        "\\x1b[",
        "\\u200b",
        "␀",
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
