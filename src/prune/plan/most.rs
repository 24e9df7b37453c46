//! When so much of a store would go that a plain yes is not enough; worded once, here.

use std::fmt;

use super::PrunePlan;

/// The word that says yes to it.
pub const WORD: &str = "prune";

/// More than half of all sessions would go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    going: usize,
    all: usize,
}

impl Most {
    fn of(going: usize, all: usize) -> Option<Self> {
        (going > all / 2).then_some(Self { going, all })
    }

    /// What is asked instead of yes or no; `count` writes a number as is usual there.
    pub fn question(self, count: impl Fn(usize) -> String) -> String {
        let all = count(self.all);
        format!("That is more than half of all {all}. Type {WORD} and Enter.")
    }
}

impl fmt::Display for Most {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { going, all } = self;
        write!(f, "{going} of {all} sessions would go, more than half")
    }
}

impl PrunePlan {
    /// Whether it would take more than half of all sessions of the store.
    pub fn most(&self) -> Option<Most> {
        Most::of(self.removals().count(), self.store_count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_is_not_most() {
        let most = |going, all| Most::of(going, all).is_some();
        let cases = [
            (0, 0),
            (0, 1),
            (1, 1),
            (1, 2),
            (2, 3),
            (1, 3),
            (2, 4),
            (3, 4),
        ];
        let told = cases.map(|(going, all)| most(going, all));
        assert_eq!(told, [false, false, true, false, true, false, false, true]);
    }
}
