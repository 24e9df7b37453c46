//! The kinds of documents.

/// How a transcript is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// To be read as a document.
    #[default]
    Markdown,
    /// To be read as it is.
    Text,
    /// The log's bytes, untouched.
    Jsonl,
}

impl Format {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Text, Self::Jsonl];

    /// What files of it are called by, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Text => "txt",
            Self::Jsonl => "jsonl",
        }
    }

    /// What it is, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "Markdown",
            Self::Text => "text",
            Self::Jsonl => "JSONL",
        }
    }
}
