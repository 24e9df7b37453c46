//! Times in Zero's files: RFC 3339, exactly as Zero's own reader takes them.
//!
//! Must never take a time that Zero calls unreadable: such a session is undated and kept by both.
//! chrono's reader is no help, it takes lower-case letters, a space for the `T` and leap seconds.
//! The rules are those of Go's `time.Parse(time.RFC3339, …)`.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

/// `None`: unreadable.
pub(super) fn parse(text: &str) -> Option<DateTime<Utc>> {
    let mut rest = Rest(text.as_bytes());
    let year = rest.digits(4)?;
    rest.take(b'-')?;
    let month = rest.digits(2)?;
    rest.take(b'-')?;
    let day = rest.digits(2)?;
    rest.take(b'T')?;
    let hour = rest.hour()?;
    rest.take(b':')?;
    let minute = rest.digits(2)?;
    rest.take(b':')?;
    let second = rest.digits(2).filter(|second| *second < 60)?;
    let nanos = rest.fraction();
    let offset = rest.offset()?;
    if !rest.0.is_empty() {
        return None;
    }
    let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
    let local = date.and_hms_nano_opt(hour, minute, second, nanos)?;
    local.and_utc().checked_sub_signed(offset)
}

/// What is still to be read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn take(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        let value = number(digits)?;
        self.0 = rest;
        Some(value)
    }

    /// Go wants one digit or two here, though it writes two.
    fn hour(&mut self) -> Option<u32> {
        self.digits(2).or_else(|| self.digits(1))
    }

    /// Nanoseconds; digits beyond the ninth count for nothing. No fraction is zero.
    fn fraction(&mut self) -> u32 {
        let [b'.' | b',', after @ ..] = self.0 else {
            return 0;
        };
        let length = after.iter().take_while(|b| b.is_ascii_digit()).count();
        let (digits, rest) = after.split_at(length);
        if digits.is_empty() {
            return 0;
        }
        self.0 = rest;
        let padded = digits.iter().chain(std::iter::repeat(&b'0')).take(9);
        padded.fold(0, |nanos, digit| nanos * 10 + u32::from(digit - b'0'))
    }

    /// `Z`, or a sign, hours and minutes. Go lets 24 hours and 60 minutes pass.
    fn offset(&mut self) -> Option<TimeDelta> {
        if self.take(b'Z').is_some() {
            return Some(TimeDelta::zero());
        }
        let sign = match self.0.first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.0 = &self.0[1..];
        let hours = self.digits(2).filter(|hours| *hours <= 24)?;
        self.take(b':')?;
        let minutes = self.digits(2).filter(|minutes| *minutes <= 60)?;
        Some(TimeDelta::minutes(sign * i64::from(hours * 60 + minutes)))
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    let digit = |b: &u8| b.is_ascii_digit().then(|| u32::from(b - b'0'));
    digits
        .iter()
        .try_fold(0, |value, b| Some(value * 10 + digit(b)?))
}

#[cfg(test)]
mod tests {
    use chrono::SecondsFormat;

    use super::*;

    #[test]
    fn what_go_reads() {
        for (text, utc) in [
            ("2026-08-01T10:00:00Z", "2026-08-01T10:00:00Z"),
            ("2026-08-01T10:00:00.5Z", "2026-08-01T10:00:00.500Z"),
            ("2026-08-01T10:00:00,5Z", "2026-08-01T10:00:00.500Z"),
            (
                "2026-08-01T10:00:00.123456789Z",
                "2026-08-01T10:00:00.123456789Z",
            ),
            (
                "2026-08-01T10:00:00.1234567899999999999999Z",
                "2026-08-01T10:00:00.123456789Z",
            ),
            ("2026-08-01T10:00:00+02:00", "2026-08-01T08:00:00Z"),
            ("2026-08-01T10:00:00.25-05:30", "2026-08-01T15:30:00.250Z"),
            ("2026-08-01T10:00:00+24:00", "2026-07-31T10:00:00Z"),
            ("2026-08-01T10:00:00-24:00", "2026-08-02T10:00:00Z"),
            ("2026-08-01T10:00:00+00:60", "2026-08-01T09:00:00Z"),
            ("2026-08-01T10:00:00-00:00", "2026-08-01T10:00:00Z"),
            ("2026-08-01T9:00:00Z", "2026-08-01T09:00:00Z"),
            ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
        ] {
            let read = parse(text).map(|at| at.to_rfc3339_opts(SecondsFormat::AutoSi, true));
            assert_eq!(read.as_deref(), Some(utc), "{text}");
        }
    }

    #[test]
    fn what_go_does_not_read() {
        for text in [
            "",
            " ",
            "2026-08-01",
            "2026-08-01T10:00:00",
            "2026-08-01t10:00:00Z",
            "2026-08-01T10:00:00z",
            "2026-08-01 10:00:00Z",
            "2026-08-01T24:00:00Z",
            "2026-08-01T10:60:00Z",
            "2026-08-01T10:00:60Z",
            "2026-08-01T10:00:60.5Z",
            "2026-08-01T10:00Z",
            "2026-08-01T10:00:00.Z",
            "2026-08-01T10:00:00,Z",
            "2026-08-01T10:00:00;5Z",
            "2026-08-01T10:00:00+25:00",
            "2026-08-01T10:00:00+02:61",
            "2026-08-01T10:00:00+0200",
            "2026-08-01T10:00:00+02",
            "2026-08-01T10:00:00 02:00",
            "2026-08-01T10:00:00ZZ",
            "2026-08-01T10:00:00Z ",
            " 2026-08-01T10:00:00Z",
            "2026-08-01T1:0:00Z",
            "2026-00-01T10:00:00Z",
            "2026-13-01T10:00:00Z",
            "2026-08-00T10:00:00Z",
            "2026-08-32T10:00:00Z",
            "2026-02-29T10:00:00Z",
            "2026-8-01T10:00:00Z",
            "2026-08-1T10:00:00Z",
            "26-08-01T10:00:00Z",
            "+2026-08-01T10:00:00Z",
            "12026-08-01T10:00:00Z",
            "2026-08-01T-1:00:00Z",
            "2026-08-01T١٠:00:00Z",
            "1785578400",
            "now",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_zero_writes_comes_back(seconds in -62_167_219_200i64..253_402_300_800) {
            let at = DateTime::from_timestamp(seconds, 0).unwrap();
            proptest::prop_assert_eq!(parse(&at.to_rfc3339_opts(SecondsFormat::Secs, true)), Some(at));
        }

        #[test]
        fn no_text_is_too_much(text in "[0-9T:.,+Zz -]{0,40}") {
            let _ = parse(&text);
        }
    }
}
