use serde_json::{Value, json};

use super::*;

fn shown(kind: &str, payload: &Value) -> Message {
    let line =
        json!({"id": "a:1", "sequence": 1, "type": kind, "createdAt": "2026-01-01T00:00:00Z",
        "payload": payload})
        .to_string();
    message(&Event::read(&line).unwrap(), 7, Secrets::Hidden)
}

#[track_caller]
fn check(kind: &str, payload: &Value, role: Role, body: &str) {
    let shown = shown(kind, payload);
    assert_eq!((shown.role, shown.body.as_str()), (role, body), "{kind}");
    assert!(shown.at.is_some());
    assert_eq!(shown.offset, 7);
}

#[test]
fn who_said_what() {
    let said = |role| json!({"role": role, "content": "one\n\ttwo\n"});
    let body = "one\n    two";
    check("message", &said("user"), Role::User, body);
    check("message", &said("Assistant"), Role::Agent, body);
    check("message", &said("ask_user"), Role::Agent, body);
    check("message", &said("system"), Role::System, body);
    check("message", &said("goal"), Role::System, body);
    check("message", &said("x"), Role::System, "x: one\n    two");
    let answers = json!({"role": "ask_user_answers", "answers": ["yes"]});
    check("message", &answers, Role::User, "[\"yes\"]");
    check(
        "error",
        &json!({"message": "timed out"}),
        Role::Error,
        "timed out",
    );
    check(
        "session_compaction",
        &json!({"summary": "so far"}),
        Role::Compaction,
        "so far",
    );
    check(
        "session_compaction",
        &json!({}),
        Role::Compaction,
        "(empty)",
    );
}

#[test]
fn tools_tell_their_name_and_outcome() {
    let call = json!({"id": "1", "name": "read_file", "arguments": "{\"path\":\"a\"}"});
    check(
        "tool_call",
        &call,
        Role::ToolCall,
        "read_file {\"path\":\"a\"}",
    );
    let object = json!({"toolName": "x", "arguments": {"a": 1}});
    check("tool_call", &object, Role::ToolCall, "x {\"a\":1}");
    let result = json!({"name": "x", "status": "ok", "output": "all", "displayPreview": ""});
    check("tool_result", &result, Role::ToolResult, "x ok\nall");
    let preview = json!({"name": "x", "status": "error", "output": "all", "displayPreview": "some",
        "truncated": true, "redacted": false, "changedFiles": ["a", "b"]});
    check(
        "tool_result",
        &preview,
        Role::ToolResult,
        "x error · truncated · changed a, b\nsome",
    );
}

#[test]
fn the_rest_is_one_line() {
    let usage = json!({"promptTokens": 812, "completionTokens": 64, "totalTokens": 876, "cachedInputTokens": 0});
    check(
        "provider_usage",
        &usage,
        Role::Note,
        "tokens: 812 in, 64 out, 876 in all",
    );
    let fork = json!({"parentSessionId": "zero_1", "forkedFromSequence": 3});
    check(
        "session_fork",
        &fork,
        Role::Note,
        "session fork from zero_1 at event 3",
    );
    let child = json!({"agentName": "", "childSessionId": "c", "parentSessionId": "p"});
    check(
        "session_child",
        &child,
        Role::Note,
        "session child · c of p",
    );
    let asked = json!({"name": "grep", "action": "allow", "reason": "a\nb"});
    check(
        "permission_request",
        &asked,
        Role::Note,
        "permission request · grep · allow · a b",
    );
    check(
        "goal_set",
        &json!({"objective": "win"}),
        Role::Note,
        "goal set · win",
    );
    check(
        "brand_new\u{1b}[1m",
        &json!({"a": 1}),
        Role::Note,
        "brand_new",
    );
    check("message", &json!(null), Role::System, "(empty)");
    check("provider_usage", &json!([1]), Role::Note, "tokens:");
}

#[test]
fn hostile_text_is_made_safe() {
    let payload = json!({"role": "user", "content": "a\u{1b}]52;c;x\u{7}b\u{202e}c"});
    check("message", &payload, Role::User, "ab·c");
}

#[test]
fn long_bodies_are_cut_and_say_so() {
    for filler in ["x", "é", "\u{1}"] {
        let content = filler.repeat(Message::MAX);
        let shown = shown("message", &json!({"role": "user", "content": content}));
        let body = shown.body.as_str();
        if content.len() == Message::MAX && filler == "x" {
            assert_eq!(body, content);
            continue;
        }
        assert!(body.len() <= Message::MAX);
        assert!(
            body.ends_with("bytes are shown"),
            "{}",
            &body[body.len() - 90..]
        );
    }
}

/// A body is cut when its secrets are gone already, wherever the cut is.
#[test]
fn no_secret_is_shown_cut() {
    let secret = "aB3dEfGh1jKlMn0pQrStUvWxYz0123456789";
    for before in (Message::MAX - Message::NOTE - 60)..(Message::MAX - Message::NOTE + 10) {
        let content = format!(
            "{} ghp_{secret} {}",
            "x".repeat(before),
            "y".repeat(Message::NOTE)
        );
        let body = shown("message", &json!({"role": "user", "content": content})).body;
        assert!(body.as_str().len() <= Message::MAX);
        assert!(!body.as_str().contains(&secret[..4]), "{before}");
    }
}

#[test]
fn secrets_in_arguments_are_redacted_behind_escapes() {
    let arguments =
        "{\"content\":\"a\\npassword: hunter2\\nkey: \\u0073k-ant-api03-4eC39HqLyjWD\"}";
    let call = json!({"id": "1", "name": "write_file", "arguments": arguments});
    let body =
        "write_file {\"content\":\"a\\npassword: [redacted]\\nkey: \\u0073k-ant-[redacted]\"}";
    check("tool_call", &call, Role::ToolCall, body);
}
