use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::{Kin, gone};
use super::*;
use crate::prune::report::Trashed;
use crate::session::SessionId;
use crate::store::dir::Identity;
use crate::store::lease::SharedLease;

/// A folder with metadata is a session; the late writer's becomes one right after it was looked at
/// for the first time.
struct Late {
    stub: PathBuf,
    looks: Cell<u32>,
}

impl Anatomy for Late {
    fn is_session(&self, folder: &Dir) -> io::Result<bool> {
        let is = folder.stat("metadata.json").is_ok();
        if self.looks.replace(self.looks.get() + 1) == 0 {
            fs::write(self.stub.join("metadata.json"), "the late one").unwrap();
        }
        Ok(is)
    }

    fn describe(&self, _: &Dir, id: &SessionId) -> Trashed {
        Trashed::unknown(id)
    }

    fn check_free(&self, _: &Dir) -> Result<(), Refusal> {
        Ok(())
    }

    fn kin_in(&self, _: &Dir, _: &str, _: &SessionId) -> Kin {
        Kin::default()
    }

    fn hold(&self, _: &Dir) -> Result<Option<SharedLease>, Refusal> {
        Ok(None)
    }
}

fn session(path: &Path) {
    fs::create_dir(path).unwrap();
    fs::write(path.join("metadata.json"), "the old one").unwrap();
}

fn told(path: &Path) -> String {
    fs::read_to_string(path.join("metadata.json")).unwrap()
}

#[test]
fn a_stub_that_becomes_a_session_while_a_restore_looks_keeps_its_place() {
    let temp = tempfile::tempdir().unwrap();
    let (lot, root) = (temp.path().join("lot"), temp.path().join("root"));
    fs::create_dir(&lot).unwrap();
    fs::create_dir_all(root.join("a")).unwrap();
    session(&lot.join("a"));
    let stub = root.join("a");
    let looks = Cell::new(0);
    let late = Late { stub, looks };
    let [lot_dir, root_dir] = [&lot, &root].map(|path| Dir::open_root(path).unwrap());
    let put = exchange_in_batch(&late, &lot_dir, &root_dir, "a");
    assert!(matches!(put, Err(NotBack::Clash)), "{put:?}");
    assert_eq!(late.looks.get(), 3, "at both, and once more afterwards");
    assert_eq!(told(&root.join("a")), "the late one");
    assert_eq!(told(&lot.join("a")), "the old one");
}

#[test]
fn a_stub_that_becomes_a_session_while_a_deletion_is_taken_back_keeps_its_place() {
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    session(&at("a"));
    let looks = Cell::new(0);
    let late = Late {
        stub: at("a"),
        looks,
    };
    let root = Dir::open_root(temp.path()).unwrap();
    let id = SessionId::parse("a").unwrap();
    let identity: Identity = root.stat("a").unwrap().identity;
    gone::take(&late, &root, &id, identity).unwrap();
    fs::create_dir(at("a")).unwrap();
    let refused = gone::give(&late, &root, &id).unwrap_err();
    assert_eq!(late.looks.get(), 3, "at both, and once more afterwards");
    let says = "cannot be deleted: it is in .sesstree-kept.a: a session of this id is in the store";
    assert!(refused.to_string().starts_with(says), "{refused}");
    assert_eq!(told(&at("a")), "the late one");
    assert_eq!(told(&at(".sesstree-kept.a")), "the old one");
    assert!(!at(".sesstree-gone.a").exists(), "it would be unlinked");
}
