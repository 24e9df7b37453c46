//! A store on disk with one of each, and other processes in two of its sessions.

use std::fs;

use chrono::TimeDelta;
use serde_json::json;

use crate::support::binary::Flock;
use crate::support::{SessionBuilder, TestStore, now};

const DAY: i64 = 24;

/// What keeps two of the sessions open.
pub(super) type Holders = [Flock; 2];

/// The store, and who holds `login` (of today) and `deploy` (old) open.
pub(super) fn sample() -> (TestStore, Holders) {
    let store = TestStore::new();
    fs::create_dir(store.beside("api")).unwrap();
    let add = |id, title, hours| session(&store, id, title, hours);

    add("login", "Fix login redirect", 2)
        .message("user", "the login page loops after the redirect")
        .message("assistant", "I'll look at the redirect.")
        .write();
    let cookie = add("cookie", "try the cookie approach", 3 * DAY).parent("login");
    cookie.message("user", "and the cookie?").write();
    let run = add("run", "look for callers", 3).parent("login");
    run.field("sessionKind", "child").write();
    postgres(add("postgres", "Migrate to postgres", 61 * DAY)).write();
    add("pg-a", "with a queue", 40 * DAY)
        .parent("postgres")
        .write();
    add("pg-b", "with a view", 9 * DAY)
        .parent("postgres")
        .write();
    add("scratch", "scratch", 90 * DAY).write();
    add("notes", "notes on the build", 45 * DAY).write();
    add("deploy", "roll out the new queue", 70 * DAY).write();
    add("odd", "a folder for a lease", 50 * DAY).write();
    fs::remove_file(store.path("odd/lease.lock")).unwrap();
    fs::create_dir(store.path("odd/lease.lock")).unwrap();
    add("torn", "never seen", 80 * DAY).write();
    let half = fs::read_to_string(store.path("torn/metadata.json")).unwrap();
    fs::write(store.path("torn/metadata.json"), &half[..40]).unwrap();

    let hold = |id: &str| Flock::shared(&store.path(id).join("lease.lock"));
    let holders = [hold("login"), hold("deploy")];
    (store, holders)
}

/// A session last active so many hours ago, whose folder is there.
pub(super) fn session(store: &TestStore, id: &str, title: &str, hours: i64) -> SessionBuilder {
    let folder = store.beside("api");
    let session = store.session(id).at(now() - TimeDelta::hours(hours));
    session
        .field("title", title)
        .field("cwd", folder.to_str().unwrap())
}

/// A conversation of which the agent has summed up the beginning.
fn postgres(session: SessionBuilder) -> SessionBuilder {
    let summed_up: Vec<_> = (1..=3)
        .map(|n| json!({"id": format!("postgres:{n}"), "sequence": n}))
        .collect();
    session
        .message("user", "plan the move of the jobs table")
        .event(
            "tool_call",
            &json!({"id": "1", "name": "grep", "arguments": "{\"pattern\":\"jobs\"}"}),
        )
        .event(
            "tool_result",
            &json!({"toolCallId": "1", "name": "grep", "status": "ok", "output": "src/jobs.rs:1"}),
        )
        .event(
            "session_compaction",
            &json!({
                "summary": "The jobs table is used in one place.",
                "compactableEvents": summed_up, "compactedThroughSequence": 3,
            }),
        )
        .message("user", "then move it")
        .message(
            "assistant",
            "Moved.\n\nThree rows differ; all of them are cancelled jobs.",
        )
}
