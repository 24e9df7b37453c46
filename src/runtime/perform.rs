//! Does what an [`Effect`] asks for and tells what came of it, on whichever thread it is called.
//!
//! Invariants: never called on the loop's thread, because everything here may wait for a disk; every
//! request is answered, stopped or not (but for openness, where the system does not tell, a comparison
//! that finds no difference, and tokens that nobody waits for).

mod export;
mod scan;
mod search;

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use super::keeper::{Keeper, Ticket};
use super::lane::Stop;
use crate::app::msg::{CheckTrouble, Effect, Generation, Msg, NotExported, ScanTrouble};
use crate::config::Settings;
use crate::prune::execute::{self, NotChecked};
use crate::prune::policy::GRACE;
use crate::prune::purge;
use crate::prune::report::{Progress, Watch};
use crate::resume;
use crate::session::{Refusal, Session, SessionId, Sighting};
use crate::store::Store;
use crate::store::usage::usage;
use crate::text::SafeText;

/// The longest time between two parts of a long answer.
const PART: Duration = Duration::from_millis(50);
/// How many sessions a removal moves before it can be stopped: a moment's work.
const BATCH: usize = 200;

/// What effects are done with.
#[derive(Clone)]
pub struct Tools {
    /// The store.
    pub store: Arc<dyn Store>,
    /// Everything known from outside.
    pub settings: Arc<Settings>,
    /// Who keeps what is held.
    pub keeper: Arc<Keeper>,
    /// The time.
    pub clock: fn() -> DateTime<Utc>,
}

/// Does what `effect` asks for. What is the loop's own business (the terminal, the end) does nothing here.
pub fn perform(effect: Effect, ticket: Ticket, tools: &Tools, stop: &Stop, send: &dyn Fn(Msg)) {
    let store = &*tools.store;
    match effect {
        Effect::Scan { generation, seen } => {
            scan::scan(store, generation, &seen.into_iter().collect(), stop, send);
        }
        Effect::Size(ids) => size(store, &ids, stop, send),
        Effect::Openness => {
            // Where the system does not tell, what is known stays: no sign of anybody.
            if let Some(open) = store.openness() {
                send(Msg::Opened(open));
            }
        }
        Effect::Compare(seen) => compare(store, &seen, send),
        Effect::Read {
            generation,
            id,
            view,
            window,
            secrets,
            asker: _,
        } => {
            let page = store.read(&id, view, window, secrets);
            send(Msg::Read {
                generation,
                id,
                page: page.map_err(|e| SafeText::line(&e.to_string())),
            });
        }
        Effect::Usage {
            generation,
            id,
            wanted,
        } => {
            let stopped = || stop.asked() || wanted.strong_count() == 0;
            if let Some(usage) = usage(store, &id, &stopped).transpose() {
                send(Msg::Usage {
                    generation,
                    usage: usage.map_err(|e| SafeText::line(&e.to_string())),
                });
            }
        }
        Effect::ListTrash => list_trash(store, send),
        Effect::Hold {
            generation,
            id,
            folder,
        } => hold(tools, ticket, generation, id, folder.as_deref(), send),
        Effect::Export {
            generation,
            id,
            format,
            secrets,
            path,
        } => send(Msg::Exported {
            generation,
            outcome: export::run(store, &id, (format, secrets), path, stop),
        }),
        Effect::Search {
            generation,
            ids,
            query,
        } => {
            let whole = search::run(tools, generation, (&ids, &query), stop, send);
            send(Msg::SearchEnded { generation, whole });
        }
        Effect::DryRun { .. }
        | Effect::AskDeletable(_)
        | Effect::Prune { .. }
        | Effect::Restore { .. }
        | Effect::CheckTrash { .. }
        | Effect::EmptyTrash { .. }
        | Effect::Pin(_)
        | Effect::Rename { .. } => change(effect, tools, stop, send),
        Effect::Stop
        | Effect::StopSearch
        | Effect::StopExport
        | Effect::LetGo
        | Effect::Run { .. }
        | Effect::Copy(_)
        | Effect::DropTyped
        | Effect::Suspend
        | Effect::Quit => {}
    }
}

/// The rest of it: what changes the store, or is to look whether it may.
fn change(effect: Effect, tools: &Tools, stop: &Stop, send: &dyn Fn(Msg)) {
    let store = &*tools.store;
    match effect {
        Effect::DryRun { generation, plan } => {
            let watch = Looker::new(generation, stop, send);
            let plan = execute::with_expired(store, *plan);
            let outcome = match execute::dry_run(store, plan, &watch) {
                Ok(plan) => Ok(Box::new(plan)),
                Err(NotChecked::Stopped) => Err(CheckTrouble::Stopped),
                Err(NotChecked::Refused(refusal)) => Err(CheckTrouble::Refused(refusal)),
            };
            send(Msg::Checked {
                generation,
                outcome,
            });
        }
        Effect::AskDeletable(generation) => send(Msg::Deletable {
            generation,
            outcome: execute::deletable(store),
        }),
        Effect::Prune { generation, plan } => {
            let watch = Looker::new(generation, stop, send);
            let report = execute::remove(store, *plan, (tools.clock)(), GRACE, &watch);
            send(Msg::Pruned(report.map(Box::new)));
        }
        Effect::Restore { generation, what } => {
            let watch = Looker::new(generation, stop, send);
            send(Msg::Restored(store.restore(&what, &watch)));
        }
        Effect::CheckTrash { generation, wanted } => send(Msg::TrashChecked {
            generation,
            outcome: purge::check(store, &wanted).map(Box::new),
        }),
        Effect::EmptyTrash { generation, trash } => {
            let watch = Looker::new(generation, stop, send);
            send(Msg::Emptied(purge::empty(store, &trash, &watch)));
        }
        Effect::Pin(pins) => {
            let outcome = store.pin(&pins);
            send(Msg::Pinned { pins, outcome });
        }
        Effect::Rename { id, title } => {
            let outcome = store.rename(&id, &title);
            if outcome.is_ok() {
                compare(store, &[(id, Sighting::default())], send);
            }
            send(Msg::Renamed(outcome));
        }
        // What looks only.
        _ => {}
    }
}

/// What answers an effect whose work broke off.
pub(super) fn broken(effect: &Effect) -> Box<dyn Fn(SafeText) -> Msg + Send> {
    let refused = Refusal::StoreRefused;
    match effect {
        Effect::Scan { generation, .. } => {
            let generation = *generation;
            Box::new(move |why| Msg::ScanEnded {
                generation,
                outcome: Err(ScanTrouble::Unreadable(why)),
            })
        }
        Effect::Read { generation, id, .. } => {
            let (generation, id) = (*generation, id.clone());
            Box::new(move |why| Msg::Read {
                generation,
                id: id.clone(),
                page: Err(why),
            })
        }
        Effect::Usage { generation, .. } => {
            let generation = *generation;
            Box::new(move |why| Msg::Usage {
                generation,
                usage: Err(why),
            })
        }
        Effect::DryRun { generation, .. } => {
            let generation = *generation;
            Box::new(move |why| Msg::Checked {
                generation,
                outcome: Err(CheckTrouble::Refused(refused(why))),
            })
        }
        Effect::Hold { generation, id, .. } => {
            let (generation, id) = (*generation, id.clone());
            Box::new(move |why| Msg::Held {
                generation,
                id: id.clone(),
                outcome: Err(refused(why)),
            })
        }
        Effect::AskDeletable(generation) => {
            let generation = *generation;
            Box::new(move |why| Msg::Deletable {
                generation,
                outcome: Err(refused(why)),
            })
        }
        Effect::CheckTrash { generation, .. } => {
            let generation = *generation;
            Box::new(move |why| Msg::TrashChecked {
                generation,
                outcome: Err(refused(why)),
            })
        }
        Effect::EmptyTrash { .. } => Box::new(move |why| Msg::Emptied(Err(refused(why)))),
        Effect::Pin(pins) => {
            let pins = pins.clone();
            Box::new(move |why| Msg::Pinned {
                pins: pins.clone(),
                outcome: Err(refused(why)),
            })
        }
        Effect::Export { generation, .. } => {
            let generation = *generation;
            Box::new(move |why| Msg::Exported {
                generation,
                outcome: Err(NotExported { why, free: None }),
            })
        }
        Effect::Search { generation, .. } => {
            let generation = *generation;
            Box::new(move |_| Msg::SearchEnded {
                generation,
                whole: false,
            })
        }
        Effect::Rename { .. } => Box::new(move |why| Msg::Renamed(Err(refused(why)))),
        Effect::Prune { .. } => Box::new(move |why| Msg::Pruned(Err(refused(why)))),
        Effect::Restore { .. } => Box::new(move |why| Msg::Restored(Err(refused(why)))),
        Effect::ListTrash => Box::new(|why| Msg::Trash(Err(why))),
        _ => Box::new(Msg::Trouble),
    }
}

/// What cannot be measured is left out: its size stays unknown.
fn size(store: &dyn Store, ids: &[SessionId], stop: &Stop, send: &dyn Fn(Msg)) {
    let mut part = Vec::new();
    let mut since = Instant::now();
    for id in ids {
        if stop.asked() {
            break;
        }
        part.extend(store.size(id).ok().map(|bytes| (id.clone(), bytes)));
        if since.elapsed() >= PART {
            send(Msg::Sized(std::mem::take(&mut part)));
            since = Instant::now();
        }
    }
    if !part.is_empty() {
        send(Msg::Sized(part));
    }
}

/// One that is gone is told by a scan: its folder's name has vanished from the root.
fn compare(store: &dyn Store, seen: &[(SessionId, Sighting)], send: &dyn Fn(Msg)) {
    let now = |(id, seen): &(SessionId, Sighting)| {
        let mut session = store.session(id).filter(|now| now.seen != *seen)?;
        session.bytes = store.size(id).ok();
        Some(session)
    };
    let rewritten: Vec<Session> = seen.iter().filter_map(now).collect();
    if !rewritten.is_empty() {
        send(Msg::Rewritten(rewritten));
    }
}

fn list_trash(store: &dyn Store, send: &dyn Fn(Msg)) {
    let trash = store.trash().map(|(batches, faults)| {
        if let Some(first) = faults.first() {
            let (count, path) = (faults.len(), SafeText::path(&first.path));
            let text = format!("{count} unreadable in the trash; {path}: {}", first.what);
            send(Msg::Trouble(SafeText::line(&text)));
        }
        batches
    });
    send(Msg::Trash(
        trash.map_err(|e| SafeText::line(&e.to_string())),
    ));
}

fn hold(
    tools: &Tools,
    ticket: Ticket,
    generation: Generation,
    id: SessionId,
    folder: Option<&Path>,
    send: &dyn Fn(Msg),
) {
    // For the loop, which may not look at the disk; needed even when the session is refused, as that
    // can be opened anyway.
    let program = resume::find_program(&tools.settings);
    tools.keeper.note_program(program.clone());
    let prepared = resume::prepare(&*tools.store, &id, folder, &tools.settings, &program);
    let outcome = prepared.map(|(hold, held)| {
        tools.keeper.keep(ticket, id.clone(), hold);
        held
    });
    send(Msg::Held {
        generation,
        id,
        outcome,
    });
}

/// Tells progress, though not more often than anybody can see.
struct Looker<'a> {
    generation: Generation,
    stop: &'a Stop,
    send: &'a dyn Fn(Msg),
    told: Cell<Option<Instant>>,
}

impl<'a> Looker<'a> {
    fn new(generation: Generation, stop: &'a Stop, send: &'a dyn Fn(Msg)) -> Self {
        Self {
            generation,
            stop,
            send,
            told: Cell::new(None),
        }
    }
}

impl Watch for Looker<'_> {
    fn progress(&self, progress: Progress) {
        let fresh = self.told.get().is_some_and(|at| at.elapsed() < PART);
        if fresh && progress.done < progress.total {
            return;
        }
        self.told.set(Some(Instant::now()));
        (self.send)(Msg::Progress {
            generation: self.generation,
            progress,
        });
    }

    fn stopped(&self) -> bool {
        self.stop.asked()
    }

    fn batch_limit(&self) -> usize {
        BATCH
    }
}

#[cfg(test)]
mod tests;
