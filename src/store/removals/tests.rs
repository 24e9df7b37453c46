use std::os::unix::fs::MetadataExt as _;

use rustix::fs::{CWD, Mode};
use serde_json::{Value, json};

use super::*;

fn clock() -> DateTime<Utc> {
    DateTime::from_timestamp(1_793_534_400, 0).unwrap()
}

fn id(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

fn batch() -> BatchId {
    BatchId::parse("20261101T120000Z-abc123").unwrap()
}

fn trashed(name: &str) -> Trashed {
    Trashed {
        title: SafeText::line(&format!("title of {name}")),
        bytes: 100,
        updated_at: Some("2026-09-02T12:00:00Z".to_owned()),
        remnant: false,
        ..Trashed::unknown(&id(name))
    }
}

struct Room {
    temp: tempfile::TempDir,
}

impl Room {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        Self { temp }
    }

    fn folder(&self) -> PathBuf {
        self.temp.path().join("state/sesstree")
    }

    fn file(&self) -> PathBuf {
        self.folder().join(FILE)
    }

    fn add(&self, action: Action, what: What<'_>) -> Result<(), SafeText> {
        let removals = Removals::in_folder(Some(&self.folder()), clock);
        let batch = batch();
        let note = Note {
            action,
            batch: Some(&batch),
            policy: "all older than 30d",
            what,
        };
        removals.add(Agent::Zero, Path::new("/store\n"), &note)
    }

    fn intent(&self, action: Action, names: &[&str]) {
        let ids: Vec<SessionId> = names.iter().map(|name| id(name)).collect();
        self.add(action, What::Intent(ids.iter().collect()))
            .unwrap();
    }

    fn outcome(&self, action: Action, names: &[&str]) {
        let all: Vec<Trashed> = names.iter().map(|name| trashed(name)).collect();
        self.add(action, What::Outcome(all.iter().collect()))
            .unwrap();
    }

    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.file()).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    fn log(&self) -> Log {
        Log::read(&self.folder()).unwrap()
    }

    /// Of each entry its action, its stage and its sessions.
    fn told(&self) -> Vec<(Action, Stage, Vec<String>)> {
        let entries = self.log().entries.into_iter();
        let ids = |entry: &Logged| entry.sessions.iter().map(|s| s.id.to_string()).collect();
        entries
            .map(|entry| (entry.action, entry.stage, ids(&entry)))
            .collect()
    }
}

#[test]
fn a_line_says_what_is_to_be_done_and_one_what_was() {
    let room = Room::new();
    room.intent(Action::Trash, &["a", "b"]);
    room.outcome(Action::Trash, &["a"]);
    let lines: Vec<Value> = room
        .lines()
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut expected = json!({
        "schema": 1, "time": "2026-11-01T12:00:00Z", "stage": "intent", "action": "trash",
        "agent": "zero", "store": SafeText::path(Path::new("/store\n")),
        "batch": "20261101T120000Z-abc123", "policy": "all older than 30d", "ids": ["a", "b"],
    });
    assert_eq!(lines[0], expected);
    let map = expected.as_object_mut().unwrap();
    map.remove("ids");
    map.insert("stage".to_owned(), "outcome".into());
    map.insert(
        "sessions".to_owned(),
        json!([{"id": "a", "title": "title of a", "bytes": 100, "updatedAt": "2026-09-02T12:00:00Z"}]),
    );
    assert_eq!(lines[1], expected);
    assert_eq!(fs::metadata(room.file()).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(room.folder()).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn a_torn_last_line_is_ended_and_swallows_nothing() {
    let room = Room::new();
    room.outcome(Action::Trash, &["a"]);
    let whole = fs::read(room.file()).unwrap();
    for cut in [1, 2, 40] {
        fs::write(room.file(), &whole[..whole.len() - cut]).unwrap();
        room.outcome(Action::Restore, &["b"]);
        let lines = room.lines();
        assert_eq!(lines.len(), 2, "{cut}");
        assert!(serde_json::from_str::<Value>(&lines[1]).is_ok(), "{cut}");
        let log = room.log();
        assert_eq!(log.unreadable, usize::from(cut > 1), "{cut}");
        assert_eq!(log.entries[0].action, Action::Restore);
    }
}

#[test]
fn lines_of_several_processes_do_not_mix() {
    let room = Room::new();
    let names: Vec<String> = (0..200).map(|number| format!("s{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    room.outcome(Action::Purge, &names);
                }
            });
        }
    });
    let log = room.log();
    assert_eq!((log.entries.len(), log.unreadable), (40, 0));
}

#[test]
fn newest_first_and_an_intent_without_an_end_is_told() {
    let room = Room::new();
    room.intent(Action::Trash, &["a", "b"]);
    room.outcome(Action::Trash, &["a", "b"]);
    room.intent(Action::Trash, &["c", "d"]);
    room.intent(Action::Restore, &["a"]);
    room.outcome(Action::Restore, &[]);
    room.outcome(Action::Delete, &["e"]);
    let ids = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        room.told(),
        [
            (Action::Delete, Stage::Outcome, ids(&["e"])),
            (Action::Restore, Stage::Outcome, ids(&[])),
            (Action::Trash, Stage::Intent, ids(&["c", "d"])),
            (Action::Trash, Stage::Outcome, ids(&["a", "b"])),
        ]
    );
    assert_eq!(room.log().entries[3].bytes(), 200);
}

#[test]
fn bad_lines_are_counted_and_cost_nothing_else() {
    let room = Room::new();
    assert_eq!(room.log(), Log::default(), "no record yet");
    room.outcome(Action::Trash, &["a"]);
    let good = fs::read_to_string(room.file()).unwrap();
    let odd = r#"{"time":"2026-11-01T12:00:00Z","stage":"outcome","action":"trash","future":1,"#;
    let hostile = format!(
        "{odd}\"store\":\"\\u001b[2J\",\"sessions\":[{{\"id\":\"../x\"}},{{\"id\":\"b\",\"title\":\"\\u001b[2Jt\"}}]}}\n"
    );
    let bad = "\n{}\nnull\n{\"time\":3}\n\u{0}\n";
    fs::write(room.file(), [bad, &hostile, bad, &good].concat()).unwrap();
    let log = room.log();
    assert_eq!((log.entries.len(), log.unreadable), (2, 8));
    assert_eq!(
        log.entries[1].sessions.len(),
        1,
        "an id is an id or nothing"
    );
    let text = serde_json::to_string(&log).unwrap();
    assert!(!text.contains("u001b"), "{text}");
}

#[test]
fn what_cannot_be_written_says_where_and_nobody_waits() {
    type Spoil = fn(&Room);
    let spoils: [Spoil; 3] = [
        |room| fs::write(room.temp.path().join("state"), "").unwrap(),
        |room| fs::create_dir_all(room.file()).unwrap(),
        |room| {
            fs::create_dir_all(room.folder()).unwrap();
            rustix::fs::mkfifoat(CWD, room.file(), Mode::RUSR | Mode::WUSR).unwrap();
        },
    ];
    for (number, spoil) in spoils.into_iter().enumerate() {
        let room = Room::new();
        spoil(&room);
        let told = room.add(Action::Trash, What::Intent(vec![])).unwrap_err();
        let told = told.as_str();
        assert!(
            told.starts_with("this is missing in the record of removals: "),
            "{number} {told}"
        );
        assert!(told.contains("removals.jsonl: "), "{number} {told}");
        assert!(number == 0 || Log::read(&room.folder()).is_err());
    }
    let nowhere = Removals::in_folder(None, clock);
    let note = Note {
        action: Action::Trash,
        batch: None,
        policy: "",
        what: What::Intent(vec![]),
    };
    let told = nowhere.add(Agent::Zero, Path::new("/"), &note).unwrap_err();
    assert!(
        told.as_str()
            .ends_with("neither XDG_STATE_HOME nor HOME is set")
    );
    assert_eq!(
        Removals::off().add(Agent::Zero, Path::new("/"), &note),
        Ok(())
    );
}
