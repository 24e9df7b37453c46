//! What each message does to the state.

use std::mem;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};

use super::boxes::Boxed;
use super::confirm::Ending;
use super::keymap;
use super::known::Ended;
use super::list::Sizes;
use super::msg::{Effect, Generation, Msg, ScanTrouble};
use super::prune::Checking;
use super::scroll::Step;
use super::seen::Face;
use super::{Model, Screen, trash};
use crate::filter::Changing;
use crate::lineage::Lineage;

/// How often it is asked who holds what and what was written, in seconds.
const LOOK_EVERY: i64 = 2;

/// The only thing that changes the state; what it asks for is to be done in this order.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut fx = Vec::new();
    let by_hand = matches!(msg, Msg::Key(_) | Msg::Mouse(_) | Msg::Paste(_));
    let before = Face::of(&model.screen);
    let worked = model.screen.stops();
    model.handle(msg, &mut fx);
    model.settle(&mut fx);
    // What was typed up to now was meant for the screen that it replaces.
    if !by_hand && before != Face::of(&model.screen) {
        if worked {
            model.ended_by_itself();
        }
        fx.push(Effect::DropTyped);
    }
    fx
}

impl Model {
    fn handle(&mut self, msg: Msg, fx: &mut Vec<Effect>) {
        match msg {
            Msg::Key(key) if key.kind == KeyEventKind::Release => {}
            Msg::Key(key) => self.key(key, fx),
            Msg::Mouse(_) | Msg::Paste(_) if !self.seen() => {}
            Msg::Mouse(mouse) => self.mouse(mouse, fx),
            Msg::Paste(text) => self.paste(&text),
            Msg::Resize(width, height) => self.size = (width, height),
            Msg::Tick(now) => self.tick(now, fx),
            Msg::Scanned {
                generation,
                sessions,
                same,
                faults,
            } => {
                let found = (sessions, same, faults);
                if self.known.found(generation, found, self.now) {
                    self.replaced(None);
                }
            }
            Msg::ScanEnded {
                generation,
                outcome,
            } => self.scan_ended(generation, outcome, fx),
            Msg::Changeable(changeable) => self.known.refused = changeable.err(),
            Msg::Sized(sizes) => {
                self.known.sized(sizes);
                self.tree.measure(&self.known.lineage);
                self.weigh_selected();
                self.filter_again(Changing::Sizes);
            }
            Msg::Opened(open) => {
                self.known.opened(open, self.now);
                self.filter_again(Changing::Marks);
            }
            Msg::StoreChanged => self.look_again(fx),
            Msg::Rewritten(sessions) => self.rewritten(sessions),
            Msg::Read {
                generation, page, ..
            } => self.read(generation, page, fx),
            Msg::Usage { generation, usage } => self.counted(generation, usage),
            Msg::Progress {
                generation,
                progress,
            } => self.progress(generation, progress),
            Msg::Checked {
                generation,
                outcome,
            } => self.checked(generation, outcome),
            Msg::Deletable {
                generation,
                outcome,
            } => self.deletable(generation, outcome),
            Msg::Pruned(outcome) => self.pruned(outcome, fx),
            Msg::Trash(trash) => self.trash_listed(trash),
            Msg::Restored(outcome) => self.restored(outcome, fx),
            Msg::TrashChecked {
                generation,
                outcome,
            } => self.trash_checked(generation, outcome, fx),
            Msg::Emptied(outcome) => self.emptied(outcome, fx),
            Msg::Pinned { pins, outcome } => self.pinned(&pins, outcome, fx),
            Msg::Renamed(outcome) => self.renamed(&outcome, fx),
            Msg::Held {
                generation,
                outcome,
                ..
            } => self.held(generation, outcome, fx),
            Msg::Exported {
                generation,
                outcome,
            } => self.exported(generation, outcome),
            Msg::Found { generation, news } => self.found(generation, news),
            Msg::SearchEnded { generation, whole } => self.search_ended(generation, whole),
            Msg::AgentEnded { id, end } => self.agent_ended(&id, end, fx),
            Msg::Trouble(what) => self.note = Some(what),
            Msg::Terminate => self.quit(fx),
        }
    }

    fn key(&mut self, key: KeyEvent, fx: &mut Vec<Effect>) {
        if self.too_late(key) {
            return;
        }
        if self.drawn.note {
            self.note = None;
        }
        // Whoever goes on does not want the cursor to jump to a fork any more.
        self.awaited = None;
        if keymap::interrupts(key) {
            return self.interrupt(fx);
        }
        if keymap::suspends(key) {
            return self.suspend(fx);
        }
        // A key meant for something that is not drawn must not act on it.
        if self.layout.page() == 0 {
            if keymap::find(keymap::TREE, key) == Some(keymap::Action::Quit) {
                self.quit(fx);
            }
            return;
        }
        if !self.seen() {
            return;
        }
        let (before, closes) = (Face::of(&self.screen), self.screen.closes());
        self.screen = match mem::take(&mut self.screen) {
            Screen::Tree => self.tree_key(key, fx),
            Screen::Filter(input) => self.filter_key(input, key),
            Screen::Reader(reader) => self.reader_key(reader, key, fx),
            Screen::Search(search) => self.search_key(search, key, fx),
            Screen::Cutoff(cutoff) => self.cutoff_key(cutoff, key, fx),
            Screen::Checking(checking) => self.checking_key(checking, key, fx),
            Screen::Preview(preview) => self.preview_key(preview, key, fx),
            Screen::Confirm(confirm) => self.confirm_key(confirm, key, fx),
            Screen::Pruning(pruning) => pruning.key(key, fx),
            Screen::Report(report) => self.report_key(report, key, fx),
            Screen::Trash(trash) => self.trash_key(trash, key, fx),
            Screen::Empty(empty) => self.empty_key(empty, key, fx),
            Screen::Working(working) => working.key(key, fx),
            Screen::Prompt(prompt) => self.prompt_key(prompt, key, fx),
            Screen::Export(export) => self.export_key(export, key, fx),
            Screen::Rename(rename) => self.rename_key(rename, key, fx),
            Screen::Boxed(boxed) => self.boxed_key(boxed, key, fx),
            Screen::Help(help) => self.help_key(help, key),
        };
        if closes && key.code == KeyCode::Enter && before != Face::of(&self.screen) {
            self.closed();
        }
        // Whoever typed this key knows where it leads.
        self.went();
        self.drawn.cursor = self.current().map(|session| session.id.clone());
    }

    fn tick(&mut self, now: chrono::DateTime<chrono::Utc>, fx: &mut Vec<Effect>) {
        self.now = now;
        if self.known.take_waiting(now) {
            self.replaced(None);
        }
        self.known.passed(now);
        if self.known.order_sizes() {
            self.tree.arrange(&self.known.lineage);
        }
        self.count_again();
        let since = now.signed_duration_since(self.looked_at).num_seconds();
        if !(0..LOOK_EVERY).contains(&since) {
            self.looked_at = now;
            fx.push(Effect::Openness);
            fx.extend(self.compare());
        }
        fx.extend(self.sizes(Sizes::IfRowsWait));
    }

    fn scan_ended(
        &mut self,
        generation: Generation,
        outcome: Result<(), ScanTrouble>,
        fx: &mut Vec<Effect>,
    ) {
        match self.known.ended(generation, outcome, self.now) {
            Ended::Stale => return,
            Ended::Kept => self.tell("the store cannot be listed any more; this is what was there"),
            ended => self.renewed(&ended),
        }
        self.go_to_awaited();
        fx.extend(self.sizes(Sizes::All));
        fx.push(Effect::Openness);
        self.screen = match mem::take(&mut self.screen) {
            Screen::Checking(checking) => self.scanned_for(checking, fx),
            screen => screen,
        };
        self.count_again();
        if mem::take(&mut self.changed) {
            self.look_again(fx);
        } else {
            self.awaited = None;
        }
    }

    /// More is known of what would go.
    pub(super) fn count_again(&mut self) {
        self.screen = match mem::take(&mut self.screen) {
            Screen::Cutoff(mut cutoff) => {
                self.measure_cutoff(&mut cutoff);
                Screen::Cutoff(cutoff)
            }
            screen => screen,
        };
    }

    /// A dry run waited for this; there is none of a store that cannot be listed.
    fn scanned_for(&mut self, mut checking: Checking, fx: &mut Vec<Effect>) -> Screen {
        if self.known.trouble.is_some() {
            return Screen::Boxed(Boxed::NotListed);
        }
        self.start_check(&mut checking, fx);
        Screen::Checking(checking)
    }

    /// Sessions are not as they were.
    pub(super) fn renewed(&mut self, ended: &Ended) {
        match ended {
            Ended::Stale | Ended::Kept | Ended::Same => {}
            Ended::Renewed => self.replaced(None),
            Ended::Replaced(old) => self.replaced(Some(old)),
        }
    }

    /// The forest is another one.
    pub(super) fn replaced(&mut self, old: Option<&Lineage>) {
        self.chosen.hits = None;
        self.find_hits();
        self.flatten(old);
        let lineage = &self.known.lineage;
        if old.is_some() {
            self.selected.retain(|id| lineage.find(id).is_some());
        }
        self.weigh_selected();
    }

    /// Ends the program; what must not be torn apart is asked to stop first.
    pub(super) fn quit(&mut self, fx: &mut Vec<Effect>) {
        let ending = match &mut self.screen {
            Screen::Pruning(pruning) => &mut pruning.ending,
            Screen::Working(working) => &mut working.ending,
            Screen::Checking(_) => {
                fx.extend([Effect::Stop, Effect::Quit]);
                return;
            }
            _ => {
                fx.push(Effect::Quit);
                return;
            }
        };
        if *ending == Ending::Full {
            fx.push(Effect::Stop);
        }
        *ending = Ending::Quitting;
    }

    /// Stops the process, but never while a lock may be held: that would block its writers.
    fn suspend(&mut self, fx: &mut Vec<Effect>) {
        match self.screen {
            Screen::Checking(_) | Screen::Pruning(_) | Screen::Working(_) => {
                self.tell("not now: Esc stops this first");
            }
            _ => fx.push(Effect::Suspend),
        }
    }

    /// Brings everything that follows from something else in line with it.
    fn settle(&mut self, fx: &mut Vec<Effect>) {
        self.lay_out();
        let page = self.layout.page();
        self.tree.scroll.follow(self.tree.rows.len(), page);
        let text = self.layout.text();
        let items = usize::from(self.layout.items().height);
        match &mut self.screen {
            Screen::Reader(reader) => reader.resize((text.width, text.height)),
            Screen::Preview(preview) => preview.follow(items),
            Screen::Confirm(confirm) => confirm.preview.follow(items),
            Screen::Report(report) => report.scroll.follow(report.len(), items),
            Screen::Trash(trash) => {
                let len = trash::len(self.trash.as_deref().unwrap_or_default());
                trash.scroll.follow(len, items);
            }
            Screen::Search(search) => {
                if let Some(run) = &mut search.run {
                    run.follow(items);
                }
            }
            Screen::Help(_) => self.scroll_help(Step::By(0)),
            _ => {}
        }
        if self.layout.preview.is_none() {
            return;
        }
        let Some(row) = self.tree.current() else {
            return;
        };
        let generation = &mut self.generation;
        let session = self.known.lineage.get(row.node);
        let next = || {
            *generation += 1;
            *generation
        };
        fx.extend(self.peek.turn_to(session, self.start.secrets, next));
    }
}
