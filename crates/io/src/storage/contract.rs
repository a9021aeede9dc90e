//! Operations that can be done to a disk, and no more.

use crate::unnamed::SpillFolder;
use outcrop_types::Result;
use std::path::Path;

/// A file system as those see it who write stores. Nothing here follows a link at the last component of a path, and
/// nothing replaces what exists. Where there is no other word, errors are [`outcrop_types::Error::Io`], and
/// [`outcrop_types::Error::DiskFull`] where no space is left.
pub trait Storage: Send + Sync {
    /// Makes a folder that those may enter whom the umask lets.
    ///
    /// # Errors
    /// [`outcrop_types::Error::AlreadyExists`] where something has that name.
    fn create_folder(&self, path: &Path) -> Result<()>;

    /// Makes an empty file that those may read whom the umask lets, open for writing from its start to its end.
    ///
    /// # Errors
    /// [`outcrop_types::Error::AlreadyExists`] where something has that name.
    fn create(&self, path: &Path) -> Result<Box<dyn SequentialFile>>;

    /// Makes the names in a folder survive a crash.
    ///
    /// # Errors
    /// The system could not; it must not be tried again.
    fn sync_folder(&self, path: &Path) -> Result<()>;

    /// Gives a file or folder another name in the same file system.
    ///
    /// # Errors
    /// [`outcrop_types::Error::AlreadyExists`] where something has that name.
    fn rename(&self, from: &Path, to: &Path) -> Result<()>;

    /// Swaps two folders: atomically if the system can, else by renaming one after the other.
    ///
    /// # Errors
    /// The system could not.
    fn exchange(&self, a: &Path, b: &Path) -> Result<()>;

    /// Removes a folder that we made, with all that is in it. Links in it are removed, not followed.
    ///
    /// # Errors
    /// The path is no folder, or the system could not.
    fn remove_folder(&self, path: &Path) -> Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// The system could not.
    fn remove_file(&self, path: &Path) -> Result<()>;

    /// Free space below `path`, in bytes; `None` if unknown.
    ///
    /// # Errors
    /// The system could not look.
    fn free_bytes(&self, path: &Path) -> Result<Option<u64>>;

    /// The folder `dir` for temporary files.
    ///
    /// # Errors
    /// It cannot be written to.
    fn spill_folder(&self, dir: &Path) -> Result<SpillFolder> {
        SpillFolder::new(dir)
    }
}

/// A file that is written from its start to its end. Give it large pieces: each `write` is at least one system call.
pub trait SequentialFile: Send {
    /// Appends all of `bytes`.
    ///
    /// # Errors
    /// [`outcrop_types::Error::DiskFull`] or [`outcrop_types::Error::Io`]; the file is of no use any more.
    fn write(&mut self, bytes: &[u8]) -> Result<()>;

    /// Makes what was written survive a crash (its name does after [`Storage::sync_folder`]).
    ///
    /// # Errors
    /// The system could not; the file is of no use any more, and every later call fails.
    fn sync(&mut self) -> Result<()>;

    /// Bytes written so far.
    fn len(&self) -> u64;

    /// True if nothing was written yet.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The file's name.
    fn path(&self) -> &Path;
}
