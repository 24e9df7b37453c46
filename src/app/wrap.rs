//! Breaking text into lines that fit, by what terminals draw.

use textwrap::{Options, WordSplitter, WrapAlgorithm};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The lines of a text, none wider than `width` columns unless a single character is.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let options = Options::new(width.max(1))
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .word_splitter(WordSplitter::NoHyphenation)
        .break_words(false);
    let lines = textwrap::wrap(text, options);
    lines
        .into_iter()
        .flat_map(|line| pieces(&line, width.max(1)))
        .collect()
}

/// A line in pieces that fit: long words, and what terminals draw wider than its characters add up to.
fn pieces(line: &str, width: usize) -> Vec<String> {
    let mut done = Vec::new();
    let mut piece = String::new();
    let mut used = 0;
    for grapheme in line.graphemes(true) {
        let columns = grapheme.width();
        if used + columns > width && !piece.is_empty() {
            done.push(std::mem::take(&mut piece));
            used = 0;
        }
        piece.push_str(grapheme);
        used += columns;
    }
    done.push(piece);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, width: usize, expected: &[&str]) {
        assert_eq!(wrap(text, width), expected, "{text:?} at {width}");
    }

    #[test]
    fn lines_fit_by_what_is_drawn() {
        check("", 5, &[""]);
        check("the login page", 9, &["the login", "page"]);
        check("a\n\n  b", 9, &["a", "", "  b"]);
        check("abcdefgh", 3, &["abc", "def", "gh"]);
        check("日本語", 4, &["日本", "語"]);
        check(
            "❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}",
            4,
            &["❤\u{fe0f}❤\u{fe0f}", "❤\u{fe0f}"],
        );
        check("日", 1, &["日"]);
        check("x", 0, &["x"]);
    }
}
