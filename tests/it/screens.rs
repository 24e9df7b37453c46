//! Keys to the state, and what is drawn: with invented data, and with every answer a performer may give.

mod answers;
mod boxes;
mod data;
mod desk;
mod keys;
mod prune;
mod reader;
mod sizes;
mod states;
mod trash;
mod typing;
