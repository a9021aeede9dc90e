//! Temporary files: their folder, their errors, and the single place that reads and writes them.

use crate::bit_flip::BitFlip;
use crate::files::free_bytes;
use crate::named_temporary_files::{TemporaryName, TemporaryNames};
use outcrop_types::{Error, Result, length_from};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, OnceLock};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Odd number with random-looking bits, to spread seeds.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Folder for temporary files. It belongs to the user, and its files have names only if a checkpoint may keep them.
#[derive(Clone, Debug)]
pub struct SpillFolder {
    path: PathBuf,
    names: Option<Arc<TemporaryNames>>,
    flip: Option<Arc<BitFlip>>,
}

impl SpillFolder {
    /// Creates temporary files in `dir`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] if `dir` is not writable, or [`Error::DiskFull`].
    pub fn new(dir: &Path) -> Result<Self> {
        let folder = Self::unchecked(dir);
        UnnamedFile::create(&folder).opened()?;
        Ok(folder)
    }

    /// Creates temporary files in `dir`, which need not be writable unless a file is written.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotFound`] if `dir` does not exist, or [`Error::Io`].
    pub fn when_needed(dir: &Path) -> Result<Self> {
        free_bytes(dir)?;
        Ok(Self::unchecked(dir))
    }

    /// Creates a folder whose files have names, so that checkpoints can keep them beyond the process. Of the files that
    /// an earlier process left with this unique `tag`, only those in `kept` remain.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`SpillFolder::new`], or if a file cannot be removed.
    pub fn keeping(dir: &Path, tag: &str, kept: &[String]) -> Result<Self> {
        let names = Some(Arc::new(TemporaryNames::open(dir, tag, kept)?));
        let folder = Self { names, ..Self::unchecked(dir) };
        UnnamedFile::create(&folder).opened()?;
        Ok(folder)
    }

    /// Returns the folder without checking it.
    pub(crate) fn unchecked(dir: &Path) -> Self {
        Self { path: dir.to_owned(), names: None, flip: None }
    }

    /// Returns the names of the files made durable since the last call of [`SpillFolder::keep`], which the next
    /// checkpoint must list.
    pub fn to_keep(&self) -> Vec<String> {
        self.names.as_ref().map_or_else(Vec::new, |names| names.coming())
    }

    /// Makes the checkpoint that lists [`SpillFolder::to_keep`] the current one: removes files that only the previous
    /// one listed.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be removed.
    pub fn keep(&self) -> Result<()> {
        self.names.as_ref().map_or(Ok(()), |names| names.exchange())
    }

    /// Returns the same folder on a disk that flips a bit, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn flipping(self, flip: Arc<BitFlip>) -> Self {
        Self { flip: Some(flip), ..self }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the free space in the folder, in bytes; `None` if unknown.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] if the system call fails.
    pub fn free_bytes(&self) -> Result<Option<u64>> {
        free_bytes(self.path())
    }
}

/// File without a name (or one that loses it at once), so that no file remains however the process ends; it has a name
/// in folders whose files have names. It is created by the first write.
#[derive(Debug)]
pub(crate) struct UnnamedFile {
    opened: OnceLock<(File, Option<TemporaryName>)>,
    folder: SpillFolder,
    serial: u64,
}

impl UnnamedFile {
    /// Returns an empty file, which is created by the first write.
    pub(crate) fn create(folder: &SpillFolder) -> Self {
        Self::new(OnceLock::new(), folder.clone())
    }

    /// Returns the file, which is created if nothing was written yet.
    pub(crate) fn opened(&self) -> Result<&File> {
        if self.opened.get().is_none() {
            let path = self.folder.path();
            let created = match &self.folder.names {
                Some(names) => names.create().map(|(file, name)| (file, Some(name)))?,
                None => (
                    tempfile::tempfile_in(path).map_err(|error| Error::io(Error::CREATE_TEMPORARY, path, error))?,
                    None,
                ),
            };
            // Another thread may have created a file; then this one is removed.
            _ = self.opened.set(created);
        }
        self.file().ok_or_else(|| Error::internal("a created temporary file is missing"))
    }

    /// Opens the durable file `name` of `bytes` bytes.
    pub(crate) fn reopen(folder: &SpillFolder, name: &str, serial: u64, bytes: u64) -> Result<Self> {
        let names = folder.names.as_ref().ok_or_else(|| Error::internal("a file without a name cannot be reopened"))?;
        let (file, name) = names.reopen(name, bytes)?;
        Ok(Self { serial, ..Self::new(OnceLock::from((file, Some(name))), folder.clone()) })
    }

    /// Makes the file survive the process once its checkpoint is written; returns its name and the seed of its
    /// checksums.
    pub(crate) fn keep(&self) -> Result<(String, u64)> {
        self.opened()?.sync_all().map_err(|error| self.unwritten(error))?;
        let name = self.name().ok_or_else(|| Error::internal("a file without a name cannot be kept"))?;
        Ok((name.keep(), self.serial))
    }

    /// Uses an open file, for tests of failures; errors name `folder`.
    pub(crate) fn over(file: File, folder: SpillFolder) -> Self {
        Self::new(OnceLock::from((file, None)), folder)
    }

    /// Serials start at a random number, so that no other process assigns the serial of a durable file.
    fn new(opened: OnceLock<(File, Option<TemporaryName>)>, folder: SpillFolder) -> Self {
        static SERIAL: LazyLock<AtomicU64> = LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one(ODD)));
        Self { opened, folder, serial: SERIAL.fetch_add(1, Relaxed).wrapping_mul(ODD) }
    }

    /// Returns the file if anything was written, for advice.
    pub(crate) fn file(&self) -> Option<&File> {
        self.opened.get().map(|(file, _)| file)
    }

    fn name(&self) -> Option<&TemporaryName> {
        self.opened.get().and_then(|(_, name)| name.as_ref())
    }

    /// Returns the folder of the file.
    pub(crate) const fn folder(&self) -> &SpillFolder {
        &self.folder
    }

    /// Returns the checksum of `bytes`, which have this `number` in this file: checksums differ between positions and
    /// files.
    pub(crate) fn checksum(&self, bytes: &[u8], number: u64) -> u64 {
        xxh3_64_with_seed(bytes, self.seed(number))
    }

    /// Returns the seed of the checksum of the bytes with this `number`.
    pub(crate) const fn seed(&self, number: u64) -> u64 {
        (self.serial ^ number).wrapping_mul(ODD)
    }

    /// Writes all of `bytes` at `offset`.
    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.opened()?.write_all_at(bytes, offset).map_err(|error| self.unwritten(error))
    }

    /// Frees the space of `length` bytes at `offset`, which nobody reads any more, unless a checkpoint may keep the
    /// file. It is no error if the file system cannot: the space is freed with the file.
    pub(crate) fn free(&self, offset: u64, length: u64) {
        // macOS and Miri have no such call.
        #[cfg(all(target_os = "linux", not(miri)))]
        if let Some((file, None)) = self.opened.get() {
            use rustix::fs::{FallocateFlags, fallocate};
            _ = fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, offset, length);
        }
        #[cfg(not(all(target_os = "linux", not(miri))))]
        {
            _ = (offset, length);
        }
    }

    /// Returns the error for a failed write.
    pub(crate) fn unwritten(&self, error: io::Error) -> Error {
        Error::io("write a temporary file in", self.folder.path(), error)
    }

    /// Fills `into` with the bytes starting at `offset`.
    pub(crate) fn read_at(&self, into: &mut [u8], offset: u64) -> Result<()> {
        self.read_through(self.opened()?, into, offset)
    }

    /// Reads through another descriptor of this file, with its own read-ahead.
    pub(crate) fn read_through(&self, descriptor: &File, into: &mut [u8], offset: u64) -> Result<()> {
        if let Some(flip) = &self.folder.flip {
            flip.before_read(self.opened()?, offset, length_from(into.len()));
        }
        descriptor.read_exact_at(into, offset).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => self.damaged("a temporary file in this folder was truncated".to_owned()),
            _ => Error::io("read a temporary file in", self.folder.path(), error),
        })
    }

    /// Returns the error for `length` bytes from `offset` on that differ from the written ones. The system reports a
    /// late write failure only on request: this function requests it, so that a failing disk is reported as such.
    #[cold]
    pub(crate) fn altered(&self, offset: u64, length: u64) -> Error {
        match self.file().map_or(Ok(()), File::sync_data) {
            Err(error) if matches!(error.raw_os_error(), Some(libc::EIO | libc::ENOSPC | libc::EDQUOT)) => {
                self.unwritten(error)
            }
            _ => self.damaged(format!(
                "{length} bytes at offset {offset} of a temporary file in this folder have a wrong checksum"
            )),
        }
    }

    fn damaged(&self, message: String) -> Error {
        let remedy = match self.name() {
            Some(_) => "check the disk and the memory, remove the checkpoint and start again",
            None => "check the disk and the memory, then repeat the command",
        };
        Error::corrupt(self.folder.path(), message).with_remedy(remedy)
    }
}
