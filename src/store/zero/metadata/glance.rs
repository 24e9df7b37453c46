//! Metadata as Zero writes it, in one pass.
//!
//! Must never read anything otherwise than the closer look does: escapes, keys in other letters, fields of
//! the wrong type and all that is odd are left to that.

use serde::de::{Deserializer as _, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{FIELDS, Metadata, Names, Slot, check_goal, json};

/// The longest text that is read so, in bytes: it cannot be nested too deep.
const MOST: usize = 8 << 10;

/// `None`: it takes a closer look.
pub(super) fn glance(text: &str) -> Option<Metadata<'_>> {
    if text.len() > MOST {
        return None;
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let metadata = json.deserialize_map(Fields).ok()?;
    json.end().ok()?;
    Some(metadata)
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Metadata<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut metadata = Metadata::default();
        let mut names = Names::new(&FIELDS);
        while let Some(key) = map.next_key::<&'de str>()? {
            let Some((field, slot)) = names.exactly(key) else {
                if FIELDS.iter().any(|(name, _)| json::same_key(key, name)) {
                    return Err(A::Error::custom("a key in other letters"));
                }
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            match slot {
                // `null` leaves a field as it was.
                Slot::Text => {
                    if let Some(text) = map.next_value::<Option<&'de str>>()? {
                        metadata.set(field, text.into());
                    }
                }
                Slot::Integer => {
                    let number = map.next_value::<Option<i64>>()?;
                    if field == "eventCount" {
                        metadata.events = number.or(metadata.events);
                    }
                }
                Slot::Goal => {
                    let goal = map.next_value::<&'de RawValue>()?.get();
                    if goal != "null" && check_goal(goal).is_none() {
                        return Err(A::Error::custom("no goal"));
                    }
                }
            }
        }
        Ok(metadata)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::zero::metadata::closely;

    #[track_caller]
    fn check(text: &str, seen: bool) {
        let glanced = glance(text);
        assert_eq!(glanced.is_some(), seen, "{text}");
        if let Some(metadata) = glanced {
            let (looked, damage) = closely(text);
            assert!(damage.is_none(), "{text}: {damage:?}");
            assert_eq!(metadata, looked, "{text}");
        }
    }

    #[test]
    fn what_zero_writes_is_seen_at_a_glance_and_what_is_odd_is_not() {
        for text in [
            r#"{"sessionId":"a","title":"t","eventCount":3,"createdAt":"x"}"#,
            r#"{"sessionId":"a","sessionId":"b","title":null,"x":{"title":"deep"},"depth":1}"#,
            r#"{"eventCount":3,"eventCount":null,"goal":{"objective":"x","tokensUsed":1},"goal":null}"#,
            "{}",
        ] {
            check(text, true);
        }
        for text in [
            r#"{"title":"a\nb"}"#,
            r#"{"Title":"a"}"#,
            r#"{"title":1}"#,
            r#"{"depth":1.0}"#,
            r#"{"eventCount":99999999999999999999}"#,
            r#"{"goal":{"tokensUsed":"x"}}"#,
            r#"{"title":"a"} x"#,
            r#"{"title":"a""#,
            "null",
            "[]",
            "",
        ] {
            check(text, false);
        }
        let long = format!(r#"{{"title":"{}"}}"#, "x".repeat(MOST));
        check(&long, false);
    }

    proptest! {
        #[test]
        fn it_says_what_the_closer_look_says(
            fields in proptest::collection::vec((
                prop_oneof![
                    Just("sessionId"), Just("title"), Just("TITLE"), Just("eventCount"), Just("goal"),
                    Just("updatedAt"), Just("depth"), Just("other"), Just("\u{17F}essionId"),
                ],
                prop_oneof![
                    Just("null"), Just("\"x\""), Just("\"\\u0041\""), Just("7"), Just("-7"), Just("1.5"),
                    Just("{}"), Just("[1]"), Just("{\"objective\":\"x\"}"), Just("true"), Just("bad"),
                ],
            ), 0..8),
        ) {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
            let text = format!("{{{}}}", fields.join(", "));
            if let Some(metadata) = glance(&text) {
                let (looked, damage) = closely(&text);
                prop_assert!(damage.is_none());
                prop_assert_eq!(metadata, looked);
            }
        }
    }
}
