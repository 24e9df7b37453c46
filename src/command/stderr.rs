//! What is told on stderr, where perhaps nobody hears it.
//!
//! Must never panic: the standard macros of these names do when stderr is a terminal that is gone
//! or a full disk, and a removal may be under way. A question is no telling: who asks must know
//! that it was seen, and writes it with `write!`.

macro_rules! eprint {
    ($($told:tt)*) => {{
        use std::io::Write as _;
        // There is no other place to tell of it.
        let _ = write!(std::io::stderr(), $($told)*);
    }};
}

macro_rules! eprintln {
    ($($told:tt)*) => {{
        use std::io::Write as _;
        // There is no other place to tell of it.
        let _ = writeln!(std::io::stderr(), $($told)*);
    }};
}
