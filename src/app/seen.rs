//! Which screen the user can have seen.
//!
//! Invariant: nothing typed acts on a screen that came up as the answer to something, or that asks
//! for a yes, before that was drawn.

use std::mem::{Discriminant, discriminant};

use super::boxes::Boxed;
use super::{Model, Screen};

/// Which screen it is, whatever is on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Face(Discriminant<Screen>, Option<Discriminant<Boxed>>);

impl Face {
    pub(super) fn of(screen: &Screen) -> Self {
        let boxed = match screen {
            Screen::Boxed(boxed) => Some(discriminant(boxed)),
            _ => None,
        };
        Self(discriminant(screen), boxed)
    }
}

impl Model {
    /// Whether the screen was drawn, or the key that led to it was typed by somebody who knew that.
    pub(super) fn seen(&self) -> bool {
        self.drawn.face == Some(Face::of(&self.screen))
    }

    /// A key led here: what is typed behind it is meant for this screen, but never a yes.
    pub(super) fn went(&mut self) {
        if !matches!(self.screen, Screen::Confirm(_)) {
            self.drawn.face = Some(Face::of(&self.screen));
        }
    }
}
