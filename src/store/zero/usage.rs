//! Tokens that a log tells of.

use memchr::memmem::Finder;

use super::events::{Event, Fields};
use crate::transcript::Usage;

/// The kind of event that tells of them, as Zero writes it.
const KIND: &str = "provider_usage";

/// The tokens that these whole lines tell of. Hardly any line does: the others are not understood.
pub(super) fn usage(lines: &[u8]) -> Usage {
    let kind = Finder::new(KIND);
    let mut usage = Usage::default();
    let mut from = 0;
    while let Some(found) = kind.find(&lines[from..]) {
        let at = from + found;
        let start = memchr::memrchr(b'\n', &lines[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &lines[at..]).map_or(lines.len(), |end| at + end);
        usage.add(of_line(&lines[start..end]).unwrap_or_default());
        from = end;
    }
    usage
}

fn of_line(line: &[u8]) -> Option<Usage> {
    let line = String::from_utf8_lossy(line);
    let event = Event::read(&line).filter(|event| event.kind == KIND)?;
    let fields = Fields::read(event.payload)?;
    let count = |name| fields.number(name).unwrap_or(0);
    Some(Usage {
        input: count("promptTokens"),
        output: count("completionTokens"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(kind: &str, payload: &str) -> String {
        format!(
            "{{\"type\":\"{kind}\",\"createdAt\":\"2026-01-01T00:00:00Z\",\"payload\":{payload}}}\n"
        )
    }

    #[test]
    fn what_events_tell_of_is_counted_and_nothing_else() {
        let log = [
            told(KIND, r#"{"promptTokens":100,"completionTokens":5,"totalTokens":105}"#),
            told("message", r#"{"role":"user","content":"\"type\":\"provider_usage\",\"promptTokens\":7"}"#),
            told("message", r#"{"role":"provider_usage","promptTokens":9}"#),
            "provider_usage not an event\n".to_owned(),
            "{\"type\": \"provider_usage\", \"payload\": {\"promptTokens\": -3, \"completionTokens\": 2}}\n".to_owned(),
            told(KIND, r#"{"completionTokens":18446744073709551615,"promptTokens":1}"#),
            told(KIND, "null"),
        ];
        let all = usage(log.concat().as_bytes());
        assert_eq!(
            all,
            Usage {
                input: 101,
                output: u64::MAX
            }
        );
        let first = log[0].trim_end().as_bytes();
        assert_eq!(
            usage(first),
            Usage {
                input: 100,
                output: 5
            }
        );
        assert_eq!(usage(b""), Usage::default());
    }
}
