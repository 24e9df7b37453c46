//! A store for tests: as many sessions as it is told, and a bug where it is told.

use std::collections::HashMap;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::keeper::Keeper;
use super::perform::Tools;
use crate::config::Settings;
use crate::prune::report::{Restore, RestoreReport, TrashBatch, Watch};
use crate::session::{
    Agent, Condition, Fault, Openness, Refusal, Seen, Session, SessionId, SessionKind, Sighting,
};
use crate::store::change::Change;
use crate::store::log::Said;
use crate::store::{Found, Hold, ScanError, Store};
use crate::text::{SafeText, Secrets};
use crate::transcript::{Page, Usage, View, Window};

pub(super) struct Fake {
    pub(super) sessions: usize,
    pub(super) broken: bool,
}

impl Fake {
    pub(super) fn tools(self) -> Tools {
        let settings = Settings {
            agent: Agent::Zero,
            root: "/fake".into(),
            label: None,
            here: None,
            home: None,
            state: None,
            retention: Ok(None),
            command: vec!["zero".into()],
            path: None,
            no_color: false,
            secrets: Secrets::Hidden,
        };
        Tools {
            store: Arc::new(self),
            settings: Arc::new(settings),
            keeper: Arc::new(Keeper::default()),
            clock: || DateTime::<Utc>::UNIX_EPOCH,
        }
    }
}

pub(super) fn id(number: usize) -> SessionId {
    SessionId::parse(&format!("s{number}")).unwrap()
}

fn session(number: usize) -> Session {
    Session {
        agent: Agent::Zero,
        id: id(number),
        title: SafeText::default(),
        kind: SessionKind::Main,
        cwd: None,
        model: None,
        parent: None,
        created_at: None,
        activity_at: None,
        events: None,
        condition: Condition::Sound,
        bytes: None,
        open: Openness::NoSign,
        pinned: false,
        seen: Sighting::default(),
    }
}

impl Store for Fake {
    fn agent(&self) -> Agent {
        Agent::Zero
    }

    fn root(&self) -> &Path {
        Path::new("/fake")
    }

    fn scan(
        &self,
        _: &Seen,
        found: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), ScanError> {
        assert!(!self.broken, "scan is broken");
        for number in 0..self.sessions {
            if found(Found::Session(session(number))).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn session(&self, _: &SessionId) -> Option<Session> {
        None
    }

    fn size(&self, _: &SessionId) -> io::Result<u64> {
        Ok(4096)
    }

    fn openness(&self) -> Option<HashMap<SessionId, Openness>> {
        Some(HashMap::new())
    }

    fn read(&self, _: &SessionId, _: View, _: Window, _: Secrets) -> io::Result<Page> {
        Err(io::Error::other("torn \x1b[2J"))
    }

    fn log(&self, _: &SessionId) -> io::Result<Option<Box<dyn Read + Send>>> {
        Ok(None)
    }

    fn said(&self, _: &[u8]) -> Option<Said> {
        None
    }

    fn usage(&self, _: &[u8]) -> Usage {
        Usage::default()
    }

    fn changeable(&self) -> Result<(), Refusal> {
        Err(Refusal::AllUnseen)
    }

    fn change(&self) -> Result<Box<dyn Change>, Refusal> {
        Err(Refusal::StoreBusy)
    }

    fn pin(&self, _: &[(SessionId, bool)]) -> Result<(), Refusal> {
        Err(Refusal::StoreBusy)
    }

    fn hold(&self, _: &SessionId) -> Result<Hold, Refusal> {
        assert!(!self.broken, "hold is broken");
        Ok(Hold::Unprotected(SafeText::line("no locks here")))
    }

    fn trash(&self) -> io::Result<(Vec<TrashBatch>, Vec<Fault>)> {
        let fault = Fault {
            path: "/fake/x".into(),
            what: SafeText::line("unreadable"),
        };
        Ok((Vec::new(), vec![fault]))
    }

    fn restore(&self, _: &Restore, _: &dyn Watch) -> Result<RestoreReport, Refusal> {
        Err(Refusal::Gone)
    }
}
