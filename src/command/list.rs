//! `list` and `tree`: every session with its marks, as lines or as JSON.

mod json;

use std::cmp::Reverse;
use std::io::{self, BufWriter, Write};
use std::num::NonZero;
use std::thread;

use bytesize::ByteSize;
use chrono::{DateTime, Utc};
use clap::Args;
use json::{OpenJson, SessionJson};

use super::terminal::say;
use super::{Context, Failure, FaultJson, ambiguous, tell_faults};
use crate::filter::{Changing, Filter, Marks};
use crate::lineage::{Lineage, Node, Sort, Tie};
use crate::prune::plan::{Outlook, outlook};
use crate::prune::policy::{Age, Policy};
use crate::prune::report::rfc3339;
use crate::session::{Condition, Fault, Folder, Openness, Session, SessionId};
use crate::store::Store;
use crate::store::spread::beside;
use crate::text::SafeText;

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(super) struct List {
    /// Only sessions that match, as typed after / on the screen: words, and terms like is:old
    /// project:api older:30d size:>10mb
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

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
        let filter = filter(self.filter.as_deref().unwrap_or_default(), context.now)?;
        let sizes = !self.no_size || filter.asks_for(Changing::Sizes);
        let (listing, nodes) = Listing::new(context, sizes, by_activity)?;
        let marks = |node: Node| Marks {
            old: listing.outlook[node.index()] != Outlook::Stays,
            selected: false,
        };
        let scores = filter.scores(&listing.lineage, &marks, None);
        let matching = nodes.into_iter().filter(|node| scores[node.index()] > 0);
        let rows: Vec<(Node, usize)> = matching.map(|node| (node, 0)).collect();
        listing.print(&rows, context)?;
        listing.leave();
        Ok(())
    }
}

impl Tree {
    pub(super) fn run(self, context: &Context) -> Result<(), Failure> {
        let (mut listing, ()) = Listing::new(context, !self.no_size, |_| ())?;
        listing.lineage.sort(Sort::Activity, false);
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

/// All sessions, latest activity first.
fn by_activity(lineage: &Lineage) -> Vec<Node> {
    let keyed = lineage.nodes().map(|node| {
        let session = lineage.get(node);
        (Reverse(session.activity_at), &session.id, node)
    });
    let mut keyed: Vec<_> = keyed.collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(.., node)| node).collect()
}

/// What is to be listed; what says nothing is an error.
fn filter(text: &str, now: DateTime<Utc>) -> Result<Filter, Failure> {
    let filter = Filter::new(text, now);
    match filter.mistakes() {
        [] => Ok(filter),
        [mistake, ..] => Err(Failure::Usage(format!(
            "invalid --filter \"{}\": expected {}",
            mistake.term, mistake.expected
        ))),
    }
}

/// The session alone, if all of its id was given; else the store is looked through.
pub(super) fn find(context: &Context, text: &str) -> Result<Session, Failure> {
    let named = SessionId::parse(text).and_then(|id| context.store.session(&id));
    if let Some(session) = named {
        return Ok(session);
    }
    let (lineage, _) = context.list()?;
    let node = resolve(&lineage, text)?;
    Ok(lineage.get(node).clone())
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
            Err(ambiguous(text, ids.len(), "sessions", ids.into_iter()))
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
    /// With something else made of the lineage meanwhile.
    fn new<T>(
        context: &Context,
        sizes: bool,
        order: impl FnOnce(&Lineage) -> T,
    ) -> Result<(Self, T), Failure> {
        // To be told of all locks the system takes its time, which the scan can use.
        let (open, scanned) = beside(|| context.store.openness(), || context.list());
        let (mut lineage, faults) = scanned?;
        match open {
            Some(open) => lineage.set_open(&open),
            None => lineage.set_open_unknown(),
        }
        if sizes {
            measure(&mut lineage, &*context.store);
        }
        let age = match &context.settings.retention {
            Ok(age) => Some(age.unwrap_or(Age::DEFAULT)),
            Err(what) => {
                say(format_args!("{what}; no session is marked as old"));
                None
            }
        };
        let outlook = || match age {
            Some(age) => outlook(&lineage, &Policy::all(age, context.now)),
            None => vec![Outlook::Stays; lineage.len()],
        };
        let (outlook, ordered) = beside(outlook, || order(&lineage));
        let listing = Self {
            lineage,
            faults,
            outlook,
        };
        Ok((listing, ordered))
    }

    /// The process ends with it: a hundred thousand sessions need not be taken apart first.
    fn leave(self) {
        std::mem::forget(self);
    }

    fn print(&self, rows: &[(Node, usize)], context: &Context) -> Result<(), Failure> {
        if context.json {
            let faults: Vec<FaultJson<'_>> = self.faults.iter().map(FaultJson::new).collect();
            return json::print(rows, &|(node, _)| self.json(*node), &faults);
        }
        let lines = rows
            .iter()
            .map(|&(node, depth)| self.line(node, depth, context));
        print_table(&lines.collect::<Vec<_>>())?;
        tell_faults(&self.faults);
        Ok(())
    }

    fn line(&self, node: Node, depth: usize, context: &Context) -> [SafeText; COLUMNS.len()] {
        let session = self.lineage.get(node);
        let size = session.bytes.map(|bytes| ByteSize::b(bytes).to_string());
        let branch = match depth {
            0 => String::new(),
            1..=DEEPEST => format!("{}╰─ ", "   ".repeat(depth - 1)),
            _ => format!("{}╰─ {depth}· ", "   ".repeat(DEEPEST - 1)),
        };
        [
            SafeText::line(session.id.as_str()),
            SafeText::line(&age(session.activity_at, context.now)),
            SafeText::line(&size.unwrap_or_default()),
            SafeText::line(session.kind.word()),
            SafeText::line(&self.marks(node).join(",")),
            SafeText::line_with(session.project(), context.settings.secrets),
            // A block keeps the spaces that show the depth; a name has no line breaks.
            SafeText::block_with(
                &format!("{branch}{}", session.name()),
                context.settings.secrets,
            ),
        ]
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
        if session.pinned {
            marks.push("pinned");
        }
        match session.condition {
            Condition::Sound => {}
            Condition::Copy(_) => marks.push("copy"),
            Condition::Linked => marks.push("linked"),
            Condition::Damaged(_) => marks.push("damaged"),
            Condition::Remnant(_) => marks.push("remnant"),
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
            cwd: session.cwd.as_deref().map(Folder::shown),
            model: session.model.as_deref(),
            parent_id: session.parent.as_ref(),
            created_at: session.created_at.map(rfc3339),
            activity_at: session.activity_at.map(rfc3339),
            events: session.events,
            bytes: session.bytes,
            open: OpenJson::new(&session.open),
            pinned: session.pinned,
            marks: self.marks(node),
            fault: fault(session, self.lineage.tie(node)),
        }
    }
}

/// Levels that are drawn by indenting; deeper ones are told by their number, or a long chain of
/// forks would take more room than all the rest.
const DEEPEST: usize = 12;

/// The columns of a listing, the last one as wide as it wants.
const COLUMNS: [&str; 7] = ["ID", "AGE", "SIZE", "KIND", "MARKS", "PROJECT", "TITLE"];

/// Prints lines below [`COLUMNS`], each column as wide as its widest text; nothing if there are none.
fn print_table(lines: &[[SafeText; COLUMNS.len()]]) -> Result<(), Failure> {
    if lines.is_empty() {
        return Ok(());
    }
    let head = COLUMNS.map(SafeText::line);
    let mut widths = head.each_ref().map(SafeText::width);
    for line in lines {
        for (width, text) in widths.iter_mut().zip(line) {
            *width = (*width).max(text.width());
        }
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for line in std::iter::once(&head).chain(lines) {
        let cells = line.iter().zip(widths);
        let cells: Vec<String> = cells
            .map(|(text, width)| text.pad(width).to_string())
            .collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    out.flush()?;
    Ok(())
}

/// Measures every session, on all cores. What cannot be measured has no size.
fn measure(lineage: &mut Lineage, store: &dyn Store) {
    let ids: Vec<SessionId> = lineage.sessions().iter().map(|s| s.id.clone()).collect();
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let part = ids.len().div_ceil(threads).max(1);
    let size = |id: &SessionId| Some((id.clone(), store.size(id).ok()?));
    let sizes: Vec<(SessionId, u64)> = thread::scope(|scope| {
        let parts: Vec<_> = ids
            .chunks(part)
            .map(|ids| scope.spawn(move || ids.iter().filter_map(size).collect()))
            .collect();
        let join = |part: thread::ScopedJoinHandle<'_, Vec<_>>| part.join().unwrap_or_default();
        parts.into_iter().flat_map(join).collect()
    });
    for (id, bytes) in &sizes {
        lineage.set_bytes(id, *bytes);
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
pub(super) fn age(at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> String {
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
