//! A transcript as plain text: what messages say is indented, so it cannot pass for anything else.

use std::io::{self, Write};

use super::{Document, Message, Missing, facts, time};
use crate::session::Session;
use crate::transcript::Role;

pub(super) struct Text;

impl Document for Text {
    fn begin(&mut self, session: &Session, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n", session.name())?;
        for (name, fact) in facts(session) {
            writeln!(out, "{name:<12} {fact}")?;
        }
        Ok(())
    }

    fn message(&mut self, message: &Message, out: &mut dyn Write) -> io::Result<()> {
        let at = message.at.map_or_else(|| "undated".to_owned(), time);
        if message.role == Role::Note {
            return writeln!(out, "\n[{at}] {}", message.line());
        }
        let head = if message.head.is_empty() { "" } else { ": " };
        let role = message.role.word();
        writeln!(out, "\n[{at}] {role}{head}{}", message.head)?;
        for line in message.body.lines() {
            writeln!(out, "{}", format!("    {line}").trim_end())?;
        }
        Ok(())
    }

    fn end(&mut self, missing: Missing, out: &mut dyn Write) -> io::Result<()> {
        match missing.told() {
            Some(told) => writeln!(out, "\n[{told}]"),
            None => Ok(()),
        }
    }
}
