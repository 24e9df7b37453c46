//! Something long under way.

use ratatui::Frame;

use super::popup::{self, Part};
use super::{Theme, Ui};
use crate::app::confirm::{Ending, Pruning};
use crate::app::prune::{Checking, Stage};
use crate::app::trash::{Work, Working};
use crate::prune::plan::Disposal;
use crate::prune::report::Progress;

pub(super) fn checking(ui: &Ui, frame: &mut Frame, checking: &Checking) {
    match checking.stage {
        Stage::Scanning => {
            let text = "prune starts when the scan is done".to_owned();
            let parts = vec![Part::Text(text, Theme::PLAIN), Part::Gap, esc("stop")];
            popup::draw(ui, frame, "Dry run", parts);
        }
        Stage::Running(_, progress) => {
            let text = "checking each session; nothing is changed";
            bar(ui, frame, "Dry run", text, progress, Ending::Full);
        }
    }
}

pub(super) fn pruning(ui: &Ui, frame: &mut Frame, pruning: &Pruning) {
    let expected = &pruning.expected;
    let what = match (expected.sessions.is_empty(), expected.disposal) {
        (true, _) => "",
        (false, Disposal::Trash) => "moving to the trash",
        (false, Disposal::Delete) => "deleting for good",
    };
    let text = match (expected.trash.going().next(), what) {
        (None, what) => what.to_owned(),
        (Some(_), "") => "emptying the expired trash".to_owned(),
        (Some(_), what) => format!("emptying the expired trash, then {what}"),
    };
    bar(ui, frame, "Prune", &text, pruning.progress, pruning.ending);
}

pub(super) fn working(ui: &Ui, frame: &mut Frame, working: &Working) {
    let (title, text) = match working.work {
        Work::Restoring | Work::Undoing => ("Restore", "bringing back"),
        Work::Looking => ("Empty", "looking what descends from it"),
        Work::Emptying => ("Empty", "emptying for good"),
    };
    bar(ui, frame, title, text, working.progress, working.ending);
}

fn bar(ui: &Ui, frame: &mut Frame, title: &str, text: &str, progress: Progress, ending: Ending) {
    let last = match ending {
        Ending::Full => esc("stop"),
        Ending::Stopping => said(ui, "stopping after the batch at hand …"),
        Ending::Quitting => said(ui, "stopping after the batch at hand, then quitting …"),
    };
    let far = match progress.total {
        0 => Part::Text("preparing …".to_owned(), Theme::PLAIN),
        total => Part::Bar(progress.done, total),
    };
    let parts = vec![
        Part::Text(text.to_owned(), Theme::PLAIN),
        far,
        Part::Gap,
        last,
    ];
    popup::draw(ui, frame, title, parts);
}

fn esc<'a>(word: &str) -> Part<'a> {
    Part::Keys(vec![("Esc".to_owned(), word.to_owned())])
}

fn said<'a>(ui: &Ui, text: &str) -> Part<'a> {
    Part::Text(text.to_owned(), ui.theme.warn())
}
