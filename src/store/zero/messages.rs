//! What an event says to people.
//!
//! Must never fail: an event of an unknown kind is one line with the kind's name, and a payload
//! that is not as expected shows what can be made out of it. All of it becomes [`SafeText`].

use std::borrow::Cow;

use super::events::{Event, Fields};
use crate::text::{SafeText, Secrets};
use crate::transcript::{Message, Role};

/// Fields that an event's one line shows, with a word before each that needs one.
pub(super) type Details = &'static [(&'static str, &'static str)];

/// The event whose line begins at `offset`, as it is shown.
pub(super) fn message(event: &Event<'_>, offset: u64, secrets: Secrets) -> Message {
    let fields = Fields::read(event.payload).unwrap_or_default();
    let (role, body) = match &*event.kind {
        "message" => said(&fields),
        "tool_call" => (Role::ToolCall, called(&fields)),
        "tool_result" => (Role::ToolResult, answered(&fields)),
        "error" => (Role::Error, fields.text("message").into_owned()),
        "session_compaction" => (Role::Compaction, fields.text("summary").into_owned()),
        "provider_usage" => (Role::Note, used(&fields)),
        kind => (Role::Note, told(kind, &fields)),
    };
    let body = match role {
        Role::Note => SafeText::line_with(&body, secrets),
        _ if body.trim().is_empty() => SafeText::line("(empty)"),
        _ => SafeText::block_with(body.trim_end(), secrets),
    };
    Message {
        role,
        at: event.at,
        body: Message::bounded(body, secrets),
        offset,
    }
}

fn said(fields: &Fields<'_>) -> (Role, String) {
    let role = fields.text("role").trim().to_ascii_lowercase();
    let content = match &*role {
        // What the person answered is in a field of its own.
        "ask_user_answers" => first(fields, &["content", "answers"]),
        _ => fields.text("content"),
    };
    match speaker(&role) {
        (speaker, "") => (speaker, content.into_owned()),
        (speaker, other) => (speaker, format!("{other}: {content}")),
    }
}

/// Whom a message is from whose role is called that, and what else is to be said of it.
pub(super) fn speaker(role: &str) -> (Role, &str) {
    match role {
        "user" | "ask_user_answers" => (Role::User, ""),
        "assistant" | "ask_user" => (Role::Agent, ""),
        "system" | "goal" | "" => (Role::System, ""),
        role => (Role::System, role),
    }
}

fn called(fields: &Fields<'_>) -> String {
    let name = first(fields, &["name", "toolName"]);
    format!("{name} {}", fields.text("arguments"))
}

fn answered(fields: &Fields<'_>) -> String {
    let mut head = format!(
        "{} {}",
        first(fields, &["name", "toolName"]),
        first(fields, &["status"])
    );
    for flag in ["truncated", "redacted"] {
        if fields.raw(flag) == Some("true") {
            head.push_str(" · ");
            head.push_str(flag);
        }
    }
    if let Some(files) = fields.raw("changedFiles") {
        let files: Vec<Cow<str>> = serde_json::from_str(files).unwrap_or_default();
        if !files.is_empty() {
            head.push_str(" · changed ");
            head.push_str(&files.join(", "));
        }
    }
    format!("{head}\n{}", first(fields, &["displayPreview", "output"]))
}

pub(super) fn used(fields: &Fields<'_>) -> String {
    let counts = [
        ("promptTokens", "in"),
        ("completionTokens", "out"),
        ("totalTokens", "in all"),
        ("cachedInputTokens", "cached"),
        ("cacheWriteTokens", "written to the cache"),
        ("reasoningTokens", "reasoning"),
    ];
    let told = counts.iter().filter_map(|(name, word)| {
        let count = fields.number(name).filter(|count| *count > 0)?;
        Some(format!("{count} {word}"))
    });
    format!("tokens: {}", told.collect::<Vec<_>>().join(", "))
}

/// One line for an event that is no part of the conversation.
fn told(kind: &str, fields: &Fields<'_>) -> String {
    let Some(details) = details(kind) else {
        return kind.to_owned();
    };
    let mut line = kind.replace('_', " ");
    for (word, name) in details {
        let value = fields.text(name);
        if value.is_empty() {
            continue;
        }
        line.push_str(if word.is_empty() { " · " } else { " " });
        line.push_str(word);
        line.push_str(if word.is_empty() { "" } else { " " });
        line.push_str(&value);
    }
    line
}

/// `None`: a kind this build does not know.
pub(super) fn details(kind: &str) -> Option<Details> {
    Some(match kind {
        "permission" | "permission_request" | "permission_decision" => &[
            ("", "name"),
            ("", "toolName"),
            ("", "action"),
            ("", "decision"),
            ("", "reason"),
        ],
        "session_fork" => &[
            ("from", "parentSessionId"),
            ("at event", "forkedFromSequence"),
        ],
        "session_child" => &[
            ("", "agentName"),
            ("", "childSessionId"),
            ("of", "parentSessionId"),
        ],
        "session_rewind" => &[("to event", "targetSequence")],
        "session_checkpoint" => &[("before", "tool")],
        kind if kind.starts_with("specialist_") => &[
            ("", "specialist"),
            ("", "agentName"),
            ("", "childSessionId"),
            ("", "status"),
        ],
        kind if kind.starts_with("spec_") || kind.starts_with("goal_") => &[
            ("", "specId"),
            ("", "title"),
            ("", "objective"),
            ("", "status"),
            ("", "reason"),
        ],
        _ => return None,
    })
}

/// The first of the fields that says something.
pub(super) fn first<'a>(fields: &Fields<'a>, names: &[&str]) -> Cow<'a, str> {
    let texts = names.iter().map(|name| fields.text(name));
    texts
        .into_iter()
        .find(|text| !text.trim().is_empty())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
