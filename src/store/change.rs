//! What a prune needs of a store: [`Change`] is the store under its lock, [`Claim`] one session
//! under its locks. Each agent's store has its own; [`crate::prune`] knows only these.
//!
//! Must never: let a session go that nobody asked for. Every answer that is not plainly yes is a
//! [`Refusal`], and a refusal keeps the session.

use std::collections::HashSet;
use std::io;

use chrono::{DateTime, Utc};

use super::removals::Note;
use super::trash::{Aside, Bin, Purge, Record};
use crate::prune::report::{Doomed, Leftover, Shelved, Watch};
use crate::session::{Holder, Place, Refusal, Session, SessionId, Sighting};
use crate::text::SafeText;

/// What a store is locked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Only to look: nothing is made or changed, not even a lock's file.
    Look,
    /// To move sessions to the trash.
    Change,
    /// To delete sessions at once. A lock's file that a full disk has no room for is done without;
    /// nobody else can make it either, unless there is room again.
    Delete,
}

/// A session that appeared, or was written anew, after the plan's scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newcomer {
    /// Its id.
    pub id: SessionId,
    /// What it descends from; `None`: it cannot be read, so that may be anything.
    pub parent: Option<SessionId>,
    /// What was seen of it.
    pub seen: Sighting,
}

/// How closely a store is looked at for newcomers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closeness {
    /// What is known by its name is passed over.
    Names,
    /// What is known may name another parent by now.
    Metadata,
}

/// A log's last word on when it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogTime {
    /// There is no log, or nothing in it.
    Empty,
    /// The last complete event is of this time.
    At(DateTime<Utc>),
    /// It cannot be told.
    Unknown,
}

/// A store that nobody else's sesstree changes for as long as this lives.
pub trait Change: Sync {
    /// Which folder the sessions are in.
    fn place(&self) -> Place;

    /// How many sessions can be claimed at one time.
    fn capacity(&self) -> usize;

    /// Whether sessions can be removed in that way at all, as far as can be told without trying.
    fn removable(&self, purpose: Purpose) -> Result<(), Refusal>;

    /// Whether batches can be taken out of the trash at all, as far as can be told without trying.
    fn purgeable(&self) -> Result<(), Refusal>;

    /// The agent's processes that hold no lease here, so that nobody can see what they have open;
    /// `None`: this system does not tell.
    fn unseen(&self) -> Option<Vec<Holder>>;

    /// Every session that the user pinned, whether it is there or not. Without an answer there is no
    /// prune.
    fn pins(&self) -> Result<HashSet<SessionId>, Refusal>;

    /// Locks a session against being opened, if it is still the one that was seen.
    fn claim(&self, session: &Session, purpose: Purpose) -> Result<Box<dyn Claim + '_>, Refusal>;

    /// The sessions that name a parent, or may have one, and that are not what is `known`, by id.
    fn newcomers(
        &self,
        closeness: Closeness,
        known: &(dyn Fn(&SessionId) -> Option<Sighting> + Sync),
    ) -> Result<Vec<Newcomer>, Refusal>;

    /// Bytes on disk of a session that was moved away.
    fn size_in(&self, aside: &Aside, id: &SessionId) -> io::Result<u64>;

    /// Makes a batch folder in the trash, with its record in it.
    fn open_bin(&self, record: &Record) -> Result<Bin, Refusal>;

    /// Sees to it that what was moved is on the disk.
    fn sync(&self, aside: &Aside) -> Result<(), Refusal>;

    /// Writes down what is about to be done, or was; an error says why that cannot be.
    fn note(&self, note: &Note<'_>) -> Result<(), SafeText>;

    /// What is in the trash, newest batch first.
    fn shelves(&self) -> Result<Vec<Shelved>, Refusal>;

    /// Opens the way out of the trash.
    fn open_purge(&self) -> Result<Purge<'_>, Refusal>;

    /// What was taken out of the trash or the store for good and is still there: by a process that was
    /// killed, before anything is taken by this one.
    fn doomed(&self) -> Result<Vec<Doomed>, Refusal>;

    /// Such a thing, if it is whole, may go with what this process takes.
    fn doom(&self, doomed: &Doomed);

    /// Or it goes back to where it was; an error says where it is.
    fn bring_back(&self, doomed: &Doomed) -> Result<(), Refusal>;

    /// What is to be said besides of what was put back, once.
    fn told(&self) -> Vec<SafeText>;

    /// Unlinks what was taken out of the trash or the store for good, by this process or by one that
    /// had begun to unlink it, and what else may go; tells what is still there of that.
    fn clear(&self, watch: &dyn Watch) -> Vec<Leftover>;
}

/// A session that nobody can open for as long as this lives.
pub trait Claim: Send {
    /// Locks the session against being written and compares it with what was seen; refused too if it
    /// is pinned now. It stays locked
    /// until it was moved or the claim ends, if it was not claimed only to look.
    fn recheck(&mut self) -> Result<LogTime, Refusal>;

    /// When its log was last read, as the last [`Claim::recheck`] saw it and as far as the system
    /// keeps account of that: at most once a day, and our own reading leaves no trace. `None`: not
    /// since it was last written.
    fn read_at(&self) -> Option<DateTime<Utc>>;

    /// Moves the session away, in one step; refused unless it was claimed for a change and the last
    /// [`Claim::recheck`] found it to be as it was seen.
    fn move_aside(&mut self, aside: &Aside) -> Result<(), Refusal>;

    /// Takes the move back.
    fn put_back(&mut self, aside: &Aside) -> Result<(), Refusal>;

    /// Bytes the session takes on disk. It is let go first: that may take its time.
    fn measure(self: Box<Self>) -> io::Result<u64>;
}
