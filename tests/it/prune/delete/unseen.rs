//! Agents without leases: nothing is deleted at once while one runs, and every plan tells of it.

use std::fs::{self, FileTimes};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use sesstree::prune::warning::Warning;
use sesstree::session::{Holder, Refusal};

use super::*;

/// Another process named `zero`: a shell under that name; with a lease, or without one.
struct Agent(Child);

impl Agent {
    fn start(store: &TestStore, lease: Option<&Path>) -> Self {
        let program = store.beside("zero");
        if !program.exists() {
            fs::copy("/bin/sh", &program).unwrap();
        }
        let script = "if [ -n \"$1\" ]; then exec 9<>\"$1\"; flock -s -n 9; fi; echo up; read x";
        let mut child = Command::new(program)
            .args(["-c", script, "zero"])
            .args(lease)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.as_mut().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        assert_eq!(line, "up\n");
        Self(child)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

/// On the system as it is; other tests, and people, run agents too.
fn real(store: &TestStore) -> Zero {
    Zero::new(store.root())
}

fn unseen(refusal: &Refusal) -> Vec<u32> {
    let Refusal::Unseen(holders) = refusal else {
        return Vec::new();
    };
    holders.iter().map(|Holder { pid, .. }| *pid).collect()
}

#[test]
fn a_real_agent_without_a_lease_stops_a_deletion() {
    let store = TestStore::new();
    store.add("a", "", 90);
    store.add("held", "", 1);
    let seen = Agent::start(&store, Some(&store.path("held/lease.lock")));
    let before = store.snapshot();
    {
        let agent = Agent::start(&store, None);
        let pid = agent.0.id();
        let refused = remove(
            &real(&store),
            for_good(&store).confirm(),
            now(),
            grace(),
            &quiet(),
        );
        let refused = refused.unwrap_err();
        assert!(unseen(&refused).contains(&pid), "{refused}");
        assert!(!unseen(&refused).contains(&seen.0.id()), "{refused}");
        let said = refused.to_string();
        assert!(
            said.contains("without a lease") && said.contains(&pid.to_string()),
            "{said}"
        );
        let Err(NotChecked::Refused(dry)) = dry_run(&real(&store), for_good(&store), &quiet())
        else {
            panic!("a dry run decides alike");
        };
        assert!(unseen(&dry).contains(&pid));
        assert_eq!(store.snapshot(), before);
        let moved = dry_run(&real(&store), plan(&store, old()), &quiet()).unwrap();
        let told: Vec<String> = moved
            .warnings()
            .map(|warning| warning.to_string())
            .collect();
        assert!(
            told.iter().any(|line| line.contains(&pid.to_string())),
            "{told:?}"
        );
        let report = remove(&real(&store), moved.confirm(), now(), grace(), &quiet()).unwrap();
        assert_eq!(report.removed.len(), 1, "the trash can be undone");
        let named = |told: &&Warning| told.to_string().contains(&pid.to_string());
        assert_eq!(report.warnings.iter().filter(named).count(), 1, "{report}");
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["warnings"], serde_json::json!(report.warnings));
    }
}

#[test]
fn a_system_that_does_not_tell_deletes_nothing() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let zero = Zero::new(store.root()).with_proc(store.beside("no-proc"));
    let refused = remove(&zero, for_good(&store).confirm(), now(), grace(), &quiet());
    assert_eq!(refused.unwrap_err(), Refusal::AllUnseen);
    let refused = dry_run(&zero, for_good(&store), &quiet());
    assert!(matches!(
        refused,
        Err(NotChecked::Refused(Refusal::AllUnseen))
    ));
    assert!(store.has("a"));
    let report = remove(
        &zero,
        plan(&store, old()).confirm(),
        now(),
        grace(),
        &quiet(),
    )
    .unwrap();
    assert_eq!(report.removed.len(), 1);
}

/// Sets when a session's log was read and written, in hours before now.
fn times(store: &TestStore, name: &str, read: u64, written: u64) {
    let ago = |hours: u64| SystemTime::from(now()) - Duration::from_secs(hours * 3600);
    let times = FileTimes::new()
        .set_accessed(ago(read))
        .set_modified(ago(written));
    let log = fs::File::open(store.path(name).join("events.jsonl")).unwrap();
    log.set_times(times).unwrap();
}

#[test]
fn logs_read_within_a_day_are_counted_and_told() {
    let store = TestStore::new();
    for (name, read, written) in [
        ("read", 23, 2000),
        ("just-read", 1, 2000),
        ("long-ago", 25, 2000),
        ("never", 2000, 2000),
        ("only-copied", 2, 1),
        ("kept", 1, 2000),
    ] {
        store.add(name, "", 90);
        times(&store, name, read, written);
    }
    store.add("no-log", "", 90);
    fs::remove_file(store.path("no-log/events.jsonl")).unwrap();
    store.add("child", "kept", 1);
    let line = "2 sessions of what is removed may have been read in the last 24 hours, by an agent \
                that takes no lease or by any other program";
    let checked = dry_run(&alone(&store), plan(&store, old()), &quiet()).unwrap();
    let told = [Warning::ReadLately(2)];
    assert_eq!(PruneReport::dry(&checked).warnings, told);
    let report = remove(&alone(&store), checked.confirm(), now(), grace(), &quiet()).unwrap();
    assert_eq!(report.warnings, told, "once");
    assert!(report.to_string().contains(&format!("\nWarning: {line}\n")));
}
