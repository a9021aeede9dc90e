//! Open file, with simulated refusals of the system.

use crate::ALIGNMENT;
use crate::files::is_plain;
use crate::storage::{FileAdvice, advise};
use outcrop_types::{Error, Result};
use rustix::fs::{AtFlags, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;
use std::io::{self, ErrorKind};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// File that is open for reading.
pub(super) struct OpenFile {
    pub(super) fd: OwnedFd,
    pub(super) path: PathBuf,
    pub(super) length: u64,
    /// True if reads bypass the system's page cache.
    pub(super) direct: bool,
    /// Unit of offsets and lengths of requests. Through the page cache, the system always reads whole pages.
    pub(super) alignment: usize,
}

/// Simulated refusals of the system, to test fallbacks.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Refusals {
    /// True if io_uring is refused.
    pub uring: bool,
    /// True if `O_DIRECT` is refused.
    pub direct: bool,
}

impl OpenFile {
    /// Opens a regular file in a folder, without following a link; `shown` is its path in messages.
    pub(super) fn plain(folder: BorrowedFd<'_>, name: &Path, shown: &Path) -> Result<Self> {
        let fail = |errno: Errno| match errno {
            Errno::NOENT => Error::NotFound { path: shown.to_owned(), hint: "" },
            _ => Error::io("open", shown, errno.into()),
        };
        let plain = |found: Stat| match is_plain(&found) {
            true => Ok(found.st_size.cast_unsigned()),
            false => Err(Error::io("open", shown, io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"))),
        };
        // Check the type before opening, since opening a pipe would block until its other end is open.
        plain(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map_err(fail)?)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = openat(folder, name, flags, Mode::empty()).map_err(fail)?;
        let length = plain(fstat(&fd).map_err(fail)?)?;
        Ok(Self { fd, path: shown.to_owned(), length, direct: false, alignment: ALIGNMENT })
    }

    /// Disables read-ahead by the system.
    pub(super) fn advise_random(&self) {
        advise(&self.fd, 0, None, FileAdvice::Random);
    }
}
