//! Why a store refuses something. Worded once, here.

use std::fmt;

use super::{Holder, SessionId};
use crate::text::SafeText;

/// Why a store refuses to do something with a session. Worded once, here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Somebody has it open, and we know who.
    Open(Holder),
    /// Its lease is locked by somebody we cannot see.
    OpenOrLocked,
    /// Its lease could not be taken; says why.
    LeaseUnchecked(SafeText),
    /// Its session.lock is taken: it is being written.
    Busy,
    /// Its session.lock could not be taken; says why.
    LockUnchecked(SafeText),
    /// Its folder or its metadata is not what was previewed.
    Changed,
    /// It cannot be read again; says why.
    Unread(SafeText),
    /// It became active after the preview.
    Updated,
    /// Something descends from it that the preview did not know.
    NewChild(SessionId),
    /// A session that the preview did not know cannot be read, so it may descend from this one.
    UnreadableChild(SessionId),
    /// A session in the trash descends from it, and is to find it when it comes back.
    TrashedChild(SessionId),
    /// The user pinned it.
    Pinned,
    /// Which sessions are pinned cannot be told: where the pins are, and why.
    PinsUnread(SafeText, SafeText),
    /// It cannot be pinned, or its pin not taken away; says why.
    NotPinned(SafeText),
    /// Its folder or metadata is no longer there.
    Gone,
    /// A prune holds it.
    LockedByPrune,
    /// It was removed between the pick and the hold.
    RemovedWhileOpening,
    /// It cannot be moved to the trash of its store; says why.
    NotMovable(SafeText),
    /// It cannot be moved from the trash back to its store; says why.
    NotRestored(SafeText),
    /// It cannot be taken out of the trash for good; says why.
    NotPurged(SafeText),
    /// It cannot be deleted at once; says why.
    NotDeleted(SafeText),
    /// These processes may have anything open, and nobody can see it: nothing is deleted at once.
    Unseen(Vec<Holder>),
    /// This system does not tell what runs, so nothing is deleted at once.
    AllUnseen,
    /// A session of that id is in the store already, so it cannot come back from the trash.
    Clash,
    /// Nothing of that name is in the trash.
    NotInTrash,
    /// It cannot be given another title; says why.
    NotRenamed(SafeText),
    /// It is on this filesystem, where locks are not known to keep others out.
    Untrusted(SafeText),
    /// Another sesstree is changing the store.
    StoreBusy,
    /// The store cannot be changed; says why.
    StoreRefused(SafeText),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(holder) => write!(
                f,
                "open in another process ({}, pid {})",
                holder.process, holder.pid
            ),
            Self::OpenOrLocked => f.write_str("open or locked by another process"),
            Self::LeaseUnchecked(why) => write!(f, "its lease could not be checked: {why}"),
            Self::Busy => f.write_str("busy: being written"),
            Self::LockUnchecked(why) => write!(f, "its write lock could not be checked: {why}"),
            Self::Changed => f.write_str("changed since the preview"),
            Self::Unread(why) => write!(f, "it could not be read again: {why}"),
            Self::Updated => f.write_str("updated while pruning"),
            Self::NewChild(child) => write!(f, "parent of a session that is new: {child}"),
            Self::UnreadableChild(id) => write!(
                f,
                "a session that is new cannot be read and may descend from it: {id}"
            ),
            Self::Pinned => f.write_str("pinned"),
            Self::PinsUnread(place, why) => write!(
                f,
                "nothing is pruned, because the pins in {place} cannot be read: {why}"
            ),
            Self::NotPinned(why) => write!(f, "the pin cannot be changed: {why}"),
            Self::TrashedChild(child) => write!(f, "parent of a session in the trash: {child}"),
            Self::Gone => f.write_str("already gone"),
            Self::LockedByPrune => f.write_str("locked by a prune; try again"),
            Self::RemovedWhileOpening => f.write_str("removed while it was being opened"),
            Self::NotMovable(why) => write!(f, "cannot be moved to the trash: {why}"),
            Self::NotRestored(why) => write!(f, "cannot be brought back: {why}"),
            Self::NotPurged(why) => write!(f, "cannot be taken out of the trash: {why}"),
            Self::NotDeleted(why) => write!(f, "cannot be deleted: {why}"),
            Self::Unseen(holders) => write!(
                f,
                "nothing is deleted at once: {}; move to the trash instead, or end it first",
                unleased(holders)
            ),
            Self::AllUnseen => f.write_str(
                "nothing is deleted at once: this system does not tell which agents run",
            ),
            Self::NotRenamed(why) => write!(f, "it cannot be renamed: {why}"),
            Self::Clash => f.write_str("a session of this id is in the store already"),
            Self::NotInTrash => f.write_str("not in the trash"),
            Self::Untrusted(filesystem) => write!(
                f,
                "the sessions are on {filesystem}, where a session that is open may not be seen: \
                 nothing is removed or brought back there unless sesstree is started with \
                 --trust-locks"
            ),
            Self::StoreBusy => f.write_str("another sesstree is changing this store; try again"),
            Self::StoreRefused(why) => write!(f, "this store cannot be changed: {why}"),
        }
    }
}

impl std::error::Error for Refusal {}

/// `zero (pid 12, 34) runs without a lease here: what it has open cannot be seen`.
pub fn unleased(holders: &[Holder]) -> String {
    let name = holders.first().map_or("", |holder| holder.process.as_str());
    let pids: Vec<String> = holders
        .iter()
        .map(|holder| holder.pid.to_string())
        .collect();
    let pids = pids.join(", ");
    format!("{name} (pid {pids}) runs without a lease here: what it has open cannot be seen")
}
