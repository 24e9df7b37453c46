//! The workers: effects on plain threads, answers over the loop's channel.
//!
//! Invariant: asking never waits; and the program does not end while a removal, a restore or an
//! emptying is between two files.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

use super::Event;
use super::lane::{Job, Lane, Running};
use super::perform::{Tools, broken, perform};
use crate::app::msg::{Asker, Effect, Msg};

/// How often the store is looked at for changes.
const LOOK: Duration = Duration::from_secs(2);

/// Every lane, and what they work with.
pub(super) struct Workers {
    tools: Tools,
    events: SyncSender<Event>,
    scan: Lane,
    size: Lane,
    openness: Lane,
    compare: Lane,
    peek: Lane,
    read: Lane,
    usage: Lane,
    /// All that locks the store, to look at it or to change it: never two at a time.
    change: Lane,
    /// Pins: a dry run asked for right after one must not take its place.
    pin: Lane,
    rename: Lane,
    search: Lane,
    export: Lane,
    trash: Lane,
    hold: Lane,
}

impl Workers {
    pub(super) fn new(tools: Tools, events: SyncSender<Event>) -> Self {
        Self {
            tools,
            events,
            scan: Lane::default(),
            size: Lane::default(),
            openness: Lane::default(),
            compare: Lane::default(),
            peek: Lane::default(),
            read: Lane::default(),
            usage: Lane::default(),
            change: Lane::default(),
            pin: Lane::default(),
            rename: Lane::default(),
            search: Lane::default(),
            export: Lane::default(),
            trash: Lane::default(),
            hold: Lane::default(),
        }
    }

    pub(super) fn tools(&self) -> &Tools {
        &self.tools
    }

    /// The loop's channel, for whoever has something to tell.
    pub(super) fn events(&self) -> SyncSender<Event> {
        self.events.clone()
    }

    /// Has an effect done. What is the loop's own business is ignored.
    pub(super) fn submit(&self, effect: Effect) {
        let (lane, running) = match &effect {
            Effect::Scan { .. } => (&self.scan, Running::Stops),
            Effect::Size(_) => (&self.size, Running::Stops),
            Effect::Openness => (&self.openness, Running::GoesOn),
            Effect::Compare(_) => (&self.compare, Running::GoesOn),
            Effect::Read { asker, .. } => match asker {
                Asker::Peek => (&self.peek, Running::GoesOn),
                Asker::Reader => (&self.read, Running::GoesOn),
            },
            Effect::Usage { .. } => (&self.usage, Running::Stops),
            Effect::DryRun { .. }
            | Effect::AskDeletable(_)
            | Effect::Prune { .. }
            | Effect::Restore { .. }
            | Effect::CheckTrash { .. }
            | Effect::EmptyTrash { .. } => (&self.change, Running::GoesOn),
            Effect::Pin(_) => (&self.pin, Running::GoesOn),
            Effect::Rename { .. } => (&self.rename, Running::GoesOn),
            Effect::ListTrash => (&self.trash, Running::GoesOn),
            Effect::Hold { .. } => (&self.hold, Running::GoesOn),
            Effect::Search { .. } => (&self.search, Running::Stops),
            Effect::Export { .. } => (&self.export, Running::GoesOn),
            Effect::StopExport => return self.export.stop(),
            Effect::Stop => return self.change.stop(),
            Effect::StopSearch => return self.search.stop(),
            _ => return,
        };
        lane.submit(self.job(effect), running);
    }

    /// Stops what changes the store, after the batch at hand, and waits for it.
    pub(super) fn finish(&self) {
        self.pin.finish();
        self.rename.finish();
        self.change.finish();
    }

    /// Whether the store is locked, or about to be; pinning and renaming lock it too.
    pub(super) fn is_changing(&self) -> bool {
        self.change.is_busy() || self.pin.is_busy() || self.rename.is_busy()
    }

    fn job(&self, effect: Effect) -> Job {
        let (events, tools) = (self.events.clone(), self.tools.clone());
        let ticket = tools.keeper.ticket();
        let answer = broken(&effect);
        let told = self.events.clone();
        Job {
            work: Box::new(move |stop| {
                // Nobody listens any more: the program is ending.
                let send = |msg| drop(events.send(Event::Told(msg)));
                perform(effect, ticket, &tools, stop, &send);
            }),
            broken: Box::new(move |why| {
                let _ = told.send(Event::Told(answer(why.clone())));
                let _ = told.send(Event::Told(Msg::Trouble(why)));
            }),
        }
    }

    /// Looks for changes of the store every [`LOOK`], until the loop is gone.
    ///
    /// What is compared is the root folder alone: sessions that appear and vanish are seen. What is
    /// written inside those that are shown is asked for by [`Effect::Compare`].
    pub(super) fn look_for_changes(&self) {
        let (events, root) = (self.events.clone(), self.tools.store.root().to_owned());
        thread::spawn(move || {
            let mut seen = stamp(&root);
            loop {
                thread::sleep(LOOK);
                let now = stamp(&root);
                if now != seen && events.send(Event::Told(Msg::StoreChanged)).is_err() {
                    return;
                }
                seen = now;
            }
        });
    }
}

/// What changes whenever something appears in a folder or vanishes from it.
fn stamp(root: &Path) -> Option<[i64; 6]> {
    let at = fs::metadata(root).ok()?;
    let place = [at.dev().cast_signed(), at.ino().cast_signed()];
    let times = [at.mtime(), at.mtime_nsec(), at.ctime(), at.ctime_nsec()];
    Some([place[0], place[1], times[0], times[1], times[2], times[3]])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::mpsc::sync_channel;

    use super::super::fake::{Fake, id};
    use super::*;
    use crate::app::msg::ScanTrouble;
    use crate::text::Secrets;
    use crate::transcript::{View, Window};

    #[test]
    fn a_panic_in_a_worker_is_an_answer_and_a_message() {
        let (events, heard) = sync_channel(4);
        let fake = Fake {
            sessions: 0,
            broken: true,
        };
        let workers = Workers::new(fake.tools(), events);
        let next = || match heard.recv() {
            Ok(Event::Told(msg)) => msg,
            other => panic!("{other:?}"),
        };
        workers.submit(Effect::Scan {
            generation: 5,
            seen: Vec::new(),
        });
        assert!(matches!(next(), Msg::Changeable(_)));
        assert!(matches!(
            next(),
            Msg::ScanEnded {
                generation: 5,
                outcome: Err(ScanTrouble::Unreadable(_)),
            }
        ));
        let Msg::Trouble(why) = next() else { panic!() };
        assert_eq!(why.as_str(), "a bug in sesstree: scan is broken");
        workers.submit(Effect::Hold {
            generation: 6,
            id: id(1),
            folder: None,
        });
        let held = next();
        assert!(matches!(held, Msg::Held { generation: 6, .. }), "{held:?}");
    }

    /// Moving on in the list and opening the reader ask for two pages at once.
    #[test]
    fn the_preview_and_the_reader_do_not_take_each_others_pages() {
        // Without room, so that whatever has begun waits to be heard.
        let (events, heard) = sync_channel(0);
        let fake = Fake {
            sessions: 0,
            broken: false,
        };
        let workers = Workers::new(fake.tools(), events);
        let asked = [Asker::Reader, Asker::Peek, Asker::Reader, Asker::Peek];
        for (asker, generation) in asked.into_iter().zip(1..) {
            workers.submit(Effect::Read {
                generation,
                asker,
                id: id(1),
                view: View::default(),
                window: Window::Tail,
                secrets: Secrets::Hidden,
            });
        }
        let mut last = HashSet::from([3, 4]);
        while !last.is_empty() {
            match heard.recv_timeout(Duration::from_secs(10)) {
                Ok(Event::Told(Msg::Read { generation, .. })) => last.remove(&generation),
                other => panic!("{last:?} never came: {other:?}"),
            };
        }
    }

    #[test]
    fn a_store_that_changes_looks_changed() {
        let dir = tempfile::tempdir().unwrap();
        let before = stamp(dir.path());
        assert_eq!(stamp(dir.path()), before);
        fs::create_dir(dir.path().join("s1")).unwrap();
        assert_ne!(stamp(dir.path()), before);
        assert_eq!(stamp(&dir.path().join("gone")), None);
    }
}
