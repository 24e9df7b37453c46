//! The trash is emptied on a real terminal, for a yes to what was seen.

use super::Stage;
use crate::commands::empty::{expire, keep_until};
use crate::prune::purge::trash;
use crate::support::terminal::until;

#[test]
fn an_expired_batch_goes_with_a_prune_and_another_by_x() {
    let stage = Stage::new();
    for name in ["first", "second"] {
        stage.store.add(name, "", 900);
    }
    let [expired, fresh] = ["first", "second"].map(|name| trash(&stage.store, &[name]));
    expire(&stage.store, expired.as_str());
    keep_until(&stage.store, fresh.as_str(), "2999-01-01T00:00:00Z");
    let there = |batch: &sesstree::prune::report::BatchId| {
        let folder = stage.store.path(".sesstree/trash").join(batch.as_str());
        folder.exists()
    };
    let mut terminal = stage.open();
    for (keys, then) in [
        ("p", "Prune by age"),
        ("\r", "Trash to empty 1"),
        ("cyyy", "Empty 1 expired batch of the trash?"),
    ] {
        terminal.keys(keys);
        terminal.wait_for_text(then);
    }
    assert!(there(&expired), "typed ahead");
    // Keys are thrown away until the question is out.
    until("the emptying", || {
        terminal.keys("y");
        !there(&expired)
    });
    terminal.wait_for_text("1 batch emptied");
    assert!(there(&fresh));
    for (keys, then) in [
        // A stop that came too late, should the emptying have been slow, would lead nowhere.
        ("jq", "Sessions"),
        ("u", "title of second"),
        ("Xyyy", "Empty this batch of 1 session"),
    ] {
        terminal.keys(keys);
        terminal.wait_for_text(then);
    }
    assert!(there(&fresh), "typed ahead");
    until("the emptying", || {
        terminal.keys("y");
        !there(&fresh)
    });
    terminal.wait_for_text("the trash is empty");
    terminal.keys("jqq");
    assert!(terminal.end().success());
    terminal.assert_clean();
}
