//! A session's conversation, one window of it at a time: plain data.
//!
//! Invariant: a window is bounded, whatever the log's size; nothing here reads.

use chrono::{DateTime, Utc};

use crate::text::{SafeText, Secrets};

/// Who or what a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Agent,
    /// Instructions.
    System,
    /// A tool that the model called.
    ToolCall,
    /// What the tool answered.
    ToolResult,
    /// A summary that stands for earlier messages.
    Compaction,
    /// Something went wrong.
    Error,
    /// Anything else, told in one dim line.
    Note,
}

impl Role {
    /// The word in the margin; at most 7 columns.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "you",
            Self::Agent => "agent",
            Self::System => "system",
            Self::ToolCall => "tool",
            Self::ToolResult => "result",
            Self::Compaction => "summary",
            Self::Error => "error",
            Self::Note => "·",
        }
    }

    /// The name in data for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::System => "system",
            Self::ToolCall => "toolCall",
            Self::ToolResult => "toolResult",
            Self::Compaction => "compaction",
            Self::Error => "error",
            Self::Note => "note",
        }
    }
}

/// One event of the log, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who or what it is from.
    pub role: Role,
    /// When.
    pub at: Option<DateTime<Utc>>,
    /// A block of text, at most [`Message::MAX`] bytes; longer ones are cut and say so.
    pub body: SafeText,
    /// Where its line begins in the log, in bytes. In the continued view the compaction stands
    /// before messages with smaller offsets.
    pub offset: u64,
}

impl Message {
    /// The longest body, in bytes.
    pub const MAX: usize = 64 * 1024;
    /// Left free in a body that is cut for the words that say so, in bytes.
    pub(crate) const NOTE: usize = 96;

    /// A body of at most [`Message::MAX`] bytes; it says so when more were there.
    pub(crate) fn bounded(body: SafeText, secrets: Secrets) -> SafeText {
        let text = body.as_str();
        if text.len() <= Self::MAX {
            return body;
        }
        let kept = &text[..text.floor_char_boundary(Self::MAX - Self::NOTE)];
        let (shown, all) = (kept.len(), text.len());
        let text = format!("{kept}\n… cut: {shown} of {all} bytes are shown");
        SafeText::block_with(&text, secrets)
    }
}

/// Which reading of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// As the agent would go on with it: what a compaction replaced is left out.
    #[default]
    Continued,
    /// Every event.
    Raw,
}

/// Which part of the log to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The end.
    Tail,
    /// What comes before this offset.
    Before(u64),
    /// What comes from this offset on.
    From(u64),
}

/// Tokens that a model was given and gave, as the log has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of prompts, cached ones too: whatever is sent again counts again.
    pub input: u64,
    /// Tokens of answers.
    pub output: u64,
}

impl Usage {
    /// Counts more of them.
    pub fn add(&mut self, more: Self) {
        self.input = self.input.saturating_add(more.input);
        self.output = self.output.saturating_add(more.output);
    }
}

/// A bounded part of a log, in the log's order.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// What it says.
    pub messages: Vec<Message>,
    /// Offset in bytes of the first line of this part; 0: nothing comes before.
    pub start: u64,
    /// Offset in bytes just behind the last line of this part.
    pub end: u64,
    /// The log's size in bytes when it was read, without a torn last line; `end == size`: nothing follows.
    pub size: u64,
    /// Lines that could not be understood, a torn last line not counted.
    pub unreadable: usize,
    /// The continued view was asked for but the log has a compaction that cannot be used.
    pub fell_back: bool,
}
