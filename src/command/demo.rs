//! `--demo`: invented sessions in a temporary folder, to try everything on.
//!
//! Invariant: nothing of the user's is read or written; all that is made lies in one
//! temporary folder and goes with the process. Ages are relative to now.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use chrono::{DateTime, TimeDelta, Utc};
use color_eyre::eyre::{Context as _, OptionExt as _, bail};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::config::Settings;
use crate::prune::report::rfc3339;
use crate::session::{Agent, SessionId};
use crate::store::{Hold, Store as _, zero::Zero};
use crate::text::{SafeText, Secrets};

/// The invented sessions.
const SESSIONS: &str = include_str!("../../assets/demo.json");

/// The demo's world; it is gone when this is dropped.
#[must_use]
pub struct Demo {
    folder: TempDir,
    holder: Option<Child>,
}

#[derive(Debug, Deserialize)]
struct Invented {
    key: String,
    title: String,
    folder: PathBuf,
    age: String,
    #[serde(default)]
    began: Option<String>,
    #[serde(default)]
    parent: Option<String>,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    held: bool,
    #[serde(default)]
    damaged: bool,
    #[serde(default)]
    undated: bool,
    events: Vec<Vec<Value>>,
}

impl Demo {
    /// Unpacks the sessions and has one of them held open by a process of its own.
    pub fn unpack(now: DateTime<Utc>) -> color_eyre::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("sesstree-demo-")
            .tempdir()
            .wrap_err("cannot make a temporary folder for the demo")?;
        let mut demo = Self {
            folder,
            holder: None,
        };
        let sessions: Vec<Invented> = serde_json::from_str(SESSIONS)?;
        let mut held = None;
        for (number, session) in sessions.iter().enumerate() {
            let id = session.id(number, now)?;
            let parent = session.parent.as_ref().map(|key| {
                let at = sessions.iter().position(|other| other.key == *key);
                at.map_or_else(|| Ok(format!("zero_{key}")), |at| sessions[at].id(at, now))
            });
            demo.write(session, &id, parent.transpose()?, now)
                .wrap_err_with(|| format!("cannot write the demo session {id}"))?;
            if session.held {
                held = Some(id);
            }
        }
        let held = held.ok_or_eyre("no demo session is marked as held")?;
        demo.holder = Some(hold_in_child(&demo.root(), &held)?);
        Ok(demo)
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("zero/sessions")
    }

    /// What the screen is opened with: the demo's folder is its home, the agent is a stand-in.
    pub fn settings(&self) -> color_eyre::Result<Settings> {
        let program = std::env::current_exe().wrap_err("cannot find our own program")?;
        Ok(Settings {
            agent: Agent::Zero,
            root: self.root(),
            label: Some(SafeText::line("demo: invented sessions")),
            here: Some(self.folder.path().join("src/api")),
            home: Some(self.folder.path().to_owned()),
            state: Some(self.folder.path().join("state")),
            retention: Ok(None),
            command: vec![program.into(), "demo-agent".into()],
            path: None,
            no_color: std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
            secrets: Secrets::default(),
        })
    }

    fn write(
        &self,
        session: &Invented,
        id: &str,
        parent: Option<String>,
        now: DateTime<Utc>,
    ) -> color_eyre::Result<()> {
        let cwd = self.folder.path().join(&session.folder);
        fs::create_dir_all(&cwd)?;
        let folder = self.root().join(id);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)?;
        let (began, ended) = session.span(now)?;
        let events = session.events(id, began, ended)?;
        let mut metadata = Map::new();
        let mut put = |name: &str, value: Value| metadata.insert(name.to_owned(), value);
        put("sessionId", id.into());
        if !session.kind.is_empty() {
            put("sessionKind", session.kind.as_str().into());
        }
        put("title", session.title.as_str().into());
        put("cwd", cwd.to_string_lossy().into());
        put("modelId", "demo-1".into());
        if let Some(parent) = parent {
            put("parentSessionId", parent.into());
        }
        put("createdAt", rfc3339(began).into());
        let updated = if session.undated {
            String::new()
        } else {
            rfc3339(ended)
        };
        put("updatedAt", updated.into());
        put("eventCount", events.len().into());
        let mut text = serde_json::to_string_pretty(&metadata)? + "\n";
        if session.damaged {
            text.truncate(text.len() / 3);
        }
        write_file(&folder.join("metadata.json"), &text)?;
        let lines: Vec<String> = events.iter().map(Value::to_string).collect();
        write_file(&folder.join("events.jsonl"), &(lines.join("\n") + "\n"))?;
        write_file(&folder.join("session.lock"), "")?;
        write_file(&folder.join("lease.lock"), "")?;
        Ok(())
    }
}

impl Drop for Demo {
    /// The holder ends when its standard input does.
    fn drop(&mut self) {
        if let Some(holder) = &mut self.holder {
            drop(holder.stdin.take());
            // Nothing is left to do about a child that cannot be waited for.
            let _ = holder.wait();
        }
    }
}

impl Invented {
    fn span(&self, now: DateTime<Utc>) -> color_eyre::Result<(DateTime<Utc>, DateTime<Utc>)> {
        let ended = now - span(&self.age)?;
        let began = match &self.began {
            Some(text) => now - span(text)?,
            None => ended - TimeDelta::minutes(i64::try_from(self.events.len())?),
        };
        Ok((began, ended))
    }

    /// An id as Zero makes them.
    fn id(&self, number: usize, now: DateTime<Utc>) -> color_eyre::Result<String> {
        let (began, _) = self.span(now)?;
        let stamp = began.format("%Y%m%d%H%M%S");
        let seconds = began.timestamp();
        Ok(format!("zero_{stamp}_{seconds}000000000_{}", number + 1))
    }

    fn events(
        &self,
        id: &str,
        began: DateTime<Utc>,
        ended: DateTime<Utc>,
    ) -> color_eyre::Result<Vec<Value>> {
        let steps = i32::try_from(self.events.len().max(2) - 1)?;
        let each = (ended - began) / steps;
        let event = |(number, words): (usize, &Vec<Value>)| {
            let at = began + each * i32::try_from(number)?;
            let (kind, payload) = payload(words, id)?;
            let sequence = number + 1;
            Ok(json!({
                "id": format!("{id}:{sequence}"), "sessionId": id, "sequence": sequence,
                "type": kind, "createdAt": rfc3339(at), "payload": payload,
            }))
        };
        self.events.iter().enumerate().map(event).collect()
    }
}

/// An event's type and payload, from the short form in the demo's file.
fn payload(words: &[Value], id: &str) -> color_eyre::Result<(&'static str, Value)> {
    let [kind, first, ..] = words else {
        bail!("an event needs a kind and a text: {words:?}")
    };
    let second = words.get(2).unwrap_or(&Value::Null);
    Ok(match kind.as_str() {
        Some("user") => ("message", json!({"role": "user", "content": first})),
        Some("agent") => ("message", json!({"role": "assistant", "content": first})),
        Some("tool") => (
            "tool_call",
            json!({"id": "call", "name": first, "arguments": second}),
        ),
        Some("result") => {
            let result =
                json!({"toolCallId": "call", "name": first, "status": "ok", "output": second});
            ("tool_result", result)
        }
        Some("usage") => {
            let total = first.as_u64().unwrap_or(0) + second.as_u64().unwrap_or(0);
            let usage =
                json!({"promptTokens": first, "completionTokens": second, "totalTokens": total});
            ("provider_usage", usage)
        }
        Some("error") => ("error", json!({"message": first})),
        Some("compact") => {
            let through = second.as_u64().unwrap_or(0);
            let replaced = (1..=through).map(|n| json!({"id": format!("{id}:{n}"), "sequence": n}));
            let events: Vec<Value> = replaced.collect();
            let compaction = json!({
                "summary": first, "compactedThroughSequence": through, "compactableEvents": events,
            });
            ("session_compaction", compaction)
        }
        _ => bail!("no such event in the demo: {kind}"),
    })
}

/// `4m`, `2h`, `61d`.
fn span(text: &str) -> color_eyre::Result<TimeDelta> {
    let (count, unit) = text.split_at(text.len().saturating_sub(1));
    let count: i64 = count.parse().wrap_err_with(|| format!("no age: {text}"))?;
    match unit {
        "m" => Ok(TimeDelta::minutes(count)),
        "h" => Ok(TimeDelta::hours(count)),
        "d" => Ok(TimeDelta::days(count)),
        _ => bail!("no age: {text}"),
    }
}

fn write_file(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())
}

/// Starts a process that holds a demo session open until its standard input ends.
#[expect(
    clippy::disallowed_methods,
    reason = "the demo's holder is a process of its own"
)]
fn hold_in_child(root: &Path, id: &str) -> color_eyre::Result<Child> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["demo-hold", id])
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        // Or a Ctrl-C that is meant for the stand-in would end it.
        .process_group(0)
        .spawn()
        .wrap_err("cannot start the demo's second process")?;
    let out = child.stdout.take().ok_or_eyre("the holder has no output")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    if line.trim() != "held" {
        bail!("the demo's second process could not hold its session");
    }
    Ok(child)
}

/// Holds a session open, says so, and lets go when standard input ends.
pub(super) fn hold(root: &Path, id: &str) -> color_eyre::Result<()> {
    let id = SessionId::parse(id).ok_or_eyre("not a session's id")?;
    let Hold::Leased(lease) = Zero::new(root.to_owned()).hold(&id)? else {
        bail!("the lease could not be taken");
    };
    println!("held");
    io::stdin().lock().read_to_end(&mut Vec::new())?;
    drop(lease);
    Ok(())
}

/// The stand-in for an agent: says what it is, what it was asked, and does nothing.
pub(super) fn agent(words: &[String]) -> io::Result<()> {
    let here = std::env::current_dir()?;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "This is the demo's stand-in for an agent; it does nothing."
    )?;
    writeln!(out, "folder     {}", SafeText::path(&here))?;
    writeln!(out, "arguments  {}", words.join(" "))?;
    if words.is_empty() {
        writeln!(
            out,
            "A real agent would show its own screen now. Press Enter to leave it."
        )?;
        out.flush()?;
        io::stdin().lock().read_line(&mut String::new())?;
    }
    Ok(())
}
