//! Pages of one size in a temporary file, written and read at any place: logs that are larger than memory.
//!
//! Like a spill file it has no name, so that nothing of it is left behind however the process ends. What was written is
//! sent to the disk at once and dropped from the system's page cache when it is there; so is what was read.
//!
//! Unlike those of other temporary files, pages have no checksums here: what lies in them has its own, of units that no
//! page knows.

use crate::storage::{ShortWriteback, StretchWriteback, drop_pages};
use crate::unnamed::{SpillFolder, UnnamedFile};
use outcrop_types::{Result, index_from, length_from};
use std::fs::File;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Bytes of a page of the system.
const SYSTEM_PAGE: u64 = 4096;
/// Writes of fewer bytes wait for others where they may share a page with them.
const SENT_AT_ONCE: u64 = 64 << 10;

/// A temporary file of pages.
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
    /// An empty file for pages of `page_bytes`.
    ///
    /// # Errors
    /// [`outcrop_types::Error::Io`]; [`outcrop_types::Error::DiskFull`].
    pub fn create(folder: &SpillFolder, page_bytes: usize) -> Result<Self> {
        Ok(Self::of(UnnamedFile::create(folder)?, page_bytes))
    }

    /// Pages in a file that is open already, as tests of failures need it; `folder` is what errors name.
    pub fn over(file: File, folder: &Path, page_bytes: usize) -> Self {
        Self::of(UnnamedFile::over(file, SpillFolder::unchecked(folder)), page_bytes)
    }

    fn of(file: UnnamedFile, page_bytes: usize) -> Self {
        #[cfg(target_os = "linux")]
        {
            // Advice, that what lies beside pages which are read is not: refusing it does no harm.
            _ = rustix::fs::fadvise(file.file(), 0, None, rustix::fs::Advice::Random);
        }
        Self {
            file,
            page_bytes: length_from(page_bytes),
            read: AtomicU64::new(0),
            written: AtomicU64::new(0),
            writeback: Mutex::default(),
            short: Mutex::default(),
        }
    }

    /// The folder that the file is in.
    pub fn folder(&self) -> &Path {
        self.file.folder().path()
    }

    /// Bytes of a page.
    pub const fn page_bytes(&self) -> usize {
        index_from(self.page_bytes)
    }

    /// Writes `pages`, each of them whole, to consecutive places from `first` on.
    ///
    /// # Errors
    /// [`outcrop_types::Error::DiskFull`]; [`outcrop_types::Error::Io`].
    pub fn write<'p>(&self, first: u64, pages: impl Iterator<Item = &'p [u8]>) -> Result<()> {
        let start = first * self.page_bytes;
        let mut end = start;
        let outcome = pages.into_iter().try_for_each(|page| {
            self.file.write_at(page, end)?;
            end += length_from(page.len());
            Ok(())
        });
        outcome.and_then(|()| self.send(start, end - start).map_err(|error| self.file.unwritten(error)))?;
        self.written.fetch_add(end - start, Relaxed);
        Ok(())
    }

    /// True if so many bytes may share a page of the system with others.
    const fn is_short(&self, length: u64) -> bool {
        !self.page_bytes.is_multiple_of(SYSTEM_PAGE) && length < SENT_AT_ONCE
    }

    fn send(&self, start: u64, length: u64) -> std::io::Result<()> {
        match self.is_short(length) {
            true => self.short.lock().unwrap_or_else(PoisonError::into_inner).written(self.file.file(), length),
            false => {
                self.writeback.lock().unwrap_or_else(PoisonError::into_inner).written(self.file.file(), start, length)
            }
        }
    }

    /// Asks for `pages` places from `first` on, which will be read soon: any number of such reads are under way at
    /// once.
    pub fn prefetch(&self, first: u64, pages: u64) {
        #[cfg(target_os = "linux")]
        {
            // Advice: refusing it does no harm.
            let length = NonZeroU64::new(pages * self.page_bytes);
            _ = rustix::fs::fadvise(self.file.file(), first * self.page_bytes, length, rustix::fs::Advice::WillNeed);
        }
        #[cfg(not(target_os = "linux"))]
        {
            _ = (first, pages);
        }
    }

    /// Fills `into` with whole pages from place `first` on.
    ///
    /// # Errors
    /// [`outcrop_types::Error::Io`]; [`outcrop_types::Error::Corrupt`] where there are not as many.
    pub fn read(&self, first: u64, into: &mut [u8]) -> Result<()> {
        let (offset, length) = (first * self.page_bytes, length_from(into.len()));
        self.file.read_at(into, offset)?;
        match self.is_short(length) {
            true => self.short.lock().unwrap_or_else(PoisonError::into_inner).read(self.file.file(), length),
            false => drop_pages(self.file.file(), offset, NonZeroU64::new(length.max(1))),
        }
        self.read.fetch_add(length, Relaxed);
        Ok(())
    }

    /// Bytes read and bytes written so far.
    pub fn traffic(&self) -> (u64, u64) {
        (self.read.load(Relaxed), self.written.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::Error;

    #[test]
    fn pages_are_written_and_read_at_any_place_and_nothing_has_a_name() {
        let dir = tempfile::tempdir().unwrap();
        let file = PageFile::create(&SpillFolder::new(dir.path()).unwrap(), 4096).unwrap();
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
    fn short_pieces_that_share_pages_of_the_system_stay_apart() {
        let dir = tempfile::tempdir().unwrap();
        let file = PageFile::create(&SpillFolder::new(dir.path()).unwrap(), 64).unwrap();
        let piece = |number: u64, round: u8| vec![round.wrapping_add(number.to_le_bytes()[0]); 20_000];
        for round in 0..3 {
            // More than what is waited for at once, not one after the other.
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let file = PageFile::over(full, Path::new("/dev"), 512);
        assert!(matches!(file.write(1, [&[0_u8; 512][..]].into_iter()), Err(Error::DiskFull { .. })));
        assert_eq!(file.traffic(), (0, 0));
    }
}
