//! Questions and notices.

use ratatui::Frame;

use super::format::{count, counted, cut, path};
use super::popup::{self, Part};
use super::{Theme, Ui, expired, hints, name, states};
use crate::app::boxes::{Boxed, Left};
use crate::app::export::{Export, Stage};
use crate::app::keymap::{EXPORT, PROMPT, RENAME};
use crate::app::number;
use crate::app::rename::Rename;
use crate::app::resume::{Intent, Prompt, screen_command};
use crate::export::format::Format;
use crate::prune::report::EmptyReport;
use crate::session::{Refusal, SessionId};
use crate::text::{SafeText, Secrets};

pub(super) fn draw(ui: &Ui, frame: &mut Frame, boxed: &Boxed) {
    let (title, text) = said(ui, boxed);
    let keys = boxed.choices().into_iter();
    let keys = keys.map(|choice| (choice.label.to_owned(), choice.word.to_string()));
    let parts = vec![
        Part::Text(text, Theme::PLAIN),
        Part::Gap,
        Part::Keys(keys.collect()),
    ];
    popup::draw(ui, frame, &title, parts);
}

fn said(ui: &Ui, boxed: &Boxed) -> (String, String) {
    match boxed {
        Boxed::Notice { title, text, .. } => (title.to_string(), text.to_string()),
        Boxed::Subtree { id, below } => {
            let text = format!(
                "“{}” has {} below it: {}. If it goes, {} too.\n\
                 A dry run and a question come first.",
                name(ui, id),
                counted(below.len(), "session"),
                named(below.iter().map(|id| name(ui, id))),
                if below.len() == 1 {
                    "that one goes"
                } else {
                    "they go"
                },
            );
            ("Prune".to_owned(), text)
        }
        Boxed::Holding { id, .. } => ("Opening".to_owned(), name(ui, id)),
        Boxed::Elsewhere { id, holder, .. } => {
            let who = match holder {
                Some(holder) => format!("open in {} (pid {})", holder.process, holder.pid),
                None => Refusal::OpenOrLocked.to_string(),
            };
            let text = format!(
                "“{}” is {who}.\nTwo agents writing one session mix up its log.",
                name(ui, id)
            );
            ("Open elsewhere".to_owned(), text)
        }
        Boxed::Locked { id, tries, .. } => {
            let (name, locked) = (name(ui, id), Refusal::LockedByPrune);
            let text = match tries {
                0 | 1 => format!("“{name}” is {locked}"),
                n => format!("“{name}” is still {locked} (tried {} times)", count(*n)),
            };
            ("Locked".to_owned(), text)
        }
        Boxed::NoFolder { missing, .. } => {
            let home = ui.model.start.home.as_deref();
            let text = match &missing.folder {
                Some(folder) => format!("{} is not there any more.", path(folder, home)),
                None => "It does not say which folder it worked in.".to_owned(),
            };
            (
                "Where?".to_owned(),
                text + "\nRun the agent in another folder?",
            )
        }
        Boxed::NoProgram { program } => (
            "No program".to_owned(),
            format!(
                "{program} cannot be found on PATH.\n{} says how to start it.",
                ui.model.start.agent.setting()
            ),
        ),
        Boxed::NotListed => {
            let text = states::not_listed(ui);
            let text = text.unwrap_or_else(|| "The store is listed again.".to_owned());
            ("Nothing can be pruned".to_owned(), text)
        }
        Boxed::Warnings { preview } => {
            let warnings = preview
                .plan
                .warnings()
                .map(|warning| format!("! {warning}"));
            (
                "Warnings".to_owned(),
                warnings.collect::<Vec<_>>().join("\n"),
            )
        }
        Boxed::Emptied { report, .. } => emptied(ui, report),
        Boxed::Restored {
            restored,
            left,
            warnings,
            ..
        } => {
            let restored = counted(*restored, "session");
            let (title, head) = match left.iter().map(|left| left.names.len()).sum() {
                0 => ("Restored", format!("{restored} restored.")),
                n => {
                    let n = count(n);
                    let head = format!("{restored} restored, {n} still in the trash (u).");
                    ("Not all restored", head)
                }
            };
            let warnings = warnings.iter().map(SafeText::to_string);
            let lines = std::iter::once(head).chain(warnings);
            let lines: Vec<String> = lines.chain(not_restored(left)).collect();
            (title.to_owned(), lines.join("\n"))
        }
    }
}

/// A batch stays, or is gone with something to be said of that.
fn emptied(ui: &Ui, report: &EmptyReport) -> (String, String) {
    let mut lines = Vec::new();
    let title = if report.emptied.is_empty() {
        "Not emptied"
    } else {
        lines.push(format!("Emptied for good: {}.", number::emptied(report)));
        "Emptied"
    };
    for kept in report.kept.iter().chain(&report.failed) {
        lines.push(format!("It stays: {}.", expired::why_kept(ui, kept)));
    }
    if !report.not_reached.is_empty() {
        lines.push("It stays: stopped before it.".to_owned());
    }
    for left in &report.unfinished {
        lines.push(format!("! {}: {}", left.name, left.reason));
    }
    lines.extend(report.warnings.iter().map(|warning| format!("! {warning}")));
    (title.to_owned(), lines.join("\n"))
}

/// Reasons that are told one by one.
const REASONS: usize = 3;

fn not_restored(left: &[Left]) -> Vec<String> {
    let mut lines = Vec::new();
    for Left { reason, names } in left.iter().take(REASONS) {
        lines.push(format!("{}: {reason}:", count(names.len())));
        lines.push(named(names.iter().map(|name| cut(name.as_str(), TITLE))));
    }
    let more: usize = left.iter().skip(REASONS).map(|left| left.names.len()).sum();
    if more > 0 {
        lines.push(format!("{}: for other reasons", count(more)));
    }
    lines
}

/// Columns of one title in a sentence.
pub(super) const TITLE: usize = 40;

fn name(ui: &Ui, id: &SessionId) -> String {
    cut(&name::of(ui, id, &SafeText::default()), TITLE)
}

/// Titles that are told one by one.
const TITLES: usize = 3;

/// `“a”, “b”, “c” and 5 more`
pub(super) fn named(mut names: impl ExactSizeIterator<Item = String>) -> String {
    let told = names.by_ref().take(TITLES);
    let told: Vec<String> = told.map(|name| format!("“{name}”")).collect();
    match names.len() {
        0 => told.join(", "),
        more => format!("{} and {} more", told.join(", "), count(more)),
    }
}

pub(super) fn prompt(ui: &Ui, frame: &mut Frame, prompt: &Prompt) {
    let home = ui.model.start.home.as_deref();
    let agent = ui.model.start.agent;
    let dim = Theme::DIM;
    let mut parts = vec![
        Part::Aside(
            format!(
                "“{}” in {}",
                name(ui, &prompt.id),
                path(&prompt.folder, home)
            ),
            dim,
        ),
        Part::Gap,
    ];
    let (title, label) = match prompt.intent {
        Intent::Continue => ("Resume", "Continue with:"),
        Intent::Fork => ("Fork", "Begin with:"),
    };
    parts.push(Part::Input(label, &prompt.input));
    if prompt.intent == Intent::Continue {
        let text = format!("Enter with a text: one reply of {agent}, then back here");
        parts.push(Part::Aside(text, Theme::PLAIN));
        let text = format!("Enter empty: opens {agent}'s own screen; paste there:");
        parts.push(Part::Text(text, Theme::PLAIN));
        let command = screen_command(&prompt.id).to_string();
        parts.push(Part::Text(command, ui.theme.accent()));
    }
    if prompt.intent == Intent::Fork {
        let text = format!("Enter: one reply of {agent} in the fork, without its screen");
        parts.push(Part::Aside(text, Theme::PLAIN));
    }
    if let Some(why) = &prompt.unprotected {
        parts.push(Part::Text(unprotected(why), ui.theme.warn()));
    }
    parts.push(Part::Gap);
    parts.push(Part::Keys(hints::keys(PROMPT)));
    popup::draw(ui, frame, title, parts);
}

pub(super) fn rename(ui: &Ui, frame: &mut Frame, rename: &Rename) {
    let mut parts = vec![
        Part::Aside(format!("“{}”", name(ui, &rename.id)), Theme::DIM),
        Part::Gap,
        Part::Input("Title:", &rename.input),
    ];
    if rename.asked {
        parts.push(Part::Text("renaming …".to_owned(), Theme::DIM));
    }
    if let Some(wrong) = &rename.wrong {
        parts.push(Part::Text(wrong.to_string(), ui.theme.warn()));
    }
    parts.extend([Part::Gap, Part::Keys(hints::keys(RENAME))]);
    popup::draw(ui, frame, "Rename", parts);
}

pub(super) fn export(ui: &Ui, frame: &mut Frame, export: &Export) {
    let start = &ui.model.start;
    let (said, style) = match (export.format, export.secrets) {
        (Format::Jsonl, _) => ("its log as it is: nothing is taken out", ui.theme.warn()),
        (_, Secrets::Shown) => ("its secrets are in it", ui.theme.warn()),
        (_, Secrets::Hidden) => ("its secrets are taken out", Theme::DIM),
    };
    let mut parts = vec![
        Part::Aside(format!("“{}”", name(ui, &export.id)), Theme::DIM),
        Part::Gap,
        Part::Text(format!("As {}: {said}", export.format.name()), style),
        Part::Input("File:", &export.input),
    ];
    if let Some(here) = &start.here {
        let here = format!("in {}", path(here, start.home.as_deref()));
        parts.push(Part::Aside(here, Theme::DIM));
    }
    match &export.stage {
        Stage::Asking => {}
        Stage::Again(why) => parts.push(Part::Text(why.to_string(), ui.theme.warn())),
        Stage::Writing(_) => parts.push(Part::Text("writing … Esc stops".to_owned(), Theme::DIM)),
    }
    parts.extend([Part::Gap, Part::Keys(hints::keys(EXPORT))]);
    popup::draw(ui, frame, "Export", parts);
}

fn unprotected(why: &SafeText) -> String {
    format!("unprotected, a prune by another program could take it meanwhile: {why}")
}
