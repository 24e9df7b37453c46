//! Zero's store.
