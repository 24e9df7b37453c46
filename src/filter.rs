//! Which sessions a typed filter means.
