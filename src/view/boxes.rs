//! Questions and notices.

use ratatui::Frame;
use ratatui::style::Style;

use super::format::{counted, path};
use super::popup::{self, Part};
use super::{Theme, Ui, hints};
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
        Boxed::Subtree { id, subtree } => {
            let below = counted(subtree.len().saturating_sub(1), "session");
            let text = format!(
                "{below} below “{}”. It can only go if they go too.\nA dry run and a question come first.",
                name(ui, id)
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

fn name(ui: &Ui, id: &SessionId) -> String {
    let session = ui.model.known.lineage.session(id);
    session
        .map_or(id.as_str(), |session| session.name())
        .to_owned()
}

pub(super) fn prompt(ui: &Ui, frame: &mut Frame, prompt: &Prompt) {
    let home = ui.model.start.home.as_deref();
    let agent = ui.model.start.agent;
    let dim = Theme::DIM;
    let mut parts = vec![
        Part::Text(
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
        let command = screen_command(&prompt.id);
        parts.push(told(
            format!("with a text: one reply of {agent}, without its screen"),
            dim,
        ));
        parts.push(told(
            format!("empty: {agent}'s own screen; paste {command}, which is on the clipboard then"),
            dim,
        ));
    }
    if let Some(why) = &prompt.unprotected {
        parts.push(Part::Text(unprotected(why), ui.theme.warn()));
    }
    parts.push(Part::Gap);
    parts.push(Part::Keys(hints::keys(PROMPT)));
    popup::draw(ui, frame, title, parts);
}

fn told<'a>(text: String, style: Style) -> Part<'a> {
    Part::Aside(text, style)
}

fn unprotected(why: &SafeText) -> String {
    format!("unprotected, a prune by another program could take it meanwhile: {why}")
}
