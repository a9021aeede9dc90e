//! Writeback that prevents dirty pages of written files from filling memory.

use super::advice::{FileAdvice, advise};
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::num::NonZeroU64;

/// Number of bytes after which pages are sent to the disk; at most twice as many are pending.
const WINDOW: u64 = 8 << 20;

/// Writeback of each complete window of a file, whose pages are dropped once they are written.
#[derive(Debug, Default)]
pub(crate) struct Writeback {
    /// Writing of everything before this offset was started.
    begun: u64,
    /// Everything before this offset was written and its pages were dropped.
    dropped: u64,
}

impl Writeback {
    /// Sends complete windows to the disk; called after each write with the file's length.
    ///
    /// # Errors
    ///
    /// Returns an error if a page could not be written. The system reports this only once: the file is lost.
    pub(crate) fn written(&mut self, file: &File, length: u64) -> io::Result<()> {
        while length - self.begun >= WINDOW {
            begin(file, self.begun, WINDOW)?;
            if self.begun > self.dropped {
                finish(file, self.dropped, self.begun - self.dropped)?;
                self.dropped = self.begun;
            }
            self.begun += WINDOW;
        }
        Ok(())
    }

    /// Drops all pages of a file that was synced, or that need not be in memory.
    pub(crate) fn forget(file: &File) {
        drop_pages(file, 0, None);
    }
}

/// Writeback of ranges that are written in any order.
#[derive(Debug, Default)]
pub(crate) struct StretchWriteback {
    /// Ranges whose writing was started, the oldest first: offsets and lengths.
    begun: VecDeque<(u64, u64)>,
    waiting: u64,
}

impl StretchWriteback {
    /// Sends `length` bytes at `offset` to the disk; called after each write.
    ///
    /// # Errors
    ///
    /// Returns an error if a page could not be written: the file is lost.
    pub(crate) fn written(&mut self, file: &File, offset: u64, length: u64) -> io::Result<()> {
        begin(file, offset, length)?;
        self.begun.push_back((offset, length));
        self.waiting += length;
        while self.waiting > 2 * WINDOW {
            let Some((offset, length)) = self.begun.pop_front() else { break };
            self.waiting -= length;
            finish(file, offset, length)?;
        }
        Ok(())
    }
}

/// Writeback of short scattered ranges, several of which may share a page: sending each immediately would make the next
/// one wait for the page.
#[derive(Debug, Default)]
pub(crate) struct ShortWriteback {
    /// Bytes written since writing of the whole file was last started, and since it was last awaited.
    unsent: u64,
    unfinished: u64,
    /// Bytes read since pages were last dropped.
    read: u64,
}

impl ShortWriteback {
    /// Counts `length` written bytes and starts or awaits writeback; called after each write.
    ///
    /// # Errors
    ///
    /// Returns an error if a page could not be written: the file is lost.
    pub(crate) fn written(&mut self, file: &File, length: u64) -> io::Result<()> {
        self.unsent += length;
        self.unfinished += length;
        if self.unfinished >= 4 * WINDOW {
            (self.unsent, self.unfinished, self.read) = (0, 0, 0);
            return finish(file, 0, 0);
        }
        if self.unsent >= WINDOW {
            self.unsent = 0;
            return begin(file, 0, 0);
        }
        Ok(())
    }

    /// Counts `length` read bytes and drops pages after each window; called after each read.
    pub(crate) fn read(&mut self, file: &File, length: u64) {
        self.read += length;
        if self.read >= WINDOW {
            self.read = 0;
            drop_pages(file, 0, None);
        }
    }
}

/// Drops pages of a file that were read or written; dirty pages stay.
pub(crate) fn drop_pages(file: &File, offset: u64, length: Option<NonZeroU64>) {
    advise(file, offset, length, FileAdvice::DontNeed);
}

#[cfg(all(target_os = "linux", not(miri)))]
fn begin(file: &File, offset: u64, length: u64) -> io::Result<()> {
    sync_range(file, offset, length, libc::SYNC_FILE_RANGE_WRITE)
}

#[cfg(all(target_os = "linux", not(miri)))]
fn finish(file: &File, offset: u64, length: u64) -> io::Result<()> {
    let all = libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    sync_range(file, offset, length, all)?;
    drop_pages(file, offset, NonZeroU64::new(length));
    Ok(())
}

#[cfg(all(target_os = "linux", not(miri)))]
fn sync_range(file: &File, offset: u64, length: u64, flags: libc::c_uint) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let (Ok(offset), Ok(length)) = (i64::try_from(offset), i64::try_from(length)) else { return Ok(()) };
    // SAFETY: passes no pointers; the descriptor is open during the call.
    if unsafe { libc::sync_file_range(file.as_raw_fd(), offset, length, flags) } == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        // Not every file system supports the call; data loss is an error.
        Some(libc::EIO | libc::ENOSPC | libc::EDQUOT) => Err(error),
        _ => Ok(()),
    }
}

/// Does nothing: macOS and Miri have no such call.
#[cfg(not(all(target_os = "linux", not(miri))))]
fn begin(_file: &File, _offset: u64, _length: u64) -> io::Result<()> {
    Ok(())
}

/// Does nothing: macOS and Miri have no such call.
#[cfg(not(all(target_os = "linux", not(miri))))]
fn finish(_file: &File, _offset: u64, _length: u64) -> io::Result<()> {
    Ok(())
}
