//! The end of the conversation under the cursor, for the preview beside the list.

use chrono::{DateTime, Utc};

use super::msg::{Asker, Effect, Generation};
use crate::session::{Session, SessionId};
use crate::text::{SafeText, Secrets};
use crate::transcript::{Page, View, Window};

/// The end of one conversation.
#[derive(Debug, Default)]
pub(crate) struct Peek {
    /// What is known of it; `None`: not read yet.
    pub(crate) page: Option<Result<Page, SafeText>>,
    id: Option<SessionId>,
    /// The session's activity when it was asked for.
    activity: Option<DateTime<Utc>>,
    generation: Generation,
}

impl Peek {
    /// Turns to a session; asks for its end unless that is known or on its way.
    pub(crate) fn turn_to(
        &mut self,
        session: &Session,
        secrets: Secrets,
        next: impl FnOnce() -> Generation,
    ) -> Option<Effect> {
        let same = self.id.as_ref() == Some(&session.id);
        if same && self.activity == session.activity_at {
            return None;
        }
        if !same {
            self.page = None;
        }
        self.id = Some(session.id.clone());
        self.activity = session.activity_at;
        self.generation = next();
        Some(Effect::Read {
            generation: self.generation,
            asker: Asker::Peek,
            id: session.id.clone(),
            view: View::Continued,
            window: Window::Tail,
            secrets,
        })
    }

    /// Takes in what was asked for.
    pub(crate) fn read(&mut self, from: Generation, page: Result<Page, SafeText>) {
        if from == self.generation {
            self.page = Some(page);
        }
    }
}
