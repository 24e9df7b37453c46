//! Removing what is old, as asked: [`policy`] → [`plan`] → yes → [`execute`] → [`report`].
//!
//! Invariants: nothing is removed that was not in a confirmed plan; any doubt keeps the
//! session; what stays keeps all its ancestors; a dry run decides as the removal does.
//! `policy`, `plan`, `expiry` and `report` know no disk and no clock. What was removed is in the
//! trash, until that is emptied, as asked too: [`expiry`] → yes → [`purge`].

mod ahead;
mod check;
mod decide;
mod examine;
pub mod execute;
pub mod expiry;
pub mod plan;
pub mod policy;
pub mod purge;
mod removal;
pub mod report;
mod shelf;
pub mod warning;
