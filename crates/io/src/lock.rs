//! Keeps writers and readers of a store apart.

use outcrop_types::{Error, Result};
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::Path;

/// An advisory lock on a file or folder that exists; given back when dropped, or when the process ends however it ends.
#[derive(Debug)]
pub struct FileLock {
    _held: OwnedFd,
}

impl FileLock {
    /// Shares the file with others that do; does not wait.
    ///
    /// # Errors
    /// [`Error::InUse`] where somebody holds it alone; [`Error::NotFound`]; [`Error::Io`].
    pub fn shared(path: &Path) -> Result<Self> {
        Self::take(path, FlockOperation::NonBlockingLockShared)?.ok_or_else(|| Error::InUse { path: path.to_owned() })
    }

    /// Holds the file alone; does not wait.
    ///
    /// # Errors
    /// [`Error::InUse`] where anybody holds it; [`Error::NotFound`]; [`Error::Io`].
    pub fn exclusive(path: &Path) -> Result<Self> {
        Self::try_exclusive(path)?.ok_or_else(|| Error::InUse { path: path.to_owned() })
    }

    /// Holds the file alone, or says `None` where anybody holds it.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Io`].
    pub fn try_exclusive(path: &Path) -> Result<Option<Self>> {
        Self::take(path, FlockOperation::NonBlockingLockExclusive)
    }

    fn take(path: &Path, operation: FlockOperation) -> Result<Option<Self>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| match errno {
            Errno::NOENT => Error::NotFound { path: path.to_owned(), hint: "" },
            errno => Error::io("lock", path, errno.into()),
        })?;
        loop {
            return match flock(&file, operation) {
                Ok(()) => Ok(Some(Self { _held: file })),
                Err(Errno::INTR) => continue,
                Err(Errno::WOULDBLOCK) => Ok(None),
                Err(errno) => Err(Error::io("lock", path, errno.into())),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
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
    fn locking_creates_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("absent");
        assert!(matches!(FileLock::shared(&path), Err(Error::NotFound { .. })));
        assert!(!path.exists());
        FileLock::exclusive(folder.path()).unwrap();
    }
}
