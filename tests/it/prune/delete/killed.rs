//! A deletion killed half way.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::*;

const COUNT: usize = 400;
const ROOT: &str = "SESSTREE_TEST_ROOT";

/// How many sessions are in their place, and how many are on their way out.
fn count(store: &TestStore) -> (usize, usize) {
    let names = names(store);
    let gone = names
        .iter()
        .filter(|name| name.starts_with(".sesstree-gone."));
    let there = names.iter().filter(|name| !name.starts_with('.'));
    (there.count(), gone.count())
}

/// The contents of each session that is in its place.
fn sessions(store: &TestStore) -> BTreeMap<PathBuf, String> {
    let mut all = contents(store);
    all.retain(|path, _| !path.to_str().unwrap().starts_with('.'));
    all
}

#[test]
#[ignore = "run, and killed, by the test below"]
fn deletes_until_it_is_killed() {
    let Some(root) = env::var_os(ROOT).map(PathBuf::from) else {
        return;
    };
    let proc = root.with_file_name("proc");
    fs::create_dir_all(proc.join(std::process::id().to_string())).unwrap();
    let zero = Zero::new(root).with_proc(proc);
    let mut found = Vec::new();
    sesstree::store::Store::scan(&zero, &sesstree::session::Seen::new(), &mut |item| {
        if let sesstree::store::Found::Session(session) = item {
            found.push(session);
        }
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    let plan = PrunePlan::new(&sesstree::lineage::Lineage::new(found), old());
    let plan = plan.disposing(Disposal::Delete).confirm();
    remove(&zero, plan, now(), grace(), &quiet()).unwrap();
}

/// When it is killed: so many are out of their place, or so many are unlinked.
#[derive(Debug)]
enum Goal {
    Moved(usize),
    Unlinked(usize),
}

#[test]
fn each_session_is_wholly_there_or_finished_by_the_next_run() {
    let store = TestStore::new();
    let outside = store.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("canary"), "alive").unwrap();
    let (mut while_moving, mut while_unlinking) = (0, 0);
    let goals = [
        Goal::Moved(1),
        Goal::Moved(150),
        Goal::Moved(300),
        Goal::Unlinked(1),
        Goal::Unlinked(100),
        Goal::Unlinked(300),
    ];
    for goal in goals {
        for number in 0..COUNT {
            let name = format!("s{number}");
            if !store.has(&name) {
                store.add(&name, "", 90);
                symlink(&outside, store.path(&name).join("out")).unwrap();
            }
        }
        let whole = sessions(&store);
        let mut child = Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "prune::delete::killed::deletes_until_it_is_killed",
            ])
            .args(["--ignored", "--nocapture"])
            .env(ROOT, store.root())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_mins(1);
        let reached = || {
            let (there, gone) = count(&store);
            match goal {
                Goal::Moved(goal) => COUNT - there >= goal,
                Goal::Unlinked(goal) => COUNT - there - gone >= goal,
            }
        };
        while !reached() && child.try_wait().unwrap().is_none() {
            assert!(
                Instant::now() < deadline,
                "the deletion never came to {goal:?}"
            );
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let (there, gone) = count(&store);
        while_moving += usize::from(there > 0 && gone > 0);
        while_unlinking += usize::from(there == 0 && gone > 0);
        let left = sessions(&store);
        for (path, line) in &left {
            assert_eq!(whole.get(path), Some(line), "{}", path.display());
        }
        assert_eq!(
            left.len() * COUNT,
            whole.len() * there,
            "{goal:?}: one is not whole"
        );
        assert_eq!(super::super::lineage(&store).len(), there);
        assert_eq!(alone_trash(&store), 0);
        // Any run that changes the store; this one removes nothing itself.
        let young = sesstree::prune::policy::Policy::all("36500d".parse().unwrap(), now());
        let report = super::super::prune(&store, young);
        assert_eq!(report.removed.len(), 0);
        assert_eq!(count(&store), (there, 0), "{goal:?}");
        assert_eq!(sessions(&store), left);
        assert_eq!(fs::read_to_string(outside.join("canary")).unwrap(), "alive");
    }
    assert!(
        while_moving > 0,
        "none was killed while it moved: nothing was shown"
    );
    assert!(
        while_unlinking > 0,
        "none was killed while it unlinked: nothing was shown"
    );
}

fn alone_trash(store: &TestStore) -> usize {
    sesstree::store::Store::trash(&alone(store))
        .unwrap()
        .0
        .len()
}
