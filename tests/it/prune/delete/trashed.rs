//! Deleting at once what something in the trash descends from.

use std::path::Path;

use sesstree::prune::execute::{dry_run, remove};
use sesstree::prune::purge::check;
use sesstree::prune::report::{PruneReport, Restore};
use sesstree::store::Store as _;

use super::super::purge::{expired, trash};
use super::super::{alone, contents, grace, id, quiet, told, zero};
use super::{delete, for_good};
use crate::support::{TestStore, now};

#[test]
fn what_the_trash_descends_from_stays() {
    let store = TestStore::new();
    for (name, parent) in [("a", ""), ("b", "a"), ("c", "b"), ("other", "")] {
        store.add(name, parent, 90);
    }
    trash(&store, &["c"]);
    let before = contents(&store);
    let dry = dry_run(&alone(&store), for_good(&store), &quiet()).unwrap();
    let dry = told(&PruneReport::dry(&dry));
    let real = told(&delete(&store, &quiet()));
    assert_eq!(real["b"], "kept: parent of a session in the trash: c");
    assert_eq!(real["a"], "kept: ancestor of a session that stays: b");
    assert_eq!(real["other"], "removed");
    assert_eq!(dry, real);
    let other = |path: &Path| path.starts_with("other");
    let after = contents(&store);
    assert!(before.iter().filter(|(path, _)| !other(path)).eq(&after));
    let back = zero(&store).restore(&Restore::Session(id("c")), &quiet());
    assert_eq!(back.unwrap().failed, []);
    // What goes out of the trash with the same yes keeps nothing.
    trash(&store, &["c"]);
    let zero = alone(&store);
    let expired = check(&zero, &expired()).unwrap();
    let plan = || for_good(&store).with_trash(expired.clone());
    let dry = dry_run(&zero, plan(), &quiet()).unwrap();
    assert_eq!(PruneReport::dry(&dry).removed.len(), 2);
    let real = remove(&zero, plan().confirm(), now(), grace(), &quiet()).unwrap();
    assert_eq!((real.removed.len(), real.kept.len()), (2, 0));
}
