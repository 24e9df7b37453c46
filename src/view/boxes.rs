//! Questions and notices.

use ratatui::Frame;

use super::format::{count, counted, cut, path};
use super::popup::{self, Part};
use super::{Theme, Ui, hints, name};
use crate::app::boxes::Boxed;
use crate::app::keymap::PROMPT;
use crate::app::resume::{Intent, Prompt, screen_command};
use crate::session::{Refusal, SessionId};
use crate::text::SafeText;

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
        Boxed::Notice { title, text } => (title.to_string(), text.to_string()),
        Boxed::Subtree { id, below } => {
            let text = format!(
                "“{}” has {} below it: {}. It can only go together with {}.\n\
                 A dry run and a question come first.",
                name(ui, id),
                counted(below.len(), "session"),
                named(ui, below),
                if below.len() == 1 { "it" } else { "them" },
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
        Boxed::Locked { .. } => ("Locked".to_owned(), Refusal::LockedByPrune.to_string()),
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
                "{program} cannot be found on PATH.\nSESSTREE_ZERO_COMMAND says how to start it."
            ),
        ),
    }
}

/// Columns of one title in a sentence.
const TITLE: usize = 40;

fn name(ui: &Ui, id: &SessionId) -> String {
    cut(&name::of(ui, id, &SafeText::default()), TITLE)
}

/// Titles that are told one by one.
const TITLES: usize = 3;

/// `“a”, “b”, “c” and 5 more`
fn named(ui: &Ui, ids: &[SessionId]) -> String {
    let told = ids.iter().take(TITLES);
    let told: Vec<String> = told.map(|id| format!("“{}”", name(ui, id))).collect();
    match ids.len().saturating_sub(TITLES) {
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
    if let Some(why) = &prompt.unprotected {
        parts.push(Part::Text(unprotected(why), ui.theme.warn()));
    }
    parts.push(Part::Gap);
    parts.push(Part::Keys(hints::keys(PROMPT)));
    popup::draw(ui, frame, title, parts);
}

fn unprotected(why: &SafeText) -> String {
    format!("unprotected, a prune by another program could take it meanwhile: {why}")
}
