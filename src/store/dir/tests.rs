use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use super::*;

fn room() -> (tempfile::TempDir, Dir) {
    let temp = tempfile::tempdir().unwrap();
    let dir = Dir::open_root(temp.path()).unwrap();
    (temp, dir)
}

fn kind_of(error: &OpenError) -> Option<Kind> {
    match error {
        OpenError::NotRegular(kind) => Some(*kind),
        OpenError::Io(_) => None,
    }
}

#[test]
fn only_regular_files_open_and_nothing_blocks() {
    let (temp, dir) = room();
    std::fs::write(temp.path().join("file"), "text").unwrap();
    std::fs::create_dir(temp.path().join("folder")).unwrap();
    symlink("file", temp.path().join("link")).unwrap();
    symlink("folder", temp.path().join("link to folder")).unwrap();
    rustix::fs::mkfifoat(&dir, "fifo", Mode::RUSR | Mode::WUSR).unwrap();
    let _socket = UnixListener::bind(temp.path().join("socket")).unwrap();

    assert!(dir.open_file("file", Access::Read).is_ok());
    for (name, kind) in [
        ("folder", Kind::Folder),
        ("link", Kind::Link),
        ("fifo", Kind::Fifo),
        ("socket", Kind::Socket),
    ] {
        for access in [Access::Read, Access::Write] {
            let error = dir.open_file(name, access).unwrap_err();
            assert_eq!(kind_of(&error), Some(kind), "{name}: {error}");
        }
    }
    assert!(dir.open_dir("folder").is_ok());
    for (name, kind) in [("file", Kind::File), ("link to folder", Kind::Link)] {
        let error = dir.open_dir(name).unwrap_err();
        assert_eq!(kind_of(&error), Some(kind), "{name}: {error}");
    }
    assert!(dir.open_linked_dir("link to folder").is_ok());
}

#[test]
fn a_name_is_one_part_of_a_path() {
    let (_temp, dir) = room();
    for name in ["", ".", "..", "a/b", "/", "../x", "/etc"] {
        assert!(dir.open_dir(name).is_err(), "{name:?}");
        assert!(dir.open_file(name, Access::Read).is_err(), "{name:?}");
        assert!(dir.stat(name).is_err(), "{name:?}");
    }
}

#[test]
fn reading_stops_at_the_limit() {
    let (temp, dir) = room();
    std::fs::write(temp.path().join("file"), "12345").unwrap();
    let mut buffer = b"left over".to_vec();
    assert_eq!(
        dir.read_file("file", 5, &mut buffer).unwrap(),
        Extent::Whole
    );
    assert_eq!(buffer, b"12345");
    assert_eq!(dir.read_file("file", 4, &mut buffer).unwrap(), Extent::Cut);
    assert_eq!(buffer, b"1234");
}

#[test]
fn an_open_folder_stays_itself() {
    let (temp, dir) = room();
    std::fs::create_dir(temp.path().join("one")).unwrap();
    std::fs::write(temp.path().join("one/file"), "mine").unwrap();
    let one = dir.open_dir("one").unwrap();
    std::fs::rename(temp.path().join("one"), temp.path().join("two")).unwrap();
    symlink("/", temp.path().join("one")).unwrap();
    assert!(one.open_file("file", Access::Read).is_ok());
    assert_eq!(
        one.identity().unwrap(),
        dir.stat("two").unwrap().identity,
        "the same folder under another name"
    );
    assert_ne!(
        one.identity().unwrap(),
        dir.stat("one").unwrap().identity,
        "the link is another one"
    );
}
