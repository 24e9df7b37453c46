//! Another title in the text of a metadata file.
//!
//! Must never change a byte but those of the title's value: what we do not know is kept as it is,
//! in its order.

use super::json;

/// The text with another title; `None`: it is no object with a field.
///
/// Of repeated keys Zero takes the last one, so that is the one that is replaced. A text without a
/// title gets one behind its first field, set out as that is.
pub(super) fn retitle(text: &str, title: &str) -> Option<String> {
    let mut first = None;
    let mut last = None;
    json::each_field(text, |key, value| {
        let start = value.as_ptr().addr() - text.as_ptr().addr();
        let place = start..start + value.len();
        if json::same_key(&key, "title") {
            last = Some(place.clone());
        }
        first.get_or_insert(place);
    })
    .ok()?;
    let title = encode(title);
    if let Some(place) = last {
        return Some([&text[..place.start], &title, &text[place.end..]].concat());
    }
    let (head, tail) = text.split_at(first?.end);
    let open = head.find('{')? + 1;
    let gap = &head[open..open + head[open..].find('"')?];
    Some([head, ",", gap, "\"title\": ", &title, tail].concat())
}

/// A JSON string as Go's encoder writes it.
fn encode(text: &str) -> String {
    let mut json = serde_json::Value::from(text).to_string();
    for (c, escape) in [
        ("<", "\\u003c"),
        (">", "\\u003e"),
        ("&", "\\u0026"),
        ("\u{2028}", "\\u2028"),
        ("\u{2029}", "\\u2029"),
    ] {
        if json.contains(c) {
            json = json.replace(c, escape);
        }
    }
    json
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value};

    use super::*;
    use crate::store::zero::metadata;

    #[track_caller]
    fn check(text: &str, title: &str, wanted: Option<&str>) {
        assert_eq!(retitle(text, title).as_deref(), wanted, "{text}");
    }

    #[test]
    fn only_the_titles_value_changes() {
        check(
            "{\n  \"sessionId\": \"a\",\n  \"title\": \"old\",\n  \"x\": 1.50\n}\n",
            "new",
            Some("{\n  \"sessionId\": \"a\",\n  \"title\": \"new\",\n  \"x\": 1.50\n}\n"),
        );
        // Values that look like it, and a title deeper down.
        check(
            r#"{"a":"title","goal":{"title":"x"},"title":"old \" }"}"#,
            "new",
            Some(r#"{"a":"title","goal":{"title":"x"},"title":"new"}"#),
        );
        check(r#"{"title":null}"#, "new", Some(r#"{"title":"new"}"#));
    }

    #[test]
    fn the_last_of_repeated_keys_counts_in_whatever_letters() {
        check(
            r#"{"title":"a","TITLE":"b","x":1}"#,
            "c",
            Some(r#"{"title":"a","TITLE":"c","x":1}"#),
        );
        check(r#"{"\u0074itle":"a"}"#, "c", Some(r#"{"\u0074itle":"c"}"#));
    }

    #[test]
    fn a_text_without_a_title_gets_one_behind_its_first_field() {
        check(
            "{\n  \"sessionId\": \"a\",\n  \"cwd\": \"/\"\n}\n",
            "new",
            Some("{\n  \"sessionId\": \"a\",\n  \"title\": \"new\",\n  \"cwd\": \"/\"\n}\n"),
        );
        check(
            r#"{"sessionId":"a"}"#,
            "new",
            Some(r#"{"sessionId":"a","title": "new"}"#),
        );
    }

    #[test]
    fn what_is_no_object_with_a_field_is_left_alone() {
        for text in ["", "null", "{}", "[1]", "{\"a\":1", "{\"a\":1}{}"] {
            check(text, "new", None);
        }
    }

    #[test]
    fn it_is_written_as_go_does() {
        check(
            r#"{"title":""}"#,
            "a <b> & \"c\" é",
            Some(r#"{"title":"a \u003cb\u003e \u0026 \"c\" é"}"#),
        );
    }

    proptest! {
        #[test]
        fn zero_reads_the_new_title_and_all_else_as_before(
            fields in proptest::collection::btree_map(".{0,8}", any::<Option<String>>(), 0..5),
            old in proptest::option::of(".{0,12}"),
            title in "\\PC{1,30}",
            pretty: bool,
        ) {
            let mut map: Map<String, Value> = fields
                .into_iter()
                .filter(|(key, _)| !json::same_key(key, "title"))
                .map(|(key, value)| (format!("x{key}"), value.into()))
                .collect();
            map.insert("a".to_owned(), 1.into());
            if let Some(old) = old {
                map.insert("title".to_owned(), old.into());
            }
            let text = if pretty {
                serde_json::to_string_pretty(&map)
            } else {
                serde_json::to_string(&map)
            };
            let renamed = retitle(&text.unwrap(), &title).unwrap();
            let (read, damage) = metadata::parse(&renamed);
            prop_assert!(damage.is_none());
            prop_assert_eq!(&*read.title, title.as_str());
            let mut after: Map<String, Value> = serde_json::from_str(&renamed).unwrap();
            after.remove("title");
            map.remove("title");
            prop_assert_eq!(after, map);
        }
    }
}
