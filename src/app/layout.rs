//! Where everything is on the screen; computed when something changes, never while drawing.
//!
//! ```text
//! header                       one row
//! ╭ list ───────╮╭ preview ──╮ the body; the preview beside the list from 100 columns,
//! │             ││           │ below it from 30 rows, else hidden until Tab
//! ╰─────────────╯╰───────────╯
//! hints                        one row
//! ```

use ratatui::layout::{Margin, Rect};

/// The narrowest screen that is drawn.
pub(crate) const MIN: (u16, u16) = (40, 10);

/// Where everything is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The whole screen.
    pub(crate) area: Rect,
    /// One row at the top.
    pub(crate) header: Rect,
    /// All between header and hints.
    pub(crate) body: Rect,
    /// The list with its border.
    pub(crate) list: Rect,
    /// The filter's line in the list.
    pub(crate) filter: Option<Rect>,
    /// The names of the list's columns.
    pub(crate) columns: Rect,
    /// The list's rows.
    pub(crate) rows: Rect,
    /// The preview with its border.
    pub(crate) preview: Option<Rect>,
    /// One row at the bottom.
    pub(crate) hints: Rect,
}

/// Whether the list shows the filter's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilterLine {
    Shown,
    Hidden,
}

impl Layout {
    /// For a terminal of so many columns and rows; below [`MIN`] everything but `area` is empty.
    pub(crate) fn of(size: (u16, u16), filter: FilterLine) -> Self {
        let (width, height) = size;
        let area = Rect::new(0, 0, width, height);
        if width < MIN.0 || height < MIN.1 {
            return Self {
                area,
                ..Self::default()
            };
        }
        let body = Rect::new(0, 1, width, height - 2);
        let (list, preview) = panes(body);
        let inside = list.inner(Margin::new(1, 1));
        let lines: u16 = match filter {
            FilterLine::Shown => 2,
            FilterLine::Hidden => 1,
        };
        Self {
            area,
            header: Rect::new(0, 0, width, 1),
            body,
            list,
            filter: (filter == FilterLine::Shown).then_some(Rect {
                height: 1,
                ..inside
            }),
            columns: Rect {
                y: inside.y + lines - 1,
                height: 1,
                ..inside
            },
            rows: Rect {
                y: inside.y + lines,
                height: inside.height.saturating_sub(lines),
                ..inside
            },
            preview,
            hints: Rect::new(0, height - 1, width, 1),
        }
    }

    /// Rows of the list that can be drawn.
    pub(crate) fn page(&self) -> usize {
        self.rows.height.into()
    }

    /// Inside the border of a pane that takes the whole body.
    pub(crate) fn inside(&self) -> Rect {
        self.body.inner(Margin::new(1, 1))
    }

    /// Where the reader's text is: inside the body, below two lines about the session, and one that
    /// stays empty where there is room.
    pub(crate) fn text(&self) -> Rect {
        let inside = self.inside();
        let text = below(inside, if inside.height < 16 { 2 } else { 3 });
        text.inner(Margin::new(1, 0))
    }

    /// Where a preview's, a report's or the trash's items are: inside the body, below three lines.
    pub(crate) fn items(&self) -> Rect {
        below(self.inside(), 3)
    }

    /// The line above the items, for more about the one under the cursor.
    pub(crate) fn detail(&self) -> Rect {
        let detail = below(self.inside(), 2);
        Rect {
            height: detail.height.min(1),
            ..detail
        }
    }
}

fn panes(body: Rect) -> (Rect, Option<Rect>) {
    if body.width >= 100 {
        let left = u16::try_from(u32::from(body.width) * 61 / 100).unwrap_or(body.width);
        let list = Rect {
            width: left,
            ..body
        };
        let preview = Rect {
            x: left,
            width: body.width - left,
            ..body
        };
        (list, Some(preview))
    } else if body.height >= 28 {
        let upper = body.height * 3 / 5;
        let list = Rect {
            height: upper,
            ..body
        };
        (list, Some(below(body, upper)))
    } else {
        (body, None)
    }
}

/// What is left of an area without its first rows.
pub(crate) fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect {
        y: area.y + rows,
        height: area.height - rows,
        ..area
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preview_is_beside_below_or_hidden() {
        let preview = |size| Layout::of(size, FilterLine::Hidden).preview;
        assert_eq!(preview((120, 35)), Some(Rect::new(73, 1, 47, 33)));
        assert_eq!(preview((100, 10)), Some(Rect::new(61, 1, 39, 8)));
        assert_eq!(preview((99, 30)), Some(Rect::new(0, 17, 99, 12)));
        assert_eq!(preview((99, 29)), None);
    }

    #[test]
    fn too_small_a_screen_has_no_places() {
        for size in [(0, 0), (1, 1), (39, 10), (40, 9)] {
            let layout = Layout::of(size, FilterLine::Shown);
            assert_eq!((layout.page(), layout.preview), (0, None));
        }
        assert_eq!(Layout::of(MIN, FilterLine::Shown).page(), 4);
    }
}
