//! What a killed process took out of the store or the trash for good is whole until the first of it is
//! unlinked: before that it is asked again whether anything descends from it, or holds it.

use std::fs;

use sesstree::prune::execute::{dry_run, remove};
use sesstree::prune::expiry::Wanted;
use sesstree::prune::report::{BatchId, PruneReport};
use sesstree::prune::warning::Warning;
use sesstree::store::removals::{Action, Log};

use super::super::newcomers::unreadable;
use super::super::{Flock, alone, contents, grace, old, plan, prune, quiet, zero};
use super::{below, emptied, looked, trash};
use crate::support::{TestStore, now};

/// Killed right after it was taken out of the store.
fn killed(store: &TestStore, name: &str) {
    let gone = store.path(&format!(".sesstree-gone.{name}"));
    fs::rename(store.path(name), gone).unwrap();
}

/// Killed right after it was taken out of the trash.
fn killed_batch(store: &TestStore, batch: &BatchId) {
    fs::create_dir_all(store.path(".sesstree/purge")).unwrap();
    let at = |folder: &str| store.path(folder).join(batch.as_str());
    fs::rename(at(".sesstree/trash"), at(".sesstree/purge")).unwrap();
}

/// What is told of what was left.
fn of_it(warnings: &[Warning]) -> Vec<String> {
    let mut told: Vec<String> = warnings.iter().map(Warning::to_string).collect();
    told.retain(|warning| warning.starts_with("left by a killed run"));
    told
}

fn goes_back(name: &str, why: &str) -> String {
    format!("left by a killed run, goes back to where it was: {name}: {why}")
}

/// Another prune, and a look before it: both must tell the same, and only the look change nothing.
fn pruned(store: &TestStore, told: &[String]) {
    store.add("unrelated", "", 90);
    let before = store.snapshot();
    let dry = dry_run(&zero(store), plan(store, old()), &quiet()).unwrap();
    assert_eq!(of_it(&PruneReport::dry(&dry).warnings), told);
    assert_eq!(of_it(&looked(store, &Wanted::All).report().warnings), told);
    assert_eq!(store.snapshot(), before, "a look changes nothing");
    let report = prune(store, old());
    assert!(
        report
            .removed
            .iter()
            .any(|one| one.session_id.as_str() == "unrelated")
    );
    assert_eq!(of_it(&report.warnings), told);
    let names = fs::read_dir(store.root()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = names
        .filter(|name| name.starts_with(".sesstree-gone"))
        .collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn an_ancestor_of_the_living_goes_back_with_its_own() {
    let store = TestStore::new();
    store.add("p", "", 90);
    store.add("q", "p", 90);
    store.add("goes", "p", 90);
    store.add("child", "q", 1);
    let before = contents(&store);
    for name in ["p", "q", "goes"] {
        killed(&store, name);
    }
    let why = |name: &str| format!("{name} is an ancestor of child, which is in the store");
    let told = [
        goes_back("p", &why("p")),
        goes_back("q", &why("q")),
        "left by a killed run, unlinked for good: goes".to_owned(),
    ];
    pruned(&store, &told);
    assert!(!store.path("goes").exists());
    let after = contents(&store);
    let back = before.iter().filter(|(path, _)| !path.starts_with("goes"));
    for (path, line) in back {
        assert_eq!(after.get(path), Some(line), "{}", path.display());
    }
}

#[test]
fn an_ancestor_of_what_is_in_the_trash_goes_back() {
    let store = TestStore::new();
    store.add("p", "", 90);
    store.add("child", "p", 90);
    trash(&store, &["child"]);
    killed(&store, "p");
    let why = "p is an ancestor of child, which is in the trash";
    let warnings = emptied(&store, &Wanted::Expired(now()), &quiet()).warnings;
    assert_eq!(of_it(&warnings), [goes_back("p", why)]);
    assert!(store.has("p"));
}

#[test]
fn a_batch_goes_back_to_the_trash() {
    let store = TestStore::new();
    store.add("p", "", 90);
    store.add("beside", "", 90);
    store.add("other", "", 90);
    let batch = trash(&store, &["p", "beside"]);
    let goes = trash(&store, &["other"]);
    killed_batch(&store, &batch);
    killed_batch(&store, &goes);
    store.add("child", "p", 1);
    let why = "p is an ancestor of child, which is in the store";
    let told = [
        goes_back(batch.as_str(), why),
        format!("left by a killed run, unlinked for good: {goes}"),
    ];
    pruned(&store, &told);
    assert_eq!(below(&store, "purge").len(), 0);
    let place = store.path(".sesstree/trash").join(batch.as_str());
    assert!(place.join("p/metadata.json").exists() && place.join("beside").exists());
}

#[test]
fn what_somebody_holds_goes_back() {
    let store = TestStore::new();
    for name in ["p", "q", "inside"] {
        store.add(name, "", 90);
    }
    let batch = trash(&store, &["inside"]);
    killed_batch(&store, &batch);
    killed(&store, "p");
    killed(&store, "q");
    let inside = store
        .path(".sesstree/purge")
        .join(batch.as_str())
        .join("inside");
    let _held = [
        Flock::shared(&store.path(".sesstree-gone.p/lease.lock")),
        Flock::shared(&inside.join("lease.lock")),
    ];
    let open = "open or locked by another process";
    let told = [
        goes_back("p", open),
        goes_back(batch.as_str(), open),
        "left by a killed run, unlinked for good: q".to_owned(),
    ];
    pruned(&store, &told);
    assert!(store.has("p") && !store.path("q").exists());
    assert_eq!(below(&store, "purge").len(), 0);
}

/// What was written down may tell that it went.
#[test]
fn what_goes_back_is_written_down() {
    let store = TestStore::new();
    store.add("p", "", 90);
    store.add("q", "", 90);
    let batch = trash(&store, &["q"]);
    killed_batch(&store, &batch);
    killed(&store, "p");
    store.add("child", "p", 1);
    store.add("other", "q", 1);
    let nothing = plan(&store, old()).confirm();
    remove(&alone(&store), nothing, now(), grace(), &quiet()).unwrap();
    let log = Log::read(&store.beside("state")).unwrap().entries;
    let told: Vec<_> = log
        .iter()
        .map(|logged| (logged.action, logged.sessions.len()))
        .collect();
    // Newest first.
    assert_eq!(told, [(Action::Purge, 0), (Action::Restore, 1)]);
    assert_eq!(log[0].batch.as_ref(), Some(&batch));
    assert!(
        log[0]
            .kept
            .as_str()
            .starts_with("q is an ancestor of other"),
        "{log:?}"
    );
    assert_eq!(log[1].sessions[0].id.as_str(), "p");
}

#[test]
fn any_doubt_brings_it_back() {
    let store = TestStore::new();
    store.add("p", "", 90);
    store.add("q", "", 90);
    let batch = trash(&store, &["q"]);
    killed_batch(&store, &batch);
    killed(&store, "p");
    unreadable(&store, "torn");
    let why = "a session cannot be read and may descend from it: torn";
    store.add("unrelated", "", 90);
    let warnings = of_it(&prune(&store, old()).warnings);
    assert!(warnings.contains(&goes_back("p", why)), "{warnings:?}");
    assert!(
        warnings.contains(&goes_back(batch.as_str(), why)),
        "{warnings:?}"
    );
    assert!(store.path("p").exists());
}

/// On a full disk a batch is taken to the root; it is one whether its record can be read or not.
#[test]
fn a_batch_in_the_root_without_its_record_is_asked_for_too() {
    let store = TestStore::new();
    store.add("p", "", 90);
    let batch = trash(&store, &["p"]);
    let taken = store.path(&format!(".sesstree-gone.{batch}"));
    fs::rename(store.path(".sesstree/trash").join(batch.as_str()), &taken).unwrap();
    fs::remove_file(taken.join("batch.json")).unwrap();
    store.add("child", "p", 1);
    store.add("unrelated", "", 90);
    prune(&store, old());
    let back = store.path(".sesstree/trash").join(batch.as_str());
    assert!(back.join("p/metadata.json").exists());
    assert!(!taken.exists());
}

#[test]
fn what_finds_its_place_taken_is_kept_aside_and_told() {
    let store = TestStore::new();
    store.add("p", "", 90);
    killed(&store, "p");
    store.add("p", "", 1);
    store.add("child", "p", 1);
    let warnings = of_it(&prune(&store, old()).warnings);
    let why = "p is an ancestor of child, which is in the store; cannot be deleted: it is in \
               .sesstree-kept.p: a session of this id is in the store already";
    assert_eq!(warnings, [goes_back("p", why)]);
    assert!(store.path(".sesstree-kept.p/metadata.json").exists() && store.has("p"));
    // What another program made in the place of a session that came back is not that session.
    fs::create_dir_all(store.path(".sesstree-gone.p/checkpoints/blobs")).unwrap();
    assert_eq!(of_it(&prune(&store, old()).warnings).len(), 1);
    assert!(store.path(".sesstree-kept.p.1/checkpoints/blobs").exists());
}

/// There is no way back for a part.
#[test]
fn what_is_not_whole_any_more_is_finished() {
    let store = TestStore::new();
    store.add("p", "", 90);
    fs::rename(store.path("p"), store.path(".sesstree-gone.p.0")).unwrap();
    store.add("child", "p", 1);
    let says = "left by a killed run, unlinked for good: p";
    pruned(&store, &[says.to_owned()]);
}
