//! Colours: the sixteen that the terminal's own theme rules, or none at all.
//!
//! Invariant: nothing is told by colour alone; without colours there are weight and reversal.

use ratatui::style::{Color, Modifier, Style};

use crate::app::known::Mark;
use crate::transcript::Role;

/// Which colours may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theme {
    Sixteen,
    Plain,
}

impl Theme {
    pub(super) const PLAIN: Style = Style::new();
    pub(super) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
    pub(super) const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
    /// A place to type in, however little is in it.
    pub(super) const FIELD: Style = Self::STRONG.add_modifier(Modifier::UNDERLINED);
    /// The row that keys act on.
    pub(super) const CURSOR: Style = Style::new().add_modifier(Modifier::REVERSED);

    fn fg(self, color: Color) -> Style {
        match self {
            Self::Sixteen => Style::new().fg(color),
            Self::Plain => Style::new(),
        }
    }

    /// Names of keys, and what is picked out.
    pub(super) fn accent(self) -> Style {
        self.fg(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// Letters that a filter or a search has found.
    pub(super) fn found(self) -> Style {
        let mark = Modifier::BOLD | Modifier::UNDERLINED;
        self.fg(Color::Yellow).add_modifier(mark)
    }

    pub(super) fn good(self) -> Style {
        self.fg(Color::Green)
    }

    pub(super) fn warn(self) -> Style {
        self.fg(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub(super) fn danger(self) -> Style {
        self.fg(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(super) fn mark(self, mark: Mark) -> Style {
        match mark {
            Mark::None => Style::new(),
            Mark::Open => self.fg(Color::Green),
            Mark::MaybeOpen => self.fg(Color::Yellow),
            Mark::Ancestor => self.fg(Color::Blue),
            Mark::Goes => Self::DIM,
            Mark::Pinned => self.fg(Color::Magenta),
            Mark::Damaged => self.fg(Color::Red),
        }
    }

    pub(super) fn role(self, role: Role) -> Style {
        match role {
            Role::User => self.fg(Color::Cyan).add_modifier(Modifier::BOLD),
            Role::Agent => self.fg(Color::Green),
            Role::Compaction => self.fg(Color::Magenta),
            Role::Error => self.danger(),
            Role::System | Role::ToolCall | Role::ToolResult | Role::Note => Self::DIM,
        }
    }

    /// What a message says.
    pub(super) fn body(self, role: Role) -> Style {
        match role {
            Role::User | Role::Agent | Role::Compaction => Style::new(),
            Role::Error => self.fg(Color::Red),
            Role::System | Role::ToolCall | Role::ToolResult | Role::Note => Self::DIM,
        }
    }
}

/// The glyph of a mark.
pub(super) fn glyph(mark: Mark) -> &'static str {
    match mark {
        Mark::None => " ",
        Mark::Open => "●",
        Mark::MaybeOpen => "?",
        Mark::Ancestor => "◆",
        Mark::Goes => "✂",
        Mark::Pinned => "⚑",
        Mark::Damaged => "!",
    }
}
