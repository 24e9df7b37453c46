//! Numbers in sentences.

/// A number with its thousands set apart.
pub(crate) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and its noun.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {noun}{s}", count(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let shown = [0, 12, 999, 1_000, 1_234_567].map(count);
        assert_eq!(shown, ["0", "12", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "session"), "1 session");
        assert_eq!(counted(3_474, "session"), "3,474 sessions");
    }
}
