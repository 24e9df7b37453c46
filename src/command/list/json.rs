//! The JSON of `list` and `tree`; absent values are left out.

use std::io::{self, Write as _};
use std::num::NonZero;
use std::thread;

use serde::Serialize;

use super::super::{Failure, FaultJson};
use crate::session::{Agent, Openness, SessionId};
use crate::text::SafeText;

/// Sessions that become JSON on one core at a time.
const PART: usize = 1024;

/// Prints it all, on one line; sessions become JSON on all cores.
pub(super) fn print<'a, R: Sync>(
    rows: &'a [R],
    session: &(impl Fn(&'a R) -> SessionJson<'a> + Sync),
    faults: &[FaultJson<'_>],
) -> Result<(), Failure> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let mut out = io::stdout().lock();
    out.write_all(b"{\"schema\":1,\"sessions\":[")?;
    let mut texts = vec![Vec::new(); threads];
    for (at, rows) in rows.chunks(threads * PART).enumerate() {
        thread::scope(|scope| {
            let parts = rows.chunks(PART).zip(&mut texts);
            let parts = parts.map(|(rows, text)| scope.spawn(|| write(text, rows, session)));
            let parts: Vec<_> = parts.collect();
            parts
                .into_iter()
                .try_for_each(|part| part.join().map_err(|_| broken())?)
        })?;
        for (part, text) in texts.iter().take(rows.len().div_ceil(PART)).enumerate() {
            let first = at == 0 && part == 0;
            out.write_all(if first { b"" } else { b"," })?;
            out.write_all(text)?;
        }
    }
    out.write_all(b"],\"faults\":")?;
    serde_json::to_writer(&mut out, faults)?;
    out.write_all(b"}\n")?;
    out.flush()?;
    Ok(())
}

/// Makes JSON of some sessions, in place of the text.
fn write<'a, R>(
    text: &mut Vec<u8>,
    rows: &'a [R],
    session: &impl Fn(&'a R) -> SessionJson<'a>,
) -> Result<(), Failure> {
    text.clear();
    for row in rows {
        if !text.is_empty() {
            text.push(b',');
        }
        serde_json::to_writer(&mut *text, &session(row))?;
    }
    Ok(())
}

fn broken() -> io::Error {
    io::Error::other("a bug in sesstree: a part of the list was not made")
}

/// One session.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionJson<'a> {
    pub(super) agent: Agent,
    pub(super) id: &'a SessionId,
    #[serde(skip_serializing_if = "SafeText::is_empty")]
    pub(super) title: &'a SafeText,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cwd: Option<&'a SafeText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<&'a SafeText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent_id: Option<&'a SessionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) activity_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) events: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) open: Option<OpenJson<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) pinned: bool,
    pub(super) marks: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fault: Option<String>,
}

#[derive(Serialize)]
pub(super) struct OpenJson<'a> {
    pub(super) state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) process: Option<&'a SafeText>,
}

impl<'a> OpenJson<'a> {
    pub(super) fn new(open: &'a Openness) -> Option<Self> {
        let state = match open {
            Openness::NoSign => return None,
            Openness::Open(_) => "open",
            Openness::Maybe => "maybe",
            Openness::Unknown => "unknown",
        };
        Some(Self {
            state,
            pid: open.holder().map(|holder| holder.pid),
            process: open.holder().map(|holder| &holder.process),
        })
    }
}
