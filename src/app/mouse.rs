//! The mouse: a click goes to a row, the wheel scrolls; neither ever does more.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::keymap::Action;
use super::msg::Effect;
use super::scroll::Step;
use super::{Model, Screen, trash};

/// Lines that one notch of the wheel scrolls.
const NOTCH: isize = 3;

impl Model {
    pub(super) fn mouse(&mut self, mouse: MouseEvent, fx: &mut Vec<Effect>) {
        let at = Position::new(mouse.column, mouse.row);
        match mouse.kind {
            MouseEventKind::ScrollUp => self.wheel(at, -NOTCH, fx),
            MouseEventKind::ScrollDown => self.wheel(at, NOTCH, fx),
            MouseEventKind::Down(MouseButton::Left) => self.click(at),
            _ => {}
        }
    }

    fn wheel(&mut self, at: Position, by: isize, fx: &mut Vec<Effect>) {
        let step = Step::By(by);
        let items = usize::from(self.layout.items().height);
        let next = self.next();
        match &mut self.screen {
            // The preview beside the list shows the end of a conversation, and no more.
            Screen::Tree | Screen::Filter(_) if !self.layout.list.contains(at) => {}
            Screen::Tree | Screen::Filter(_) => {
                let page = self.layout.page();
                self.tree.go(step, page, &self.known.lineage);
                self.drawn.cursor = self.current().map(|session| session.id.clone());
            }
            Screen::Reader(reader) => fx.extend(reader.act(Action::Go(step), next)),
            Screen::Preview(preview) => preview.go(step, items),
            Screen::Report(report) => report.scroll.go(step, report.len(), items),
            Screen::Trash(trash) => {
                let len = trash::len(self.trash.as_deref().unwrap_or_default());
                trash.scroll.go(step, len, items);
            }
            Screen::Search(search) => {
                if let Some(run) = &mut search.run {
                    run.go(step, items);
                }
            }
            Screen::Help(_) => self.scroll_help(step),
            _ => {}
        }
    }

    /// Goes to what is drawn there.
    fn click(&mut self, at: Position) {
        let items = self.layout.items();
        let item = items.contains(at).then(|| usize::from(at.y - items.y));
        match (&mut self.screen, item) {
            (Screen::Tree | Screen::Filter(_), _) => self.click_row(at),
            (Screen::Search(search), Some(row)) => {
                if let Some(run) = &mut search.run {
                    run.put(row);
                }
            }
            (Screen::Preview(preview), Some(row)) => preview.put(row),
            (Screen::Report(report), Some(row)) => report.scroll.put(row, report.len()),
            (Screen::Trash(trash), Some(row)) => {
                let len = trash::len(self.trash.as_deref().unwrap_or_default());
                trash.scroll.put(row, len);
            }
            _ => {}
        }
    }

    /// Goes to the session that was drawn there.
    fn click_row(&mut self, at: Position) {
        let rows = self.layout.rows;
        if !rows.contains(at) {
            return;
        }
        let id = self.drawn.rows.get(usize::from(at.y - rows.y));
        if let Some(id) = id.cloned()
            && self.tree.put(&id, &self.known.lineage)
        {
            self.note = None;
            self.drawn.cursor = Some(id);
        }
    }
}
