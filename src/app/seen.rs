//! Which screen the user can have seen.
//!
//! Invariant: nothing typed acts on a screen that came up as the answer to something, or that asks
//! for a yes, before that was drawn.

use std::mem::{Discriminant, discriminant};

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

impl Screen {
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

    /// A key led here: what is typed behind it is meant for this screen, but never a yes.
    pub(super) fn went(&mut self) {
        if !self.screen.asks() {
            self.drawn.face = Some(Face::of(&self.screen));
        }
    }
}
