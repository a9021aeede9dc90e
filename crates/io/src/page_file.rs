//! Temporary file of equal-sized pages with random access, for logs larger than memory.
//!
//! Like a spill file it has no name, so no file remains however the process ends. Written pages are sent to the disk at
//! once and dropped from the system's page cache when they have arrived; pages that were read are dropped, too.
//!
//! Unlike those of other temporary files, pages have no checksums here: their content has its own, for units unknown to
//! this module.

use crate::storage::{FileAdvice, ShortWriteback, StretchWriteback, advise, drop_pages};
use crate::unnamed_temporary_files::{SpillFolder, UnnamedFile};
use outcrop_types::{Result, index_from, length_from};
use std::fs::File;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Writes of fewer bytes are delayed if they may share a page with others.
const SENT_AT_ONCE: u64 = 64 << 10;

/// Temporary file of pages.
#[derive(Debug)]
pub struct PageFile {
    file: UnnamedFile,
    page_bytes: u64,
    read: AtomicU64,
    written: AtomicU64,
    writeback: Mutex<StretchWriteback>,
    short: Mutex<ShortWriteback>,
}

impl PageFile {
    /// Returns an empty file for pages of `page_bytes`, which is created by the first write.
    pub fn new(folder: &SpillFolder, page_bytes: usize) -> Self {
        Self::of(UnnamedFile::create(folder), page_bytes)
    }

    /// Creates a page file in an open file, for tests of failures; errors name `folder`.
    pub fn over(file: File, folder: &Path, page_bytes: usize) -> Self {
        Self::of(UnnamedFile::over(file, SpillFolder::unchecked(folder)), page_bytes)
    }

    fn of(file: UnnamedFile, page_bytes: usize) -> Self {
        Self {
            file,
            page_bytes: length_from(page_bytes),
            read: AtomicU64::new(0),
            written: AtomicU64::new(0),
            writeback: Mutex::default(),
            short: Mutex::default(),
        }
    }

    /// Returns the folder of the file.
    pub fn folder(&self) -> &Path {
        self.file.folder().path()
    }

    /// Returns the size of a page, in bytes.
    pub const fn page_bytes(&self) -> usize {
        index_from(self.page_bytes)
    }

    /// Writes `pages`, each of them whole, to consecutive places starting at `first`.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::DiskFull`] or [`outcrop_types::Error::Io`].
    pub fn write<'p>(&self, first: u64, pages: impl Iterator<Item = &'p [u8]>) -> Result<()> {
        let start = first * self.page_bytes;
        let mut end = start;
        let file = self.opened()?;
        let outcome = pages.into_iter().try_for_each(|page| {
            self.file.write_at(page, end)?;
            end += length_from(page.len());
            Ok(())
        });
        outcome.and_then(|()| self.send(file, start, end - start).map_err(|error| self.file.unwritten(error)))?;
        self.written.fetch_add(end - start, Relaxed);
        Ok(())
    }

    /// Returns the file, which is created if nothing was written yet.
    fn opened(&self) -> Result<&File> {
        let is_new = self.file.file().is_none();
        let file = self.file.opened()?;
        if is_new {
            // Adjacent pages are not needed.
            advise(file, 0, None, FileAdvice::Random);
        }
        Ok(file)
    }

    fn is_short(&self, length: u64) -> bool {
        is_short(self.page_bytes, length, length_from(rustix::param::page_size()))
    }

    fn send(&self, file: &File, start: u64, length: u64) -> std::io::Result<()> {
        match self.is_short(length) {
            true => self.short.lock().unwrap_or_else(PoisonError::into_inner).written(file, length),
            false => self.writeback.lock().unwrap_or_else(PoisonError::into_inner).written(file, start, length),
        }
    }

    /// Starts to read `pages` places from `first` on into the system's page cache; any number of such reads may be in
    /// flight.
    pub fn prefetch(&self, first: u64, pages: u64) {
        if let Some(file) = self.file.file() {
            let length = NonZeroU64::new(pages * self.page_bytes);
            advise(file, first * self.page_bytes, length, FileAdvice::WillNeed);
        }
    }

    /// Fills `into` with whole pages starting at place `first`.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::Io`], or [`outcrop_types::Error::Corrupt`] if there are fewer pages.
    pub fn read(&self, first: u64, into: &mut [u8]) -> Result<()> {
        let (offset, length) = (first * self.page_bytes, length_from(into.len()));
        self.file.read_at(into, offset)?;
        let file = self.opened()?;
        match self.is_short(length) {
            true => self.short.lock().unwrap_or_else(PoisonError::into_inner).read(file, length),
            false => drop_pages(file, offset, NonZeroU64::new(length.max(1))),
        }
        self.read.fetch_add(length, Relaxed);
        Ok(())
    }

    /// Returns the numbers of bytes read and written so far.
    pub fn traffic(&self) -> (u64, u64) {
        (self.read.load(Relaxed), self.written.load(Relaxed))
    }
}

/// Returns true if a write of `length` bytes to a file of pages of `page_bytes` may share a system page with others.
/// A system page has 4 KiB on x86-64; on aarch64, it has 4, 16 or 64 KiB, depending on the kernel.
const fn is_short(page_bytes: u64, length: u64, system_page: u64) -> bool {
    !page_bytes.is_multiple_of(system_page) && length < SENT_AT_ONCE
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::Error;

    #[test]
    fn pages_are_written_and_read_at_any_place_and_nothing_has_a_name() {
        let dir = tempfile::tempdir().unwrap();
        let file = PageFile::new(&SpillFolder::new(dir.path()).unwrap(), 4096);
        let pages: Vec<Vec<u8>> = (0..10).map(|number| vec![number; 4096]).collect();
        file.write(3, pages.iter().map(Vec::as_slice)).unwrap();
        file.write(0, pages[7..8].iter().map(Vec::as_slice)).unwrap();
        file.prefetch(3, 10);
        let mut read = vec![0; 2 * 4096];
        file.read(5, &mut read).unwrap();
        assert!(read[..4096] == pages[2] && read[4096..] == pages[3]);
        file.read(0, &mut read).unwrap();
        assert!(read[..4096] == pages[7] && read[4096..] == [0; 4096]);
        assert_eq!(file.traffic(), (4 * 4096, 11 * 4096));
        assert!(matches!(file.read(12, &mut read), Err(Error::Corrupt { .. })));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn short_pieces_that_share_pages_of_the_system_stay_apart() {
        let dir = tempfile::tempdir().unwrap();
        let file = PageFile::new(&SpillFolder::new(dir.path()).unwrap(), 64);
        let piece = |number: u64, round: u8| vec![round.wrapping_add(number.to_le_bytes()[0]); 20_000];
        for round in 0..3 {
            // More than the writeback window, in non-sequential order.
            for number in (0..1000).map(|number| number * 7 % 1000) {
                file.write(number * 313, std::iter::once(&*piece(number, round))).unwrap();
            }
            let mut read = vec![0; 20_000];
            for number in 0..1000 {
                file.read(number * 313, &mut read).unwrap();
                assert!(read == piece(number, round), "{number} {round}");
            }
        }
        assert_eq!(file.traffic(), (60_000_000, 60_000_000));
    }

    #[test]
    fn writes_within_a_page_of_the_system_are_short() {
        for (page_bytes, length, system_page, short) in [
            (512, 1024, 4096, true),
            (4096, 4096, 4096, false),
            (8192, 8192, 16_384, true),
            (4096, 4096, 65_536, true),
            (65_536, 65_536, 65_536, false),
            (64, SENT_AT_ONCE, 65_536, false),
        ] {
            assert_eq!(is_short(page_bytes, length, system_page), short, "{page_bytes} of {system_page}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let file = PageFile::over(full, Path::new("/dev"), 512);
        assert!(matches!(file.write(1, [&[0_u8; 512][..]].into_iter()), Err(Error::DiskFull { .. })));
        assert_eq!(file.traffic(), (0, 0));
    }
}
