//! JSON as Zero's own reader takes it.
//!
//! Must never refuse what Zero reads (its sessions would look damaged) nor read what Zero refuses
//! (it would not know the session exists, and would let its ancestors go). Go's encoding/json
//! differs from `serde_json` in what it lets pass: lone surrogates, bytes that are not UTF-8, keys in
//! other letters, `null` for anything; and it stops at a depth of 10,000.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// How deep Go goes.
const MAX_DEPTH: usize = 10_000;

/// Whether arrays and objects are nested deeper than Zero reads.
pub(super) fn too_deep(text: &str) -> bool {
    // Each level takes a byte, so only large files are looked through.
    if text.len() <= MAX_DEPTH {
        return false;
    }
    let mut depth = 0usize;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

fn skip_string(bytes: &mut std::str::Bytes<'_>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => _ = bytes.next(),
            _ => {}
        }
    }
}

/// Tells every key and the text of its value, in order, repeated ones too. What comes before an
/// error has been told. `null` is an object without keys.
pub(super) fn each_field<'a>(
    text: &'a str,
    tell: impl FnMut(Cow<'a, str>, &'a str),
) -> Result<(), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    Fields(tell).deserialize(&mut json)?;
    json.end()
}

struct Fields<F>(F);

impl<'de, F: FnMut(Cow<'de, str>, &'de str)> DeserializeSeed<'de> for Fields<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de, F: FnMut(Cow<'de, str>, &'de str)> Visitor<'de> for Fields<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<&RawValue>()? {
            let value: &RawValue = map.next_value()?;
            (self.0)(string(key.get()).unwrap_or_default(), value.get());
        }
        Ok(())
    }
}

/// The string that `raw`, the text of a JSON value, stands for; `None` if it is no string.
/// What is not text in it becomes U+FFFD.
pub(super) fn string(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let unescaped: Unescaped = serde_json::from_str(raw).ok()?;
    Some(Cow::Owned(unescaped.0))
}

/// A string whose lone surrogates are marks instead of errors.
struct Unescaped(String);

impl<'de> Deserialize<'de> for Unescaped {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        // serde_json hands out strings asked for as bytes without an opinion on surrogates.
        json.deserialize_bytes(UnescapedVisitor)
    }
}

struct UnescapedVisitor;

impl Visitor<'_> for UnescapedVisitor {
    type Value = Unescaped;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Unescaped, E> {
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            // A surrogate is three bytes, of which only the first is no continuation.
            if chunk.invalid().first().is_some_and(|b| *b >= 0xC0) {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Ok(Unescaped(text))
    }
}

/// Whether Go takes `key` for the field called `name`: letters in any case, and the two other
/// characters that fold to ASCII ones.
pub(super) fn same_key(key: &str, name: &str) -> bool {
    if key.is_ascii() {
        return key.eq_ignore_ascii_case(name);
    }
    let folded = key.chars().map(|c| match c {
        '\u{17F}' => 's',
        '\u{212A}' => 'k',
        c => c.to_ascii_lowercase(),
    });
    folded.eq(name.chars().map(|c| c.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Result<Vec<(String, String)>, String> {
        let mut told = Vec::new();
        each_field(text, |key, raw| told.push((key.into(), raw.to_owned())))
            .map_err(|error| error.to_string())?;
        Ok(told)
    }

    #[test]
    fn fields_come_in_order_and_repeated() {
        let told = fields(r#" {"a": 1, "b": [1, {"a": 2}], "\u0061": null} "#).unwrap();
        let expected = [("a", "1"), ("b", r#"[1, {"a": 2}]"#), ("a", "null")];
        assert_eq!(
            told,
            expected.map(|(key, raw)| (key.to_owned(), raw.to_owned()))
        );
        assert_eq!(fields("null"), Ok(vec![]));
        assert_eq!(fields("{}"), Ok(vec![]));
    }

    #[test]
    fn what_go_does_not_read() {
        for text in [
            "",
            " ",
            "\u{FEFF}{}",
            "{",
            "{} {}",
            "{}x",
            "[]",
            "1",
            "\"text\"",
            "true",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "{'a':1}",
            "{\"a\":1,}",
            "{\"a\":01}",
            "{\"a\":.5}",
            "{\"a\":+1}",
            "{\"a\":NaN}",
            "{\"a\":\"\n\"}",
            "{\"a\":\"\t\"}",
            "{\"a\nb\":1}",
            "{\"a\":\"\\x\"}",
            "{\"a\":\"\\u12\"}",
            "{\"a\":1 // no\n}",
            "{\"a\":1\u{A0}}",
        ] {
            assert!(fields(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_go_reads_and_serde_json_alone_does_not() {
        for (text, value) in [
            (r#"{"a":"x\ud800y"}"#, "x\u{FFFD}y"),
            (r#"{"a":"\udc00"}"#, "\u{FFFD}"),
            (r#"{"a":"\ud800\n"}"#, "\u{FFFD}\n"),
            (r#"{"a":"\ud800\ud83d\ude80"}"#, "\u{FFFD}🚀"),
            (r#"{"a":"\ud83d\ude80 \u003c\/"}"#, "🚀 </"),
            ("{\"a\":\"\u{7F}\"}", "\u{7F}"),
        ] {
            let told = fields(text).unwrap();
            assert_eq!(string(&told[0].1).as_deref(), Some(value), "{text}");
        }
        assert!(fields(r#"{"\ud800": 1}"#).is_ok());
        assert!(fields(r#"{"a": 1e999, "b": -0}"#).is_ok());
    }

    #[test]
    fn depth_is_gos() {
        let nested = |depth: usize| {
            let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
            format!("{{\"x\":{open}{close}}}")
        };
        assert!(!too_deep(&nested(MAX_DEPTH)));
        assert!(fields(&nested(MAX_DEPTH)).is_ok());
        assert!(too_deep(&nested(MAX_DEPTH + 1)));
        let in_a_string = format!("{{\"x\":\"{}\"}}", "[".repeat(MAX_DEPTH * 2));
        assert!(!too_deep(&in_a_string));
        let behind_quotes = format!("{{\"x\":\"\\\"{}\"}}", "[".repeat(MAX_DEPTH * 2));
        assert!(!too_deep(&behind_quotes));
        let many_but_flat = format!("[{}]", "[],".repeat(MAX_DEPTH));
        assert!(!too_deep(&many_but_flat));
    }

    #[test]
    fn keys_fold_as_gos_do() {
        for key in [
            "sessionId",
            "SESSIONID",
            "sessionid",
            "\u{17F}e\u{17F}sionId",
        ] {
            assert!(same_key(key, "sessionId"), "{key}");
        }
        for key in ["", "sessionId ", "session_id", "sessıonId", "sessionIdé"] {
            assert!(!same_key(key, "sessionId"), "{key}");
        }
        assert!(same_key("to\u{212A}en", "token"));
    }
}
