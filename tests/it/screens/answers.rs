//! The performer: it answers from memory.

use chrono::TimeDelta;
use sesstree::app::msg::{Effect, Msg};
use sesstree::prune::report::{BatchId, PruneReport, Restore, RestoreReport, TrashBatch, Trashed};
use sesstree::session::Session;

use super::data::now;
use super::desk::Desk;

impl Desk {
    pub(super) fn answer(&mut self, effect: Effect) -> Vec<Msg> {
        match effect {
            Effect::Scan(generation) => vec![
                Msg::Scanned {
                    generation,
                    sessions: self.sessions.clone(),
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
            Effect::Openness => vec![Msg::Opened(self.open.clone())],
            Effect::Read { generation, id, .. } => vec![Msg::Read {
                generation,
                id,
                page: self.page.clone(),
            }],
            Effect::DryRun { generation, plan } => vec![Msg::Checked {
                generation,
                outcome: Ok(plan),
            }],
            Effect::Prune { plan, .. } => {
                let mut report = PruneReport::dry(plan.plan());
                report.dry_run = false;
                report.batch = Some(self.bin(&report));
                vec![Msg::Pruned(Ok(Box::new(report)))]
            }
            Effect::ListTrash => {
                let batches = self.trash.iter().map(|(batch, _)| batch.clone());
                vec![Msg::Trash(Ok(batches.collect()))]
            }
            Effect::Restore { what, .. } => vec![Msg::Restored(Ok(self.unbin(&what)))],
            Effect::Hold { generation, id, .. } => vec![Msg::Held {
                generation,
                id,
                outcome: self.held.clone(),
            }],
            Effect::Run { id, .. } => vec![Msg::AgentEnded {
                id,
                end: self.end.clone(),
            }],
            Effect::Stop
            | Effect::LetGo
            | Effect::Copy(_)
            | Effect::DropTyped
            | Effect::Suspend
            | Effect::Quit => Vec::new(),
        }
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
        let Restore::Batch(batch) = what else {
            panic!("only batches are restored here");
        };
        let place = self.trash.iter().position(|(of, _)| of.batch == *batch);
        let (_, sessions) = self.trash.remove(place.unwrap());
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
