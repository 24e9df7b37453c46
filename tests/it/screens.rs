//! Keys to the state, and what is drawn: with invented data, and with every answer a performer may give.

mod boxes;
mod desk;
mod keys;
mod prune;
mod reader;
mod sizes;
mod states;
