//! `agents`: which agents' sessions there are, and where.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::terminal::say;
use super::{Context, Failure, counted, print_json, print_line};
use crate::session::Agent;
use crate::store::open::open;
use crate::store::{Found, ScanError, Store};
use crate::text::SafeText;

/// Arguments of `agents`.
#[derive(Debug, Args)]
pub(super) struct Agents {}

/// One agent's place.
#[derive(Serialize)]
struct Place {
    agent: Agent,
    root: SafeText,
    /// `None`: there is no such folder, or it cannot be read.
    sessions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<SafeText>,
}

#[derive(Serialize)]
struct Told {
    schema: u32,
    agents: Vec<Place>,
}

impl Agents {
    /// `roots`: where each agent keeps its sessions.
    pub(super) fn run(roots: Vec<(Agent, PathBuf)>, context: &Context) -> Result<(), Failure> {
        let secrets = context.settings.secrets;
        let place = |(agent, root): (Agent, PathBuf)| {
            let store = open(agent, &root, None, (context.locks, secrets));
            let (sessions, trouble) = match count(&*store) {
                Ok(count) => (Some(count), None),
                Err(ScanError::Missing(_)) => (None, None),
                Err(error) => (None, Some(SafeText::line(&error.to_string()))),
            };
            Place {
                agent,
                root: SafeText::path_with(&root, secrets),
                sessions,
                trouble,
            }
        };
        let agents: Vec<Place> = roots.into_iter().map(place).collect();
        let failed = agents.iter().any(|place| place.trouble.is_some());
        if context.json {
            print_json(&Told { schema: 1, agents })?;
        } else {
            for place in &agents {
                let told = match (place.sessions, &place.trouble) {
                    (Some(count), _) => counted(count, "session", "sessions"),
                    (None, None) => "not found".to_owned(),
                    (None, Some(_)) => "unreadable".to_owned(),
                };
                print_line(format_args!("{:6} {told:14} {}", place.agent, place.root))?;
                if let Some(trouble) = &place.trouble {
                    say(trouble);
                }
            }
        }
        if failed {
            Err(Failure::Reported)
        } else {
            Ok(())
        }
    }
}

fn count(store: &dyn Store) -> Result<usize, ScanError> {
    let mut count = 0;
    store.list(&mut |found| {
        count += usize::from(matches!(found, Found::Session(_)));
        ControlFlow::Continue(())
    })?;
    Ok(count)
}
