//! Where one removal puts what it removes: a batch folder, made when the first session goes into
//! it, or out of the store for good.

use std::hash::{BuildHasher as _, RandomState};

use chrono::{DateTime, TimeDelta, Utc};

use super::plan::{Disposal, PrunePlan};
use super::policy::{Policy, Scope};
use super::report::{BatchId, Trashed, rfc3339};
use crate::session::{Condition, Refusal, Session};
use crate::store::change::Change;
use crate::store::removals::{Action, Note, What};
use crate::store::trash::{Aside, Record};

/// Where a removal puts what it removes.
pub(super) struct Shelf<'a> {
    change: &'a dyn Change,
    record: Record,
    disposal: Disposal,
    aside: Option<Result<Aside, Refusal>>,
}

impl<'a> Shelf<'a> {
    pub(super) fn new(
        change: &'a dyn Change,
        plan: &PrunePlan,
        now: DateTime<Utc>,
        grace: TimeDelta,
    ) -> Self {
        let record = Record {
            batch: name(now),
            at: now,
            // Too far off to be told is never.
            expires_at: now
                .checked_add_signed(grace)
                .unwrap_or(DateTime::<Utc>::MAX_UTC),
            policy: words(plan.policy()),
            sessions: plan.removals().map(|c| trashed(&c.session)).collect(),
        };
        Self {
            change,
            record,
            disposal: plan.disposal(),
            aside: None,
        }
    }

    /// Where sessions are moved, made if it is not there yet; what went wrong then is told every
    /// time.
    pub(super) fn aside(&mut self) -> Result<&Aside, Refusal> {
        let (change, record) = (self.change, &self.record);
        let open = || match self.disposal {
            Disposal::Trash => change.open_bin(record).map(Aside::Trash),
            Disposal::Delete => Ok(Aside::Gone),
        };
        let aside = self.aside.get_or_insert_with(open);
        aside.as_ref().map_err(Clone::clone)
    }

    /// Until when what is put there is kept for certain.
    pub(super) fn expires_at(&self) -> DateTime<Utc> {
        self.record.expires_at
    }

    /// What is to be written down of a part of it.
    pub(super) fn note<'n>(&'n self, what: What<'n>) -> Note<'n> {
        let (action, batch) = match self.disposal {
            Disposal::Trash => (Action::Trash, Some(&self.record.batch)),
            Disposal::Delete => (Action::Delete, None),
        };
        Note {
            action,
            batch,
            policy: &self.record.policy,
            what,
        }
    }

    /// The batch's name, unless nothing is in it: then its folder is removed.
    pub(super) fn close(self) -> Option<BatchId> {
        self.aside?.ok()?.close()
    }
}

/// `20261101T120000Z-` and eight letters or digits: four for the microsecond, so that names sort by
/// time, and four at random.
fn name(now: DateTime<Utc>) -> BatchId {
    // A leap second has more than a million.
    let micros = u64::from(now.timestamp_subsec_micros().min(999_999));
    let random = RandomState::new().hash_one(now);
    let mut text = now.format("%Y%m%dT%H%M%SZ-").to_string();
    text.extend(digits(micros));
    text.extend(digits(random));
    BatchId::parse(&text).expect("digits, letters and a dash, a digit first")
}

/// The last four digits of a number to the base of 36.
fn digits(number: u64) -> [char; 4] {
    [3, 2, 1, 0].map(|place| {
        let digit = u32::try_from(number / 36u64.pow(place) % 36).unwrap_or(0);
        char::from_digit(digit, 36).unwrap_or('0')
    })
}

fn words(policy: &Policy) -> String {
    match policy.scope {
        Scope::All => format!("all older than {}", policy.age),
        Scope::Chosen(_) => format!("chosen ones older than {}", policy.age),
    }
}

/// What is told of a session that goes.
pub(super) fn trashed(session: &Session) -> Trashed {
    Trashed {
        id: session.id.clone(),
        title: session.title.clone(),
        parent: session.parent.clone(),
        bytes: session.bytes.unwrap_or(0),
        updated_at: session.activity_at.map(rfc3339),
        remnant: matches!(session.condition, Condition::Remnant(_)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_by_time() {
        let second = DateTime::from_timestamp(1_793_534_400, 0).unwrap();
        let after = [0, 1, 35, 36, 999_999, 1_000_000].map(TimeDelta::microseconds);
        let names = after.map(|after| name(second + after));
        assert!(names.is_sorted(), "{names:?}");
        assert!(names[0].as_str().starts_with("20261101T120000Z-0000"));
        assert_ne!(name(second), name(second), "two of one moment");
    }
}
