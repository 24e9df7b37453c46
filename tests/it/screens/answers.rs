//! A performer that answers from memory.

use std::collections::HashMap;

use chrono::TimeDelta;
use sesstree::app::msg::{AgentEnd, Effect, Exported, Generation, Held, Msg, ScanTrouble};
use sesstree::prune::expiry::{Living, TrashPlan};
use sesstree::prune::plan::PrunePlan;
use sesstree::prune::policy::Scope;
use sesstree::prune::report::{
    BatchId, EmptyReport, Member, PruneReport, Restore, RestoreReport, Shelved, TrashBatch, Trashed,
};
use sesstree::prune::warning::Warning;
use sesstree::session::{Fault, Openness, Place, Refusal, Session, SessionId, Sighting};
use sesstree::text::SafeText;
use sesstree::transcript::{Page, Usage};

use super::data::{id, now};
use super::desk::Performer;

/// What it remembers, and what it is to say.
pub(super) struct Memory {
    pub(super) sessions: Vec<Session>,
    pub(super) faults: Vec<Fault>,
    pub(super) scan: Result<(), ScanTrouble>,
    pub(super) open: HashMap<SessionId, Openness>,
    pub(super) trash: Vec<(TrashBatch, Vec<Session>)>,
    /// What of the trash a dry run finds expired.
    pub(super) expired: TrashPlan,
    /// What descends from what in the trash.
    pub(super) living: Living,
    /// What a dry run warns of.
    pub(super) warnings: Vec<Warning>,
    pub(super) deletable: Result<(), Refusal>,
    /// What is told of emptying the newest batch.
    pub(super) emptied: EmptyReport,
    pub(super) held: Result<Held, Refusal>,
    pub(super) end: AgentEnd,
    pub(super) page: Result<Page, SafeText>,
}

fn used(generation: Generation) -> Msg {
    let (input, output) = (1_234_567, 8_900);
    Msg::Usage {
        generation,
        usage: Ok(Usage { input, output }),
    }
}

impl Performer for Memory {
    #[expect(clippy::too_many_lines, reason = "an answer to each effect")]
    fn answer(&mut self, effect: Effect) -> Vec<Msg> {
        match effect {
            Effect::Scan { generation, .. } => vec![
                Msg::Scanned {
                    generation,
                    sessions: self.sessions.clone(),
                    same: Vec::new(),
                    faults: self.faults.clone(),
                },
                Msg::ScanEnded {
                    generation,
                    outcome: self.scan.clone(),
                },
            ],
            Effect::Size(ids) => {
                let sizes = ids.into_iter().map(|id| {
                    let bytes = 4_096 * (1 + id.as_str().len() as u64 * 30);
                    (id, bytes)
                });
                vec![Msg::Sized(sizes.collect())]
            }
            Effect::Compare(seen) => {
                let now = |(id, seen)| {
                    let session = self.sessions.iter().find(|session| session.id == id)?;
                    (session.seen != seen).then(|| session.clone())
                };
                let rewritten: Vec<_> = seen.into_iter().filter_map(now).collect();
                let any = !rewritten.is_empty();
                any.then_some(Msg::Rewritten(rewritten))
                    .into_iter()
                    .collect()
            }
            Effect::Openness => vec![Msg::Opened(self.open.clone())],
            Effect::Read { generation, id, .. } => vec![Msg::Read {
                generation,
                id,
                page: self.page.clone(),
            }],
            Effect::Usage { generation, .. } => vec![used(generation)],
            Effect::DryRun { generation, plan } => {
                let outcome = Ok(Box::new(self.dry_run(*plan)));
                vec![Msg::Checked {
                    generation,
                    outcome,
                }]
            }
            Effect::AskDeletable(generation) => vec![Msg::Deletable {
                generation,
                outcome: self.deletable.clone(),
            }],
            Effect::Prune { plan, .. } => {
                let mut report = PruneReport::dry(plan.plan());
                report.dry_run = false;
                let nothing = report.removed.is_empty();
                let batch = self.bin(&report);
                if nothing || report.delete_now {
                    self.trash.remove(0);
                } else {
                    report.batch = Some(batch);
                    report.until = Some(now() + TimeDelta::days(7));
                }
                vec![Msg::Pruned(Ok(Box::new(report)))]
            }
            Effect::ListTrash => {
                let batches = self.trash.iter().map(|(batch, _)| batch.clone());
                vec![Msg::Trash(Ok(batches.collect()))]
            }
            Effect::Restore { what, .. } => vec![Msg::Restored(Ok(self.unbin(&what)))],
            Effect::CheckTrash { generation, wanted } => {
                let shelves = self.trash.iter().map(|(batch, _)| shelved(batch.clone()));
                let plan = TrashPlan::new(PLACE, shelves.collect(), &self.living, &wanted);
                vec![Msg::TrashChecked {
                    generation,
                    outcome: Ok(Box::new(plan)),
                }]
            }
            Effect::EmptyTrash { .. } => {
                self.trash.remove(0);
                vec![Msg::Emptied(Ok(self.emptied.clone()))]
            }
            Effect::Hold { generation, id, .. } => vec![Msg::Held {
                generation,
                id,
                outcome: self.held.clone(),
            }],
            Effect::Run { id, .. } => vec![Msg::AgentEnded {
                id,
                end: self.end.clone(),
            }],
            Effect::Rename { .. } => vec![Msg::Renamed(Ok(()))],
            Effect::Pin(pins) => vec![Msg::Pinned {
                pins,
                outcome: Ok(()),
            }],
            Effect::Export {
                generation, path, ..
            } => vec![Msg::Exported {
                generation,
                outcome: Ok(Exported {
                    path,
                    missing: None,
                }),
            }],
            Effect::Search { generation, .. } => vec![Msg::SearchEnded {
                generation,
                whole: true,
            }],
            Effect::Stop
            | Effect::StopSearch
            | Effect::StopExport
            | Effect::LetGo
            | Effect::Copy(_)
            | Effect::DropTyped
            | Effect::Suspend
            | Effect::Quit => Vec::new(),
        }
    }
}

/// Any folder.
pub(super) const PLACE: Place = Place {
    device: 1,
    inode: 1,
};

/// A batch as it is seen under the lock.
pub(super) fn shelved(batch: TrashBatch) -> Shelved {
    let members = batch.sessions.iter().map(|session| Member {
        id: session.id.clone(),
        seen: Sighting::default(),
        parents: session.parent.iter().cloned().collect(),
    });
    Shelved {
        members: members.collect(),
        place: PLACE,
        unclear: None,
        batch,
    }
}

impl Memory {
    /// Whether a session is in the store.
    pub(super) fn has(&self, name: &str) -> bool {
        self.sessions.iter().any(|session| session.id == id(name))
    }

    fn dry_run(&self, plan: PrunePlan) -> PrunePlan {
        let mut plan = match plan.policy().scope {
            Scope::All => plan.with_trash(self.expired.clone()),
            Scope::Chosen(_) => plan,
        };
        self.warnings.iter().for_each(|w| plan.warn(w.clone()));
        plan
    }

    /// Moves what a report removed to the trash.
    fn bin(&mut self, report: &PruneReport) -> BatchId {
        let gone = |s: &Session| report.removed.iter().any(|entry| entry.session_id == s.id);
        let (removed, kept) = self.sessions.drain(..).partition(gone);
        self.sessions = kept;
        let batch = BatchId::parse(&format!("20261101-{}", self.trash.len())).unwrap();
        let trashed = report.removed.iter().map(|entry| Trashed {
            id: entry.session_id.clone(),
            title: entry.title.clone(),
            parent: None,
            bytes: entry.bytes,
            updated_at: Some(entry.updated_at.clone()),
            remnant: false,
        });
        let batch_of = TrashBatch {
            batch: batch.clone(),
            at: Some(now()),
            expires_at: Some(now() + TimeDelta::days(7)),
            bytes: report.bytes(),
            sessions: trashed.collect(),
        };
        self.trash.insert(0, (batch_of, removed));
        batch
    }

    fn unbin(&mut self, what: &Restore) -> RestoreReport {
        let sessions = match what {
            Restore::Batch(batch) => {
                let place = self.trash.iter().position(|(of, _)| of.batch == *batch);
                self.trash.remove(place.unwrap()).1
            }
            Restore::Session(id) => {
                let has = |s: &Session| s.id == *id;
                let place = self.trash.iter().position(|(_, all)| all.iter().any(has));
                let (batch, sessions) = &mut self.trash[place.unwrap()];
                batch.sessions.retain(|session| session.id != *id);
                sessions
                    .extract_if(.., |session| session.id == *id)
                    .collect()
            }
        };
        let restored = sessions.iter().map(|session| session.id.clone()).collect();
        self.sessions.extend(sessions);
        RestoreReport {
            schema: 1,
            restored,
            failed: Vec::new(),
            warnings: Vec::new(),
        }
    }
}
