//! Who, where, and how much: the counts stay longest.

use ratatui::Frame;

use super::format::{bytes, count, counted, left, path, width};
use super::{Theme, Ui, after, put};

pub(super) fn draw(ui: &Ui, frame: &mut Frame) {
    let area = ui.layout.header;
    let columns = usize::from(area.width);
    let gap = if columns < 60 { " " } else { "  " };
    let sessions = ui.model.known.lineage.len();
    let mut sums = counts(ui, gap, counted(sessions, "session"));
    if width(&sums) + 1 > columns {
        sums = counts(ui, gap, count(sessions));
    }
    let room = columns.saturating_sub(width(&sums) + 3);
    let start = &ui.model.start;
    let name = " sesstree  ";
    let agent = start.agent.to_string();
    let folder = match &start.label {
        Some(label) => label.to_string(),
        None => path(&start.root, start.home.as_deref()),
    };
    let mut x = 0;
    let parts = [
        (name.to_owned(), Theme::STRONG, width(name)),
        (agent.clone() + " ", ui.theme.accent(), width(&agent) + 1),
        // A path of which only a few letters are left says nothing.
        (folder.clone(), Theme::PLAIN, width(&folder).min(16)),
    ];
    for (text, style, least) in parts {
        let left_over = room.saturating_sub(x);
        if left_over < least {
            break;
        }
        put(
            frame,
            after(area, x),
            &super::format::cut(&text, left_over),
            style,
        );
        x += width(&text).min(left_over);
    }
    let at = columns.saturating_sub(width(&sums) + 1);
    put(
        frame,
        after(area, at),
        &left(&sums, columns - at),
        Theme::PLAIN,
    );
}

fn counts(ui: &Ui, gap: &str, sessions: String) -> String {
    let known = &ui.model.known;
    let mut counts = vec![sessions, bytes(known.totals.bytes)];
    if known.totals.open > 0 {
        counts.push(format!("{} open", count(known.totals.open)));
    }
    let trash: u64 = ui.model.batches().iter().map(|batch| batch.bytes).sum();
    if !ui.model.batches().is_empty() {
        counts.push(format!("trash {}", bytes(trash)));
    }
    counts.join(gap)
}
