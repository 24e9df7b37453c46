//! `list` and `tree`: every session with its marks, as lines or as JSON.

use std::io::{self, BufWriter, Write};
use std::num::NonZero;
use std::thread;

use bytesize::ByteSize;
use chrono::{DateTime, Utc};
use clap::Args;
use serde::Serialize;

use super::{Context, Failure, FaultJson, print_json, tell_faults};
use crate::lineage::{Lineage, Node, Tie};
use crate::prune::plan::{Outlook, outlook};
use crate::prune::policy::{Age, Policy};
use crate::prune::report::rfc3339;
use crate::session::{Agent, Condition, Fault, Openness, Session, SessionId};
use crate::store::Store;
use crate::text::SafeText;

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(super) struct List {
    /// Do not measure what sessions take on disk
    #[arg(long)]
    no_size: bool,
}

/// Arguments of `tree`.
#[derive(Debug, Args)]
pub(super) struct Tree {
    /// Only this session and what descends from it; the beginning of an id is enough
    id: Option<String>,

    /// Do not measure what sessions take on disk
    #[arg(long)]
    no_size: bool,
}

impl List {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let listing = Listing::new(context, !self.no_size)?;
        let lineage = &listing.lineage;
        let mut nodes: Vec<Node> = lineage.nodes().collect();
        nodes.sort_by(|a, b| {
            let (s, t) = (lineage.get(*a), lineage.get(*b));
            (t.activity_at.cmp(&s.activity_at)).then_with(|| s.id.cmp(&t.id))
        });
        let rows: Vec<(Node, usize)> = nodes.into_iter().map(|node| (node, 0)).collect();
        listing.print(&rows, context)
    }
}

impl Tree {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let listing = Listing::new(context, !self.no_size)?;
        let lineage = &listing.lineage;
        let nodes: Vec<Node> = match &self.id {
            None => lineage.display().collect(),
            Some(id) => lineage.subtree(resolve(lineage, id)?).collect(),
        };
        let top = nodes.first().map_or(0, |node| lineage.depth(*node));
        let depth = |node| (lineage.depth(node) - top.min(lineage.depth(node))) as usize;
        let rows: Vec<(Node, usize)> = nodes.iter().map(|node| (*node, depth(*node))).collect();
        listing.print(&rows, context)
    }
}

/// The session that `text` names: an id, or the beginning of just one.
pub(super) fn resolve(lineage: &Lineage, text: &str) -> Result<Node, Failure> {
    if let Some(node) = SessionId::parse(text).and_then(|id| lineage.find(&id)) {
        return Ok(node);
    }
    let begins = |node: &Node| !text.is_empty() && lineage.get(*node).id.as_str().starts_with(text);
    let matches: Vec<Node> = lineage.nodes().filter(begins).collect();
    match matches.as_slice() {
        [node] => Ok(*node),
        [] => Err(Failure::Usage(format!(
            "no session \"{}\"; `sesstree list` shows what there is",
            SafeText::line(text)
        ))),
        several => {
            let mut ids: Vec<&str> = several
                .iter()
                .map(|n| lineage.get(*n).id.as_str())
                .collect();
            ids.sort_unstable();
            let shown = ids.iter().take(10).map(|id| format!("\n  {id}"));
            Err(Failure::Usage(format!(
                "\"{}\" is the beginning of {} sessions:{}",
                SafeText::line(text),
                several.len(),
                shown.collect::<String>()
            )))
        }
    }
}

/// All that both commands print.
struct Listing {
    lineage: Lineage,
    faults: Vec<Fault>,
    outlook: Vec<Outlook>,
}

impl Listing {
    fn new(context: &Context, sizes: bool) -> Result<Self, Failure> {
        let (mut lineage, faults) = context.scan()?;
        match context.store.openness() {
            Some(open) => lineage.set_open(&open),
            None => lineage.set_open_unknown(),
        }
        if sizes {
            measure(&mut lineage, &*context.store);
        }
        let outlook = match &context.settings.retention {
            Ok(age) => {
                let age = age.unwrap_or(Age::DEFAULT);
                outlook(&lineage, &Policy::all(age, context.now))
            }
            Err(what) => {
                eprintln!("sesstree: {what}; no session is marked as old");
                vec![Outlook::Stays; lineage.len()]
            }
        };
        Ok(Self {
            lineage,
            faults,
            outlook,
        })
    }

    fn print(&self, rows: &[(Node, usize)], context: &Context) -> Result<(), Failure> {
        if context.json {
            let sessions = rows.iter().map(|(node, _)| self.json(*node));
            return print_json(&Json {
                schema: 1,
                sessions: sessions.collect(),
                faults: self.faults.iter().map(FaultJson::new).collect(),
            });
        }
        let id_width = rows
            .iter()
            .map(|(node, _)| self.lineage.get(*node).id.as_str().len())
            .max()
            .unwrap_or(0);
        let mut out = BufWriter::new(io::stdout().lock());
        for &(node, depth) in rows {
            let session = self.lineage.get(node);
            let marks = self.marks(node).join(",");
            let size = session.bytes.map(|bytes| ByteSize::b(bytes).to_string());
            let line = format!(
                "{:id_width$}  {:>5}  {:>10}  {:12}  {}{}",
                session.id,
                age(session.activity_at, context.now),
                size.unwrap_or_default(),
                marks,
                "  ".repeat(depth),
                session.name(),
            );
            writeln!(out, "{}", line.trim_end())?;
        }
        out.flush()?;
        tell_faults(&self.faults);
        Ok(())
    }

    /// What a session is, in words.
    fn marks(&self, node: Node) -> Vec<&'static str> {
        let session = self.lineage.get(node);
        let mut marks = Vec::new();
        match session.open {
            Openness::Open(_) => marks.push("open"),
            Openness::Maybe => marks.push("maybe"),
            Openness::NoSign | Openness::Unknown => {}
        }
        match self.outlook[node.index()] {
            Outlook::Stays => {}
            Outlook::Ancestor => marks.extend(["ancestor", "old"]),
            Outlook::Goes => marks.push("old"),
        }
        match session.condition {
            Condition::Sound => {}
            Condition::Copy(_) => marks.push("copy"),
            Condition::Linked => marks.push("linked"),
            Condition::Damaged(_) => marks.push("damaged"),
            Condition::Remnant => marks.push("remnant"),
        }
        match self.lineage.tie(node) {
            Tie::Whole => {}
            Tie::ParentGone => marks.push("orphan"),
            Tie::Cycle => marks.push("cycle"),
        }
        if session.activity_at.is_none() {
            marks.push("undated");
        }
        marks
    }

    fn json(&self, node: Node) -> SessionJson<'_> {
        let session = self.lineage.get(node);
        SessionJson {
            agent: session.agent,
            id: &session.id,
            title: &session.title,
            kind: session.kind.word(),
            cwd: session.cwd.as_deref().map(SafeText::path),
            model: session.model.as_deref(),
            parent_id: session.parent.as_ref(),
            created_at: session.created_at.map(rfc3339),
            activity_at: session.activity_at.map(rfc3339),
            events: session.events,
            bytes: session.bytes,
            open: OpenJson::new(&session.open),
            marks: self.marks(node),
            fault: fault(session, self.lineage.tie(node)),
        }
    }
}

/// Measures every session, on all cores.
fn measure(lineage: &mut Lineage, store: &dyn Store) {
    let ids: Vec<SessionId> = lineage.sessions().iter().map(|s| s.id.clone()).collect();
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let part = ids.len().div_ceil(threads).max(1);
    let sizes: Vec<Option<u64>> = thread::scope(|scope| {
        let parts: Vec<_> = ids
            .chunks(part)
            .map(|ids| scope.spawn(move || ids.iter().map(|id| store.size(id).ok()).collect()))
            .collect();
        let join = |part: thread::ScopedJoinHandle<'_, Vec<_>>| part.join().unwrap_or_default();
        parts.into_iter().flat_map(join).collect()
    });
    for (id, bytes) in ids.iter().zip(sizes) {
        if let Some(bytes) = bytes {
            lineage.set_bytes(id, bytes);
        }
    }
}

/// What is wrong with a session, in a sentence.
fn fault(session: &Session, tie: Tie) -> Option<String> {
    let own = match &session.condition {
        Condition::Sound => None,
        condition => Some(condition.to_string()),
    };
    own.or_else(|| match tie {
        Tie::Whole => None,
        Tie::ParentGone => {
            let parent = session.parent.as_ref()?;
            Some(format!("parent {parent} is gone"))
        }
        Tie::Cycle => Some("descends from itself".to_owned()),
    })
}

/// `12s`, `5m`, `3h`, `61d`, `2y`; `?` if the time is unknown, `future` if it lies ahead.
fn age(at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> String {
    let Some(at) = at else { return "?".to_owned() };
    let seconds = (now - at).num_seconds();
    match seconds {
        ..0 => "future".to_owned(),
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => match seconds / 86_400 {
            days @ ..=999 => format!("{days}d"),
            days => format!("{}y", days / 365),
        },
    }
}

#[derive(Serialize)]
struct Json<'a> {
    schema: u32,
    sessions: Vec<SessionJson<'a>>,
    faults: Vec<FaultJson<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionJson<'a> {
    agent: Agent,
    id: &'a SessionId,
    #[serde(skip_serializing_if = "SafeText::is_empty")]
    title: &'a SafeText,
    #[serde(skip_serializing_if = "str::is_empty")]
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<SafeText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a SafeText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<&'a SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    activity_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<OpenJson<'a>>,
    marks: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

#[derive(Serialize)]
struct OpenJson<'a> {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<&'a SafeText>,
}

impl<'a> OpenJson<'a> {
    fn new(open: &'a Openness) -> Option<Self> {
        let state = match open {
            Openness::NoSign => return None,
            Openness::Open(_) => "open",
            Openness::Maybe => "maybe",
            Openness::Unknown => "unknown",
        };
        Some(Self {
            state,
            pid: open.holder().map(|holder| holder.pid),
            process: open.holder().map(|holder| &holder.process),
        })
    }
}
