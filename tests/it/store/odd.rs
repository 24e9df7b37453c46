//! One store with every odd thing that a store was seen to hold, and what each is told as.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use chrono::{DateTime, SecondsFormat};
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::json;
use sesstree::session::{Condition, Session, SessionId};

use super::{Told, scan};
use crate::support::binary::{json, run};
use crate::support::{TestStore, make_folder, write_file};

/// A store, and how each session in it should be told: its condition in words, and its parent.
struct Odd {
    store: TestStore,
    expected: Vec<(String, String, Option<&'static str>)>,
    faults: Vec<(&'static [u8], &'static str)>,
}

impl Odd {
    fn new() -> Self {
        Self {
            store: TestStore::new(),
            expected: Vec::new(),
            faults: Vec::new(),
        }
    }

    fn expect(&mut self, id: &str, condition: &str, parent: Option<&'static str>) {
        self.expected.push((id.into(), condition.into(), parent));
    }

    /// A session whose metadata.json is exactly these bytes.
    fn raw(&mut self, id: &str, metadata: &[u8], condition: &str, parent: Option<&'static str>) {
        make_folder(&self.store.path(id));
        write_file(&self.store.path(id).join("metadata.json"), metadata);
        self.expect(id, condition, parent);
    }

    /// A session that Zero reads: `fields` beside its id and its parent.
    fn sound(&mut self, id: &str, fields: &str) {
        let text = format!(r#"{{"sessionId":"{id}","parentSessionId":"old",{fields}}}"#);
        self.raw(id, text.as_bytes(), "sound", Some("old"));
    }

    /// A session whose log says that it is a fork of `old`, with something else for metadata.
    fn with_log(&mut self, id: &str, make: impl FnOnce(&Path), condition: &str) {
        let forks = self.store.session(id).message("user", "hello");
        let forks = ["older", "old"].into_iter().fold(forks, |session, parent| {
            session.event("session_fork", &json!({"parentSessionId": parent}))
        });
        forks.write();
        let metadata = self.store.path(id).join("metadata.json");
        fs::remove_file(&metadata).unwrap();
        make(&metadata);
        self.expect(id, condition, Some("old"));
    }

    fn check(&self, told: &Told) {
        for (id, condition, parent) in &self.expected {
            let session = told.sessions.get(id);
            let session = session.unwrap_or_else(|| panic!("{id} is told"));
            let seen = session.condition.to_string();
            assert!(seen.starts_with(condition.as_str()), "{id}: {seen}");
            let seen = session.parent.as_ref().map(SessionId::as_str);
            assert_eq!(seen, *parent, "{id}");
        }
        for (name, what) in &self.faults {
            let path = self.store.root().join(OsStr::from_bytes(name));
            let seen = told.faults.get(&path).map(String::as_str);
            assert_eq!(seen, Some(*what), "{}", path.display());
        }
        assert_eq!(told.sessions.len(), self.expected.len());
        assert_eq!(told.faults.len(), self.faults.len(), "{:?}", told.faults);
    }
}

fn what_zero_lists(odd: &mut Odd) {
    odd.sound("unknown-fields", r#""new":{"title":[1,2]},"title":"t""#);
    odd.sound("repeated-keys", r#""title":"a","title":"b""#);
    odd.sound("letter-case", r#""TITLE":"b","EventCount":3"#);
    odd.sound(
        "null-fields",
        r#""title":null,"goal":null,"eventCount":null"#,
    );
    odd.sound("lone-surrogate", r#""title":"b\ud800""#);
    let text = b"{\"sessionId\":\"not-utf8\",\"title\":\"b\xFF\",\"x\":\"\xC3\"}";
    odd.raw("not-utf8", text, "sound", None);
    let deep = format!("\"x\":{}{}", "[".repeat(9_999), "]".repeat(9_999));
    odd.sound("deep-enough", &deep);
    let padding = format!("\"x\":\"{}\"", "x".repeat(1_000_000));
    odd.sound("large", &padding);
    odd.sound(&"x".repeat(128), r#""title":"128 characters""#);
    odd.sound("with-checkpoints", r#""title":"b""#);
    make_folder(&odd.store.path("with-checkpoints/checkpoints/blobs"));
    write_file(
        &odd.store.path("with-checkpoints/checkpoints/blobs/0a"),
        b"blob",
    );
    odd.sound("locks-are-folders", r#""title":"b""#);
    make_folder(&odd.store.path("locks-are-folders/lease.lock"));
    make_folder(&odd.store.path("locks-are-folders/session.lock"));
    odd.sound("log-is-a-fifo", r#""title":"b""#);
    mkfifoat(
        CWD,
        odd.store.path("log-is-a-fifo/events.jsonl"),
        Mode::RUSR,
    )
    .unwrap();
}

fn what_zero_skips(odd: &mut Odd) {
    let broken = "damaged: its metadata is not readable: ";
    let parent = r#""parentSessionId":"old""#;
    odd.raw("empty", b"", broken, None);
    odd.raw(
        "bad-json",
        format!("{{{parent},}}").as_bytes(),
        broken,
        Some("old"),
    );
    odd.raw(
        "bom",
        format!("\u{FEFF}{{{parent}}}").as_bytes(),
        broken,
        Some("old"),
    );
    odd.raw(
        "truncated",
        format!("{{{parent},\"tit").as_bytes(),
        broken,
        Some("old"),
    );
    odd.raw("torn-parent", br#"{"parentSessionId":"ol"#, broken, None);
    let text = format!("{{{parent},\"title\":\"a\nb\"}}");
    odd.raw("raw-newline", text.as_bytes(), broken, Some("old"));
    let text = format!(r#"{{"sessionId":"float",{parent},"title":"b","eventCount":3.0}}"#);
    let wrong = "damaged: eventCount in its metadata is not an integer";
    odd.raw("float", text.as_bytes(), wrong, Some("old"));
    let wrong = "damaged: title in its metadata is not a text";
    odd.raw("wrong-type", br#"{"title":[]}"#, wrong, None);
    let text = format!("{{{parent},\"x\":{}", "[".repeat(500_000));
    let deep = "damaged: its metadata is nested too deep";
    odd.raw("too-deep", text.as_bytes(), deep, Some("old"));
    let text = format!("{{{parent},\"x\":\"{}\"}}", "x".repeat(1 << 20));
    let large = "damaged: its metadata is larger than 1 MiB";
    odd.raw("too-large", text.as_bytes(), large, Some("old"));
    odd.with_log(
        "large-with-log",
        |at| write_file(at, &vec![b' '; (1 << 20) + 1]),
        large,
    );
    odd.with_log("bad-json-with-log", |at| write_file(at, b"{"), broken);
    odd.with_log(
        "bad-parent-with-log",
        |at| write_file(at, br#"{"parentSessionId":"../x","#),
        broken,
    );
}

fn what_is_no_file(odd: &mut Odd) {
    let told = "damaged: its metadata is a FIFO, not a file";
    odd.with_log(
        "fifo",
        |at| mkfifoat(CWD, at, Mode::RUSR | Mode::WUSR).unwrap(),
        told,
    );
    let told = "damaged: its metadata is a socket, not a file";
    odd.with_log("socket", |at| drop(UnixListener::bind(at).unwrap()), told);
    let told = "damaged: its metadata is a folder, not a file";
    odd.with_log("folder", make_folder, told);
    let told = "damaged: its metadata is a link, not a file";
    odd.with_log(
        "link-to-a-file",
        |at| symlink("events.jsonl", at).unwrap(),
        told,
    );
    odd.with_log("link-to-itself", |at| symlink(at, at).unwrap(), told);
    odd.with_log(
        "link-to-nothing",
        |at| symlink("nothing", at).unwrap(),
        told,
    );
    odd.with_log(
        "link-to-a-device",
        |at| symlink("/dev/zero", at).unwrap(),
        told,
    );
}

fn what_is_elsewhere(odd: &mut Odd) {
    let outside = odd.store.beside("outside");
    make_folder(&outside);
    let metadata = br#"{"sessionId":"outside","parentSessionId":"old"}"#;
    write_file(&outside.join("metadata.json"), metadata);
    symlink(&outside, odd.store.path("linked")).unwrap();
    odd.expect("linked", "linked folder", Some("old"));
    symlink("unknown-fields", odd.store.path("linked-inside")).unwrap();
    odd.expect("linked-inside", "linked folder", Some("old"));
    symlink("fifo", odd.store.path("linked-damaged")).unwrap();
    let told = "damaged: linked folder; its metadata is a FIFO";
    odd.expect("linked-damaged", told, Some("old"));
    symlink("nowhere", odd.store.path("dangling")).unwrap();
    let told = "damaged: linked folder; its folder cannot be opened: No such file";
    odd.expect("dangling", told, None);
    let nowhere = "not a session: it is a link that leads to none";
    for (name, target) in [
        ("loop", "loop"),
        ("loop-a", "loop-b"),
        ("loop-b", "loop-a"),
        ("link-to-root", "."),
        ("link-to-stray", "stray"),
        ("link-to-fifo", "stray-fifo"),
    ] {
        symlink(target, odd.store.path(name)).unwrap();
        odd.faults.push((name.as_bytes(), nowhere));
    }
    symlink("unknown-fields", odd.store.path("a.link")).unwrap();
    odd.faults.push((b"a.link", "not a session: it is a link"));
}

fn copies_and_remnants(odd: &mut Odd) {
    let copy = "copied folder: its metadata names ";
    let text = br#"{"sessionId":"old","parentSessionId":"older"}"#;
    odd.raw("copy", text, &format!("{copy}old"), Some("older"));
    odd.raw(
        "climbing",
        br#"{"sessionId":"../x"}"#,
        &format!("{copy}../x"),
        None,
    );
    odd.raw("nameless", b"{}", "its metadata names no session", None);
    odd.raw("nothing", b"null", "its metadata names no session", None);
    let text = br#"{"sessionId":"bad-parent","parentSessionId":"../x"}"#;
    odd.raw("bad-parent", text, "sound", None);
    let remnant = "remnant: no metadata";
    make_folder(&odd.store.path("remnant"));
    odd.expect("remnant", remnant, None);
    make_folder(&odd.store.path("late-stub/checkpoints/blobs"));
    odd.expect("late-stub", remnant, None);
    make_folder(&odd.store.path("half-written"));
    write_file(&odd.store.path("half-written/metadata.json.tmp-1"), b"{");
    odd.expect("half-written", remnant, None);
}

fn what_is_no_session(odd: &mut Odd) {
    let no_name = "not a session: no session has a name like this";
    let names: [&[u8]; 8] = [
        b" sp",
        b"tail ",
        b"-lead",
        b"_lead",
        b"a.b",
        "é".as_bytes(),
        b"\xFF\xFE",
        &[b'x'; 129],
    ];
    for name in names {
        let folder = odd.store.root().join(OsStr::from_bytes(name));
        make_folder(&folder);
        write_file(&folder.join("metadata.json"), b"{}");
        odd.faults.push((name.to_vec().leak(), no_name));
    }
    write_file(&odd.store.path("stray"), b"{}");
    odd.faults.push((b"stray", "not a session: it is a file"));
    mkfifoat(CWD, odd.store.path("stray-fifo"), Mode::RUSR).unwrap();
    odd.faults
        .push((b"stray-fifo", "not a session: it is a FIFO"));
    drop(UnixListener::bind(odd.store.path("stray.sock")).unwrap());
    odd.faults
        .push((b"stray.sock", "not a session: it is a socket"));
    make_folder(&odd.store.path(".sesstree/trash/b/s"));
    make_folder(&odd.store.path(".sesstree-gone.s"));
    write_file(&odd.store.path(".DS_Store"), b"");
}

/// Everything odd in one store.
fn all_of_it() -> Odd {
    let mut odd = Odd::new();
    what_zero_lists(&mut odd);
    what_zero_skips(&mut odd);
    what_is_no_file(&mut odd);
    what_is_elsewhere(&mut odd);
    copies_and_remnants(&mut odd);
    what_is_no_session(&mut odd);
    odd
}

/// The commands that only look, as a script runs them.
#[test]
fn every_odd_thing_is_listed_by_the_binary_and_nothing_is_changed() {
    let odd = all_of_it();
    let before = odd.store.snapshot();
    let told = scan(&odd.store.root()).unwrap();
    for command in ["list", "tree"] {
        let listed = json(&odd.store, &[command]);
        assert_eq!(
            listed["sessions"].as_array().unwrap().len(),
            told.sessions.len()
        );
        assert_eq!(
            listed["faults"].as_array().unwrap().len(),
            told.faults.len()
        );
        let ran = run(&odd.store, &[command]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let printed = ran.out + &ran.err;
        assert!(
            printed.chars().all(|c| c == '\n' || !c.is_control()),
            "{printed:?}"
        );
    }
    let ran = run(&odd.store, &["prune", "--older-than", "30d", "--dry-run"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(before, odd.store.snapshot());
}

#[test]
fn every_odd_thing_is_told_and_nothing_is_changed() {
    let odd = all_of_it();
    let before = odd.store.snapshot();
    let told = scan(&odd.store.root()).unwrap();
    assert_eq!(before, odd.store.snapshot(), "a scan changes nothing");
    odd.check(&told);
    let title = |id: &str| told.sessions[id].title.to_string();
    for id in ["repeated-keys", "letter-case", "float"] {
        assert_eq!(title(id), "b", "{id}");
    }
    for id in ["lone-surrogate", "not-utf8"] {
        assert!(title(id).starts_with('b'), "{id}: {}", title(id));
    }
    for (id, session) in &told.sessions {
        assert!(session.title.width() <= 1_000, "{id}");
    }
}

#[test]
fn times_are_read_as_zero_reads_them() {
    let store = TestStore::new();
    let table = [
        ("2026-08-01T10:00:00.5Z", Some("2026-08-01T10:00:00.500Z")),
        ("2026-08-01T10:00:00,5Z", Some("2026-08-01T10:00:00.500Z")),
        ("2026-08-01T10:00:00+24:00", Some("2026-07-31T10:00:00Z")),
        ("2026-08-01T10:00:00-24:00", Some("2026-08-02T10:00:00Z")),
        ("2999-08-01T10:00:00Z", Some("2999-08-01T10:00:00Z")),
        ("2026-08-01t10:00:00z", None),
        ("2026-08-01 10:00:00Z", None),
        ("2026-08-01T10:00:00", None),
        ("2026-08-01T24:00:00Z", None),
        ("2026-08-01T10:00:60Z", None),
        ("", None),
    ];
    for (n, (text, _)) in table.iter().enumerate() {
        let session = store.session(&format!("t{n}"));
        session.field("updatedAt", *text).write();
    }
    let told = scan(&store.root()).unwrap();
    for (n, (text, utc)) in table.iter().enumerate() {
        let session: &Session = &told.sessions[&format!("t{n}")];
        assert_eq!(session.condition, Condition::Sound, "{text}");
        let read = session.activity_at;
        let read = read.map(|at: DateTime<_>| at.to_rfc3339_opts(SecondsFormat::AutoSi, true));
        assert_eq!(read.as_deref(), *utc, "{text:?}");
    }
}
