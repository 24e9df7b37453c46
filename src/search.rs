//! Searching inside transcripts: sessions in parallel, each from its beginning, told as it is found.
//!
//! Must never hold more of a log than a block of its lines, whatever its size, nor more hits than
//! were asked for; must never go on for long once it is to stop; and must never open anything but
//! through the store.
//!
//! Words have to be in one message, all of them. What is searched are the texts of a message as its
//! agent would read them: JSON's escapes undone, its names, ids and states left out. Raw lines that
//! cannot match are told from the rest without understanding them ([`sieve`]).

mod context;
pub mod found;
mod literals;
pub mod query;
mod sieve;

use std::io::{self, Read};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use context::context;
use found::{End, Hit, News};
use query::Query;

use crate::session::SessionId;
use crate::store::Store;
use crate::store::log::{Block, Blocks};
use crate::text::{SafeText, Secrets};

/// More threads than this gain nothing.
const THREADS: usize = 8;
/// How long news wait for others, at most.
const MOMENT: Duration = Duration::from_millis(50);
/// News that may wait to be taken.
const WAITING: usize = 64;

/// How much is told of what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Hits of one session; the rest are counted.
    pub hits: usize,
    /// Width of a hit's context.
    pub columns: usize,
    /// Whether a hit's context shows the secrets in it. They are searched in any case.
    pub secrets: Secrets,
}

/// Searches sessions in the order they are given, several at a time, and tells of each on this thread: its hits
/// as they are found, and once its end; what comes within a moment at once. `stopped` is asked for every block of every log, from many
/// threads; whether all were searched.
pub fn search(
    store: &dyn Store,
    sessions: &[SessionId],
    query: &Query,
    limits: Limits,
    stopped: &(dyn Fn() -> bool + Sync),
    tell: &mut dyn FnMut(Vec<News>),
) -> bool {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = threads.min(THREADS).min(sessions.len());
    let (news, told) = sync_channel(WAITING);
    let mut ended = 0;
    thread::scope(|scope| {
        for _ in 0..threads {
            let (news, next) = (news.clone(), &next);
            scope.spawn(move || {
                let mut buffer = Vec::new();
                loop {
                    let session = next.fetch_add(1, Ordering::Relaxed);
                    let Some(id) = sessions.get(session).filter(|_| !stopped()) else {
                        return;
                    };
                    let searching = Searching {
                        store,
                        query,
                        limits,
                        stopped,
                        session,
                        news: &news,
                        end: End::default(),
                        told: 0,
                    };
                    if searching.run(id, &mut buffer).is_none() {
                        return;
                    }
                }
            });
        }
        drop(news);
        // The first is told at once, those that follow it soon after together.
        let mut until = Instant::now();
        while let Ok(first) = told.recv() {
            let mut batch = vec![first];
            while let Ok(more) = told.recv_timeout(until.saturating_duration_since(Instant::now()))
            {
                batch.push(more);
            }
            ended += batch.iter().filter(|news| news.end.is_some()).count();
            tell(batch);
            until = Instant::now() + MOMENT;
        }
    });
    ended == sessions.len()
}

/// The search of one session.
struct Searching<'s> {
    store: &'s dyn Store,
    query: &'s Query,
    limits: Limits,
    stopped: &'s (dyn Fn() -> bool + Sync),
    session: usize,
    news: &'s SyncSender<News>,
    end: End,
    told: usize,
}

impl Searching<'_> {
    /// `None`: it was stopped.
    fn run(mut self, id: &SessionId, buffer: &mut Vec<u8>) -> Option<()> {
        match self
            .store
            .log(id)
            .map(|log| log.map(|log| self.log(log, buffer)))
        {
            Ok(None | Some(Ok(Some(())))) => {}
            Ok(Some(Ok(None))) => return None,
            // It went while we searched.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Ok(Some(Err(error))) | Err(error) => {
                self.end.failed = Some(SafeText::line(&error.to_string()));
            }
        }
        let end = Some(std::mem::take(&mut self.end));
        self.send(Vec::new(), end)
    }

    fn log(&mut self, log: impl Read, buffer: &mut Vec<u8>) -> io::Result<Option<()>> {
        let mut blocks = Blocks::of(log, buffer);
        while let Some(block) = blocks.more()? {
            if (self.stopped)() || self.block(&block).is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    fn block(&mut self, block: &Block<'_>) -> Option<()> {
        self.end.too_long += u64::from(block.too_long);
        let mut hits = Vec::new();
        for (begin, line) in self.query.sift(block.bytes) {
            if (self.stopped)() {
                return None;
            }
            if self.query.may_be_in(line) && !line.trim_ascii().is_empty() {
                hits.extend(self.line(line, block.offset + begin as u64));
            }
        }
        if hits.is_empty() {
            return Some(());
        }
        self.send(hits, None)
    }

    /// What to tell of a line, if it matches.
    fn line(&mut self, line: &[u8], offset: u64) -> Option<Hit> {
        let Some(said) = self.store.said(line) else {
            // One without an end is torn: its writer is not done.
            self.end.unreadable += u64::from(line.ends_with(b"\n"));
            return None;
        };
        if !self.query.is_in(&said.words) {
            return None;
        }
        self.end.count += 1;
        if self.told == self.limits.hits {
            return None;
        }
        self.told += 1;
        let (context, marks) = context(self.query, &said, self.limits);
        Some(Hit {
            offset,
            role: said.role,
            at: said.at,
            context,
            marks,
        })
    }

    /// `None`: nobody takes it any more.
    fn send(&self, hits: Vec<Hit>, end: Option<End>) -> Option<()> {
        let session = self.session;
        self.news.send(News { session, hits, end }).ok()
    }
}

#[cfg(test)]
mod tests;
