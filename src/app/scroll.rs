//! A place in a list that may be longer than the screen.

/// Which item, and which one is drawn first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scroll {
    /// The item the next key acts on.
    pub(crate) at: usize,
    /// The first item drawn.
    pub(crate) top: usize,
}

/// A step through a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Up,
    Down,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    First,
    Last,
    /// So many items; the mouse wheel.
    By(isize),
}

impl Step {
    /// Where it leads from `at` in a list of `len`, `page` of which are drawn.
    pub(crate) fn from(self, at: usize, len: usize, page: usize) -> usize {
        let page = page.max(1);
        let half = (page / 2).max(1);
        let to = match self {
            Self::Up => at.saturating_sub(1),
            Self::Down => at.saturating_add(1),
            Self::PageUp => at.saturating_sub(page),
            Self::PageDown => at.saturating_add(page),
            Self::HalfUp => at.saturating_sub(half),
            Self::HalfDown => at.saturating_add(half),
            Self::First => 0,
            Self::Last => usize::MAX,
            Self::By(by) => at.saturating_add_signed(by),
        };
        to.min(len.saturating_sub(1))
    }
}

impl Scroll {
    /// Goes a step in a list of `len`, `page` of which are drawn.
    pub(crate) fn go(&mut self, step: Step, len: usize, page: usize) {
        self.at = step.from(self.at, len, page);
        self.follow(len, page);
    }

    /// Goes to the item that is drawn in a row, if there is one.
    pub(crate) fn put(&mut self, row: usize, len: usize) {
        self.at = Some(self.top + row)
            .filter(|at| *at < len)
            .unwrap_or(self.at);
    }

    /// Brings the item into what is drawn, moving as little as possible, and leaves no empty rows.
    pub(crate) fn follow(&mut self, len: usize, page: usize) {
        let page = page.max(1);
        self.at = self.at.min(len.saturating_sub(1));
        let lowest = self.at.saturating_sub(page - 1);
        let last = len.saturating_sub(page);
        self.top = self.top.clamp(lowest, self.at).min(last.max(lowest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_item_is_always_drawn_and_no_row_is_left_empty() {
        let mut scroll = Scroll::default();
        scroll.go(Step::Last, 10, 4);
        assert_eq!(scroll, Scroll { at: 9, top: 6 });
        scroll.go(Step::Up, 10, 4);
        assert_eq!(scroll, Scroll { at: 8, top: 6 });
        scroll.go(Step::PageUp, 10, 4);
        assert_eq!(scroll, Scroll { at: 4, top: 4 });
        scroll.follow(5, 4);
        assert_eq!(scroll, Scroll { at: 4, top: 1 });
        scroll.follow(0, 0);
        assert_eq!(scroll, Scroll::default());
    }
}
