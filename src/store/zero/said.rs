//! All that an event says, to be searched and exported.
//!
//! Must never fail, and never make much more of a line than it is: a payload that is not as expected
//! says what can be made out of it. Names of fields, ids, counts and states are never among what is
//! searched.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::events::{Event, Fields};
use super::json;
use super::messages::{details, first, speaker, used};
use crate::store::log::Said;
use crate::transcript::Role;

/// How deep in arrays and objects texts are looked for; what is deeper is taken as it is written.
const DEEPEST: usize = 32;

/// The longest name that is shown before a text, in bytes.
const NAME: usize = 64;

/// What a line of the log says; `None`: it is no event.
pub(super) fn said(line: &[u8]) -> Option<Said> {
    let line = String::from_utf8_lossy(line);
    let event = Event::read(&line)?;
    let fields = Fields::read(event.payload).unwrap_or_default();
    let mut said = Told::default();
    let role = match &*event.kind {
        "message" => message(&fields, &mut said),
        "tool_call" => call(&fields, &mut said),
        "tool_result" => result(&fields, &mut said),
        "error" => text(&fields, "message", Role::Error, &mut said),
        "session_compaction" => text(&fields, "summary", Role::Compaction, &mut said),
        "provider_usage" => {
            said.aside = used(&fields);
            Role::Note
        }
        kind => note(kind, &fields, &mut said),
    };
    Some(Said {
        role,
        at: event.at,
        name: said.name,
        aside: said.aside,
        shown: said.shown,
        words: said.words,
    })
}

/// What is gathered of an event.
#[derive(Default)]
struct Told {
    name: String,
    aside: String,
    shown: String,
    words: String,
}

impl Told {
    /// A text to be read and searched.
    fn add(&mut self, name: &str, text: &str) {
        self.search(text);
        self.show(name, text);
    }

    fn search(&mut self, text: &str) {
        on_a_new_line(&mut self.words, text);
    }

    fn show(&mut self, name: &str, text: &str) {
        if name.is_empty() {
            return on_a_new_line(&mut self.shown, text);
        }
        on_a_new_line(&mut self.shown, &name[..name.floor_char_boundary(NAME)]);
        self.shown.push_str(": ");
        self.shown.push_str(text);
    }

    fn beside(&mut self, text: &str) {
        if !self.aside.is_empty() && !text.is_empty() {
            self.aside.push_str(" · ");
        }
        self.aside.push_str(text);
    }

    /// Every text in a JSON value, each with the name of the field that it is in.
    fn texts(&mut self, name: &str, raw: &str, depth: usize) -> Result<(), serde_json::Error> {
        match raw.as_bytes().first() {
            Some(b'"') => {
                let text = json::string(raw);
                self.add(name, text.as_deref().unwrap_or(raw));
            }
            Some(b'{') if depth < DEEPEST => {
                let mut read = Ok(());
                json::each_field(raw, |key, raw| {
                    if read.is_ok() {
                        read = self.texts(&key, raw, depth + 1);
                    }
                })?;
                return read;
            }
            Some(b'[') if depth < DEEPEST => {
                let items: Vec<&RawValue> = serde_json::from_str(raw)?;
                for (at, item) in items.into_iter().enumerate() {
                    // Once is enough: a long name before each of many small ones would be much.
                    let name = if at == 0 { name } else { "" };
                    self.texts(name, item.get(), depth + 1)?;
                }
            }
            _ if raw == "null" => {}
            _ => self.add(name, raw),
        }
        Ok(())
    }

    /// The same of JSON that may be none: then it is a text like any other.
    fn texts_or_text(&mut self, text: &str) {
        let raw = text.trim();
        let (shown, words) = (self.shown.len(), self.words.len());
        if !raw.starts_with(['{', '[']) || self.texts("", raw, 0).is_err() {
            self.shown.truncate(shown);
            self.words.truncate(words);
            self.add("", text);
        }
    }

    /// A field that is a text, or has texts in it.
    fn field(&mut self, fields: &Fields<'_>, name: &str) -> bool {
        let Some(raw) = fields.raw(name) else {
            return false;
        };
        match json::string(raw) {
            Some(text) if text.trim().is_empty() => return false,
            Some(text) => self.add("", &text),
            None => self.texts_or_text(raw),
        }
        true
    }
}

fn on_a_new_line(text: &mut String, more: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(more);
}

fn text(fields: &Fields<'_>, name: &str, role: Role, said: &mut Told) -> Role {
    said.field(fields, name);
    role
}

fn message(fields: &Fields<'_>, said: &mut Told) -> Role {
    let role = fields.text("role").trim().to_ascii_lowercase();
    if !said.field(fields, "content") && role == "ask_user_answers" {
        said.field(fields, "answers");
    }
    let (speaker, other) = speaker(&role);
    other.clone_into(&mut said.name);
    speaker
}

fn call(fields: &Fields<'_>, said: &mut Told) -> Role {
    tool(fields, said);
    if let Some(raw) = fields.raw("arguments") {
        said.texts_or_text(&json::string(raw).unwrap_or(Cow::Borrowed(raw)));
    }
    Role::ToolCall
}

fn result(fields: &Fields<'_>, said: &mut Told) -> Role {
    tool(fields, said);
    said.beside(&first(fields, &["status"]));
    for flag in ["truncated", "redacted"] {
        if fields.raw(flag) == Some("true") {
            said.beside(flag);
        }
    }
    if let Some(files) = fields.raw("changedFiles") {
        // What is no list of files is none.
        let _ = said.texts("changed", files, 0);
    }
    let output = said.field(fields, "output");
    match fields.text("displayPreview") {
        preview if preview.trim().is_empty() || preview == fields.text("output") => {}
        preview if output => said.search(&preview),
        preview => said.add("", &preview),
    }
    Role::ToolResult
}

fn tool(fields: &Fields<'_>, said: &mut Told) {
    said.name = first(fields, &["name", "toolName"]).into_owned();
    if !said.name.is_empty() {
        said.words.clone_from(&said.name);
    }
}

fn note(kind: &str, fields: &Fields<'_>, said: &mut Told) -> Role {
    said.name = kind.replace('_', " ");
    for (word, name) in details(kind).unwrap_or_default() {
        let value = fields.text(name);
        if value.trim().is_empty() {
        } else if name.ends_with("Id") || name.ends_with("Sequence") {
            said.beside(format!("{word} {value}").trim_start());
        } else {
            said.add(word, &value);
        }
    }
    Role::Note
}

#[cfg(test)]
mod tests;
