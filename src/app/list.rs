//! The keys of the list and of its filter.

use crossterm::event::KeyEvent;
use tui_input::Input;

use super::boxes::Boxed;
use super::chosen::Hits;
use super::help::Help;
use super::keymap::{self, Action};
use super::msg::Effect;
use super::resume::Intent;
use super::trash::Trash;
use super::tree::Folded;
use super::{Model, Screen, edit};
use crate::filter::{Changing, Filter, Marks, complete};
use crate::lineage::{Lineage, Sort};
use crate::prune::plan::Outlook;
use crate::session::Folder;

/// When sizes are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    /// Of all sessions that have none, drawn rows first.
    All,
    /// Only if drawn rows have none that were not drawn when it was last asked.
    IfRowsWait,
}

impl Model {
    pub(super) fn tree_key(&mut self, key: KeyEvent, fx: &mut Vec<Effect>) -> Screen {
        let Some(action) = keymap::find(keymap::TREE, key) else {
            return Screen::Tree;
        };
        if !self.as_drawn() {
            self.tell("the session under the cursor is gone; nothing was done");
            return Screen::Tree;
        }
        self.act(action, fx)
    }

    /// Puts the cursor where the user saw it; `false`: that session has no row any more.
    fn as_drawn(&mut self) -> bool {
        if let Some(id) = self.drawn.cursor.take() {
            return self.tree.put(&id, &self.known.lineage);
        }
        let at = self.tree.scroll.at;
        self.tree.put_at(at, &self.known.lineage);
        true
    }

    fn act(&mut self, action: Action, fx: &mut Vec<Effect>) -> Screen {
        let page = self.layout.page();
        match action {
            Action::Go(step) => self.tree.go(step, page, &self.known.lineage),
            Action::Fold => self.tree.fold(&self.known.lineage),
            Action::Unfold => self.tree.unfold(&self.known.lineage),
            Action::FoldAll => self.tree.fold_all(&self.known.lineage),
            Action::Resume => return self.resume(Intent::Continue, fx),
            Action::Fork => return self.resume(Intent::Fork, fx),
            Action::Filter => return Screen::Filter(Input::new(self.query.clone())),
            Action::Sort | Action::Reverse => self.order(action),
            Action::Reader => {
                if let Some(id) = self.current().map(|session| session.id.clone()) {
                    return self.open_reader(id, Screen::Tree, fx);
                }
            }
            Action::Select | Action::SelectSubtree | Action::SelectAll => self.select(action),
            Action::Prune | Action::PruneThese if self.known.trouble.is_some() => {
                return Screen::Boxed(Boxed::NotListed);
            }
            Action::Prune | Action::PruneThese if let Some(refusal) = &self.known.refused => {
                let boxed = Boxed::refused("Nothing can be pruned", refusal, Screen::Tree);
                return Screen::Boxed(boxed);
            }
            Action::Prune => return self.cutoff_box(),
            Action::PruneThese => return self.prune_these(fx),
            Action::Export => {
                if let Some(id) = self.current().map(|session| session.id.clone()) {
                    return self.ask_export(id, self.start.secrets, Screen::Tree);
                }
            }
            Action::Search => return self.ask_search(),
            Action::Pin => self.pin(fx),
            Action::Rename => return self.ask_title(),
            Action::Trash => {
                fx.push(Effect::ListTrash);
                return Screen::Trash(Trash::default());
            }
            Action::CopyId => {
                if let Some(id) = self.current().map(|session| session.id.clone()) {
                    self.copy(crate::text::SafeText::line(id.as_str()), fx);
                }
                return self.note_in_full();
            }
            Action::CopyCommand => {
                let current = self.current();
                if let Some((id, cwd)) = current.map(|s| (s.id.clone(), s.cwd.clone())) {
                    let cwd = cwd.as_deref().map(Folder::path);
                    self.copy_command(&id, cwd, fx);
                }
                return self.note_in_full();
            }
            Action::Runs => {
                self.chosen.runs = !self.chosen.runs;
                self.flatten(None);
            }
            Action::Here => self.only_here(),
            Action::Refresh => {
                self.look_again(fx);
                // Whoever asks by hand does not trust what was seen before.
                for effect in fx.iter_mut() {
                    if let Effect::Scan { seen, .. } = effect {
                        seen.clear();
                    }
                }
                fx.extend([Effect::ListTrash, Effect::Openness]);
            }
            Action::Help => return Screen::Help(Help::over(Screen::Tree)),
            Action::Quit => fx.push(Effect::Quit),
            Action::Back if !self.query.is_empty() => self.filter_by(String::new()),
            Action::Back => self.select_none(),
            _ => {}
        }
        Screen::Tree
    }

    fn order(&mut self, action: Action) {
        let sort = self.known.sort;
        if action == Action::Reverse {
            self.known.order(sort, !self.known.reversed);
        } else {
            let at = Sort::ALL.iter().position(|s| *s == sort).unwrap_or(0);
            self.known
                .order(Sort::ALL[(at + 1) % Sort::ALL.len()], false);
        }
        self.tree.arrange(&self.known.lineage);
    }

    fn only_here(&mut self) {
        self.chosen.here = match (&self.chosen.here, &self.start.here) {
            (None, Some(here)) => Some(here.clone()),
            _ => None,
        };
        self.flatten(None);
    }

    pub(super) fn filter_key(&mut self, mut input: Input, key: KeyEvent) -> Screen {
        match keymap::find(keymap::FILTER, key) {
            Some(Action::Back) if input.value().is_empty() => return Screen::Tree,
            Some(Action::Back) => {
                input.reset();
                self.filter_by(String::new());
            }
            Some(Action::Enter) => return Screen::Tree,
            Some(Action::Complete) => {
                if let Some(text) = self.completion.text.take() {
                    self.filter_by(text.clone());
                    input = Input::new(text);
                }
            }
            Some(Action::Go(step)) => {
                let page = self.layout.page();
                self.tree.go(step, page, &self.known.lineage);
            }
            _ => {
                edit::key(&mut input, key);
                if input.value() != self.query {
                    self.filter_by(input.value().to_owned());
                }
            }
        }
        Screen::Filter(input)
    }

    /// Shows what matches; what was folded is unfolded meanwhile, so that no hit hides.
    pub(super) fn filter_by(&mut self, query: String) {
        self.completion = complete(&query, &self.known.lineage);
        self.query = query;
        self.tree.forget_hit();
        self.find_hits();
        self.flatten(None);
        if let Some(hits) = &self.chosen.hits {
            self.tree.find_hit(&self.known.lineage, hits);
        }
    }

    /// Looks which sessions match the filter.
    pub(super) fn find_hits(&mut self) {
        let filter = Filter::new(&self.query, self.now);
        if filter.is_empty() && filter.mistakes().is_empty() {
            self.chosen.hits = None;
            if let Some(folded) = self.folded.take() {
                self.tree.swap_folded(folded);
            }
            return;
        }
        let (known, selected) = (&self.known, &self.selected);
        let lineage = &known.lineage;
        let marks = |node| Marks {
            old: known.outlook(node) != Outlook::Stays,
            selected: selected.contains(&lineage.get(node).id),
        };
        let before = self.chosen.hits.take();
        let before = before
            .as_ref()
            .filter(|before| before.scores.len() == lineage.len());
        let before = before.map(|before| (&before.filter, before.scores.as_slice()));
        let scores = filter.scores(lineage, &marks, before);
        self.chosen.hits = Some(Hits { filter, scores });
        if self.folded.is_none() {
            self.folded = Some(self.tree.swap_folded(Folded::default()));
        }
    }

    /// What the filter asks for has changed.
    pub(super) fn filter_again(&mut self, what: Changing) {
        if let Some(hits) = &self.chosen.hits
            && hits.filter.asks_for(what)
        {
            // What matched before says nothing.
            self.chosen.hits = None;
            self.find_hits();
            self.flatten(None);
        }
    }

    /// Makes the rows anew. `old`: the forest that the rows are of, if it was another one.
    pub(super) fn flatten(&mut self, old: Option<&Lineage>) {
        self.tree.flatten(&self.known.lineage, &self.chosen, old);
    }

    /// Asks for the sizes that are not known, drawn rows first.
    pub(super) fn sizes(&mut self, when: Sizes) -> Option<Effect> {
        if self.known.totals.unmeasured == 0 {
            return None;
        }
        let lineage = &self.known.lineage;
        let waits = |node| lineage.get(node).bytes.is_none();
        let rows = self.tree.drawn(self.layout.page()).iter();
        let drawn = rows.map(|row| row.node).filter(|node| waits(*node));
        let drawn: Vec<_> = drawn.map(|node| lineage.get(node).id.clone()).collect();
        let asked = when == Sizes::IfRowsWait
            && (self.known.scanning() || drawn.iter().all(|id| self.unsized_rows.contains(id)));
        if asked {
            return None;
        }
        let rest = lineage.display().filter(|node| waits(*node));
        let rest = rest.map(|node| lineage.get(node).id.clone());
        let mut ids = drawn.clone();
        ids.extend(rest.filter(|id| !drawn.contains(id)));
        self.unsized_rows = drawn;
        (!ids.is_empty()).then_some(Effect::Size(ids))
    }
}
