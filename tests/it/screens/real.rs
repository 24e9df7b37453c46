//! The screen on a store on disk: the product's own performer, done at once, and foreign locks.

mod choose;
mod empty;
mod export;
mod hostile;
mod live;
mod looks;
mod pins;
mod remnants;
mod rename;
mod resume;
mod sample;
mod search;
mod secrets;
mod steady;
mod undo;
mod yes;

use std::cell::RefCell;
use std::sync::Arc;

use sesstree::app::Start;
use sesstree::app::msg::{Effect, Msg};
use sesstree::config::Settings;
use sesstree::runtime::keeper::Keeper;
use sesstree::runtime::lane::Stop;
use sesstree::runtime::perform::{Tools, perform};
use sesstree::store::Store;
use sesstree::store::zero::Zero;
use sesstree::text::Secrets;

use super::desk::{Desk, Performer};
use crate::support::{TestStore, now};

/// Does what the workers do, but before it returns.
pub(super) struct Real {
    tools: Tools,
}

impl Performer for Real {
    fn answer(&mut self, effect: Effect) -> Vec<Msg> {
        let tools = &self.tools;
        match effect {
            Effect::LetGo => tools.keeper.let_go(),
            Effect::Run { .. } => panic!("an agent needs a terminal"),
            _ => {}
        }
        let heard = RefCell::new(Vec::new());
        let send = |msg| heard.borrow_mut().push(msg);
        let ticket = tools.keeper.ticket();
        perform(effect, ticket, tools, &Stop::default(), &send);
        heard.into_inner()
    }
}

/// The screen on a test's store, whose folder is the user's home.
fn open(store: &TestStore) -> Desk<Real> {
    sit(store, Arc::new(Zero::new(store.root())), (120, 35))
}

fn sit(at: &TestStore, store: Arc<dyn Store>, size: (u16, u16)) -> Desk<Real> {
    sit_showing(at, store, size, Secrets::Hidden)
}

fn sit_showing(
    at: &TestStore,
    store: Arc<dyn Store>,
    size: (u16, u16),
    secrets: Secrets,
) -> Desk<Real> {
    let settings = Settings {
        agent: store.agent(),
        root: at.root(),
        label: None,
        here: None,
        home: Some(at.home()),
        state: None,
        retention: Ok(None),
        command: vec!["zero".into()],
        path: Some(at.beside("bin").into()),
        no_color: false,
        secrets,
    };
    let start = Start {
        agent: store.agent(),
        launch: store.launch(),
        root: settings.root.clone(),
        label: None,
        home: settings.home.clone(),
        here: settings.here.clone(),
        retention: settings.retention.clone(),
        command: settings.command.clone(),
        pid: std::process::id(),
        now: now(),
        size,
        no_color: settings.no_color,
        secrets: settings.secrets,
        query: None,
    };
    let tools = Tools {
        store,
        settings: Arc::new(settings),
        keeper: Arc::new(Keeper::default()),
        clock: now,
    };
    Desk::new(start, Real { tools }, |_| false)
}
