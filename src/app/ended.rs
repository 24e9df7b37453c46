//! What follows an agent's end: how it ended is told, and a fork that it made is gone to.
//!
//! Invariant: the cursor never leaves a row that somebody went to meanwhile.

use super::boxes::Boxed;
use super::msg::{AgentEnd, Effect};
use super::{Model, Screen};
use crate::session::{Session, SessionId, SessionKind};

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
        self.awaited = Some((id.clone(), known));
        let (agent, name) = (self.start.agent, lineage.get(node).name());
        let said = format!("{agent} has ended: “{name}”");
        self.tell(&said);
    }

    /// Goes to a fork that was made of the session the agent was started in.
    pub(super) fn go_to_fork(&mut self) {
        let lineage = &self.known.lineage;
        let Some((parent, known)) = &self.awaited else {
            return;
        };
        let children = lineage.find(parent).map(|node| lineage.children(node));
        let sessions = children.unwrap_or_default().iter();
        let mut sessions = sessions.map(|child| lineage.get(*child));
        let new = |s: &&Session| s.kind == SessionKind::Fork && !known.contains(&s.id);
        let Some(id) = sessions.find(new).map(|session| session.id.clone()) else {
            return;
        };
        self.awaited = None;
        self.tree.unfold_above(&id, lineage);
        if self.tree.put(&id, &self.known.lineage) {
            self.drawn.cursor = Some(id);
        }
    }
}
