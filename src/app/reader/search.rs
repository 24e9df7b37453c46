//! Looking for something in what is not read yet, a page at a time.
//!
//! Invariant: what is shown stays as it is until there is one to go to, so nothing is lost if there
//! is none, or if a key stops it.

use super::Action;
use super::needle::Needle;
use crate::transcript::{Message, Page, Role, Window};

/// Which way it is looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Earlier,
    Later,
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A message of the user.
    User,
    /// What was typed.
    Needle,
}

/// How far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Search {
    #[default]
    Idle,
    /// What is to be read next ends, or begins, at this offset.
    Looking(Way, Wanted, u64),
    /// There is one at this offset.
    Found(u64, Wanted),
    /// There is none that way.
    Nothing(Way, Wanted),
}

/// What a key looks for.
pub(super) fn meant(action: Action) -> Option<(Way, Wanted)> {
    match action {
        Action::PreviousUser => Some((Way::Earlier, Wanted::User)),
        Action::NextUser => Some((Way::Later, Wanted::User)),
        Action::PreviousHit => Some((Way::Earlier, Wanted::Needle)),
        Action::NextHit => Some((Way::Later, Wanted::Needle)),
        _ => None,
    }
}

impl Wanted {
    /// Whether a message is what is wanted.
    pub(super) fn is(self, message: &Message, needle: Option<&Needle>) -> bool {
        match self {
            Self::User => message.role == Role::User,
            Self::Needle => needle.is_some_and(|needle| needle.is_in(message.body.as_str())),
        }
    }
}

impl Way {
    /// What to read next.
    pub(super) fn window(self, at: u64) -> Window {
        match self {
            Self::Earlier => Window::Before(at),
            Self::Later => Window::From(at),
        }
    }

    /// What a page that was read from `at` on leads to.
    pub(super) fn look_at(
        self,
        wanted: Wanted,
        at: u64,
        page: &Page,
        is_it: impl Fn(&Message) -> bool,
    ) -> Search {
        let mut fitting = page.messages.iter().filter(|message| is_it(message));
        let (found, next) = match self {
            Self::Earlier => (fitting.next_back(), page.start),
            Self::Later => (fitting.next(), page.end),
        };
        // A page that does not lead on is the last one that way, whatever it says.
        let leads_on = match self {
            Self::Earlier => next > 0 && next < at,
            Self::Later => next < page.size && next > at,
        };
        match found {
            Some(message) => Search::Found(message.offset, wanted),
            None if leads_on => Search::Looking(self, wanted, next),
            None => Search::Nothing(self, wanted),
        }
    }
}
