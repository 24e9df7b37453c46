//! Which screen the user can have seen.
//!
//! Invariant: nothing typed acts on a screen that came up as the answer to something, or that asks
//! for a yes, before that was drawn; and no key that was meant for something that has just ended
//! acts on what comes after it.

use std::mem::{Discriminant, discriminant};

use chrono::{DateTime, TimeDelta, Utc};
use crossterm::event::{KeyCode, KeyEvent};

use super::boxes::Boxed;
use super::confirm::Way;
use super::{Model, Screen};

/// Which screen it is, whatever is on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Face {
    screen: Discriminant<Screen>,
    boxed: Option<Discriminant<Boxed>>,
    /// A yes to one way is none to another.
    way: Option<Discriminant<Way>>,
}

impl Face {
    pub(super) fn of(screen: &Screen) -> Self {
        Self {
            screen: discriminant(screen),
            boxed: match screen {
                Screen::Boxed(boxed) => Some(discriminant(boxed)),
                _ => None,
            },
            way: match screen {
                Screen::Confirm(confirm) => Some(discriminant(&confirm.way)),
                _ => None,
            },
        }
    }
}

/// Keys that were meant for what has just ended: the first one does nothing, if it comes soon.
#[derive(Debug)]
pub(super) struct Late {
    keys: &'static [KeyCode],
    since: DateTime<Utc>,
}

/// How long one may come too late. The time is told once a second.
const MOMENT: TimeDelta = TimeDelta::seconds(2);

/// What stops work.
const STOP: &[KeyCode] = &[KeyCode::Esc, KeyCode::Char('q')];

impl Screen {
    /// Whether it is work that a key stops.
    pub(super) fn stops(&self) -> bool {
        matches!(
            self,
            Self::Checking(_) | Self::Pruning(_) | Self::Working(_)
        )
    }

    /// Whether Enter closes it.
    pub(super) fn closes(&self) -> bool {
        matches!(self, Self::Report(_) | Self::Boxed(_))
    }

    /// Whether it asks for a yes to something that removes.
    pub(super) fn asks(&self) -> bool {
        matches!(self, Self::Confirm(_) | Self::Empty(_))
    }
}

impl Model {
    /// Whether the screen was drawn, or the key that led to it was typed by somebody who knew that.
    pub(super) fn seen(&self) -> bool {
        self.drawn.face == Some(Face::of(&self.screen))
    }

    /// The work that was on the screen has ended by itself: a stop may be on its way, unless it was
    /// there too short a time for anybody to want one.
    pub(super) fn ended_by_itself(&mut self) {
        if self.drawn.work.is_some_and(|since| since < self.now) {
            self.late(STOP);
        }
    }

    /// Enter has closed something: a second one was meant for that too.
    pub(super) fn closed(&mut self) {
        self.late(&[KeyCode::Enter]);
    }

    fn late(&mut self, keys: &'static [KeyCode]) {
        let since = self.now;
        self.late = Some(Late { keys, since });
    }

    /// Whether a key was meant for what has just ended.
    pub(super) fn too_late(&mut self, key: KeyEvent) -> bool {
        let now = self.now;
        self.late.take().is_some_and(|late| {
            let ago = now.signed_duration_since(late.since);
            late.keys.contains(&key.code) && ago >= TimeDelta::zero() && ago < MOMENT
        })
    }

    /// A key led here: what is typed behind it is meant for this screen, but never a yes.
    pub(super) fn went(&mut self) {
        if !self.screen.asks() {
            self.drawn.face = Some(Face::of(&self.screen));
        }
    }
}
