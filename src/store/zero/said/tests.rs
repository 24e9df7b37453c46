use serde_json::{Value, json};

use super::*;

fn of(kind: &str, payload: &Value) -> Said {
    let line = json!({"type": kind, "createdAt": "2026-01-01T00:00:00Z", "payload": payload});
    said(line.to_string().as_bytes()).unwrap()
}

#[track_caller]
fn check(kind: &str, payload: &Value, role: Role, expected: [&str; 4]) {
    let said = of(kind, payload);
    assert_eq!(said.role, role, "{kind}");
    let told = [&*said.name, &*said.aside, &*said.shown, &*said.words];
    assert_eq!(told, expected, "{kind}");
    assert!(said.at.is_some());
}

fn call(arguments: &str) -> Said {
    of("tool_call", &json!({"name": "t", "arguments": arguments}))
}

#[test]
fn what_people_and_models_say() {
    let message = |role: &str, content: Value| json!({"role": role, "content": content});
    let check =
        |payload, role, name, text| check("message", &payload, role, [name, "", text, text]);
    check(message("user", json!("a\nb")), Role::User, "", "a\nb");
    check(
        message("Assistant", json!("{\"a\":1}")),
        Role::Agent,
        "",
        "{\"a\":1}",
    );
    check(message("critic", json!("no")), Role::System, "critic", "no");
    check(
        json!({"role": "ask_user_answers", "answers": "yes"}),
        Role::User,
        "",
        "yes",
    );
    check(json!({"role": "user"}), Role::User, "", "");
    check(json!(null), Role::System, "", "");
    check(json!([1]), Role::System, "", "");
}

#[test]
fn a_content_in_parts_is_all_its_texts() {
    let content = json!([{"kind": "text", "text": "one"}, {"text": ["two", null, 3, true]}]);
    let payload = json!({"role": "user", "content": content});
    let shown = "kind: text\ntext: one\ntext: two\n3\ntrue";
    check(
        "message",
        &payload,
        Role::User,
        ["", "", shown, "text\none\ntwo\n3\ntrue"],
    );
}

#[test]
fn tools() {
    let arguments = r#"{"command":"ls \"x\"","edits":[{"old":"a","new":"b"}]}"#;
    let payload = json!({"id": "c1", "name": "bash", "arguments": arguments});
    let shown = "command: ls \"x\"\nold: a\nnew: b";
    check(
        "tool_call",
        &payload,
        Role::ToolCall,
        ["bash", "", shown, "bash\nls \"x\"\na\nb"],
    );
    let payload = json!({"toolName": "bash", "arguments": {"x": 1}});
    check(
        "tool_call",
        &payload,
        Role::ToolCall,
        ["bash", "", "x: 1", "bash\n1"],
    );
    let payload = json!({"toolCallId": "c1", "name": "edit", "status": "ok", "redacted": true,
        "changedFiles": ["a.rs", "b.rs"], "output": "all of it", "displayPreview": "it"});
    let shown = "changed: a.rs\nb.rs\nall of it";
    let words = "edit\na.rs\nb.rs\nall of it\nit";
    check(
        "tool_result",
        &payload,
        Role::ToolResult,
        ["edit", "ok · redacted", shown, words],
    );
    let payload = json!({"name": "edit", "output": " ", "displayPreview": "it"});
    check(
        "tool_result",
        &payload,
        Role::ToolResult,
        ["edit", "", "it", "edit\nit"],
    );
}

#[test]
fn the_rest() {
    let check = |kind: &str, payload, role, told| check(kind, &payload, role, told);
    check(
        "error",
        json!({"message": "no"}),
        Role::Error,
        ["", "", "no", "no"],
    );
    check(
        "session_compaction",
        json!({"summary": "s"}),
        Role::Compaction,
        ["", "", "s", "s"],
    );
    let told = ["", "tokens: 3 in", "", ""];
    check(
        "provider_usage",
        json!({"promptTokens": 3}),
        Role::Note,
        told,
    );
    let told = ["session fork", "from p · at event 3", "", ""];
    let fork = json!({"parentSessionId": "p", "forkedFromSequence": 3});
    check("session_fork", fork, Role::Note, told);
    let told = ["spec created", "s1", "a title", "a title"];
    check(
        "spec_created",
        json!({"specId": "s1", "title": "a title"}),
        Role::Note,
        told,
    );
    check(
        "new_kind",
        json!({"text": "x"}),
        Role::Note,
        ["new kind", "", "", ""],
    );
}

#[test]
fn arguments_that_are_no_json_are_a_text() {
    for text in [
        "plain",
        "{\"a\":1",
        "[1,]",
        "{\"a\":\"x\"} and more",
        "",
        "  ",
    ] {
        let said = call(text);
        assert_eq!(said.shown, text);
        assert_eq!(said.words, format!("t\n{text}"));
    }
    assert_eq!(call("\"a\\nb\"").shown, "\"a\\nb\"");
}

#[test]
fn lone_surrogates_are_marks_in_both_readings() {
    let line =
        r#"{"type":"tool_call","payload":{"arguments":"{\"a\":\"x\\ud800y\",\"b\":\"\ud800\"}"}}"#;
    assert_eq!(said(line.as_bytes()).unwrap().words, "x\u{FFFD}y\n\u{FFFD}");
}

#[test]
fn no_line_becomes_much_more_than_it_is() {
    let name = "n".repeat(200_000);
    let many = format!("{{\"{name}\":[{}1]}}", "1,".repeat(200_000));
    let said = call(&many);
    assert!(said.shown.len() <= many.len(), "{}", said.shown.len());
    let deep = format!("{}\"x\"{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(call(&deep).words.len() <= deep.len() + 2);
    let deep = format!("{}1{}", "{\"a\":".repeat(5_000), "}".repeat(5_000));
    let begun = std::time::Instant::now();
    assert!(call(&deep).words.len() <= deep.len() + 2);
    assert!(begun.elapsed() < std::time::Duration::from_secs(2));
}

#[test]
fn what_is_no_event_says_nothing() {
    for line in [
        "",
        "1",
        "{}",
        "{\"type\":1}",
        "[",
        "{\"type\":\"message\"",
        "\u{FEFF}{\"type\":\"x\"}",
    ] {
        assert_eq!(said(line.as_bytes()), None, "{line}");
    }
}
