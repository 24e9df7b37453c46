//! What an event says, to be read, searched and exported.
//!
//! Must never fail: an event of an unknown kind is told by its name, and a payload that is not as expected
//! shows what can be made out of it.

use std::fmt::Write as _;

use serde_json::Value;

use super::event::{Event, text};
use crate::store::log::Said;
use crate::text::{SafeText, Secrets};
use crate::transcript::{Message, Role, Usage};

/// How deep in arrays and objects texts are looked for.
const DEEPEST: usize = 32;

/// What a line says; `None`: it is no event.
pub(super) fn said(line: &[u8]) -> Option<Said> {
    let event = Event::read(line)?;
    let payload = event.payload();
    let call = payload.get("call").unwrap_or(&payload);
    let result = payload.get("result").unwrap_or(&payload);
    let (role, name, aside) = match &*event.kind {
        "user_input" => (Role::User, String::new(), String::new()),
        "assistant_output" => (Role::Agent, String::new(), String::new()),
        "tool_call" | "code_mode_tool_call" => {
            (Role::ToolCall, text(call, "name").to_owned(), String::new())
        }
        "tool_result" | "code_mode_tool_result" => {
            let state = match result.get("success").and_then(Value::as_bool) {
                Some(true) => "ok",
                Some(false) => "failed",
                None => "",
            };
            let name = text(result, "tool_name").to_owned();
            (Role::ToolResult, name, state.to_owned())
        }
        "compaction" => (Role::Compaction, String::new(), String::new()),
        kind => (Role::Note, kind.to_owned(), String::new()),
    };
    let mut said = Said {
        role,
        at: Some(event.at),
        name,
        aside,
        shown: String::new(),
        words: String::new(),
    };
    match said.role {
        Role::User | Role::Agent => add(&mut said, "", text(&payload, "text")),
        Role::Compaction => add(&mut said, "", text(&payload, "summary")),
        Role::ToolResult => add(&mut said, "", text(result, "content")),
        Role::ToolCall => match call.get("arguments") {
            // Some providers give them as the text of JSON.
            Some(Value::String(arguments)) => match serde_json::from_str(arguments) {
                Ok(arguments) => texts(&mut said, "", &arguments, 0),
                Err(_) => add(&mut said, "", arguments),
            },
            Some(arguments) => texts(&mut said, "", arguments, 0),
            None => {}
        },
        _ => texts(&mut said, "", &payload, 0),
    }
    Some(said)
}

fn add(said: &mut Said, name: &str, text: &str) {
    for line in [&mut said.shown, &mut said.words] {
        if !line.is_empty() {
            line.push('\n');
        }
    }
    if !name.is_empty() {
        let _ = write!(said.shown, "{name}: ");
    }
    said.shown.push_str(text);
    said.words.push_str(text);
}

/// Every text in a value, each with the name of the field that it is in.
fn texts(said: &mut Said, name: &str, value: &Value, depth: usize) {
    match value {
        Value::String(text) => add(said, name, text),
        Value::Array(items) if depth < DEEPEST => {
            for item in items {
                texts(said, name, item, depth + 1);
            }
        }
        Value::Object(fields) if depth < DEEPEST => {
            for (name, value) in fields {
                texts(said, name, value, depth + 1);
            }
        }
        _ => {}
    }
}

/// The event whose line begins at `offset`, as it is shown; `None`: it is none.
pub(super) fn message(line: &[u8], offset: u64, secrets: Secrets) -> Option<Message> {
    let said = said(line)?;
    let head = [&*said.name, &*said.aside].join(" ");
    let head = head.trim();
    let body = match said.role {
        Role::Note => {
            let body = format!("{head}: {}", said.shown);
            SafeText::line_with(body.trim_end_matches(": "), secrets)
        }
        _ if head.is_empty() && said.shown.trim().is_empty() => SafeText::line("(empty)"),
        _ if head.is_empty() => SafeText::block_with(said.shown.trim_end(), secrets),
        _ => {
            let body = format!("{head}\n{}", said.shown);
            SafeText::block_with(body.trim_end(), secrets)
        }
    };
    Some(Message {
        role: said.role,
        at: said.at,
        body: Message::bounded(body, secrets),
        offset,
    })
}

/// The tokens that these lines tell of.
pub(super) fn usage(lines: &[u8]) -> Usage {
    let mut usage = Usage::default();
    for line in lines.split(|byte| *byte == b'\n') {
        // Most lines tell of none.
        if memchr::memmem::find(line, b"\"usage\"").is_none() {
            continue;
        }
        let Some(event) = Event::read(line).filter(|event| event.kind == "assistant_output") else {
            continue;
        };
        let payload = event.payload();
        let tokens = |field: &str| {
            let tokens = payload.get("usage").and_then(|usage| usage.get(field));
            tokens.and_then(Value::as_u64).unwrap_or(0)
        };
        usage.add(Usage {
            input: tokens("input").saturating_add(tokens("cache_read")),
            output: tokens("output"),
        });
    }
    usage
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kind: &str, payload: &str) -> Vec<u8> {
        format!(
            r#"{{"event_type":"{kind}","timestamp":"2026-11-01T10:00:00Z","session_id":"s","payload":{payload}}}"#
        )
        .into_bytes()
    }

    #[track_caller]
    fn check(kind: &str, payload: &str, role: Role, shown: &str, words: &str) {
        let line = line(kind, payload);
        let message = message(&line, 7, Secrets::Hidden).unwrap();
        assert_eq!((message.role, message.body.as_str()), (role, shown));
        assert_eq!(said(&line).unwrap().words, words);
        assert_eq!(message.offset, 7);
    }

    #[test]
    fn each_kind_says_what_it_has_to() {
        check(
            "user_input",
            r#"{"text":"a\nb"}"#,
            Role::User,
            "a\nb",
            "a\nb",
        );
        check(
            "assistant_output",
            r#"{"text":"hi"}"#,
            Role::Agent,
            "hi",
            "hi",
        );
        check(
            "tool_call",
            r#"{"id":"1","name":"bash","arguments":{"command":"ls"}}"#,
            Role::ToolCall,
            "bash\ncommand: ls",
            "ls",
        );
        check(
            "tool_call",
            r#"{"call":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}"#,
            Role::ToolCall,
            "bash\ncommand: ls",
            "ls",
        );
        check(
            "tool_result",
            r#"{"call_id":"1","result":{"tool_name":"bash","success":false,"content":"no"}}"#,
            Role::ToolResult,
            "bash failed\nno",
            "no",
        );
        check(
            "compaction",
            r#"{"summary":"all"}"#,
            Role::Compaction,
            "all",
            "all",
        );
        check(
            "diagnostic",
            r#"{"message":"odd"}"#,
            Role::Note,
            "diagnostic: message: odd",
            "odd",
        );
        check(
            "of_a_later_version",
            "1",
            Role::Note,
            "of_a_later_version",
            "",
        );
        check("user_input", "null", Role::User, "(empty)", "");
    }

    #[test]
    fn tokens_are_those_of_answers() {
        let answer = line(
            "assistant_output",
            r#"{"text":"a","usage":{"input":10,"output":2,"cache_read":5}}"#,
        );
        let other = line("session_usage", r#"{"usage":{"input":99}}"#);
        let lines = [&answer[..], b"\n{\"usage\"\n", &other, b"\n", &answer].concat();
        let wanted = Usage {
            input: 30,
            output: 4,
        };
        assert_eq!(usage(&lines), wanted);
    }
}
