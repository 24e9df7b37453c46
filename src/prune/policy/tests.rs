use proptest::prelude::*;

use super::*;

fn age(text: &str) -> Result<i64, AgeError> {
    text.parse::<Age>().map(|age| age.span().num_seconds())
}

#[test]
fn ages_as_people_write_them() {
    for (text, seconds) in [
        ("1d", DAY),
        (" 30d ", 30 * DAY),
        ("030d", 30 * DAY),
        ("2w", 14 * DAY),
        ("36500d", 36_500 * DAY),
        ("24h", DAY),
        ("720h", 30 * DAY),
        ("24h0m1s", DAY + 1),
        ("1440m", DAY),
        ("90000s", 90_000),
        ("24.5h", DAY + HOUR / 2),
        ("24h.5h", DAY + HOUR / 2),
        ("86400000ms", DAY),
        ("86400000000000ns", DAY),
        ("86400000000µs", DAY),
        ("86400.999s", DAY),
    ] {
        assert_eq!(age(text), Ok(seconds), "{text:?}");
    }
}

#[test]
fn no_slip_of_the_hand_means_everything() {
    use AgeError::{Empty, NotAnAge, TooLong, TooShort};
    for (text, error) in [
        ("", Empty),
        ("  ", Empty),
        ("0", NotAnAge),
        ("0d", NotAnAge),
        ("000w", NotAnAge),
        ("0h", NotAnAge),
        ("30", NotAnAge),
        ("d", NotAnAge),
        ("w", NotAnAge),
        ("h", NotAnAge),
        (".h", NotAnAge),
        ("-30d", NotAnAge),
        ("+30d", NotAnAge),
        ("-720h", NotAnAge),
        ("30 d", NotAnAge),
        ("1d12h", NotAnAge),
        ("1.5d", NotAnAge),
        ("30days", NotAnAge),
        ("30D", NotAnAge),
        ("1..5h", NotAnAge),
        ("1h30", NotAnAge),
        ("soon", NotAnAge),
        ("٣٠d", NotAnAge),
        ("NaNh", NotAnAge),
        ("23h59m59.9s", TooShort),
        ("1ns", TooShort),
        ("36501d", TooLong),
        ("876000h1s", TooLong),
        ("99999999999999999999d", TooLong),
        ("9223372036854775807w", TooLong),
        ("999999999999999999999999999999999999999999h", TooLong),
        ("340282366920938463463374607431768211455ns", TooLong),
    ] {
        assert_eq!(age(text), Err(error), "{text:?}");
    }
    assert_eq!(Age::days(0), Err(TooShort));
    assert_eq!(Age::days(u32::MAX), Err(TooLong));
}

#[test]
fn ages_as_they_are_shown() {
    for (text, shown) in [
        ("1d", "1d"),
        ("720h", "30d"),
        ("2w", "14d"),
        ("36500d", "36500d"),
        ("36h", "36h"),
        ("25h30m", "25h30m"),
        ("24h0m1s", "24h1s"),
    ] {
        assert_eq!(text.parse::<Age>().unwrap().to_string(), shown, "{text}");
    }
    assert_eq!(format!("{:>5}", Age::MIN), "   1d");
}

#[test]
fn the_cutoff_is_a_whole_second_and_never_overflows() {
    let now = DateTime::from_timestamp(1_793_534_400, 999_999_999).unwrap();
    let policy = Policy::all(Age::MIN, now);
    assert_eq!(policy.cutoff().timestamp(), 1_793_534_400 - DAY);
    assert_eq!(policy.cutoff().timestamp_subsec_nanos(), 0);
    let policy = Policy::all(Age::MAX, DateTime::<Utc>::MIN_UTC);
    assert_eq!(policy.cutoff(), DateTime::<Utc>::MIN_UTC);
}

#[test]
fn the_chosen_are_at_least_a_day_old() {
    let policy = Policy::chosen(HashSet::new(), DateTime::<Utc>::UNIX_EPOCH);
    assert_eq!(policy.age, Age::MIN);
}

proptest! {
    #[test]
    fn any_text_is_an_age_in_range_or_an_error(text in "\\PC*") {
        if let Ok(age) = text.parse::<Age>() {
            prop_assert!(age >= Age::MIN && age <= Age::MAX);
        }
    }

    #[test]
    fn what_is_shown_reads_back(seconds in DAY..=36_500 * DAY) {
        let age = Age::seconds(seconds).unwrap();
        prop_assert_eq!(age.to_string().parse(), Ok(age));
    }

    #[test]
    fn anything_like_a_duration_is_read_without_panic(text in "[0-9.hmsnuµdw-]{0,40}") {
        let _ = text.parse::<Age>();
    }
}
