//! Storage trait: all operations that change a disk.

use crate::unnamed_temporary_files::SpillFolder;
use outcrop_types::Result;
use std::path::Path;

/// File system as seen by writers of stores. No operation follows a link at the last component of a path or replaces an
/// existing file. Unless stated otherwise, errors are [`outcrop_types::Error::Io`], or
/// [`outcrop_types::Error::DiskFull`] if no space is left.
pub trait Storage: Send + Sync {
    /// Creates a folder with permissions according to the umask.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::AlreadyExists`] if the name exists.
    fn create_folder(&self, path: &Path) -> Result<()>;

    /// Creates an empty file with permissions according to the umask, open for sequential writing.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::AlreadyExists`] if the name exists.
    fn create(&self, path: &Path) -> Result<Box<dyn SequentialFile>>;

    /// Makes the names in a folder durable.
    ///
    /// # Errors
    ///
    /// Returns an error if the system call fails; it must not be retried.
    fn sync_folder(&self, path: &Path) -> Result<()>;

    /// Renames a file or folder within the same file system.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::AlreadyExists`] if the new name exists.
    fn rename(&self, from: &Path, to: &Path) -> Result<()>;

    /// Swaps two folders: atomically if the system supports it, otherwise by renaming one after the other.
    ///
    /// # Errors
    ///
    /// Returns an error if the system call fails.
    fn exchange(&self, a: &Path, b: &Path) -> Result<()>;

    /// Removes a folder that we created, with its content. Links in it are removed, not followed.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is not a folder or a system call fails.
    fn remove_folder(&self, path: &Path) -> Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the system call fails.
    fn remove_file(&self, path: &Path) -> Result<()>;

    /// Returns the free space below `path`, in bytes; `None` if unknown.
    ///
    /// # Errors
    ///
    /// Returns an error if the system call fails.
    fn free_bytes(&self, path: &Path) -> Result<Option<u64>>;

    /// Opens the folder `dir` for temporary files.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not writable.
    fn spill_folder(&self, dir: &Path) -> Result<SpillFolder> {
        SpillFolder::new(dir)
    }

    /// Opens the folder `dir` for temporary files, which need not be writable unless memory is exceeded.
    ///
    /// # Errors
    ///
    /// Returns an error if it does not exist.
    fn spill_folder_when_needed(&self, dir: &Path) -> Result<SpillFolder> {
        SpillFolder::when_needed(dir)
    }
}

/// File that is written sequentially. Each `write` is at least one system call, so pass large pieces.
pub trait SequentialFile: Send {
    /// Appends all of `bytes`.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::DiskFull`] or [`outcrop_types::Error::Io`]; afterwards, the file is unusable.
    fn write(&mut self, bytes: &[u8]) -> Result<()>;

    /// Makes the written data durable (its name becomes durable with [`Storage::sync_folder`]).
    ///
    /// # Errors
    ///
    /// Returns an error if the system call fails; afterwards, the file is unusable, and every later call fails.
    fn sync(&mut self) -> Result<()>;

    /// Returns the number of bytes written so far.
    fn len(&self) -> u64;

    /// Returns true if nothing was written yet.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the path of the file.
    fn path(&self) -> &Path;
}
