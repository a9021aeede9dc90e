//! Storage on the real disk.

use super::contract::{SequentialFile, Storage};
use super::writeback::Writeback;
use crate::files::free_bytes;
use outcrop_types::{Error, Result, length_from};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// File system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Storage for Disk {
    fn create_folder(&self, path: &Path) -> Result<()> {
        let made = rustix::fs::mkdir(path, Mode::RWXU | Mode::RWXG | Mode::RWXO);
        made.map_err(|errno| match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            Some(parent) if errno == Errno::NOENT => {
                Error::NotFound { path: parent.to_owned(), hint: "; create the folder first" }
            }
            _ => refusal("create", path, errno),
        })
    }

    fn create(&self, path: &Path) -> Result<Box<dyn SequentialFile>> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let everybody = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
        let file = rustix::fs::open(path, flags, everybody).map_err(|errno| refusal("create", path, errno))?.into();
        Ok(Box::new(DiskFile {
            file,
            path: path.to_owned(),
            length: 0,
            writeback: Writeback::default(),
            failed: false,
        }))
    }

    fn sync_folder(&self, path: &Path) -> Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty())
            .and_then(rustix::fs::fsync)
            .map_err(|errno| refusal("sync", path, errno))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        let outcome = match move_without_replacing(from, to) {
            Err(errno) if is_unknown(errno) => checked_rename(from, to),
            outcome => outcome,
        };
        outcome.map_err(|errno| if errno == Errno::EXIST { exists(to) } else { refusal("rename", from, errno) })
    }

    fn exchange(&self, a: &Path, b: &Path) -> Result<()> {
        match swap(a, b) {
            Err(errno) if is_unknown(errno) => self.exchange_by_renaming(a, b),
            outcome => outcome.map_err(|errno| refusal("exchange", a, errno)),
        }
    }

    fn remove_folder(&self, path: &Path) -> Result<()> {
        let fail = |error| Error::io("remove", path, error);
        if !std::fs::symlink_metadata(path).map_err(fail)?.is_dir() {
            return Err(fail(ErrorKind::NotADirectory.into()));
        }
        crate::files::remove_folder(path).map_err(fail)
    }

    fn remove_file(&self, path: &Path) -> Result<()> {
        rustix::fs::unlink(path).map_err(|errno| refusal("remove", path, errno))
    }

    fn free_bytes(&self, path: &Path) -> Result<Option<u64>> {
        free_bytes(path)
    }
}

impl Disk {
    /// Swaps two folders non-atomically: after a crash, `a` may be absent and its content may have an intermediate
    /// name.
    fn exchange_by_renaming(&self, a: &Path, b: &Path) -> Result<()> {
        let mut between = a.as_os_str().to_owned();
        between.push(".exchange");
        let between = PathBuf::from(between);
        self.rename(a, &between)?;
        if let Err(error) = self.rename(b, a) {
            self.rename(&between, a)?;
            return Err(error);
        }
        self.rename(&between, b)
    }
}

fn refusal(operation: &'static str, path: &Path, errno: Errno) -> Error {
    if errno == Errno::EXIST { exists(path) } else { Error::io(operation, path, errno.into()) }
}

fn exists(path: &Path) -> Error {
    Error::AlreadyExists { path: path.to_owned() }
}

/// Returns true if a file system does not support the flags of a rename.
fn is_unknown(errno: Errno) -> bool {
    matches!(errno, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn move_without_replacing(from: &Path, to: &Path) -> Result<(), Errno> {
    rustix::fs::renameat_with(CWD, from, CWD, to, rustix::fs::RenameFlags::NOREPLACE)
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn swap(a: &Path, b: &Path) -> Result<(), Errno> {
    rustix::fs::renameat_with(CWD, a, CWD, b, rustix::fs::RenameFlags::EXCHANGE)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn move_without_replacing(_from: &Path, _to: &Path) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn swap(_a: &Path, _b: &Path) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// Checks before renaming; a plain rename would replace a file or an empty folder.
fn checked_rename(from: &Path, to: &Path) -> Result<(), Errno> {
    match rustix::fs::lstat(to) {
        Ok(_) => Err(Errno::EXIST),
        Err(Errno::NOENT) => rustix::fs::renameat(CWD, from, CWD, to),
        Err(errno) => Err(errno),
    }
}

struct DiskFile {
    file: File,
    path: PathBuf,
    length: u64,
    writeback: Writeback,
    failed: bool,
}

impl DiskFile {
    /// Performs an operation unless an earlier one failed. After a failure, pages may be lost that a later sync would
    /// not report, so nothing succeeds any more.
    fn attempt(&mut self, operation: &'static str, act: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<()> {
        if self.failed {
            let earlier = io::Error::other("an earlier write failed");
            return Err(Error::io(operation, &self.path, earlier));
        }
        let outcome = act(self);
        self.failed = outcome.is_err();
        outcome.map_err(|error| Error::io(operation, &self.path, error))
    }
}

impl SequentialFile for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.attempt("write", |this| {
            // Continues short writes; a full disk first shows as a short write.
            this.file.write_all(bytes)?;
            this.length += length_from(bytes.len());
            this.writeback.written(&this.file, this.length)
        })
    }

    fn sync(&mut self) -> Result<()> {
        self.attempt("sync", |this| this.file.sync_all())?;
        Writeback::forget(&self.file);
        Ok(())
    }

    fn len(&self) -> u64 {
        self.length
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_once_and_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = Disk.create(&path).unwrap();
        file.write(b"one").unwrap();
        file.write(b"two").unwrap();
        file.sync().unwrap();
        assert_eq!((file.len(), file.path()), (6, path.as_path()));
        assert_eq!(std::fs::read(&path).unwrap(), b"onetwo");
        assert!(matches!(Disk.create(&path), Err(Error::AlreadyExists { .. })));
        assert!(matches!(Disk.create_folder(&path), Err(Error::AlreadyExists { .. })));
    }

    #[test]
    fn a_planted_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        std::fs::create_dir(&target).unwrap();
        std::fs::write(target.join("kept"), b"kept").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert!(Disk.create(&link).is_err());
        assert!(Disk.remove_folder(&link).is_err());
        let inside = folder.path().join("ours");
        Disk.create_folder(&inside).unwrap();
        std::os::unix::fs::symlink(&target, inside.join("planted")).unwrap();
        Disk.remove_folder(&inside).unwrap();
        assert_eq!(std::fs::read(target.join("kept")).unwrap(), b"kept");
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no renameat2")]
    fn a_rename_never_replaces_and_an_exchange_swaps() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        for path in [&a, &b] {
            Disk.create_folder(path).unwrap();
            std::fs::write(path.join("name"), path.file_name().unwrap().as_encoded_bytes()).unwrap();
        }
        let name_in = |path: &Path| std::fs::read(path.join("name")).unwrap();
        assert!(matches!(Disk.rename(&a, &b), Err(Error::AlreadyExists { path }) if path == b));
        assert_eq!(checked_rename(&a, &b), Err(Errno::EXIST));
        Disk.exchange(&a, &b).unwrap();
        assert_eq!((name_in(&a), name_in(&b)), (b"b".to_vec(), b"a".to_vec()));
        Disk.exchange_by_renaming(&a, &b).unwrap();
        assert_eq!((name_in(&a), name_in(&b)), (b"a".to_vec(), b"b".to_vec()));
        Disk.rename(&a, &folder.path().join("c")).unwrap();
        Disk.sync_folder(folder.path()).unwrap();
        assert!(!a.exists() && Disk.free_bytes(folder.path()).unwrap().unwrap() > 0);
    }

    #[test]
    #[cfg_attr(miri, ignore = "writes 40 MB")]
    fn large_files_pass_through_the_writeback_windows() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = Disk.create(&folder.path().join("large")).unwrap();
        let piece: Vec<u8> = (0..3u32 << 20).map(|i| (i % 251) as u8).collect();
        (0..12).for_each(|_| file.write(&piece).unwrap());
        file.sync().unwrap();
        assert!(std::fs::read(file.path()).unwrap().chunks(piece.len()).all(|chunk| chunk == piece));
    }
}
