//! What a person may call a session.

use thiserror::Error;

/// A title that a person gave: one line that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Title(String);

/// Why a text is no title.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum NoTitle {
    /// Nothing but blanks.
    #[error("a title cannot be blank")]
    Blank,
    /// It has line breaks or other control characters.
    #[error("a title is one line, without control characters")]
    Controls,
    /// It is longer than [`Title::MAX`].
    #[error("a title has at most {} bytes", Title::MAX)]
    TooLong,
}

impl Title {
    /// The longest title, in bytes of UTF-8.
    pub const MAX: usize = 1_000;

    /// Takes blanks at both ends away.
    pub fn parse(text: &str) -> Result<Self, NoTitle> {
        let text = text.trim();
        if text.is_empty() {
            return Err(NoTitle::Blank);
        }
        if text.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
            return Err(NoTitle::Controls);
        }
        if text.len() > Self::MAX {
            return Err(NoTitle::TooLong);
        }
        Ok(Self(text.to_owned()))
    }

    /// The title as it is written down; what is shown of it goes through
    /// [`SafeText`](crate::text::SafeText) as ever.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_line_that_says_something() {
        let title = |text: &str| Title::parse(text).map(|title| title.0);
        assert_eq!(title("  fix the login "), Ok("fix the login".to_owned()));
        assert_eq!(title(" \u{3000}\n"), Err(NoTitle::Blank));
        assert_eq!(title("a\nb"), Err(NoTitle::Controls));
        assert_eq!(title("a\u{9b}31mb"), Err(NoTitle::Controls));
        assert_eq!(title("a\u{2028}b"), Err(NoTitle::Controls));
        assert!(title(&"é".repeat(500)).is_ok());
        assert_eq!(title(&"é".repeat(501)), Err(NoTitle::TooLong));
    }
}
