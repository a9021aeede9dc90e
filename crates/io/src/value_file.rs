//! Values of fixed size in a temporary file, read and written by position: vertex values that do not fit memory.
//!
//! Like a spill file it has no name, so that nothing of it is left behind however the process ends. What was read or written is
//! dropped from the system's page cache, so that the file takes no memory but the caller's buffers.

use crate::spill::SpillFolder;
use crate::storage::{StretchWriteback, drop_pages};
use bytemuck::Pod;
use outcrop_types::{Error, Result, length_from};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Values written at once when a file is made.
const FILL: usize = 1 << 16;
/// Writes below this are left to the system: there are as many pages of them as values were changed here and there.
const SENT_AT_ONCE: u64 = 64 << 10;

/// `length` values of `T` in a temporary file. Clones are the same file.
#[derive(Clone, Debug)]
pub struct ValueFile<T> {
    file: Arc<File>,
    folder: PathBuf,
    length: u64,
    traffic: Arc<Traffic>,
    writeback: Arc<Mutex<StretchWriteback>>,
    values: PhantomData<fn() -> T>,
}

#[derive(Debug, Default)]
struct Traffic {
    read: AtomicU64,
    written: AtomicU64,
}

impl<T: Pod> ValueFile<T> {
    /// Memory that making a file takes, in bytes.
    pub const FILL_BYTES: u64 = length_from(FILL * size_of::<T>());

    /// A file of `length` values, all of them `value`.
    ///
    /// # Errors
    /// [`Error::DiskFull`]; [`Error::Io`].
    pub fn filled(folder: &SpillFolder, length: u64, value: T) -> Result<Self> {
        Self::made_of(folder, length, |_| value)
    }

    /// A file of `length` values, that of position `i` being `value(i)`.
    ///
    /// # Errors
    /// [`Error::DiskFull`]; [`Error::Io`].
    pub fn made_of(folder: &SpillFolder, length: u64, value: impl Fn(u64) -> T) -> Result<Self> {
        let file = Self::new(folder.path(), length)?;
        let step = length_from(FILL).min(length);
        let mut piece = Vec::with_capacity(usize::try_from(step).unwrap_or(FILL));
        let mut first = 0;
        while first < length {
            let end = (first + step).min(length);
            piece.clear();
            piece.extend((first..end).map(&value));
            file.write(first, &piece)?;
            first = end;
        }
        Ok(file)
    }

    /// A file in the same folder with as many values, all of their bits 0.
    ///
    /// # Errors
    /// [`Error::DiskFull`]; [`Error::Io`].
    pub fn zeroed_beside(&self) -> Result<Self> {
        let other = Self::new(&self.folder, self.length)?;
        let bytes = self.length * length_from(size_of::<T>());
        other.file.set_len(bytes).map_err(|error| Error::io("write a temporary file in", &self.folder, error))?;
        Ok(other)
    }

    fn new(folder: &Path, length: u64) -> Result<Self> {
        let file =
            tempfile::tempfile_in(folder).map_err(|error| Error::io("create a temporary file in", folder, error))?;
        Ok(Self {
            file: Arc::new(file),
            folder: folder.to_owned(),
            length,
            traffic: Arc::default(),
            writeback: Arc::default(),
            values: PhantomData,
        })
    }

    /// How many values it has.
    pub const fn len(&self) -> u64 {
        self.length
    }

    /// Whether it has none.
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Fills `into` with the values from position `first` on.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Corrupt`] where there are not as many.
    pub fn read(&self, first: u64, into: &mut [T]) -> Result<()> {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(into);
        let (offset, length) = (first * length_from(size_of::<T>()), length_from(bytes.len()));
        self.file.read_exact_at(bytes, offset).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => Error::corrupt(&self.folder, "a temporary file in it has become shorter"),
            _ => Error::io("read a temporary file in", &self.folder, error),
        })?;
        drop_pages(&self.file, offset, NonZeroU64::new(length.max(1)));
        self.traffic.read.fetch_add(length, Relaxed);
        Ok(())
    }

    /// Replaces the values from position `first` on. Stretches that do not overlap may be written at the same time.
    ///
    /// # Errors
    /// [`Error::DiskFull`]; [`Error::Io`].
    pub fn write(&self, first: u64, values: &[T]) -> Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let (offset, length) = (first * length_from(size_of::<T>()), length_from(bytes.len()));
        let outcome = self.file.write_all_at(bytes, offset).and_then(|()| self.send(offset, length));
        outcome.map_err(|error| Error::io("write a temporary file in", &self.folder, error))?;
        self.traffic.written.fetch_add(length, Relaxed);
        Ok(())
    }

    /// Sends a long stretch to the disk, so that pages which wait to be written do not fill memory.
    fn send(&self, offset: u64, length: u64) -> io::Result<()> {
        if length < SENT_AT_ONCE {
            return Ok(());
        }
        self.writeback.lock().unwrap_or_else(PoisonError::into_inner).written(&self.file, offset, length)
    }

    /// Bytes read and bytes written so far.
    pub fn traffic(&self) -> (u64, u64) {
        (self.traffic.read.load(Relaxed), self.traffic.written.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_written_whole() {
        let dir = tempfile::tempdir().unwrap();
        let file = ValueFile::made_of(&SpillFolder::new(dir.path()).unwrap(), 5 << 20, |position| position).unwrap();
        let mut values = vec![0; 1 << 20];
        for first in [0, 1 << 20, (4 << 20) - 7] {
            file.read(first, &mut values).unwrap();
            assert!(values.iter().copied().eq(first..first + (1 << 20)));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let file = ValueFile::filled(&SpillFolder::new(dir.path()).unwrap(), 10, 7_u64).unwrap();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let full = ValueFile { file: Arc::new(full), ..file };
        assert!(matches!(full.write(0, &[1]), Err(Error::DiskFull { .. })));
        assert!(matches!(full.write(0, &[1; 100_000]), Err(Error::DiskFull { .. })));
    }

    #[test]
    fn stretches_are_read_and_replaced_and_nothing_has_a_name() {
        let dir = tempfile::tempdir().unwrap();
        let folder = SpillFolder::new(dir.path()).unwrap();
        let file = ValueFile::filled(&folder, 100_000, 7_u32).unwrap();
        file.write(65_530, &[1, 2, 3]).unwrap();
        let mut values = [0; 5];
        file.clone().read(65_529, &mut values).unwrap();
        assert_eq!(values, [7, 1, 2, 3, 7]);
        assert_eq!(file.traffic(), (20, 400_012));
        assert!(matches!(file.read(99_998, &mut values), Err(Error::Corrupt { .. })));
        file.zeroed_beside().unwrap().read(99_995, &mut values).unwrap();
        assert_eq!(values, [0; 5]);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
