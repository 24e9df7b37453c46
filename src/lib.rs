//! sesstree: a full-screen browser for the saved sessions of coding agents.
//!
//! The way the data goes: disk → [`store::Store::scan`] → [`session::Session`] →
//! [`lineage::Lineage`] → rows; [`prune::policy::Policy`] → [`prune::plan::PrunePlan`] →
//! yes → removal → [`prune::report::PruneReport`].

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests build stores, break them and run programs; the library itself is checked without tests"
    )
)]

pub mod app;
pub mod command;
pub mod config;
pub mod export;
pub mod filter;
pub mod lineage;
pub mod prune;
pub mod resume;
pub mod runtime;
pub mod search;
pub mod session;
pub mod store;
pub mod text;
pub mod transcript;
pub mod view;
