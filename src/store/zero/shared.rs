//! What a session's metadata says, ready to be shown.
//!
//! Must never make the same text safe twice: thousands of sessions have a folder and a model in
//! common.

use std::path::Path;
use std::sync::Arc;

use hashbrown::HashMap;

use super::metadata::{self, Metadata};
use crate::session::{Agent, Condition, Folder, Openness, Session, SessionId, Sighting};
use crate::text::{SafeText, Secrets};

/// The longest title, and the longest other field, in columns.
const TITLE: usize = 1_000;
const FIELD: usize = 200;

/// Texts that sessions have in common, with their secrets or without.
#[derive(Default)]
pub(super) struct Shared {
    secrets: Secrets,
    folders: HashMap<Box<str>, Arc<Folder>>,
    models: HashMap<Box<str>, Arc<SafeText>>,
}

impl Shared {
    pub(super) fn with_secrets(secrets: Secrets) -> Self {
        Self {
            secrets,
            ..Self::default()
        }
    }

    /// All that the metadata says but the parent, and whether it can be believed.
    pub(super) fn session(
        &mut self,
        id: &SessionId,
        seen: Sighting,
        metadata: &Metadata<'_>,
    ) -> Session {
        let secrets = self.secrets;
        Session {
            agent: Agent::Zero,
            id: id.clone(),
            title: metadata::line(&metadata.title, TITLE, secrets),
            kind: metadata.kind(),
            cwd: shared(&mut self.folders, &metadata.cwd, |raw| {
                Arc::new(Folder::with_secrets(Path::new(raw), secrets))
            }),
            model: shared(&mut self.models, &metadata.model, |raw| {
                Arc::new(metadata::line(raw, FIELD, secrets))
            }),
            parent: None,
            created_at: metadata.created_at(),
            activity_at: metadata.updated_at(),
            events: metadata.events(),
            condition: Condition::Sound,
            bytes: None,
            open: Openness::default(),
            pinned: false,
            seen,
        }
    }

    /// The id that the metadata of a copy names.
    pub(super) fn id(&self, metadata: &Metadata<'_>) -> SafeText {
        metadata::line(&metadata.session_id, FIELD, self.secrets)
    }
}

/// The one value for a text; none for a blank one.
fn shared<T: ?Sized>(
    known: &mut HashMap<Box<str>, Arc<T>>,
    raw: &str,
    make: impl FnOnce(&str) -> Arc<T>,
) -> Option<Arc<T>> {
    if raw.trim().is_empty() {
        return None;
    }
    if let Some(value) = known.get(raw) {
        return Some(Arc::clone(value));
    }
    let value = make(raw);
    known.insert(raw.into(), Arc::clone(&value));
    Some(value)
}
