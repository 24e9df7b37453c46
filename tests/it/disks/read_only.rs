//! A store on a read-only mount: everything that only looks works, and whatever would change
//! something is refused by a reason.

use std::ffi::OsString;

use sesstree::store::{Hold, Store as _};

use super::{DELETE, DRY, PRUNE, ran, store};
use crate::prune::{id, zero};
use crate::support::apart::{Disk, apart, mount};
use crate::support::binary::{SESSTREE, run};
use crate::support::terminal::Terminal;

#[test]
fn a_read_only_mount_is_browsed_and_never_pruned() {
    apart(Disk::Plain, || {
        let (store, [first, _]) = store();
        let writable = store.snapshot();
        let root = store.root();
        mount(&["--bind"], &root, &root);
        mount(&["-o", "remount,bind,ro"], &root, &root);
        let before = store.snapshot();
        assert_eq!(before, writable);
        for look in [
            &["list"][..],
            &["list", "--json"],
            &["tree"],
            &["trash", "list"],
            &DRY,
            &["trash", "empty", "--all", "--dry-run"],
        ] {
            let looked = run(&store, look);
            ran(&looked, 0, &format!("{look:?}"));
            assert_eq!(store.snapshot(), before, "{look:?}");
        }
        // What a prune does not take is kept, which is no failure.
        for (code, change, says) in [
            (0, &PRUNE[..], "cannot be moved to the trash: "),
            (0, &DELETE, "cannot be deleted: "),
            (1, &["trash", "restore", &first], "cannot be brought back: "),
            (1, &["trash", "restore", "y"], "cannot be brought back: "),
            (
                1,
                &["trash", "empty", "--all", "--yes"],
                "cannot be taken out of the trash: ",
            ),
        ] {
            let refused = run(&store, change);
            let said = format!("{}{}", refused.out, refused.err);
            ran(&refused, code, &format!("{change:?}"));
            for says in [says, "Read-only file system"] {
                assert!(said.contains(says), "{change:?}: {said}");
            }
            assert_eq!(store.snapshot(), before, "{change:?}");
        }
        let refused = zero(&store).pin(&[(id("a"), true)]).unwrap_err();
        assert!(
            refused.to_string().contains("Read-only file system"),
            "{refused}"
        );
        for name in ["a", "bare"] {
            let hold = zero(&store).hold(&id(name)).unwrap();
            let Hold::Unprotected(why) = hold else {
                continue;
            };
            assert!(why.as_str().contains("ead-only"), "{name}: {why}");
        }
        let env = [
            ("HOME", store.beside("home").into_os_string()),
            ("TERM", OsString::from("xterm-256color")),
        ];
        let args = ["--root", root.to_str().unwrap()];
        let mut terminal = Terminal::start(SESSTREE, args, &env);
        terminal.wait_for_text("title of bare");
        terminal.keys("\t");
        terminal.wait_for_text("as the agent would continue it");
        terminal.wait_for_text("you     hello");
        terminal.keys("\x1b");
        terminal.wait_for_text("Enter resume");
        terminal.keys("p");
        terminal.wait_for_text("would remove about");
        terminal.keys("\r");
        terminal.wait_for_text("Would remove 0");
        // The whole reason is shown of what is under the cursor.
        terminal.keys("j");
        terminal.wait_for_text("moved to the trash: Read-only file system");
        assert!(terminal.quit().success());
        terminal.assert_clean();
        assert_eq!(store.snapshot(), before, "the screen");
    });
}
