//! Draws the state; changes nothing.

use ratatui::Frame;

use crate::app::Model;

/// Draws the whole screen.
pub fn draw(_model: &Model, _frame: &mut Frame) {}
