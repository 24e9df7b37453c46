//! Invented sessions.

use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use sesstree::session::{
    Agent, Condition, Folder, Openness, Session, SessionId, SessionKind, Sighting,
};
use sesstree::text::SafeText;
use sesstree::transcript::{Message, Page, Role};

pub(super) fn now() -> DateTime<Utc> {
    crate::support::now()
}

pub(super) fn id(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

/// A session last active so many hours ago, below `parent` unless that is empty.
pub(super) fn session(name: &str, title: &str, parent: &str, hours: i64) -> Session {
    let at = now() - TimeDelta::hours(hours);
    Session {
        agent: Agent::Zero,
        id: id(name),
        title: SafeText::line(title),
        kind: if parent.is_empty() {
            SessionKind::Main
        } else {
            SessionKind::Fork
        },
        cwd: Some(Arc::new(Folder::new(Path::new("/home/you/src/api")))),
        model: Some(Arc::new(SafeText::line("gpt-x"))),
        parent: SessionId::parse(parent),
        created_at: Some(at - TimeDelta::hours(1)),
        activity_at: Some(at),
        events: Some(214),
        condition: Condition::Sound,
        bytes: None,
        open: Openness::NoSign,
        pinned: false,
        seen: Sighting::default(),
    }
}

/// A store with one of each.
pub(super) fn sample() -> Vec<Session> {
    const DAY: i64 = 24;
    let mut damaged = session("damaged", "", "", 0);
    damaged.activity_at = None;
    damaged.cwd = None;
    damaged.model = None;
    damaged.condition = Condition::Damaged(SafeText::line("metadata unreadable"));
    let mut home = session("scratch", "scratch", "", 90 * DAY);
    home.cwd = Some(Arc::new(Folder::new(Path::new("/home/you"))));
    let mut run = session("run", "look for callers", "login", 3);
    run.kind = SessionKind::Child;
    vec![
        session("login", "Fix login redirect", "", 2),
        session("cookie", "try the cookie approach", "login", 3 * DAY),
        run,
        session("postgres", "Migrate to postgres", "", 61 * DAY),
        session("pg-a", "with a queue", "postgres", 40 * DAY),
        session("pg-b", "with a view", "postgres", 9 * DAY),
        home,
        session("notes", "notes on the build", "", 45 * DAY),
        damaged,
    ]
}

/// A short conversation.
pub(super) fn page() -> Page {
    let message = |role, body: &str, offset| Message {
        role,
        at: Some(now()),
        body: SafeText::block(body),
        offset,
    };
    Page {
        messages: vec![
            message(Role::User, "the login page loops after the redirect", 0),
            message(Role::Agent, "I'll look at the redirect.", 100),
            message(Role::ToolCall, "grep redirect src/", 200),
            message(Role::User, "and the cookie?", 300),
            message(
                Role::Agent,
                "It is set without SameSite.\n\nThat is the bug.",
                400,
            ),
        ],
        start: 0,
        end: 500,
        size: 500,
        unreadable: 0,
        fell_back: false,
    }
}
