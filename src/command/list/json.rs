//! The JSON of `list` and `tree`; absent values are left out.

use std::io::{self, Write as _};
use std::num::NonZero;
use std::sync::mpsc::sync_channel;
use std::thread;

use serde::Serialize;

use super::super::{Failure, FaultJson};
use crate::session::{Agent, Openness, SessionId};
use crate::text::SafeText;

/// Sessions that become JSON at a time.
const PART: usize = 512;

/// Parts that a core makes before they are written.
const AHEAD: usize = 4;
/// Of most sessions' JSON, in bytes.
const LENGTH: usize = 512;

/// Prints it all, on one line. Sessions become JSON on all cores, a few parts ahead of what is written.
pub(super) fn print<'a, R: Sync>(
    rows: &'a [R],
    session: &(impl Fn(&'a R) -> SessionJson<'a> + Sync),
    faults: &[FaultJson<'_>],
) -> Result<(), Failure> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let mut out = io::stdout().lock();
    out.write_all(b"{\"schema\":1,\"sessions\":[")?;
    thread::scope(|scope| {
        let mut making = Vec::new();
        for thread in 0..threads.min(rows.len().div_ceil(PART)) {
            let (made, parts) = sync_channel(AHEAD);
            making.push(parts);
            scope.spawn(move || {
                let own = rows.chunks(PART).skip(thread).step_by(threads);
                // Nobody takes them any more when writing has failed.
                let _ = own
                    .map(|rows| text(rows, session))
                    .try_for_each(|part| made.send(part));
            });
        }
        let parts = rows.len().div_ceil(PART);
        for (part, from) in (0..parts).zip(making.iter().cycle()) {
            out.write_all(if part == 0 { b"" } else { b"," })?;
            out.write_all(&from.recv().map_err(|_| broken())??)?;
        }
        Ok::<_, Failure>(())
    })?;
    out.write_all(b"],\"faults\":")?;
    serde_json::to_writer(&mut out, faults)?;
    out.write_all(b"}\n")?;
    out.flush()?;
    Ok(())
}

/// Some sessions as JSON, with commas between them.
fn text<'a, R>(
    rows: &'a [R],
    session: &impl Fn(&'a R) -> SessionJson<'a>,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::with_capacity(rows.len() * LENGTH);
    for row in rows {
        if !text.is_empty() {
            text.push(b',');
        }
        serde_json::to_writer(&mut text, &session(row))?;
    }
    Ok(text)
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
