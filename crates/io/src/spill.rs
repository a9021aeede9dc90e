//! Temporary files that are written once and read back, as external sorting needs them.
//!
//! A spill file has no name from the start (or loses it at once), so that nothing of it is left behind however the process ends.
//! Each [`SpillFile`] and each [`SpillReader`] holds one descriptor.

use crate::storage::{Storage, Writeback, drop_pages};
use outcrop_types::{Error, Result, length_from};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes behind a reader after which their pages are dropped.
const READ_WINDOW: u64 = 8 << 20;

/// A folder in which spill files are made. It is the user's own, and nothing with a name is ever in it.
#[derive(Debug)]
pub struct SpillFolder {
    folder: PathBuf,
}

impl SpillFolder {
    /// Spill files will be made in `dir`.
    ///
    /// # Errors
    /// [`Error::Io`] where `dir` cannot be written to; [`Error::DiskFull`].
    pub fn new(dir: &Path) -> Result<Self> {
        let folder = Self { folder: dir.to_owned() };
        folder.create()?;
        Ok(folder)
    }

    /// The folder's name.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// A new spill file.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::DiskFull`].
    pub fn create(&self) -> Result<SpillWriter> {
        let path = self.path();
        let file = tempfile::tempfile_in(path).map_err(|error| Error::io("create a temporary file in", path, error))?;
        Ok(SpillWriter { file, folder: path.to_owned(), length: 0, writeback: Writeback::default() })
    }

    /// Bytes that can still be written here; `None` where that is not known.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn free_bytes(&self) -> Result<Option<u64>> {
        crate::Disk.free_bytes(self.path())
    }
}

/// Writes a spill file from its start to its end. Give it large pieces: each `write` is a system call.
#[derive(Debug)]
pub struct SpillWriter {
    file: File,
    folder: PathBuf,
    length: u64,
    writeback: Writeback,
}

impl SpillWriter {
    /// Appends all of `bytes`.
    ///
    /// # Errors
    /// [`Error::DiskFull`]; [`Error::Io`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let outcome = self.file.write_all(bytes).and_then(|()| {
            self.length += length_from(bytes.len());
            self.writeback.written(&self.file, self.length)
        });
        outcome.map_err(|error| Error::io("write a temporary file in", &self.folder, error))
    }

    /// Bytes written so far.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether nothing was written yet.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Ends writing. Nothing is synced: spill files need not survive a crash.
    ///
    /// # Errors
    /// None today; a file system may report a late failure here.
    pub fn finish(self) -> Result<SpillFile> {
        Ok(SpillFile { file: Arc::new(self.file), folder: self.folder, length: self.length })
    }
}

/// A spill file that is written; gone when it and its readers are dropped.
#[derive(Debug)]
pub struct SpillFile {
    file: Arc<File>,
    folder: PathBuf,
    length: u64,
}

impl SpillFile {
    /// Length in bytes.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A reader at the start, independent of all others.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn open(&self) -> Result<SpillReader> {
        let file = reopen(&self.file).map_or_else(|| Arc::clone(&self.file), Arc::new);
        advise_sequential(&file);
        Ok(SpillReader { file, folder: self.folder.clone(), length: self.length, position: 0, dropped: 0 })
    }
}

/// Another description of the same file, with read-ahead of its own.
#[cfg(target_os = "linux")]
fn reopen(file: &File) -> Option<File> {
    use std::os::fd::AsRawFd;
    File::open(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

#[cfg(not(target_os = "linux"))]
fn reopen(_file: &File) -> Option<File> {
    None
}

fn advise_sequential(file: &File) {
    #[cfg(target_os = "linux")]
    {
        // Advice: refusing it does no harm.
        _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::Sequential);
    }
    #[cfg(not(target_os = "linux"))]
    {
        _ = file;
    }
}

/// Reads a spill file forwards. Pages behind it are dropped from the system's page cache.
#[derive(Debug)]
pub struct SpillReader {
    file: Arc<File>,
    folder: PathBuf,
    length: u64,
    position: u64,
    dropped: u64,
}

impl SpillReader {
    /// The same reader, its next byte being the one at `offset`.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.position = offset.min(self.length);
        self.dropped = self.position;
        self
    }

    /// Offset of the next byte.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Fills as much of `buffer` as the file has; returns the number of bytes, which is less than asked for only at the end.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Corrupt`] where the file ends before what was written.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let left = usize::try_from(self.length - self.position).unwrap_or(usize::MAX);
        let wanted = buffer.len().min(left);
        use std::os::unix::fs::FileExt;
        self.file.read_exact_at(&mut buffer[..wanted], self.position).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => Error::corrupt(&self.folder, "a temporary file in it has become shorter"),
            _ => Error::io("read a temporary file in", &self.folder, error),
        })?;
        self.position += length_from(wanted);
        self.drop_behind();
        Ok(wanted)
    }

    /// Fills `buffer`.
    ///
    /// # Errors
    /// As for [`SpillReader::read`]; [`Error::Corrupt`] also where fewer bytes are left.
    pub fn read_exact(&mut self, buffer: &mut [u8]) -> Result<()> {
        if self.read(buffer)? == buffer.len() {
            return Ok(());
        }
        Err(Error::corrupt(&self.folder, "a temporary file in it ends inside a record"))
    }

    fn drop_behind(&mut self) {
        let behind = self.position - self.dropped;
        if behind >= READ_WINDOW || self.position == self.length {
            drop_pages(&self.file, self.dropped, NonZeroU64::new(behind.max(1)));
            self.dropped = self.position;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_nothing_stays() {
        let dir = tempfile::tempdir().unwrap();
        let folder = SpillFolder::new(dir.path()).unwrap();
        let contents: Vec<u8> = (0..20u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let mut writer = folder.create().unwrap();
        contents.chunks(777_777).for_each(|chunk| writer.write(chunk).unwrap());
        let file = writer.finish().unwrap();
        assert_eq!(file.len(), length_from(contents.len()));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);

        let (mut whole, mut late) = (file.open().unwrap(), file.open().unwrap().at(12_345_678));
        let mut buffer = vec![0; contents.len() + 1];
        assert_eq!(whole.read(&mut buffer).unwrap(), contents.len());
        assert!(buffer[..contents.len()] == contents);
        assert_eq!(whole.read(&mut buffer).unwrap(), 0);
        drop(file);
        late.read_exact(&mut buffer[..1000]).unwrap();
        assert!(buffer[..1000] == contents[12_345_678..][..1000]);
        assert!(matches!(late.at(length_from(contents.len()) - 1).read_exact(&mut buffer), Err(Error::Corrupt { .. })));

        assert!(folder.free_bytes().unwrap().unwrap() > 0);
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(SpillFolder::new(&dir.path().join("absent")).unwrap_err().exit_code(), 9);
    }

    #[test]
    #[ignore = "measures, with 2 GiB of disk"]
    fn spilling_is_fast() {
        let dir = tempfile::tempdir().unwrap();
        let folder = SpillFolder::new(dir.path()).unwrap();
        let mut piece = vec![7; 1 << 20];
        let watch = outcrop_types::Stopwatch::start();
        let mut writer = folder.create().unwrap();
        (0..2048).for_each(|_| writer.write(&piece).unwrap());
        let file = writer.finish().unwrap();
        let written = watch.seconds();
        let mut reader = file.open().unwrap();
        while reader.read(&mut piece).unwrap() > 0 {}
        let read = watch.seconds() - written;
        println!("{:.2} GB/s written, {:.2} GB/s read", 2.147 / written, 2.147 / read);
    }
}
