//! The question before anything is removed.

use ratatui::Frame;

use super::format::{bytes, count, counted, day, short_day};
use super::popup::{self, Part};
use super::{Theme, Ui};
use crate::app::confirm::{Answer, Confirm};
use crate::prune::policy::GRACE;

pub(super) fn draw(ui: &Ui, frame: &mut Frame, confirm: &Confirm) {
    let tally = confirm.preview.tally;
    let sessions = counted(tally.removed, "session");
    let now = ui.model.now;
    let until = short_day(now, now + GRACE);
    let mut parts = vec![
        Part::Text(
            format!("Move {sessions}, {}, to the trash?", bytes(tally.bytes)),
            Theme::STRONG,
        ),
        Part::Aside(
            format!("last active {} to {}", day(tally.oldest), day(tally.newest)),
            Theme::PLAIN,
        ),
        Part::Gap,
        Part::Aside(
            format!("Can be undone until {until}: u, or sesstree trash restore."),
            Theme::PLAIN,
        ),
        Part::Aside(
            "The space stays taken until sesstree trash empty frees it.".to_owned(),
            Theme::PLAIN,
        ),
        Part::Gap,
    ];
    let damaged = confirm.preview.plan.damaged_without_parent();
    if damaged > 0 {
        let text = format!(
            "! {} may descend from these",
            counted(damaged, "damaged session")
        );
        parts.push(Part::Text(text, ui.theme.warn()));
    }
    let key = |key: &str, word: &str| (key.to_owned(), word.to_owned());
    match &confirm.answer {
        Answer::Key => parts.push(Part::Keys(vec![
            key("y", "yes, move them"),
            key("n Esc Enter", "no"),
        ])),
        Answer::Word(most, input) => {
            parts.push(Part::Text(most.question(count), ui.theme.warn()));
            parts.push(Part::Input(">", input));
            parts.push(Part::Keys(vec![
                key("Enter", "if the word is typed"),
                key("Esc", "no"),
            ]));
        }
    }
    popup::draw(ui, frame, "Prune", parts);
}
