//! Small boxes with a question or a notice.
//!
//! Invariant: a box knows only the keys it prints; any other key does nothing.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::Screen;
use super::msg::{Generation, MissingFolder};
use super::number::count;
use super::plan::Preview;
use super::resume::Intent;
use crate::prune::report::EmptyReport;
use crate::session::{Holder, Launch, Refusal, SessionId};
use crate::text::SafeText;

/// A box.
#[derive(Debug)]
pub(crate) enum Boxed {
    /// Something that has to be read.
    Notice {
        title: SafeText,
        text: SafeText,
        /// Where one goes on.
        back: Box<Screen>,
    },
    /// `d` on a session that others descend from.
    Subtree {
        id: SessionId,
        /// All that descend from it, in the order of the list.
        below: Vec<SessionId>,
    },
    /// A session is being held.
    Holding {
        generation: Generation,
        id: SessionId,
        intent: Intent,
        /// How often a prune had it before.
        tries: usize,
    },
    /// Somebody else has it open.
    Elsewhere {
        id: SessionId,
        intent: Intent,
        holder: Option<Holder>,
        hold: HoldFirst,
        launch: Launch,
    },
    /// A prune has it.
    Locked {
        id: SessionId,
        intent: Intent,
        /// How often it was tried.
        tries: usize,
    },
    /// The folder it worked in is not there.
    NoFolder {
        id: SessionId,
        intent: Intent,
        missing: MissingFolder,
        /// The folder we were started in.
        here: Option<std::path::PathBuf>,
        unprotected: Option<SafeText>,
    },
    /// The agent's program is not there.
    NoProgram { program: SafeText },
    /// There is no prune of a store that cannot be listed.
    NotListed,
    /// A restore left some in the trash, or something is to be said of it.
    Restored {
        restored: usize,
        left: Vec<Left>,
        warnings: Vec<SafeText>,
        /// Where one goes on.
        back: Box<Screen>,
    },
    /// What a preview warns of, in full.
    Warnings { preview: Box<Preview> },
    /// A batch of the trash stays, or something is to be said of how it went.
    Emptied {
        report: EmptyReport,
        /// Where one goes on.
        back: Box<Screen>,
    },
}

/// Sessions that are still in the trash for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) reason: String,
    /// What they are called.
    pub(crate) names: Vec<SafeText>,
}

/// Whether opening a session that somebody else has is to be tried with a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HoldFirst {
    Yes,
    /// It was refused before.
    Refused,
}

/// What a key of a box means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    Close,
    Subtree,
    This,
    OpenAnyway,
    Fork,
    Again,
    Here,
    Nearest,
    Copy,
}

/// A key of a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) key: KeyCode,
    /// How the box names the key.
    pub(crate) label: &'static str,
    pub(crate) word: SafeText,
    pub(crate) pick: Pick,
}

fn choice(c: char, label: &'static str, word: &str, pick: Pick) -> Choice {
    Choice {
        key: KeyCode::Char(c),
        label,
        word: SafeText::line(word),
        pick,
    }
}

/// One and those below it.
fn together(below: usize) -> String {
    match below {
        1 => "both".to_owned(),
        n => format!("all {}", count(n + 1)),
    }
}

fn esc(word: &str) -> Choice {
    Choice {
        key: KeyCode::Esc,
        label: "Esc",
        word: SafeText::line(word),
        pick: Pick::Close,
    }
}

impl Boxed {
    /// A box that says something over the list.
    pub(crate) fn notice(title: &str, text: &str) -> Self {
        Self::Notice {
            title: SafeText::line(title),
            text: SafeText::block(text),
            back: Box::default(),
        }
    }

    /// Says that nothing came of what was asked for, and why; it can be asked for again from `back`.
    pub(super) fn refused(title: &str, refusal: &Refusal, back: Screen) -> Self {
        Self::Notice {
            title: SafeText::line(title),
            text: SafeText::block(&refusal.to_string()),
            back: Box::new(back),
        }
    }

    /// What is seen around it, and comes after it; `None`: the list.
    pub(super) fn back(&self) -> Option<&Screen> {
        match self {
            Self::Notice { back, .. }
            | Self::Restored { back, .. }
            | Self::Emptied { back, .. } => Some(back),
            _ => None,
        }
    }

    pub(super) fn back_mut(&mut self) -> Option<&mut Screen> {
        match self {
            Self::Notice { back, .. }
            | Self::Restored { back, .. }
            | Self::Emptied { back, .. } => Some(back),
            _ => None,
        }
    }

    /// Its keys.
    pub(crate) fn choices(&self) -> Vec<Choice> {
        match self {
            Self::Notice { .. }
            | Self::NotListed
            | Self::Restored { .. }
            | Self::Warnings { .. }
            | Self::Emptied { .. } => {
                let enter = Choice {
                    key: KeyCode::Enter,
                    label: "Enter",
                    ..esc("")
                };
                vec![enter, esc("back")]
            }
            Self::Subtree { below, .. } => vec![
                choice('s', "s", &together(below.len()), Pick::Subtree),
                choice('t', "t", "only this one (it would stay)", Pick::This),
                esc("cancel"),
            ],
            Self::Elsewhere { launch, .. } => {
                let fork = choice('f', "f", "fork it instead", Pick::Fork);
                let anyway = choice('o', "o", "open it anyway", Pick::OpenAnyway);
                let fork = (*launch == Launch::Replies).then_some(fork);
                [Some(anyway), fork, Some(esc("cancel"))]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            Self::Locked { .. } => {
                vec![choice('r', "r", "try again", Pick::Again), esc("cancel")]
            }
            Self::NoFolder { missing, here, .. } => {
                let named = |key, label, what, folder: &Option<std::path::PathBuf>, pick| {
                    let folder = folder.as_deref()?;
                    let word = format!("{what}: {}", SafeText::path(folder));
                    Some(choice(key, label, &word, pick))
                };
                let here = named('h', "h", "here", here, Pick::Here);
                let nearest = named(
                    'p',
                    "p",
                    "the nearest that exists",
                    &missing.nearest,
                    Pick::Nearest,
                );
                let copy = choice('y', "y", "copy the command", Pick::Copy);
                here.into_iter()
                    .chain(nearest)
                    .chain([copy, esc("cancel")])
                    .collect()
            }
            Self::Holding { .. } | Self::NoProgram { .. } => vec![esc("cancel")],
        }
    }

    /// What a key means here.
    pub(super) fn pick(&self, key: KeyEvent) -> Option<Pick> {
        let plain = (key.modifiers - KeyModifiers::SHIFT).is_empty();
        let mut choices = self.choices().into_iter();
        let chosen = choices.find(|choice| plain && choice.key == key.code)?;
        Some(chosen.pick)
    }
}
