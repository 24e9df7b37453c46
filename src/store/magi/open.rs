//! Who has what open, told from lock files.
//!
//! Must never take or remove a lock. A pid proves nothing across containers: a lock whose process is not
//! seen but that was renewed a moment ago may be held by one we cannot see.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::session::{Holder, Openness, SessionId};
use crate::store::dir::{Dir, Extent};
use crate::text::SafeText;

/// A holder renews its lock every second; one that did not for so long is dead.
const FRESH: Duration = Duration::from_secs(10);
/// The largest lock file that is read, in bytes.
const MOST: u64 = 4 << 10;

/// Every session with a lock of somebody who may live.
pub(super) fn look(
    proc: &Path,
    root: &Dir,
    now: SystemTime,
) -> Option<HashMap<SessionId, Openness>> {
    let mut open = HashMap::new();
    for entry in root.entries().ok()?.flatten() {
        let name = entry.name.to_string_lossy();
        let id = name
            .strip_prefix('.')
            .and_then(|n| n.strip_suffix(".active.lock"));
        let Some(id) = id.and_then(SessionId::parse) else {
            continue;
        };
        match holder(proc, root, &name, now) {
            Openness::NoSign => {}
            held => _ = open.insert(id, held),
        }
    }
    Some(open)
}

/// Who has one session open.
pub(super) fn of(proc: &Path, root: &Dir, id: &SessionId, now: SystemTime) -> Openness {
    holder(proc, root, &format!(".{id}.active.lock"), now)
}

fn holder(proc: &Path, root: &Dir, lock: &str, now: SystemTime) -> Openness {
    let mut text = Vec::new();
    let read = root.read_file(lock, MOST, &mut text);
    let renewed = root.stat(lock).map(|seen| seen.written_at);
    let fresh = match renewed {
        Ok(renewed) => now.duration_since(renewed).is_ok_and(|age| age < FRESH) || renewed > now,
        Err(_) => return Openness::NoSign,
    };
    let pid = match read {
        Ok(Extent::Whole) => pid(&text),
        _ => None,
    };
    let process = pid.and_then(|pid| {
        let name = fs::read_to_string(proc.join(pid.to_string()).join("comm")).ok()?;
        Some(Holder {
            pid,
            process: SafeText::line(name.trim()),
        })
    });
    match process {
        // The number may be another process's by now, which does not renew it.
        Some(holder) if fresh => Openness::Open(holder),
        Some(_) => Openness::Maybe,
        None if fresh => Openness::Maybe,
        None => Openness::NoSign,
    }
}

/// `pid=12` on a line of its own.
fn pid(text: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(text).ok()?;
    let pid = text.lines().find_map(|line| line.strip_prefix("pid="));
    pid.and_then(|pid| pid.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    /// A lock of `text`, last renewed so many seconds ago, where process 7 is called `magi-code`.
    #[track_caller]
    fn check(text: &str, seconds: u64, wanted: &Openness) {
        let dir = tempfile::tempdir().unwrap();
        let proc = dir.path().join("proc");
        fs::create_dir_all(proc.join("7")).unwrap();
        fs::write(proc.join("7/comm"), "magi-code\n").unwrap();
        let lock = dir.path().join(".s.active.lock");
        fs::write(&lock, text).unwrap();
        let now = SystemTime::now();
        let file = File::options().write(true).open(&lock).unwrap();
        file.set_modified(now - Duration::from_secs(seconds))
            .unwrap();
        let root = Dir::open_root(dir.path()).unwrap();
        let id = SessionId::parse("s").unwrap();
        assert_eq!(&of(&proc, &root, &id, now), wanted, "{text:?}");
        let all = look(&proc, &root, now).unwrap();
        let told = all.get(&id).cloned().unwrap_or_default();
        assert_eq!(&told, wanted, "{text:?}");
        assert!(all.len() <= 1);
    }

    #[test]
    fn a_lock_is_somebodys_while_it_is_renewed_or_its_process_lives() {
        let holder = Openness::Open(Holder {
            pid: 7,
            process: SafeText::line("magi-code"),
        });
        check("pid=7\ntoken=a\n", 1, &holder);
        // The process may be another one with that number by now.
        check("pid=7\ntoken=a\n", 60, &Openness::Maybe);
        // One that cannot be seen from here.
        check("pid=8\ntoken=a\n", 1, &Openness::Maybe);
        check("pid=8\ntoken=a\n", 60, &Openness::NoSign);
        for odd in ["", "pid=\n", "pid=x", "token=a\n", "pid=99999999999\n"] {
            check(odd, 1, &Openness::Maybe);
            check(odd, 60, &Openness::NoSign);
        }
    }
}
