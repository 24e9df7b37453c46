//! What the user asked for: how old, and which sessions.
//!
//! Invariant: an [`Age`] is at least 24 hours and at most 36,500 days, so no slip of
//! the hand means "everything". Rules and wording are Zero's (`zero sessions prune`).

use std::collections::HashSet;
use std::fmt::{self, Write as _};
use std::str::FromStr;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use thiserror::Error;

use crate::session::SessionId;

/// How long pruned sessions stay in the trash for certain.
pub const GRACE: TimeDelta = TimeDelta::days(7);

/// How long ago the last activity must be, in whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Age(i64);

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

impl Age {
    /// The shortest: 24 hours. What writes a session without a lease cannot be seen; in a
    /// day it has written.
    pub const MIN: Self = Self(DAY);
    /// The longest: 36,500 days.
    pub const MAX: Self = Self(36_500 * DAY);

    /// 30 days: what marks and the screen start from when nothing else is set.
    pub const DEFAULT: Self = Self(30 * DAY);

    /// From whole days.
    pub fn days(days: u32) -> Result<Self, AgeError> {
        Self::seconds(i64::from(days) * DAY)
    }

    fn seconds(seconds: i64) -> Result<Self, AgeError> {
        match seconds {
            s if s < Self::MIN.0 => Err(AgeError::TooShort),
            s if s > Self::MAX.0 => Err(AgeError::TooLong),
            s => Ok(Self(s)),
        }
    }

    /// The same as a span of time.
    pub fn span(self) -> TimeDelta {
        TimeDelta::seconds(self.0)
    }
}

impl fmt::Display for Age {
    /// `30d`, or `36h`, `1h30m` and the like for what is not whole days.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        if self.0 % DAY == 0 {
            write!(text, "{}d", self.0 / DAY)?;
        } else {
            let mut left = self.0;
            for (unit, letter) in [(HOUR, 'h'), (60, 'm'), (1, 's')] {
                if left >= unit {
                    write!(text, "{}{letter}", left / unit)?;
                    left %= unit;
                }
            }
        }
        f.pad(&text)
    }
}

/// Why a text is no [`Age`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AgeError {
    /// Nothing given.
    #[error("requires a value")]
    Empty,
    /// Not an age at all.
    #[error("expected days like 30d or a duration like 720h")]
    NotAnAge,
    /// Less than 24 hours.
    #[error("nothing updated in the last 24 hours is ever removed; use 1d or more")]
    TooShort,
    /// More than 36,500 days.
    #[error("more than 36500 days")]
    TooLong,
}

impl FromStr for Age {
    type Err = AgeError;

    /// `30d`, `2w`, or a Go duration (`720h`, `1h30m`, `90000s`, `1.5h`). Zero and negative
    /// ages are none.
    fn from_str(text: &str) -> Result<Self, AgeError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(AgeError::Empty);
        }
        for (unit, seconds) in [('d', DAY), ('w', 7 * DAY)] {
            if let Some(count) = text.strip_suffix(unit) {
                let digits = !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit());
                if !digits || count.bytes().all(|b| b == b'0') {
                    return Err(AgeError::NotAnAge);
                }
                let count: i64 = count.parse().map_err(|_| AgeError::TooLong)?;
                return Self::seconds(count.checked_mul(seconds).ok_or(AgeError::TooLong)?);
            }
        }
        go_duration(text).and_then(Self::seconds)
    }
}

/// A Go duration (`time.ParseDuration`) of more than nothing, rounded down to whole seconds.
fn go_duration(text: &str) -> Result<i64, AgeError> {
    const NANOS: u128 = 1_000_000_000;
    let mut rest = text;
    let mut total: u128 = 0;
    while !rest.is_empty() {
        let number_len = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .ok_or(AgeError::NotAnAge)?;
        let (number, tail) = rest.split_at(number_len);
        let unit_len = tail
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_len);
        let nanos = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => NANOS,
            "m" => 60 * NANOS,
            "h" => 3_600 * NANOS,
            _ => return Err(AgeError::NotAnAge),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
            return Err(AgeError::NotAnAge);
        }
        let parse = |digits: &str| match digits {
            "" => Ok(0u128),
            digits => digits.parse().map_err(|_| AgeError::TooLong),
        };
        let fraction = &fraction[..fraction.len().min(18)];
        let scale = 10u128.pow(u32::try_from(fraction.len()).unwrap_or(18));
        let part = parse(whole)?.checked_mul(nanos).ok_or(AgeError::TooLong)?;
        total = part
            .checked_add(parse(fraction)? * nanos / scale)
            .and_then(|part| part.checked_add(total))
            .ok_or(AgeError::TooLong)?;
        rest = tail;
    }
    match total {
        0 => Err(AgeError::NotAnAge),
        nanos => i64::try_from(nanos / NANOS).map_err(|_| AgeError::TooLong),
    }
}

/// Which sessions a prune is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The whole store.
    All,
    /// Only these; asked for one by one, so a younger one is told as kept.
    Chosen(HashSet<SessionId>),
}

/// What the user asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How long ago the last activity must be.
    pub age: Age,
    /// What the age was measured from.
    pub now: DateTime<Utc>,
    /// Which sessions.
    pub scope: Scope,
}

impl Policy {
    /// Everything older than `age`.
    pub fn all(age: Age, now: DateTime<Utc>) -> Self {
        let scope = Scope::All;
        Self { age, now, scope }
    }

    /// These sessions, if they are older than [`Age::MIN`].
    pub fn chosen(ids: HashSet<SessionId>, now: DateTime<Utc>) -> Self {
        let scope = Scope::Chosen(ids);
        let age = Age::MIN;
        Self { age, now, scope }
    }

    /// A session goes only if its activity is strictly before this; whole seconds, as it is
    /// reported.
    pub fn cutoff(&self) -> DateTime<Utc> {
        let now = self.now.trunc_subsecs(0);
        now.checked_sub_signed(self.age.span())
            .unwrap_or(DateTime::<Utc>::MIN_UTC)
    }
}

#[cfg(test)]
mod tests;
