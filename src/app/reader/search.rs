//! Looking for a message of the user in what is not read yet, a page at a time.
//!
//! Invariant: what is shown stays as it is until there is one to go to, so nothing is lost if there
//! is none, or if a key stops it.

use super::Action;
use crate::transcript::{Page, Role, Window};

/// Which way it is looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Earlier,
    Later,
}

/// How far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Search {
    #[default]
    Idle,
    /// What is to be read next ends, or begins, at this offset.
    Looking(Way, u64),
    /// There is one at this offset.
    Found(u64),
    /// There is none that way.
    Nothing(Way),
}

impl Way {
    /// Of a key.
    pub(super) fn of(action: Action) -> Option<Self> {
        match action {
            Action::PreviousUser => Some(Self::Earlier),
            Action::NextUser => Some(Self::Later),
            _ => None,
        }
    }

    /// What to read next.
    pub(super) fn window(self, at: u64) -> Window {
        match self {
            Self::Earlier => Window::Before(at),
            Self::Later => Window::From(at),
        }
    }

    /// What a page that was read from `at` on leads to.
    pub(super) fn look_at(self, at: u64, page: &Page) -> Search {
        let mut users = page.messages.iter().filter(|m| m.role == Role::User);
        let (found, next) = match self {
            Self::Earlier => (users.next_back(), page.start),
            Self::Later => (users.next(), page.end),
        };
        // A page that does not lead on is the last one that way, whatever it says.
        let leads_on = match self {
            Self::Earlier => next > 0 && next < at,
            Self::Later => next < page.size && next > at,
        };
        match found {
            Some(message) => Search::Found(message.offset),
            None if leads_on => Search::Looking(self, next),
            None => Search::Nothing(self),
        }
    }
}
