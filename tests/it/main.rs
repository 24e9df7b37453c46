//! The integration tests, one binary. What belongs where:
//! `support` builds stores and looks at them; `store` reads odd ones; `prune` removes and
//! restores; `crash` kills it at every call that changes something, `faults` lets each call
//! fail; `hostile` gives it stores made to do harm; `stress` has many processes at one store;
//! `screens` sends keys to the real loop and snapshots what is drawn; `pty` runs the binary in a
//! terminal; `commands` runs it as a script would; `tidy` guards the design.

#![allow(
    clippy::disallowed_methods,
    reason = "tests build stores, break them and run programs"
)]

mod commands;
mod crash;
mod disks;
mod faults;
mod hostile;
mod magi;
mod owners;
mod prune;
mod pty;
mod screens;
mod stopped;
mod store;
mod stress;
mod support;
mod tidy;
