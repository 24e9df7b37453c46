//! The line that shows why a message matches.
//!
//! Must never cut a text before its secrets are out: a part of a secret may not be known for one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Limits;
use super::query::Query;
use crate::store::log::Said;
use crate::text::SafeText;

/// The most places of one word that are looked at in a message.
const PLACES: usize = 64;

/// A line of what was said, at most as wide as is asked for, and which bytes of it were found.
pub(super) fn context(query: &Query, said: &Said, limits: Limits) -> (SafeText, Vec<Range<usize>>) {
    let head = match &*said.name {
        "" => String::new(),
        name => format!("{name} "),
    };
    let text = SafeText::block_with(&[&*head, &said.shown].concat(), limits.secrets);
    let head = if text.as_str().starts_with(&head) {
        head.len()
    } else {
        0
    };
    let mut places = query.places(text.as_str(), PLACES);
    let in_values = |(_, place): &(usize, Range<usize>)| !in_a_name(&text, head, place);
    if places.iter().any(in_values) {
        places.retain(in_values);
    }
    let Some(at) = best(&text, &places) else {
        // It is there no more once the text is safe: the beginning has to do.
        let text = SafeText::block_with(text.as_str().trim_start(), limits.secrets);
        return (text.around(0, limits.columns).text, Vec::new());
    };
    let excerpt = text.around(at, limits.columns);
    let marks = places.iter().filter_map(|(_, place)| excerpt.place(place));
    (excerpt.text.clone(), merged(marks.collect()))
}

/// The first place in the line that has the most of what is searched for.
fn best(text: &SafeText, places: &[(usize, Range<usize>)]) -> Option<usize> {
    let mut lines: BTreeMap<usize, (BTreeSet<usize>, usize)> = BTreeMap::new();
    for (which, place) in places {
        let line = lines.entry(line_start(text, place.start));
        let (found, first) = line.or_insert((BTreeSet::new(), place.start));
        found.insert(*which);
        *first = place.start.min(*first);
    }
    // Of several the first.
    let best = lines.values().rev().max_by_key(|(found, _)| found.len());
    best.map(|(_, first)| *first)
}

fn line_start(text: &SafeText, at: usize) -> usize {
    let before = &text.as_str()[..at];
    before.rfind('\n').map_or(0, |end| end + 1)
}

/// Whether a place is in a `name: ` at the beginning of a line, or behind the head of the first one:
/// that is not what was searched.
fn in_a_name(text: &SafeText, head: usize, place: &Range<usize>) -> bool {
    let start = match line_start(text, place.start) {
        0 => head,
        start => start,
    };
    let name = text.as_str()[start..].split(": ").next();
    let name = name.unwrap_or_default();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    place.start >= start && place.end <= start + name.len() && name.chars().all(plain)
}

/// In order, what overlaps or meets made one.
fn merged(mut marks: Vec<Range<usize>>) -> Vec<Range<usize>> {
    marks.sort_by_key(|mark| mark.start);
    marks.dedup_by(|next, mark| {
        let meets = next.start <= mark.end;
        if meets {
            mark.end = mark.end.max(next.end);
        }
        meets
    });
    marks
}
