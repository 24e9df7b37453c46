//! `prune --delete-now`. Apart: it is refused while an agent runs that takes no lease, as other
//! tests start some.

use super::empty::in_terminal;
use super::forest;
use crate::support::apart::{Disk, apart};
use crate::support::binary::{ids, json, run};

const DELETE: [&str; 4] = ["prune", "--older-than", "30d", "--delete-now"];

#[test]
fn it_deletes_what_the_trash_would_get() {
    apart(Disk::Plain, || {
        let store = forest();
        let before = store.snapshot();
        let dry = run(&store, &[&DELETE[..], &["--dry-run"]].concat());
        assert_eq!(dry.code, 0, "{}", dry.err);
        assert!(
            dry.out.starts_with("Would remove 1 session "),
            "{}",
            dry.out
        );
        assert_eq!(store.snapshot(), before);
        let report = json(&store, &[&DELETE[..], &["--yes"]].concat());
        assert_eq!(ids(&report, "removed", "sessionId"), ["alone"]);
        assert_eq!(report["deleteNow"], true);
        assert_eq!(report.get("batch"), None);
        assert!(!store.path("alone").exists() && !store.path(".sesstree").exists());
        assert!(
            ["old", "fork", "new", "fresh"]
                .iter()
                .all(|id| store.has(id))
        );
        let log = json(&store, &["trash", "log"]);
        assert_eq!(log["entries"][0]["action"], "delete");
        assert_eq!(ids(&log["entries"][0], "sessions", "id"), ["alone"]);
    });
}

#[test]
fn it_wants_a_yes_like_any_prune() {
    apart(Disk::Plain, || {
        let store = forest();
        let ran = run(&store, &DELETE);
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains("off a terminal say --yes"), "{}", ran.err);
        let mut terminal = in_terminal(&store, &DELETE);
        for part in [
            "Delete 1 session",
            "for good, which cannot be undone? [y/N]",
        ] {
            terminal.wait_for_text(part);
        }
        terminal.keys("n\r");
        terminal.end();
        assert!(store.has("alone"));
    });
}
