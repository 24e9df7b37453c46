//! The keys of each screen.

use super::{Action, Binding, Hint, Step};

/// `"keys" action, "label" "help", hint "key" "word" rank;` a row; the label, the help and the hint
/// may be left out.
macro_rules! table {
    ($($keys:literal $action:expr $(, $label:literal $help:literal)?
        $(, hint $key:literal $word:literal $rank:literal)?;)*) => {
        &[$(Binding {
            keys: $keys,
            action: $action,
            label: table!(@or $($label)?),
            help: table!(@or $($help)?),
            hint: table!(@hint $($key $word $rank)?),
        }),*]
    };
    (@or) => { "" };
    (@or $text:literal) => { $text };
    (@hint) => { None };
    (@hint $key:literal $word:literal $rank:literal) => {
        Some(Hint { key: $key, word: $word, rank: $rank })
    };
}

/// The list of sessions.
pub(crate) const TREE: &[Binding] = table! {
    "Up k" Action::Go(Step::Up), "↑↓ jk" "move";
    "Down j" Action::Go(Step::Down);
    "PgUp" Action::Go(Step::PageUp), "PgUp PgDn" "a page up, down";
    "PgDn" Action::Go(Step::PageDown);
    "Ctrl-u" Action::Go(Step::HalfUp), "Ctrl-u Ctrl-d" "half a page up, down";
    "Ctrl-d" Action::Go(Step::HalfDown);
    "g Home" Action::Go(Step::First), "g G Home End" "to the top, to the bottom";
    "G End" Action::Go(Step::Last);
    "Left h" Action::Fold, "←→ hl" "fold or to the parent, unfold";
    "Right l" Action::Unfold;
    "z" Action::FoldAll, "z" "fold or unfold all";
    "Enter" Action::Resume, "Enter" "resume the session, held open meanwhile",
        hint "Enter" "resume" 0;
    "f" Action::Fork, "f" "fork it", hint "f" "fork" 7;
    "/" Action::Filter, "/" "filter by title, project, id, model, kind", hint "/" "filter" 3;
    "s" Action::Search, "s" "search inside the transcripts of those shown", hint "s" "search" 5;
    "p" Action::Prune, "p" "prune by age: dry run, preview, confirmation", hint "p" "prune" 1;
    "d" Action::PruneThese, "d" "prune the selected, or this one, in the same way",
        hint "d" "prune this" 8;
    "u" Action::Trash, "u" "the trash: what was pruned and can be restored", hint "u" "trash" 6;
    "r" Action::Rename, "r" "rename it";
    "e" Action::Export, "e" "export it: Markdown, text, or its log as it is";
    "m" Action::Pin, "m" "pin the selected, or this one: no prune takes it; again: unpin",
        hint "m" "pin" 10;
    "Space" Action::Select, "Space" "select, and go down", hint "Space" "select" 4;
    "v" Action::SelectSubtree, "v" "select it and all that descends from it";
    "V" Action::SelectAll, "V" "select all shown";
    "Tab" Action::Reader, "Tab" "read the conversation", hint "Tab" "read" 5;
    "o" Action::Sort, "o O" "sort by the next column, reverse";
    "O" Action::Reverse;
    "a" Action::Runs, "a" "show or hide the agents' own runs";
    "." Action::Here, "." "only sessions of this folder, or all";
    "y" Action::CopyId, "y Y" "copy the id, the resume command";
    "Y" Action::CopyCommand;
    "R" Action::Refresh, "R" "reload";
    "Esc" Action::Back, "Esc" "clear the filter, then the selection";
    "?" Action::Help, "?" "this help", hint "?" "help" 2;
    "q" Action::Quit, "q Ctrl-c" "quit", hint "q" "quit" 9;
};

/// Typing a filter.
pub(crate) const FILTER: &[Binding] = table! {
    "Up Ctrl-p" Action::Go(Step::Up), "↑↓ Ctrl-n Ctrl-p" "move", hint "↑↓" "move" 2;
    "Down Ctrl-n" Action::Go(Step::Down);
    "Tab" Action::Complete, "Tab" "complete project: kind: model: is: older: newer: size: agent:", hint "Tab" "complete" 3;
    "Enter" Action::Enter, "Enter" "keep the filter; Enter again resumes", hint "Enter" "keep" 0;
    "Esc" Action::Back, "Esc" "clear; again: leave", hint "Esc" "clear, leave" 1;
};

/// Typing what is searched for inside transcripts.
pub(crate) const SEARCH: &[Binding] = table! {
    "Enter" Action::Enter, "Enter" "search: words that all have to be in one message, or /a regular expression/",
        hint "Enter" "search" 0;
    "Esc" Action::Back, "Esc" "leave it", hint "Esc" "cancel" 1;
};

/// What a search has found.
pub(crate) const FOUND: &[Binding] = table! {
    "Up k" Action::Go(Step::Up), "↑↓ jk" "move", hint "↑↓" "move" 3;
    "Down j" Action::Go(Step::Down);
    "PgUp" Action::Go(Step::PageUp), "PgUp PgDn" "a page up, down";
    "PgDn" Action::Go(Step::PageDown);
    "Ctrl-u" Action::Go(Step::HalfUp), "Ctrl-u Ctrl-d" "half a page up, down";
    "Ctrl-d" Action::Go(Step::HalfDown);
    "g Home" Action::Go(Step::First), "g G Home End" "to the top, to the bottom";
    "G End" Action::Go(Step::Last);
    "Left h [" Action::PreviousSection, "←→ hl [ ]" "previous, next session",
        hint "←→" "sessions" 4;
    "Right l ]" Action::NextSection;
    "Enter" Action::Enter, "Enter" "read it there; n N: the next, the previous found",
        hint "Enter" "read" 0;
    "s /" Action::Search, "s /" "search for something else", hint "s" "other words" 2;
    "?" Action::Help, "?" "this help", hint "?" "help" 5;
    "Esc q" Action::Back, "Esc q" "stop the search; again: back to the list",
        hint "Esc" "back" 1;
};

/// Reading a conversation.
pub(crate) const READER: &[Binding] = table! {
    "Up k" Action::Go(Step::Up), "↑↓ jk" "scroll", hint "↑↓" "scroll" 2;
    "Down j" Action::Go(Step::Down);
    "PgUp" Action::Go(Step::PageUp), "PgUp PgDn" "a page up, down";
    "PgDn" Action::Go(Step::PageDown);
    "Ctrl-u" Action::Go(Step::HalfUp), "Ctrl-u Ctrl-d" "half a page up, down";
    "Ctrl-d" Action::Go(Step::HalfDown);
    "g Home" Action::Go(Step::First), "g G Home End" "to the beginning, to the end";
    "G End" Action::Go(Step::Last);
    "[" Action::PreviousUser, "[ ]" "previous, next message of the user",
        hint "[ ]" "your messages" 3;
    "]" Action::NextUser;
    "/" Action::Filter, "/" "find in it", hint "/" "find" 3;
    "n" Action::NextHit, "n N" "the next, the previous found";
    "N" Action::PreviousHit;
    "Enter" Action::Enter, "Enter" "unfold or fold the topmost tool call (▸ ▾)",
        hint "Enter" "unfold" 4;
    "z" Action::FoldAll, "z" "unfold or fold all of them";
    "w" Action::View, "w" "every event, or as the agent would continue",
        hint "w" "raw or continued" 4;
    "e" Action::Export, "e" "export it";
    "x" Action::Secrets, "x" "show this session with its secrets; again: take them out", hint "x" "secrets" 6;
    "?" Action::Help, "?" "this help", hint "?" "help" 5;
    "Esc Tab q" Action::Back, "Esc Tab q" "back", hint "Esc" "back" 1;
};

/// Typing what is looked for in a conversation.
pub(crate) const FIND: &[Binding] = table! {
    "Enter" Action::Enter, "Enter" "find it; n the next, N the previous", hint "Enter" "find" 0;
    "Esc" Action::Back, "Esc" "leave it", hint "Esc" "cancel" 1;
};

/// Asking for an age.
pub(crate) const CUTOFF: &[Binding] = table! {
    "Up" Action::Go(Step::Up), "↑↓" "longer, shorter: 1d 7d 30d 90d 180d 365d";
    "Down" Action::Go(Step::Down);
    "Enter" Action::Enter, "Enter" "dry run: removes nothing, keeps the age for the marks",
        hint "Enter" "dry run" 0;
    "Esc" Action::Back, "Esc" "back, the age as it was before", hint "Esc" "cancel" 1;
};

/// What a prune would do.
pub(crate) const PREVIEW: &[Binding] = table! {
    "Up k" Action::Go(Step::Up), "↑↓ jk" "move";
    "Down j" Action::Go(Step::Down);
    "PgUp" Action::Go(Step::PageUp), "PgUp PgDn" "a page up, down";
    "PgDn" Action::Go(Step::PageDown);
    "Ctrl-u" Action::Go(Step::HalfUp), "Ctrl-u Ctrl-d" "half a page up, down";
    "Ctrl-d" Action::Go(Step::HalfDown);
    "g Home" Action::Go(Step::First), "g G Home End" "to the top, to the bottom";
    "G End" Action::Go(Step::Last);
    "Left h" Action::PreviousSection, "←→ hl" "sections", hint "←→" "sections" 3;
    "Right l" Action::NextSection;
    "Space" Action::TakeOut,
        "Space" "keep this one, or not after all; its ancestors then stay too. In the trash: all of it",
        hint "Space" "keep this one" 2;
    "Enter" Action::Enter, "Enter" "read it", hint "Enter" "read" 4;
    "w" Action::Warnings, "w" "the warnings in full", hint "w" "warnings" 6;
    "c" Action::Confirm, "c" "go on to the confirmation", hint "c" "confirm …" 0;
    "?" Action::Help, "?" "this help", hint "?" "help" 5;
    "Esc q" Action::Back, "Esc q" "back", hint "Esc" "back" 1;
};

/// A yes or a no.
pub(crate) const CONFIRM: &[Binding] = table! {
    "y" Action::Yes, "y" "yes";
    "n Esc Enter" Action::Back, "n Esc Enter" "no";
    "D" Action::DeleteNow, "D" "delete now instead of to the trash, which cannot be undone; or back";
};

/// A yes or a no where a word is asked for.
pub(crate) const TYPED: &[Binding] = table! {
    "Enter" Action::Yes;
    "Esc" Action::Back;
    "D" Action::DeleteNow;
};

/// While something long is done.
pub(crate) const WORKING: &[Binding] = table! {
    "Esc q" Action::Stop, "Esc q" "stop";
};

/// What a prune did.
pub(crate) const REPORT: &[Binding] = table! {
    "Up k" Action::Go(Step::Up), "↑↓ jk" "move";
    "Down j" Action::Go(Step::Down);
    "PgUp" Action::Go(Step::PageUp), "PgUp PgDn" "a page up, down";
    "PgDn" Action::Go(Step::PageDown);
    "Ctrl-u" Action::Go(Step::HalfUp), "Ctrl-u Ctrl-d" "half a page up, down";
    "Ctrl-d" Action::Go(Step::HalfDown);
    "g Home" Action::Go(Step::First), "g G Home End" "to the top, to the bottom";
    "G End" Action::Go(Step::Last);
    "u" Action::Undo, "u" "undo this prune: bring all of it back", hint "u" "undo this prune" 0;
    "?" Action::Help, "?" "this help", hint "?" "help" 2;
    "Esc Enter q" Action::Back, "Esc Enter q" "back", hint "Esc" "back" 1;
};

/// What was pruned.
pub(crate) const TRASH: &[Binding] = table! {
    "Up k" Action::Go(Step::Up), "↑↓ jk" "move";
    "Down j" Action::Go(Step::Down);
    "PgUp" Action::Go(Step::PageUp), "PgUp PgDn" "a page up, down";
    "PgDn" Action::Go(Step::PageDown);
    "Ctrl-u" Action::Go(Step::HalfUp), "Ctrl-u Ctrl-d" "half a page up, down";
    "Ctrl-d" Action::Go(Step::HalfDown);
    "g Home" Action::Go(Step::First), "g G Home End" "to the top, to the bottom";
    "G End" Action::Go(Step::Last);
    "Left h" Action::PreviousSection, "←→ hl" "previous, next batch", hint "←→" "batches" 3;
    "Right l" Action::NextSection;
    "Enter" Action::Enter, "Enter" "restore: all of a batch, or one session with its ancestors",
        hint "Enter" "restore" 0;
    "X" Action::Empty, "X" "empty this batch, which cannot be undone: asks first",
        hint "X" "empty …" 4;
    "?" Action::Help, "?" "this help", hint "?" "help" 2;
    "Esc q" Action::Back, "Esc q" "back", hint "Esc" "back" 1;
};

/// Asking for a text for the agent.
pub(crate) const PROMPT: &[Binding] = table! {
    "Enter" Action::Enter, "Enter" "with a text: one reply; empty: the agent's own screen",
        hint "Enter" "start" 0;
    "Esc" Action::Back, "Esc" "let go of the session, start nothing", hint "Esc" "cancel" 1;
};

/// Asking for a title.
pub(crate) const RENAME: &[Binding] = table! {
    "Enter" Action::Enter, "Enter" "give it this title", hint "Enter" "rename" 0;
    "Esc" Action::Back, "Esc" "leave it as it is", hint "Esc" "cancel" 1;
};

/// Asking for a file to export to.
pub(crate) const EXPORT: &[Binding] = table! {
    "Enter" Action::Enter, "Enter" "write it; what exists is left as it is", hint "Enter" "write" 0;
    "Tab" Action::Complete, "Tab" "Markdown, text, or the log as it is", hint "Tab" "format" 2;
    "Esc" Action::Back, "Esc" "leave it, or stop writing", hint "Esc" "cancel" 1;
};

/// The help itself.
pub(crate) const HELP: &[Binding] = table! {
    "Up k" Action::Go(Step::Up), "↑↓ jk" "scroll", hint "↑↓" "scroll" 1;
    "Down j" Action::Go(Step::Down);
    "PgUp" Action::Go(Step::PageUp);
    "PgDn" Action::Go(Step::PageDown);
    "Ctrl-u" Action::Go(Step::HalfUp);
    "Ctrl-d" Action::Go(Step::HalfDown);
    "g Home" Action::Go(Step::First);
    "G End" Action::Go(Step::Last);
    "Esc ? q" Action::Back, "Esc" "back", hint "Esc" "back" 0;
};

/// The tables by name, as the help lists them.
pub(crate) const ALL: &[(&str, &[Binding])] = &[
    ("Sessions", TREE),
    ("Filter", FILTER),
    ("Search", SEARCH),
    ("Found", FOUND),
    ("Reader", READER),
    ("Find", FIND),
    ("Cutoff", CUTOFF),
    ("Preview", PREVIEW),
    ("Confirmation", CONFIRM),
    ("While it works", WORKING),
    ("Report", REPORT),
    ("Trash", TRASH),
    ("Resume, fork", PROMPT),
    ("Rename", RENAME),
    ("Export", EXPORT),
];
