//! Stores in temporary folders, built session by session, and a look at all that is on disk.

pub(crate) mod apart;
pub(crate) mod binary;
pub(crate) mod hostile;
pub(crate) mod strace;
pub(crate) mod terminal;
pub(crate) mod whole;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Map, Value, json};

/// The time that tests take for now: 2026-11-01 12:00 UTC.
pub(crate) fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_793_534_400, 0).unwrap()
}

/// Tells of a test that proves nothing here, past the harness, which hides what tests print. In CI,
/// which sets `SESSTREE_CI`, everything is there that a test may need: it fails.
pub(crate) fn skipped(why: &str) {
    use std::io::Write as _;
    assert!(std::env::var_os("SESSTREE_CI").is_none(), "skipped: {why}");
    let line = format!("\nSKIPPED: {why}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

pub(crate) fn days_ago(days: i64) -> DateTime<Utc> {
    now() - TimeDelta::days(days)
}

/// A Zero store in a temporary folder.
pub(crate) struct TestStore {
    dir: tempfile::TempDir,
}

impl TestStore {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sessions")).unwrap();
        Self { dir }
    }

    /// The sessions folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("sessions")
    }

    /// The folder that the store is in.
    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    /// A folder beside the store, for whatever else a test needs.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A path below the sessions folder.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root().join(below)
    }

    /// A session to be described and written.
    pub(crate) fn session(&self, id: &str) -> SessionBuilder {
        SessionBuilder {
            folder: self.path(id),
            id: id.to_owned(),
            fields: Map::new(),
            events: Vec::new(),
            at: days_ago(0),
        }
    }

    /// A plain session last active `days` ago, under `parent` unless that is empty.
    pub(crate) fn add(&self, id: &str, parent: &str, days: i64) {
        self.add_at(id, parent, days_ago(days));
    }

    /// The same by the real clock, which the binary goes by.
    pub(crate) fn add_aged(&self, id: &str, parent: &str, days: i64) {
        self.add_at(id, parent, Utc::now() - TimeDelta::days(days));
    }

    fn add_at(&self, id: &str, parent: &str, at: DateTime<Utc>) {
        let session = self.session(id).at(at).message("user", "hello");
        match parent {
            "" => session.write(),
            parent => session.parent(parent).write(),
        }
    }

    /// Whether the session is in its place, whole.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.path(id).join("metadata.json").is_file()
    }

    /// Everything below the sessions folder, see [`snapshot`].
    pub(crate) fn snapshot(&self) -> BTreeMap<PathBuf, String> {
        snapshot(&self.root())
    }
}

/// Writes a session as Zero does: folders 0700, files 0600.
pub(crate) struct SessionBuilder {
    folder: PathBuf,
    id: String,
    fields: Map<String, Value>,
    events: Vec<Value>,
    at: DateTime<Utc>,
}

impl SessionBuilder {
    /// Last activity.
    pub(crate) fn at(mut self, at: DateTime<Utc>) -> Self {
        self.at = at;
        self
    }

    pub(crate) fn field(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn parent(self, id: &str) -> Self {
        let kind = self.fields.contains_key("sessionKind");
        let forked = self.field("parentSessionId", id);
        if kind {
            forked
        } else {
            forked.field("sessionKind", "fork")
        }
    }

    pub(crate) fn event(mut self, kind: &str, payload: &Value) -> Self {
        let sequence = self.events.len() + 1;
        self.events.push(json!({
            "id": format!("{}:{sequence}", self.id), "sessionId": self.id, "sequence": sequence,
            "type": kind, "createdAt": rfc3339(self.at), "payload": payload,
        }));
        self
    }

    pub(crate) fn message(self, role: &str, content: &str) -> Self {
        self.event("message", &json!({"role": role, "content": content}))
    }

    pub(crate) fn write(self) {
        let mut metadata = json!({
            "sessionId": self.id, "title": format!("title of {}", self.id), "cwd": "/home/you/src/api",
            "modelId": "gpt-x", "createdAt": rfc3339(self.at - TimeDelta::hours(1)),
            "updatedAt": rfc3339(self.at), "eventCount": self.events.len(), "lastEventType": "message",
        });
        metadata.as_object_mut().unwrap().extend(self.fields);
        make_folder(&self.folder);
        let mut text = serde_json::to_string_pretty(&metadata).unwrap();
        text.push('\n');
        write_file(&self.folder.join("metadata.json"), text.as_bytes());
        let mut lines: Vec<String> = self.events.iter().map(Value::to_string).collect();
        lines.push(String::new());
        write_file(
            &self.folder.join("events.jsonl"),
            lines.join("\n").as_bytes(),
        );
        write_file(&self.folder.join("session.lock"), b"");
        write_file(&self.folder.join("lease.lock"), b"");
    }
}

pub(crate) fn rfc3339(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

pub(crate) fn make_folder(path: &Path) {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(path).unwrap();
}

pub(crate) fn write_file(path: &Path, bytes: &[u8]) {
    use std::io::Write as _;
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
        .unwrap();
    file.write_all(bytes).unwrap();
}

/// Sets when a file or folder was last written and read.
pub(crate) fn set_time(path: &Path, at: DateTime<Utc>) {
    use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
    let time = Timespec {
        tv_sec: at.timestamp(),
        tv_nsec: 0,
    };
    let times = Timestamps {
        last_access: time,
        last_modification: time,
    };
    utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW).unwrap();
}

/// The same, of all that is in it too.
pub(crate) fn set_age(path: &Path, at: DateTime<Utc>) {
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).unwrap() {
            set_age(&entry.unwrap().path(), at);
        }
    }
    set_time(path, at);
}

/// Every file, folder and link below `root`: mode, times, size and contents, by path.
/// Access times are left out. Nothing is followed, and nothing but regular files is opened.
pub(crate) fn snapshot(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut seen = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let at = fs::symlink_metadata(&path).unwrap();
        let contents = if at.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            String::new()
        } else if at.is_file() && at.size() < 1 << 24 {
            use std::hash::{DefaultHasher, Hash as _, Hasher as _};
            let mut hash = DefaultHasher::new();
            fs::read(&path).unwrap_or_default().hash(&mut hash);
            format!("{:x}", hash.finish())
        } else {
            fs::read_link(&path)
                .map(|to| to.display().to_string())
                .unwrap_or_default()
        };
        let line = format!(
            "{:o} ino {} mtime {}.{} ctime {}.{} size {} {contents}",
            at.mode(),
            at.ino(),
            at.mtime(),
            at.mtime_nsec(),
            at.ctime(),
            at.ctime_nsec(),
            at.size(),
        );
        seen.insert(path.strip_prefix(root).unwrap().to_owned(), line);
    }
    seen
}
