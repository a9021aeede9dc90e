//! File locks, which exclude writers and readers of a store from each other.

use super::holders::holders;
use super::stat::is_same;
use outcrop_types::{Error, Result};
use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags, flock, fstat, openat, statat};
use rustix::io::Errno;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

/// Advisory lock on an existing file; released when dropped, or when the process ends in any way. It locks the file
/// that had the name when the lock was taken.
#[derive(Debug)]
pub struct FileLock {
    file: OwnedFd,
}

impl FileLock {
    /// Makes a shared lock exclusive, if there is no other lock. Otherwise it stays shared, or is lost to a process
    /// that takes an exclusive lock at this moment: only for locks that are not needed any more.
    pub fn try_upgrade(&self) -> bool {
        let lock = |operation| rustix::io::retry_on_intr(|| flock(&self.file, operation)).is_ok();
        // A failed attempt releases the shared lock.
        let upgraded = lock(FlockOperation::NonBlockingLockExclusive);
        if !upgraded {
            lock(FlockOperation::NonBlockingLockShared);
        }
        upgraded
    }

    /// Locks the file in shared mode, without waiting. Needs no write permission.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InUse`] if it is locked exclusively, [`Error::NotFound`] or [`Error::Io`].
    #[cfg(test)]
    fn shared(path: &Path) -> Result<Self> {
        Self::shared_at(CWD, path, path)
    }

    /// Locks the file exclusively, without waiting. Opens the file for writing, as network file systems require.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InUse`] if it is already locked, [`Error::NotFound`] or [`Error::Io`].
    pub fn exclusive(path: &Path) -> Result<Self> {
        Self::exclusive_at(CWD, path, path)
    }

    /// Locks the file exclusively; returns `None` if it is already locked.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotFound`] or [`Error::Io`].
    pub fn try_exclusive(path: &Path) -> Result<Option<Self>> {
        Self::try_at(CWD, path, path, FlockOperation::NonBlockingLockExclusive)
    }

    /// Locks a folder exclusively, without waiting. Returns `None` if the file system cannot lock folders.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InUse`] if it is already locked, or [`Error::Io`].
    pub fn of_folder(path: &Path) -> Result<Option<Self>> {
        let folder = openat(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
        let folder = folder.map_err(|errno| Error::io("open", path, errno.into()))?;
        match rustix::io::retry_on_intr(|| flock(&folder, FlockOperation::NonBlockingLockExclusive)) {
            Ok(()) => Ok(Some(Self { file: folder })),
            Err(Errno::WOULDBLOCK) => Err(Error::in_use(path, holders(path))),
            Err(_) => Ok(None),
        }
    }

    /// Locks the file `name` in a folder in shared mode, without waiting; `shown` is for messages.
    pub(crate) fn shared_at(folder: BorrowedFd<'_>, name: &Path, shown: &Path) -> Result<Self> {
        Self::at(folder, name, shown, FlockOperation::NonBlockingLockShared)
    }

    /// Same as [`FileLock::exclusive`] for the file `name` in a folder; `shown` is for messages.
    pub(crate) fn exclusive_at(folder: BorrowedFd<'_>, name: &Path, shown: &Path) -> Result<Self> {
        Self::at(folder, name, shown, FlockOperation::NonBlockingLockExclusive)
    }

    /// Same as [`FileLock::try_exclusive`] for the file `name` in a folder; `shown` is for messages.
    pub(crate) fn try_exclusive_at(folder: BorrowedFd<'_>, name: &Path, shown: &Path) -> Result<Option<Self>> {
        Self::try_at(folder, name, shown, FlockOperation::NonBlockingLockExclusive)
    }

    fn at(folder: BorrowedFd<'_>, name: &Path, shown: &Path, operation: FlockOperation) -> Result<Self> {
        Self::try_at(folder, name, shown, operation)?.ok_or_else(|| Error::in_use(shown, holders(shown)))
    }

    fn try_at(folder: BorrowedFd<'_>, name: &Path, shown: &Path, operation: FlockOperation) -> Result<Option<Self>> {
        take(folder, name, operation, || ()).map_err(|errno| match errno {
            Errno::NOENT => Error::NotFound { path: shown.to_owned(), hint: "" },
            errno => Error::io("lock", shown, errno.into()),
        })
    }
}

/// Maximum number of attempts if the file is replaced before it is locked; afterwards it counts as in use.
const ATTEMPTS: usize = 1000;

/// Opens and locks a file, and retries until the locked file is the one with that name: it may have been replaced
/// between the two calls, and a lock on a removed file excludes no process. Calls `meanwhile` between them.
fn take(
    folder: BorrowedFd<'_>,
    name: &Path,
    operation: FlockOperation,
    mut meanwhile: impl FnMut(),
) -> Result<Option<FileLock>, Errno> {
    let access = match operation {
        FlockOperation::NonBlockingLockExclusive => OFlags::RDWR,
        _ => OFlags::RDONLY,
    };
    for _ in 0..ATTEMPTS {
        let file = openat(folder, name, access | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK, Mode::empty())?;
        meanwhile();
        let locked = match rustix::io::retry_on_intr(|| flock(&file, operation)) {
            Ok(()) => true,
            Err(Errno::WOULDBLOCK) => false,
            Err(errno) => return Err(errno),
        };
        let held = fstat(&file)?;
        if matches!(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW), Ok(there) if is_same(&held, &there)) {
            return Ok(locked.then_some(FileLock { file }));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no openat")]
    fn readers_share_and_a_writer_is_alone() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path();
        let first = FileLock::shared(path).unwrap();
        let second = FileLock::shared(path).unwrap();
        assert!(matches!(FileLock::exclusive(path), Err(Error::InUse { .. })));
        drop((first, second));
        let alone = FileLock::try_exclusive(path).unwrap().unwrap();
        assert!(FileLock::try_exclusive(path).unwrap().is_none());
        assert!(matches!(FileLock::shared(path), Err(Error::InUse { .. })));
        drop(alone);
        FileLock::exclusive(path).unwrap();
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no openat")]
    fn a_shared_lock_is_upgraded_if_it_is_the_only_one() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path();
        let (first, second) = (FileLock::shared(path).unwrap(), FileLock::shared(path).unwrap());
        assert!(!first.try_upgrade());
        // Both are still shared.
        assert!(matches!(FileLock::exclusive(path), Err(Error::InUse { .. })));
        drop(second);
        assert!(first.try_upgrade());
        assert!(matches!(FileLock::shared(path), Err(Error::InUse { .. })));
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no openat")]
    fn locking_creates_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("absent");
        assert!(matches!(FileLock::shared(&path), Err(Error::NotFound { .. })));
        assert!(!path.exists());
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no openat")]
    fn a_lock_is_of_the_file_that_has_the_name_when_it_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let [path, new] = ["lock", "new"].map(|name| folder.path().join(name));
        for operation in [FlockOperation::NonBlockingLockShared, FlockOperation::NonBlockingLockExclusive] {
            std::fs::write(&path, "").unwrap();
            let mut replacements = 3;
            let taken = take(CWD, &path, operation, || {
                if replacements > 0 {
                    replacements -= 1;
                    std::fs::write(&new, "").unwrap();
                    std::fs::rename(&new, &path).unwrap();
                }
            });
            let held = taken.unwrap();
            assert!(held.is_some() && replacements == 0);
            // The locked file has the name, so no other process can lock it.
            let again = take(CWD, &path, operation, || ()).unwrap();
            assert!(again.is_none() || operation == FlockOperation::NonBlockingLockShared);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no openat")]
    fn sharing_asks_for_no_right_to_write_and_holding_alone_does() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let access = |lock: &FileLock| rustix::fs::fcntl_getfl(&lock.file).unwrap() & OFlags::ACCMODE;
        assert_eq!(access(&FileLock::shared(file.path()).unwrap()), OFlags::RDONLY);
        assert_eq!(access(&FileLock::exclusive(file.path()).unwrap()), OFlags::RDWR);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no openat")]
    fn a_folder_is_locked_once_and_a_file_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(FileLock::of_folder(&file), Err(Error::Io { .. })));
        let held = FileLock::of_folder(folder.path()).unwrap().unwrap();
        assert!(matches!(FileLock::of_folder(folder.path()), Err(Error::InUse { .. })));
        drop(held);
        let of_file = FileLock::try_exclusive_at(CWD, &file, &file).unwrap().unwrap();
        // Programs that this one starts must not hold its locks after it ends.
        for lock in [of_file, FileLock::of_folder(folder.path()).unwrap().unwrap()] {
            assert_eq!(rustix::io::fcntl_getfd(&lock.file).unwrap(), rustix::io::FdFlags::CLOEXEC);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no openat")]
    #[cfg(target_os = "linux")]
    fn a_link_is_refused_and_a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, pipe] = ["file", "link", "pipe"].map(|name| folder.path().join(name));
        std::fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        rustix::fs::mknodat(CWD, &pipe, rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert!(matches!(FileLock::shared(&link), Err(Error::Io { .. })));
        // Without `NONBLOCK`, this would wait for a writer.
        FileLock::shared(&pipe).unwrap();
    }
}
