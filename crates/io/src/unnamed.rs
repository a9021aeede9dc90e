//! Temporary files: where they are made, what errors say of them, and the one place that reads and writes them.

use crate::bit_flip::BitFlip;
use crate::files::free_bytes;
use crate::named::{KeptNames, TemporaryName};
use outcrop_types::{Error, Result, length_from};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// An odd number whose bits look drawn, to spread seeds.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Folder for temporary files. It is the user's own, and files in it have names only where a checkpoint may keep them.
#[derive(Clone, Debug)]
pub struct SpillFolder {
    path: PathBuf,
    names: Option<Arc<KeptNames>>,
    flip: Option<Arc<BitFlip>>,
}

impl SpillFolder {
    /// Temporary files will be made in `dir`.
    ///
    /// # Errors
    /// [`Error::Io`] where `dir` cannot be written to; [`Error::DiskFull`].
    pub fn new(dir: &Path) -> Result<Self> {
        let folder = Self::unchecked(dir);
        UnnamedFile::create(&folder)?;
        Ok(folder)
    }

    /// A folder whose files have names, by which a checkpoint keeps them beyond the process. Of the files that an
    /// earlier process has left under names with this `tag`, which nobody else gives, those that are called as in
    /// `kept` stay.
    ///
    /// # Errors
    /// As for [`SpillFolder::new`]; a file cannot be removed.
    pub fn keeping(dir: &Path, tag: &str, kept: &[String]) -> Result<Self> {
        let names = Some(Arc::new(KeptNames::open(dir, tag, kept)?));
        let folder = Self { names, ..Self::unchecked(dir) };
        UnnamedFile::create(&folder)?;
        Ok(folder)
    }

    /// A folder that nothing is made in yet.
    pub(crate) fn unchecked(dir: &Path) -> Self {
        Self { path: dir.to_owned(), names: None, flip: None }
    }

    /// Names of the files that were made durable since the last call of [`SpillFolder::keep`], which the next
    /// checkpoint has to list.
    pub fn to_keep(&self) -> Vec<String> {
        self.names.as_ref().map_or_else(Vec::new, |names| names.coming())
    }

    /// Takes the checkpoint that lists [`SpillFolder::to_keep`] for the one that stands: what only the one before
    /// listed goes.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn keep(&self) -> Result<()> {
        self.names.as_ref().map_or(Ok(()), |names| names.exchange())
    }

    /// The same folder, on a disk that flips a bit: for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn flipping(self, flip: Arc<BitFlip>) -> Self {
        Self { flip: Some(flip), ..self }
    }

    /// The folder's name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Free space here, in bytes; `None` if unknown.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn free_bytes(&self) -> Result<Option<u64>> {
        free_bytes(self.path())
    }
}

/// A file that has no name from the start (or loses it at once), so that nothing of it is left behind however the
/// process ends; but for folders whose files have names.
#[derive(Debug)]
pub(crate) struct UnnamedFile {
    file: File,
    folder: SpillFolder,
    serial: u64,
    name: Option<TemporaryName>,
}

impl UnnamedFile {
    /// An empty file.
    pub(crate) fn create(folder: &SpillFolder) -> Result<Self> {
        if let Some(names) = &folder.names {
            let (file, name) = names.create()?;
            return Ok(Self { name: Some(name), ..Self::over(file, folder.clone()) });
        }
        let path = folder.path();
        let file = tempfile::tempfile_in(path).map_err(|error| Error::io("create a temporary file in", path, error))?;
        Ok(Self::over(file, folder.clone()))
    }

    /// The file that was kept under this name, `bytes` long.
    pub(crate) fn reopen(folder: &SpillFolder, name: &str, serial: u64, bytes: u64) -> Result<Self> {
        let names = folder.names.as_ref().ok_or_else(|| Error::internal("a file without a name cannot be reopened"))?;
        let (file, name) = names.reopen(name, bytes)?;
        Ok(Self { file, folder: folder.clone(), serial, name: Some(name) })
    }

    /// Makes the file outlive the process once its checkpoint is written; its name, and what its checksums begin with.
    pub(crate) fn keep(&self) -> Result<(String, u64)> {
        let name = self.name.as_ref().ok_or_else(|| Error::internal("a file without a name cannot be kept"))?;
        self.file.sync_all().map_err(|error| self.unwritten(error))?;
        Ok((name.keep(), self.serial))
    }

    /// A file that is open already, as tests of failures need it; `folder` is what errors name. Serials begin at a
    /// random number, so that no other process gives the same to a file that is kept.
    pub(crate) fn over(file: File, folder: SpillFolder) -> Self {
        static SERIAL: LazyLock<AtomicU64> = LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one(ODD)));
        Self { file, folder, serial: SERIAL.fetch_add(1, Relaxed).wrapping_mul(ODD), name: None }
    }

    /// The file itself, for advice.
    pub(crate) const fn file(&self) -> &File {
        &self.file
    }

    /// The folder that it is in.
    pub(crate) const fn folder(&self) -> &SpillFolder {
        &self.folder
    }

    /// Checksum of `bytes`, the ones with this `number` in this file: those of another place or file have another.
    pub(crate) fn checksum(&self, bytes: &[u8], number: u64) -> u64 {
        xxh3_64_with_seed(bytes, self.seed(number))
    }

    /// Seed of the checksum of the bytes with this `number`.
    pub(crate) const fn seed(&self, number: u64) -> u64 {
        (self.serial ^ number).wrapping_mul(ODD)
    }

    /// Writes all of `bytes` at `offset`.
    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.file.write_all_at(bytes, offset).map_err(|error| self.unwritten(error))
    }

    /// The error of a write that failed.
    pub(crate) fn unwritten(&self, error: io::Error) -> Error {
        Error::io("write a temporary file in", self.folder.path(), error)
    }

    /// Fills `into` with the bytes from `offset` on.
    pub(crate) fn read_at(&self, into: &mut [u8], offset: u64) -> Result<()> {
        self.read_through(&self.file, into, offset)
    }

    /// The same through another descriptor of this file, with read-ahead of its own.
    pub(crate) fn read_through(&self, descriptor: &File, into: &mut [u8], offset: u64) -> Result<()> {
        if let Some(flip) = &self.folder.flip {
            flip.before_read(&self.file, offset, length_from(into.len()));
        }
        descriptor.read_exact_at(into, offset).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => self.damaged("a temporary file in this folder was truncated".to_owned()),
            _ => Error::io("read a temporary file in", self.folder.path(), error),
        })
    }

    /// The error of `length` bytes from `offset` on that are not what was written there. The system tells of a write
    /// that failed late only when it is asked: this asks, so that a failing disk is called one.
    #[cold]
    pub(crate) fn altered(&self, offset: u64, length: u64) -> Error {
        match self.file.sync_data() {
            Err(error) if matches!(error.raw_os_error(), Some(libc::EIO | libc::ENOSPC | libc::EDQUOT)) => {
                self.unwritten(error)
            }
            _ => self.damaged(format!(
                "{length} bytes at offset {offset} of a temporary file in this folder have a wrong checksum"
            )),
        }
    }

    fn damaged(&self, message: String) -> Error {
        let remedy = match self.name {
            Some(_) => "check the disk and the memory, remove the checkpoint and start again",
            None => "check the disk and the memory, then repeat the command",
        };
        Error::corrupt(self.folder.path(), message).with_remedy(remedy)
    }
}
