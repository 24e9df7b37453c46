//! Stopped, or failing, while something is unlinked: what remains is told, fails, and is finished
//! by the next run.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;
use sesstree::prune::execute::remove;
use sesstree::prune::expiry::Wanted;
use sesstree::prune::plan::Disposal;
use sesstree::prune::report::{Progress, Step, Watch};

use super::super::{alone, grace, old, plan, prune, quiet};
use super::{emptied, is_gone, trash};
use crate::support::binary::{Ran, unprivileged};
use crate::support::{TestStore, now};

const FINISHED: &str = "the next prune or `sesstree trash empty` finishes it";

/// Stops from a step on.
struct From(Step<'static>, Cell<bool>);

impl From {
    fn step(step: Step<'static>) -> Self {
        Self(step, Cell::new(false))
    }
}

impl Watch for From {
    fn progress(&self, _: Progress) {}

    fn stopped(&self) -> bool {
        self.1.get()
    }

    fn reached(&self, step: Step<'_>) {
        self.1.set(self.1.get() || step == self.0);
    }
}

#[test]
fn an_emptying_stopped_while_it_unlinks_fails_and_is_finished_by_the_next() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let batch = trash(&store, &["a"]);
    let report = emptied(&store, &Wanted::All, &From::step(Step::TrashTaken));
    assert_eq!((report.emptied.len(), report.failed.len()), (0, 1));
    assert_eq!(report.failed[0].batch, batch);
    let reason = &report.failed[0].reason;
    assert!(reason.contains("stopped half way") && reason.ends_with(FINISHED));
    assert!(report.is_failure());
    emptied(&store, &Wanted::All, &quiet());
    is_gone(&store);
}

#[test]
fn an_emptying_stopped_before_it_takes_anything_fails_and_takes_nothing() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let batch = trash(&store, &["a"]);
    let report = emptied(&store, &Wanted::All, &From::step(Step::Locked));
    assert_eq!(report.not_reached, std::slice::from_ref(&batch));
    assert!(report.is_failure());
    let text = report.to_string();
    let says = format!("Did not reach 1 batch, which can still be restored:\n  {batch}\n");
    assert_eq!(text, says);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["notReached"], serde_json::json!([batch]));
    emptied(&store, &Wanted::All, &quiet());
    is_gone(&store);
}

#[test]
fn a_deletion_stopped_while_it_unlinks_fails_and_is_finished_by_the_next() {
    let store = TestStore::new();
    store.add("a", "", 90);
    let zero = alone(&store);
    let confirmed = plan(&store, old()).disposing(Disposal::Delete).confirm();
    let watch = From::step(Step::BatchMoved);
    let report = remove(&zero, confirmed, now(), grace(), &watch).unwrap();
    assert_eq!((report.removed.len(), report.unfinished.len()), (1, 1));
    assert!(report.is_failure());
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["unfinished"][0]["name"], "a");
    let told = report.to_string();
    assert!(told.contains("\nGone from every list, but still on the disk 1:\n  a  "));
    assert!(told.contains(FINISHED), "{told}");
    assert!(store.path(".sesstree-gone.a").exists());
    let next = prune(&store, old());
    assert_eq!(next.unfinished, []);
    assert!(!store.path(".sesstree-gone.a").exists());
}

/// What cannot be unlinked fails whoever tries to.
#[test]
fn a_command_that_leaves_something_on_the_disk_exits_1() {
    for command in [
        &["prune", "--older-than", "30d", "--yes"][..],
        &["trash", "empty", "--yes"],
    ] {
        let store = TestStore::new();
        let stuck = store.path(".sesstree-gone.half.0/stuck");
        fs::create_dir_all(&stuck).unwrap();
        fs::write(stuck.join("file"), "").unwrap();
        fs::set_permissions(&stuck, fs::Permissions::from_mode(0o500)).unwrap();
        let ran: Ran = unprivileged(&store)
            .args(command)
            .arg("--json")
            .output()
            .unwrap()
            .into();
        assert_eq!(ran.code, 1, "{command:?}: {}{}", ran.out, ran.err);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(report["unfinished"][0]["name"], "half", "{report}");
        let reason = report["unfinished"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("Permission denied") && reason.ends_with(FINISHED));
        fs::set_permissions(&stuck, fs::Permissions::from_mode(0o700)).unwrap();
        let again: Ran = unprivileged(&store).args(command).output().unwrap().into();
        assert_eq!(again.code, 0, "{}{}", again.out, again.err);
        assert!(!store.path(".sesstree-gone.half.0").exists());
    }
}
