//! The screen's state.

pub mod msg;
