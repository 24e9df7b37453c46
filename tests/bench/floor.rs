//! What listing and checking a store cost at least: the system calls alone, nothing kept.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::thread;

use fs4::FileExt;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};

/// What is done with each session.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// metadata.json is opened, read and closed.
    Read,
    /// The same; then both locks are taken and the folder's sizes looked up.
    OnePass,
    /// events.jsonl is opened, read to its end and closed.
    Logs,
}

/// Does it on so many threads; the bytes that were seen.
pub(crate) fn run(root: &Path, work: Work, threads: usize) -> io::Result<u64> {
    let root = openat(rustix::fs::CWD, root, folder(), Mode::empty())?;
    let mut names = Vec::new();
    for entry in Dir::read_from(&root)? {
        let entry = entry?;
        if entry.file_type() == FileType::Directory
            && !entry.file_name().to_bytes().starts_with(b".")
        {
            names.push(entry.file_name().to_owned());
        }
    }
    let share = names.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let shares = names.chunks(share).map(|names| {
            let root = &root;
            scope.spawn(move || {
                let mut buffer = vec![0; 1 << 16];
                let each = names.iter().map(|name| one(root, name, work, &mut buffer));
                each.sum::<io::Result<u64>>()
            })
        });
        let running: Vec<_> = shares.collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or(Ok(0)))
            .sum()
    })
}

fn folder() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC
}

fn one(root: &OwnedFd, name: &std::ffi::CStr, work: Work, buffer: &mut [u8]) -> io::Result<u64> {
    let path = |file: &str| [name.to_bytes(), b"/", file.as_bytes()].concat();
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    if work == Work::Logs {
        return log(root, &path("events.jsonl"), buffer);
    }
    let mut metadata = File::from(openat(root, path("metadata.json"), flags, Mode::empty())?);
    let mut bytes = metadata.read(buffer)? as u64;
    drop(metadata);
    if work == Work::OnePass {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC;
        let lock =
            |file: &str| openat(root, path(file), flags, Mode::RUSR | Mode::WUSR).map(File::from);
        let (lease, write) = (lock("lease.lock")?, lock("session.lock")?);
        FileExt::lock(&lease)?;
        FileExt::lock(&write)?;
        bytes += size(&openat(root, name, folder(), Mode::empty())?)?;
    }
    Ok(bytes)
}

fn log(root: &OwnedFd, path: &[u8], buffer: &mut [u8]) -> io::Result<u64> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let mut log = File::from(openat(root, path, flags, Mode::empty())?);
    let mut bytes = 0;
    loop {
        match log.read(buffer)? {
            0 => return Ok(bytes),
            count => bytes += count as u64,
        }
    }
}

fn size(at: &OwnedFd) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in Dir::read_from(at.as_fd())? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        bytes += if entry.file_type() == FileType::Directory {
            size(&openat(at, name, folder(), Mode::empty())?)?
        } else {
            let seen = statat(at, name, AtFlags::SYMLINK_NOFOLLOW)?;
            u64::try_from(seen.st_size).unwrap_or(0)
        };
    }
    Ok(bytes)
}
