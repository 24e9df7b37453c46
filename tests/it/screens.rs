//! Keys to the state, and what is drawn: with invented data and every answer a performer may give,
//! and with a real store on disk.

mod answers;
mod back;
mod boxes;
mod data;
mod desk;
mod keys;
mod list;
mod live;
mod preview;
mod prune;
mod reader;
mod real;
mod sizes;
mod states;
mod trash;
mod typing;
