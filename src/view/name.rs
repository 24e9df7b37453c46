//! What a session and its folder are called: the same everywhere on the screen.

use super::Ui;
use crate::session::{Condition, Session, SessionId};
use crate::text::SafeText;

/// Its title, else its id; what is not as it should be says so.
pub(super) fn name(session: &Session) -> String {
    match &session.condition {
        Condition::Sound => session.name().to_owned(),
        condition if session.title.is_empty() => condition.to_string(),
        condition => format!("{} · {condition}", session.title),
    }
}

/// The same for one that may not be in the store any more; then it is called by the title it had.
pub(super) fn of(ui: &Ui, id: &SessionId, title: &SafeText) -> String {
    match ui.model.known.lineage.session(id) {
        Some(session) => name(session),
        None if title.is_empty() => id.to_string(),
        None => title.to_string(),
    }
}

/// Why an ancestor stays: a person knows sessions by their names, not by their ids.
pub(super) fn ancestor_of(ui: &Ui, id: &SessionId) -> String {
    format!(
        "ancestor of “{}”, which stays",
        of(ui, id, &SafeText::default())
    )
}

/// The folder it worked in, in one word.
pub(super) fn project(ui: &Ui, session: &Session) -> String {
    match session.folder() {
        Some(cwd) if Some(cwd) == ui.model.start.home.as_deref() => "~".to_owned(),
        Some(_) => session.project().to_string(),
        None => "?".to_owned(),
    }
}
