//! What is searched for: words, or a regular expression.
//!
//! Must never pass over a line that matches: [`Query::sift`] may only skip what cannot.

use std::fmt;
use std::ops::Range;

use regex::{Regex, RegexBuilder};
use regex_syntax::ast::{self, Ast, Visitor};
use regex_syntax::hir::translate::TranslatorBuilder;
use thiserror::Error;

use super::literals::required;
use super::sieve::{Sieve, Sifting};
use crate::text::SafeText;

/// What was typed: words that all have to be in one message, or `/a regular expression/`. Without a
/// capital letter it matches in any case.
#[derive(Clone, Debug)]
pub struct Query {
    needles: Vec<Needle>,
}

/// One of the things that have to be in a message.
#[derive(Clone, Debug)]
struct Needle {
    pattern: Regex,
    sieve: Sieve,
}

/// Why something cannot be searched for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what}")]
pub struct BadQuery {
    what: SafeText,
    /// Where in what was typed it is wrong, in bytes.
    pub place: Option<Range<usize>>,
}

impl BadQuery {
    fn new(what: &dyn fmt::Display, place: Option<Range<usize>>) -> Self {
        Self {
            what: SafeText::line(&what.to_string()),
            place,
        }
    }
}

impl Query {
    /// Understands what was typed.
    pub fn parse(typed: &str) -> Result<Self, BadQuery> {
        let text = typed.trim();
        let inside = text.strip_prefix('/').and_then(|t| t.strip_suffix('/'));
        if let Some(pattern) = inside.filter(|pattern| !pattern.is_empty()) {
            let begin = typed.len() - typed.trim_start().len() + 1;
            let needles = vec![Needle::new(pattern, begin)?];
            return Ok(Self { needles });
        }
        let mut words: Vec<&str> = text.split_whitespace().collect();
        if words.is_empty() {
            return Err(BadQuery::new(&"nothing to search for", None));
        }
        // What is rarest is looked for first, and the longest is likely to be that.
        words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
        words.dedup();
        let needle = |word: &str| Needle::new(&regex::escape(word), 0);
        Ok(Self {
            needles: words.into_iter().map(needle).collect::<Result<_, _>>()?,
        })
    }

    /// Whether all of it is in a text.
    pub fn is_in(&self, text: &str) -> bool {
        self.needles
            .iter()
            .all(|needle| needle.pattern.is_match(text))
    }

    /// Where in a text it is: of each thing that is searched for at most so many places.
    pub(crate) fn places(&self, text: &str, most: usize) -> Vec<(usize, Range<usize>)> {
        let mut places = Vec::new();
        for (which, needle) in self.needles.iter().enumerate() {
            let found = needle.pattern.find_iter(text).take(most);
            let found = found.map(|found| (which, found.range()));
            places.extend(found.filter(|(_, range)| !range.is_empty()));
        }
        places
    }

    /// Goes through raw lines, telling those that might match.
    pub(super) fn sift<'q, 'b>(&'q self, lines: &'b [u8]) -> Sifting<'q, 'b> {
        Sifting::new(&self.needles[0].sieve, lines)
    }

    /// Whether a raw line that was told might match all of it.
    pub(super) fn may_be_in(&self, line: &[u8]) -> bool {
        self.needles[1..]
            .iter()
            .all(|needle| needle.sieve.passes(line))
    }
}

impl Needle {
    /// Of a pattern that begins there in what was typed.
    fn new(pattern: &str, begin: usize) -> Result<Self, BadQuery> {
        let place = |span: &ast::Span| {
            let (start, end) = (span.start.offset, span.end.offset);
            Some(begin + start..begin + end)
        };
        let parsed = ast::parse::Parser::new().parse(pattern);
        let parsed = parsed.map_err(|e| BadQuery::new(e.kind(), place(e.span())))?;
        let any_case = !has_capital(&parsed);
        let hir = TranslatorBuilder::new().build().translate(pattern, &parsed);
        let hir = hir.map_err(|e| BadQuery::new(e.kind(), place(e.span())))?;
        let built = RegexBuilder::new(pattern)
            .case_insensitive(any_case)
            .multi_line(true)
            .build();
        let pattern = built.map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => BadQuery::new(&"it is too large", None),
            other => BadQuery::new(&other, None),
        })?;
        let sieve = Sieve::new(&required(&hir), any_case);
        Ok(Self { pattern, sieve })
    }
}

/// Whether a pattern asks for a capital letter; one that only names a class (`\W`) does not.
fn has_capital(pattern: &Ast) -> bool {
    // It cannot fail.
    ast::visit(pattern, Capitals(false)).unwrap_or(false)
}

struct Capitals(bool);

impl Visitor for Capitals {
    type Output = bool;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<bool, Self::Err> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        if let Ast::Literal(literal) = ast {
            self.0 |= literal.c.is_uppercase();
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ast::ClassSetItem) -> Result<(), Self::Err> {
        self.0 |= match item {
            ast::ClassSetItem::Literal(literal) => literal.c.is_uppercase(),
            ast::ClassSetItem::Range(range) => {
                range.start.c.is_uppercase() || range.end.c.is_uppercase()
            }
            _ => false,
        };
        Ok(())
    }
}
