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
            MouseEventKind::ScrollUp => self.wheel(-NOTCH, fx),
            MouseEventKind::ScrollDown => self.wheel(NOTCH, fx),
            MouseEventKind::Down(MouseButton::Left) => self.click(at),
            _ => {}
        }
    }

    fn wheel(&mut self, by: isize, fx: &mut Vec<Effect>) {
        let step = Step::By(by);
        let items = usize::from(self.layout.items().height);
        let next = self.next();
        match &mut self.screen {
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
            Screen::Help(_) => {
                if let Screen::Help(mut help) = std::mem::take(&mut self.screen) {
                    self.scroll_help(&mut help, step);
                    self.screen = Screen::Help(help);
                }
            }
            _ => {}
        }
    }

    /// Goes to the session that was drawn there.
    fn click(&mut self, at: Position) {
        let rows = self.layout.rows;
        if !matches!(self.screen, Screen::Tree | Screen::Filter(_)) || !rows.contains(at) {
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
