//! Zero's store.

mod compaction;
mod events;
mod json;
mod messages;
mod time;
mod transcript;
