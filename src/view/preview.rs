//! The session under the cursor: what it is, what a prune would do and why, and how it ends.

use ratatui::Frame;
use ratatui::layout::{Margin, Rect};
use ratatui::style::Style;

use super::format::{ago, counted, day, left, path_with};
use super::name::name;
use super::{Theme, Ui, after, pane, put, rows};
use crate::app::known::Mark;
use crate::app::layout::below;
use crate::app::reader::MARGIN;
use crate::app::wrap::wrap;
use crate::lineage::{Node, Tie};
use crate::prune::plan::Outlook;
use crate::session::{Condition, Holder, Openness, Session};
use crate::transcript::{Message, Page};

/// Lines of one message at most; the rest is for the reader.
const MOST: usize = 8;

/// Bytes of a message that can matter for so few lines.
const BYTES: usize = 4_096;

pub(super) fn draw(ui: &Ui, frame: &mut Frame) {
    let Some(area) = ui.layout.preview else {
        return;
    };
    let Some(row) = ui.model.tree.current() else {
        frame.render_widget(pane("", area.width), area);
        return;
    };
    let session = ui.model.known.lineage.get(row.node);
    frame.render_widget(pane(&name(session), area.width), area);
    let inner = area.inner(Margin::new(2, 1));
    let mut used = 0;
    for (text, style) in facts(ui, row.node, session) {
        for line in wrap(&text, inner.width.into()) {
            if used + 2 < inner.height {
                put(frame, below(inner, used), &line, style);
                used += 1;
            }
        }
    }
    let rule = "─".repeat(usize::from(area.width.saturating_sub(2)));
    let across = area.inner(Margin::new(1, 1));
    put(frame, below(across, used), &rule, Theme::DIM);
    tail(ui, frame, below(inner, used + 1));
}

/// What is said of a session, above its conversation.
pub(super) fn facts(ui: &Ui, node: Node, session: &Session) -> Vec<(String, Style)> {
    let mut facts = Vec::new();
    if let Some(open) = open(ui, session) {
        facts.push((open, ui.theme.good()));
    }
    if session.pinned {
        let text = "⚑ pinned: no prune takes it".to_owned();
        facts.push((text, ui.theme.mark(Mark::Pinned)));
    }
    if session.condition != Condition::Sound {
        facts.push((session.condition.to_string(), ui.theme.danger()));
    }
    facts.push((about(ui, session), Theme::PLAIN));
    facts.push((fate(ui, node, session), Theme::PLAIN));
    if let (Tie::ParentGone, Some(parent)) = (ui.model.known.lineage.tie(node), &session.parent) {
        facts.push((format!("parent {parent} is gone"), Theme::DIM));
    }
    facts
}

fn open(ui: &Ui, session: &Session) -> Option<String> {
    let held_by = |holder: &Holder| format!("open in {} (pid {})", holder.process, holder.pid);
    if ui.model.holds(&session.id) {
        return Some(match ui.model.other_holder(session) {
            Some(other) => format!("{}, and held by sesstree", held_by(other)),
            None => "held open by sesstree".to_owned(),
        });
    }
    match &session.open {
        Openness::Open(holder) => Some(held_by(holder)),
        Openness::Maybe => {
            Some("perhaps open: its lease is locked by a process not seen".to_owned())
        }
        Openness::NoSign | Openness::Unknown => None,
    }
}

/// `~/src/api · gpt-x · 214 events · 2h ago`
fn about(ui: &Ui, session: &Session) -> String {
    let home = ui.model.start.home.as_deref();
    let secrets = ui.model.start.secrets;
    let folder = session.folder().map(|cwd| path_with(cwd, home, secrets));
    let model = session.model.as_ref().map(ToString::to_string);
    let events = session.events.and_then(|n| usize::try_from(n).ok());
    let events = events.map(|n| counted(n, "event"));
    let kind = Some(session.kind.word().to_owned()).filter(|word| !word.is_empty());
    let age = Some(ago(ui.model.now, session.activity_at));
    let parts = [folder, model, kind, events, age].into_iter().flatten();
    // Lines break between the parts, not in them.
    let parts = parts.map(|part| part.replace(' ', "\u{a0}"));
    parts.collect::<Vec<_>>().join(" · ")
}

/// `1 fork · kept by a prune: open`
fn fate(ui: &Ui, node: Node, session: &Session) -> String {
    let prune = ui
        .model
        .known
        .cutoff
        .map(|cutoff| match ui.model.known.outlook(node) {
            Outlook::Goes if session.condition != Condition::Sound => {
                format!("✂ a {cutoff} prune would finish removing it")
            }
            Outlook::Goes => format!("✂ a {cutoff} prune would take it"),
            Outlook::Ancestor => "◆ kept by a prune: ancestor of one that stays".to_owned(),
            Outlook::Stays if session.pinned => "kept by a prune: pinned".to_owned(),
            Outlook::Stays => match damage(&session.condition) {
                Some(what) if ui.model.known.mark(node) != Mark::Open => {
                    format!("never pruned: {what}")
                }
                _ => format!("kept by a prune: {}", stays(ui, node, session)),
            },
        });
    let parts = children(ui, node).into_iter().chain(prune);
    parts.collect::<Vec<_>>().join(" · ")
}

/// Forks, and agents' own runs, each if there are any.
fn children(ui: &Ui, node: Node) -> Vec<String> {
    let lineage = &ui.model.known.lineage;
    let children = lineage.children(node).iter();
    let (forks, runs): (Vec<Node>, Vec<Node>) =
        children.partition(|child| lineage.get(**child).kind.resumable());
    let told = [(forks.len(), "fork"), (runs.len(), "agent run")];
    let told = told.into_iter().filter(|(count, _)| *count > 0);
    told.map(|(count, noun)| counted(count, noun)).collect()
}

/// What a condition is called for short.
fn damage(condition: &Condition) -> Option<&'static str> {
    match condition {
        Condition::Sound | Condition::Remnant(Some(_)) => None,
        Condition::Copy(_) => Some("copied folder"),
        Condition::Linked => Some("linked folder"),
        Condition::Damaged(_) => Some("damaged"),
        Condition::Remnant(None) => Some("remnant, too much in it to be sure"),
    }
}

fn stays(ui: &Ui, node: Node, session: &Session) -> String {
    let known = &ui.model.known;
    let cutoff = known.cutoff;
    match (known.odd_time(session), session.activity_at) {
        _ if known.mark(node) == Mark::Open => "open".to_owned(),
        _ if matches!(session.condition, Condition::Remnant(_)) => {
            "something in it changed of late".to_owned()
        }
        (Some(odd), _) => odd.to_string(),
        _ if known.lineage.tie(node) == Tie::Cycle => "descends from itself".to_owned(),
        (None, Some(at)) if cutoff.is_some_and(|cutoff| ui.model.now - at > cutoff.span()) => {
            format!("its time cannot be right: {}", day(Some(at)))
        }
        (None, _) => match cutoff {
            Some(cutoff) => format!("active in the last {cutoff}"),
            None => "recent".to_owned(),
        },
    }
}

/// The end of the conversation: as many of the last lines as there is room for.
fn tail(ui: &Ui, frame: &mut Frame, area: Rect) {
    match &ui.model.peek.page {
        None => {}
        Some(Err(why)) => put(frame, area, &format!("no transcript: {why}"), Theme::DIM),
        Some(Ok(page)) if page.messages.is_empty() => {
            put(frame, area, "no transcript", Theme::DIM);
        }
        Some(Ok(page)) => conversation(ui, frame, area, page),
    }
}

fn conversation(ui: &Ui, frame: &mut Frame, area: Rect, page: &Page) {
    let columns = usize::from(area.width.saturating_sub(MARGIN)).max(1);
    let mut lines: Vec<(&Message, usize, String)> = Vec::new();
    for message in page.messages.iter().rev() {
        if lines.len() >= area.height.into() {
            break;
        }
        let wrapped = shortened(message, columns).into_iter().enumerate();
        lines.extend(wrapped.rev().map(|(part, line)| (message, part, line)));
    }
    let shown = lines.len().min(area.height.into());
    let top = area.y;
    for ((message, part, line), area) in lines[..shown].iter().rev().zip(rows(area)) {
        let (role, style) = match *part {
            0 => (message.role.word(), ui.theme.role(message.role)),
            // It begins in the middle of a message.
            _ if area.y == top => ("…", Theme::DIM),
            _ => ("", Theme::PLAIN),
        };
        let margin = left(role, usize::from(MARGIN));
        put(frame, area, &margin, style);
        put(
            frame,
            after(area, MARGIN.into()),
            line,
            ui.theme.body(message.role),
        );
    }
}

fn shortened(message: &Message, columns: usize) -> Vec<String> {
    let body = message.body.as_str();
    let mut end = body.len().min(BYTES);
    while !body.is_char_boundary(end) {
        end -= 1;
    }
    let mut lines = wrap(&body[..end], columns);
    if lines.len() > MOST {
        lines.truncate(MOST);
        if let Some(last) = lines.last_mut() {
            *last = super::format::cut(&format!("{last} …"), columns);
        }
    }
    lines
}
