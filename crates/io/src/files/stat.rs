//! Metadata of files and file systems.

use outcrop_types::{Error, Result};
use rustix::fs::{FileType, Stat, statvfs};
use rustix::io::Errno;
use std::path::Path;

/// Returns true if both are of the same file.
pub(super) fn is_same(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

/// Returns true for a regular file, not a folder, link, pipe or device.
pub(crate) fn is_plain(found: &Stat) -> bool {
    FileType::from_raw_mode(found.st_mode) == FileType::RegularFile
}

/// Returns the free space below `path`, in bytes; `None` if unknown.
pub(crate) fn free_bytes(path: &Path) -> Result<Option<u64>> {
    match statvfs(path) {
        Ok(state) => Ok(Some(state.f_bavail.saturating_mul(state.f_frsize))),
        Err(Errno::NOSYS) => Ok(None),
        Err(Errno::NOENT) => Err(Error::NotFound { path: path.to_owned(), hint: "; create the folder first" }),
        Err(errno) => Err(Error::io("access", path, errno.into())),
    }
}
