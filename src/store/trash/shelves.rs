//! What decides whether a batch can be emptied, as the disk has it under the store's lock.
//!
//! Must never: leave out anything in the trash that may descend from something, without saying so.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::Path;

use super::list::{self, Found, Odd};
use super::{Anatomy, bin};
use crate::prune::report::{BatchId, Member, Shelved, TrashBatch};
use crate::session::{Place, SessionId};
use crate::store::dir::{Dir, Identity};
use crate::text::SafeText;

/// Every batch, newest first; those too that hold no session any more but something else. An error if
/// something else beside them may hold sessions.
pub(in crate::store) fn shelves(root: &Dir, anatomy: &dyn Anatomy) -> io::Result<Vec<Shelved>> {
    let Some(trash) = list::open(root)? else {
        return Ok(Vec::new());
    };
    bin::check_home(&trash, root.identity()?.device)?;
    let (batches, strays) = list::names(&trash)?;
    if let Some((name, what)) = strays.first() {
        let name = SafeText::path(Path::new(name));
        let why = format!("what lies in {name} in its trash cannot be told: {what}");
        return Err(io::Error::other(why));
    }
    let batches = batches.into_iter();
    let shelf = |batch: BatchId| shelf(&trash, &batch.to_string(), batch, anatomy);
    Ok(batches.map(shelf).collect())
}

/// A batch in a folder, wherever that is.
pub(super) fn shelf(at: &Dir, name: &str, batch: BatchId, anatomy: &dyn Anatomy) -> Shelved {
    let read = at
        .open_dir(name)
        .map_err(io::Error::from)
        .and_then(|folder| {
            let place = folder.identity()?.into();
            let found = list::sessions(&folder, anatomy)?;
            Ok((place, found, folder))
        });
    let (place, found, folder) = match read {
        Ok(read) => read,
        Err(error) => return unreadable(batch, &error),
    };
    // The record is told of elsewhere: without one a batch has no expiry.
    let described = list::describe(&folder, &batch, anatomy, &found, &mut |_| {});
    let (members, unclear) = members(&folder, anatomy, &described, &found);
    Shelved {
        batch: described,
        place,
        members,
        unclear,
    }
}

fn members(
    folder: &Dir,
    anatomy: &dyn Anatomy,
    batch: &TrashBatch,
    found: &Found,
) -> (Vec<Member>, Option<SafeText>) {
    let mut members = Vec::new();
    let mut unclear = None;
    let mut note = |id: &SessionId, error: &dyn fmt::Display| {
        let why = format!("{id} in it cannot be read: {error}");
        unclear.get_or_insert_with(|| SafeText::line(&why));
    };
    let recorded = batch
        .sessions
        .iter()
        .map(|session| (&session.id, session.parent.as_ref()));
    let odd = found.odd.iter().map(|(id, _)| (id, None));
    for (id, recorded) in recorded.chain(odd) {
        let own = anatomy.kin(folder, id);
        if let Some(why) = own.unclear.filter(|_| recorded.is_none()) {
            note(id, &why);
        }
        let parents: BTreeSet<&SessionId> = own.parent.iter().chain(recorded).collect();
        members.push(Member {
            id: id.clone(),
            seen: own.seen,
            parents: parents.into_iter().cloned().collect(),
        });
    }
    for (id, odd) in &found.odd {
        if let Odd::Unreadable(error) = odd {
            note(id, error);
        }
    }
    (members, unclear)
}

fn unreadable(batch: BatchId, error: &io::Error) -> Shelved {
    Shelved {
        batch: TrashBatch {
            batch,
            at: None,
            expires_at: None,
            bytes: 0,
            sessions: Vec::new(),
        },
        place: Place::from(Identity::default()),
        members: Vec::new(),
        unclear: Some(SafeText::line(&format!("it cannot be read: {error}"))),
    }
}
