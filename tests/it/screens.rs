//! Keys to the state, and what is drawn: with invented data and every answer a performer may give,
//! and with a real store on disk.

mod answers;
mod back;
mod boxes;
mod data;
mod desk;
mod emptying;
mod expired;
mod filter;
mod head;
mod keys;
mod list;
mod listing;
mod live;
mod mouse;
mod narrow;
mod preview;
mod prune;
mod reader;
mod real;
mod refused;
mod search;
mod seen;
mod sizes;
mod states;
mod trash;
mod typing;
mod words;
