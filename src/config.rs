//! What the environment and the agent's own settings say; nothing here is ever written.
//!
//! Invariant: the environment comes in as an argument ([`Env`]), so tests never touch the real home.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use serde_json::Value;
use thiserror::Error;

use crate::prune::policy::{Age, AgeError};
use crate::session::Agent;
use crate::text::{SafeText, Secrets};

/// Environment variables, as they were given to the process. A blank one counts as unset.
#[derive(Clone, Debug, Default)]
pub struct Env(HashMap<OsString, OsString>);

impl Env {
    /// Those of this process.
    pub fn of_process() -> Self {
        std::env::vars_os().collect()
    }

    /// A variable, unless it is unset or blank.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let value = self.0.get(OsStr::new(name))?;
        let blank = value.to_str().is_some_and(|text| text.trim().is_empty());
        (!blank).then_some(value.as_os_str())
    }

    /// A variable that names a folder.
    pub fn folder(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    /// `$<xdg>`, else `$HOME/<fallback>`. Relative XDG paths are ignored, as their specification says.
    pub fn base(&self, xdg: &str, fallback: &str) -> Option<PathBuf> {
        let set = self.folder(xdg).filter(|path| path.is_absolute());
        set.or_else(|| Some(self.folder("HOME")?.join(fallback)))
    }
}

impl FromIterator<(OsString, OsString)> for Env {
    fn from_iter<I: IntoIterator<Item = (OsString, OsString)>>(vars: I) -> Self {
        Self(vars.into_iter().collect())
    }
}

/// Where Zero keeps its sessions: `$XDG_DATA_HOME/zero/sessions`, else `~/.local/share/zero/sessions`.
pub fn zero_root(env: &Env) -> Option<PathBuf> {
    Some(
        env.base("XDG_DATA_HOME", ".local/share")?
            .join("zero/sessions"),
    )
}

/// The user's own Zero config: `$XDG_CONFIG_HOME/zero/config.json`, else `~/.config/zero/config.json`.
pub fn zero_config(env: &Env) -> Option<PathBuf> {
    Some(
        env.base("XDG_CONFIG_HOME", ".config")?
            .join("zero/config.json"),
    )
}

/// Our own folder for what is to last: `$XDG_STATE_HOME/sesstree`, else `~/.local/state/sesstree`.
pub fn state(env: &Env) -> Option<PathBuf> {
    Some(env.base("XDG_STATE_HOME", ".local/state")?.join("sesstree"))
}

/// Where magi-code keeps its sessions: `$MC_HOME/sessions`, else `~/.magi-code/sessions`; where there is only
/// the folder of older ones, `~/.mc/sessions`.
pub fn magi_root(env: &Env) -> Option<PathBuf> {
    if let Some(home) = env.folder("MC_HOME") {
        return Some(home.join("sessions"));
    }
    let home = env.folder("HOME")?;
    let [new, old] = [".magi-code", ".mc"].map(|name| home.join(name).join("sessions"));
    Some(if !new.is_dir() && old.is_dir() {
        old
    } else {
        new
    })
}

/// Where an agent keeps its sessions; `None`: that cannot be told without a home.
pub fn root(agent: Agent, env: &Env) -> Option<PathBuf> {
    match agent {
        Agent::Zero => zero_root(env),
        Agent::Magi => magi_root(env),
    }
}

/// The agent's program with leading arguments: what [`Agent::setting`] says, split at white space, else
/// [`Agent::program`].
pub fn command(agent: Agent, env: &Env) -> Vec<OsString> {
    match env.get(agent.setting()).map(|text| (text, text.to_str())) {
        Some((_, Some(text))) => text.split_whitespace().map(OsString::from).collect(),
        Some((raw, None)) => vec![raw.to_owned()],
        None => vec![OsString::from(agent.program())],
    }
}

/// Why the agent's own retention setting cannot be used.
#[derive(Debug, Error)]
pub enum RetentionError {
    /// The file is there but cannot be read.
    #[error("cannot read {}: {}", SafeText::path(.0), SafeText::line(&.1.to_string()))]
    Unreadable(PathBuf, #[source] io::Error),
    /// The file is not JSON.
    #[error("{} is not valid JSON: {}", SafeText::path(.0), SafeText::line(&.1.to_string()))]
    NotJson(PathBuf, #[source] serde_json::Error),
    /// The setting is not a number of days.
    #[error("sessions.retentionDays in {} must be a whole number of days, 0 for none; it is {}", SafeText::path(.0), .1)]
    NotDays(PathBuf, SafeText),
    /// The setting is out of range.
    #[error("sessions.retentionDays in {} is {}: {}", SafeText::path(.0), .1, .2)]
    OutOfRange(PathBuf, u64, AgeError),
}

/// `sessions.retentionDays` of the user's Zero config: `None` if there is no file, no key, or it is 0.
pub fn zero_retention(file: &Path) -> Result<Option<Age>, RetentionError> {
    let owned = || file.to_owned();
    let text = match read(file) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(RetentionError::Unreadable(owned(), e)),
    };
    let config: Value =
        serde_json::from_slice(&text).map_err(|e| RetentionError::NotJson(owned(), e))?;
    let sessions = match &config {
        Value::Object(keys) => keys.get("sessions").unwrap_or(&Value::Null),
        other => other,
    };
    let days = match sessions {
        Value::Null => &Value::Null,
        Value::Object(keys) => keys.get("retentionDays").unwrap_or(&Value::Null),
        other => {
            return Err(RetentionError::NotDays(
                owned(),
                SafeText::line(&other.to_string()),
            ));
        }
    };
    match days.as_u64() {
        _ if days.is_null() => Ok(None),
        None => Err(RetentionError::NotDays(
            owned(),
            SafeText::line(&days.to_string()),
        )),
        Some(0) => Ok(None),
        Some(n) => match u32::try_from(n)
            .map_err(|_| AgeError::TooLong)
            .and_then(Age::days)
        {
            Ok(age) => Ok(Some(age)),
            Err(e) => Err(RetentionError::OutOfRange(owned(), n, e)),
        },
    }
}

/// Reads a settings file of at most 1 MiB, and waits for nobody: it may be a FIFO by now.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    const MAX: u64 = 1 << 20;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut text = Vec::new();
    if file.take(MAX + 1).read_to_end(&mut text)? as u64 > MAX {
        return Err(io::Error::other("it is larger than 1 MiB"));
    }
    Ok(text)
}

/// Everything a run needs to know from outside.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whose sessions.
    pub agent: Agent,
    /// The sessions folder.
    pub root: PathBuf,
    /// What is said in place of that folder, where it says nothing to the user.
    pub label: Option<SafeText>,
    /// The folder we were started in.
    pub here: Option<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Where what outlives the trash is kept: the record of removals.
    pub state: Option<PathBuf>,
    /// The agent's own retention setting, or what is wrong with it.
    pub retention: Result<Option<Age>, SafeText>,
    /// The agent's program with leading arguments; never empty.
    pub command: Vec<OsString>,
    /// `PATH`, for finding that program.
    pub path: Option<OsString>,
    /// `NO_COLOR` is set, or the terminal is dumb.
    pub no_color: bool,
    /// Whether secrets in titles, folders and transcripts are shown.
    pub secrets: Secrets,
}

impl Settings {
    /// What the environment says about a run on an agent's sessions in `root`.
    pub fn new(agent: Agent, root: PathBuf, env: &Env, here: Option<PathBuf>) -> Self {
        let retention = match agent {
            Agent::Zero => zero_config(env).map_or(Ok(None), |file| zero_retention(&file)),
            // Its own prune takes what is older than 30 days unless it is told otherwise, as does ours.
            Agent::Magi => Ok(None),
        };
        let dumb = env.get("TERM").is_some_and(|term| term == "dumb");
        Self {
            agent,
            root,
            label: None,
            here,
            home: env.folder("HOME"),
            state: state(env),
            retention: retention.map_err(|error| SafeText::line(&error.to_string())),
            command: command(agent, env),
            path: env.get("PATH").map(OsStr::to_owned),
            no_color: dumb || env.get("NO_COLOR").is_some(),
            secrets: Secrets::default(),
        }
    }
}

#[cfg(test)]
mod tests;
