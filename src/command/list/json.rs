//! The JSON of `list` and `tree`; absent values are left out.

use serde::Serialize;

use super::super::FaultJson;
use crate::session::{Agent, Openness, SessionId};
use crate::text::SafeText;

/// All that is printed.
#[derive(Serialize)]
pub(super) struct Json<'a> {
    pub(super) schema: u32,
    pub(super) sessions: Vec<SessionJson<'a>>,
    pub(super) faults: Vec<FaultJson<'a>>,
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
    pub(super) cwd: Option<SafeText>,
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
