//! Where locks are not known to work a store is read and never changed, unless the user says so.

use std::process::Command;

use rustix::process::geteuid;

use super::add;
use crate::support::TestStore;
use crate::support::binary::{SESSTREE, program, run};
use crate::support::{make_folder, skipped};

/// Runs a script in which `at` is on a filesystem of another kind; `None`, and said loudly: nothing
/// can be mounted here. As root there is no excuse.
fn on(kind: &str, store: &TestStore, script: &str) -> Option<String> {
    let at = store.beside("mounted");
    make_folder(&at);
    let mount = format!(
        "mount -t {kind} none \"$AT\" || exit 77; \
         cp -a \"$ROOT/.\" \"$AT/\" && cd / && {script}"
    );
    let plain = program(store, "unshare");
    let mut unshare = Command::new(plain.get_program());
    unshare.env_clear();
    for (name, value) in plain.get_envs() {
        unshare.env(name, value.unwrap_or_default());
    }
    let ran = unshare
        .args(["--map-root-user", "--mount", "sh", "-c", &mount])
        .env("AT", &at)
        .env("ROOT", store.root())
        .env("SESSTREE", SESSTREE)
        .output();
    let failed = match ran {
        Ok(ran) if ran.status.code() != Some(77) => {
            let err = String::from_utf8_lossy(&ran.stderr);
            return Some(String::from_utf8_lossy(&ran.stdout).into_owned() + &err);
        }
        Ok(ran) => String::from_utf8_lossy(&ran.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    assert!(!geteuid().is_root(), "root cannot mount {kind}: {failed}");
    skipped(&format!("nothing can be mounted here: {failed}"));
    None
}

fn store() -> TestStore {
    let store = TestStore::new();
    add(&store, "old", "", 90);
    for name in ["new1", "new2"] {
        add(&store, name, "", 1);
    }
    store
}

const REFUSED: &str = "sesstree: the sessions are on ramfs, where a session that is open may not be seen: \
     nothing is removed or brought back there unless sesstree is started with --trust-locks\n";

#[test]
fn it_is_read_and_nothing_else() {
    let store = store();
    let script = "
        $SESSTREE --root $AT list --no-size >/dev/null && echo listed
        for what in 'prune --older-than 30d --dry-run' 'prune --older-than 30d --yes' \
                    'prune --older-than 30d --delete-now --yes' 'trash empty --all --yes'; do
            $SESSTREE --root $AT $what 2>&1; echo \"$? $what\"
        done
        ls -A $AT";
    let Some(told) = on("ramfs", &store, script) else {
        return;
    };
    let said = format!(
        "listed\n\
         {REFUSED}1 prune --older-than 30d --dry-run\n\
         {REFUSED}1 prune --older-than 30d --yes\n\
         {REFUSED}1 prune --older-than 30d --delete-now --yes\n\
         {REFUSED}1 trash empty --all --yes\n\
         new1\nnew2\nold\n"
    );
    assert_eq!(told, said);
}

#[test]
fn whoever_trusts_its_locks_prunes_and_restores() {
    let store = store();
    let script = "
        $SESSTREE --trust-locks --root $AT prune --older-than 30d --yes >/dev/null || exit
        ls $AT; $SESSTREE --root $AT trash list | grep -c old
        $SESSTREE --root $AT trash restore old 2>&1
        $SESSTREE --root $AT trash restore old --trust-locks
        ls $AT; $SESSTREE --root $AT prune --older-than 30d --dry-run --trust-locks | head -n 1";
    let Some(told) = on("ramfs", &store, script) else {
        return;
    };
    let lines: Vec<&str> = told.lines().collect();
    let refused = REFUSED.trim_end();
    assert_eq!(
        lines[..8],
        [
            "new1",
            "new2",
            "1",
            refused,
            "Restored 1 session.",
            "new1",
            "new2",
            "old"
        ],
        "{told}"
    );
    assert!(lines[8].starts_with("Would remove 1 session"), "{told}");
}

#[test]
fn tmpfs_needs_no_trust() {
    let store = store();
    let script = "$SESSTREE --root $AT prune --older-than 30d --yes | head -n 1";
    if let Some(told) = on("tmpfs", &store, script) {
        assert!(told.starts_with("Removed 1 session"), "{told}");
    }
}

#[test]
fn the_flag_changes_nothing_elsewhere() {
    let store = store();
    let arguments = ["prune", "--older-than", "30d", "--yes", "--trust-locks"];
    assert_eq!(run(&store, &arguments).code, 0);
}
