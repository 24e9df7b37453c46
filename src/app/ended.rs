//! What follows an agent's end: how it ended is told, and a fork that it made is gone to, as is what
//! was brought back from the trash.
//!
//! Invariant: the cursor never leaves a row that somebody went to meanwhile.

use std::collections::HashSet;

use super::boxes::Boxed;
use super::msg::{AgentEnd, Effect};
use super::{Model, Screen};
use crate::session::{Session, SessionId, SessionKind};

/// What the next listing of the store is expected to show: the cursor goes there.
#[derive(Debug)]
pub(super) enum Awaited {
    /// A fork of a session that had these children.
    Fork(SessionId, HashSet<SessionId>),
    /// One that was in the trash.
    Restored(SessionId),
}

impl Model {
    /// The agent has ended.
    pub(super) fn agent_ended(&mut self, id: &SessionId, end: AgentEnd, fx: &mut Vec<Effect>) {
        self.forget_hold(fx);
        match end {
            AgentEnd::Exited(0) => self.ended_well(id),
            AgentEnd::Exited(code) => self.tell(&format!("the agent ended with exit code {code}")),
            AgentEnd::Signalled(signal) => {
                self.tell(&format!("the agent was ended by signal {signal}"));
            }
            AgentEnd::NotStarted(why) => {
                self.screen = Screen::Boxed(Boxed::notice("Not started", why.as_str()));
            }
        }
        self.look_again(fx);
    }

    fn ended_well(&mut self, id: &SessionId) {
        let lineage = &self.known.lineage;
        let Some(node) = lineage.find(id) else {
            return;
        };
        let children = lineage.children(node).iter();
        let known = children
            .map(|child| lineage.get(*child).id.clone())
            .collect();
        self.awaited = Some(Awaited::Fork(id.clone(), known));
        let (agent, name) = (self.start.agent, lineage.get(node).name());
        let said = format!("{agent} has ended: “{name}”");
        self.tell(&said);
    }

    /// Goes to what was awaited, if it is there.
    pub(super) fn go_to_awaited(&mut self) {
        let lineage = &self.known.lineage;
        let found = match &self.awaited {
            None => None,
            Some(Awaited::Restored(id)) => lineage.session(id),
            Some(Awaited::Fork(parent, known)) => {
                let children = lineage.find(parent).map(|node| lineage.children(node));
                let sessions = children.unwrap_or_default().iter();
                let mut sessions = sessions.map(|child| lineage.get(*child));
                let new = |s: &&Session| s.kind == SessionKind::Fork && !known.contains(&s.id);
                sessions.find(new)
            }
        };
        let Some(id) = found.map(|session| session.id.clone()) else {
            return;
        };
        self.awaited = None;
        self.tree.unfold_above(&id, lineage);
        if self.tree.put(&id, &self.known.lineage) {
            self.drawn.cursor = Some(id);
        }
    }
}
