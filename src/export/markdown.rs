//! A transcript as Markdown, with the tables and details that most readers know.

use std::io::{self, Write};

use super::prose::{fenced, html, inline, prose};
use super::{Document, Message, Missing, facts, time};
use crate::session::Session;
use crate::transcript::Role;

#[derive(Default)]
pub(super) struct Markdown {
    /// The last thing written is a list of notes.
    listing: bool,
}

impl Document for Markdown {
    fn begin(&mut self, session: &Session, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "# {}\n", inline(session.name()))?;
        writeln!(out, "| | |\n|---|---|")?;
        for (name, fact) in facts(session) {
            writeln!(out, "| {name} | {} |", inline(fact.as_str()))?;
        }
        Ok(())
    }

    fn message(&mut self, message: &Message, out: &mut dyn Write) -> io::Result<()> {
        if message.role == Role::Note {
            if !self.listing {
                writeln!(out)?;
            }
            self.listing = true;
            let at = message.at.map_or_else(|| "undated".to_owned(), time);
            return writeln!(out, "- {at} · {}", inline(message.line().as_str()));
        }
        self.listing = false;
        let body = message.body.as_str();
        let at = message.at.map(|at| format!(" · {}", time(at)));
        let at = at.unwrap_or_default();
        let (title, folded) = match message.role {
            Role::User => ("You", false),
            Role::Agent => ("Agent", false),
            Role::System => ("System", false),
            Role::Compaction => ("Summary", false),
            Role::Error => ("Error", false),
            Role::ToolCall => ("Tool", true),
            Role::ToolResult => ("Result", true),
            Role::Note => ("", true),
        };
        let head = match message.head.as_str() {
            "" => title.to_owned(),
            head => format!("{title}: {head}"),
        };
        if folded {
            writeln!(out, "\n<details><summary>{}{at}</summary>\n", html(&head))?;
            if !body.is_empty() {
                writeln!(out, "{}\n", fenced(body, ""))?;
            }
            return writeln!(out, "</details>");
        }
        writeln!(out, "\n## {}{at}\n", inline(&head))?;
        match message.role {
            _ if body.trim().is_empty() => writeln!(out, "(empty)"),
            Role::Error => writeln!(out, "{}", fenced(body, "")),
            _ => writeln!(out, "{}", prose(body)),
        }
    }

    fn end(&mut self, missing: Missing, out: &mut dyn Write) -> io::Result<()> {
        match missing.told() {
            Some(told) => writeln!(out, "\n---\n\n{told}"),
            None => Ok(()),
        }
    }
}
