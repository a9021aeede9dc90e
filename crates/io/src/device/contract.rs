//! Device traits: the contract between readers of graph files and I/O backends.

use outcrop_types::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::thread::ThreadId;
use std::time::Duration;

/// Range of a file to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadRequest {
    /// Offset of the first byte; a multiple of [`Device::alignment`].
    pub offset: u64,
    /// Number of bytes; a multiple of [`Device::alignment`]. The file must contain all of them.
    pub length: usize,
    /// Caller's token, returned with the bytes and ignored by the device.
    pub token: u64,
}

/// Source of a reader's requests: called for requests while there is room in the queue, and given the bytes in
/// completion order.
pub trait ReadSource {
    /// Returns the next range to read; `None` if there is nothing to submit now. Called again after every completion;
    /// the read ends when nothing is in flight and this returns `None`.
    ///
    /// # Errors
    ///
    /// Any error ends the read.
    fn next(&mut self) -> Result<Option<ReadRequest>>;

    /// Receives the bytes of a request: exactly the requested number, valid during the call. Other requests stay in
    /// flight meanwhile.
    ///
    /// # Errors
    ///
    /// Any error ends the read.
    fn ready(&mut self, token: u64, bytes: &[u8]) -> Result<()>;
}

/// Reader of a file for one worker, with its own buffers. Only one thread may use it at a time, preferably always the
/// same.
pub trait Reader: Send {
    /// Performs all requests of `source`, with at most `depth` in flight and never more than the buffers hold. Returns
    /// the time spent waiting for the device.
    ///
    /// # Errors
    ///
    /// Returns the errors of `source`, [`Error::Corrupt`] if the file ends before a request does, or [`Error::Io`] if
    /// the device fails or a request is misaligned or exceeds the reader's buffers. By then, all requests in flight
    /// have been drained, and the reader can be used again.
    fn read_many(&mut self, depth: usize, source: &mut dyn ReadSource) -> Result<Duration>;
}

/// File that any number of threads can read, each with its own [`Reader`].
pub trait Device: Send + Sync {
    /// Returns the path of the file, for messages.
    fn path(&self) -> &Path;

    /// Returns the length of the file in bytes when it was opened.
    fn len(&self) -> u64;

    /// Returns true if the file was empty when it was opened.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the unit of offsets and lengths of requests, in bytes: a power of two from 512 to 4096. Direct reads may
    /// address single sectors of the disk; if the system reads whole pages, the unit is a page.
    fn alignment(&self) -> u64;

    /// Returns the I/O backend.
    fn backend(&self) -> Backend;

    /// Creates a reader whose requests in flight use at most `buffer_bytes`. Cheap: threads and rings are created by
    /// the first read.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] if the system refuses the memory.
    fn reader(&self, buffer_bytes: usize) -> Result<Box<dyn Reader>>;
}

/// I/O backend for reading a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// `io_uring`, bypassing the system's page cache if the file system permits.
    Uring,
    /// Thread pool that bypasses the system's page cache.
    Pread,
    /// Thread pool that reads through the system's page cache.
    Buffered,
    /// Memory map: a baseline for measurements.
    Mmap,
    /// Bytes in memory.
    Memory,
}

impl Backend {
    /// Returns the name in options, records and messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Uring => "uring",
            Self::Pread => "pread",
            Self::Buffered => "buffered",
            Self::Mmap => "mmap",
            Self::Memory => "memory",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// I/O backend requested by a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IoChoice {
    /// Best available backend: io_uring, otherwise pread, otherwise buffered.
    #[default]
    Auto,
    /// io_uring or an error.
    Uring,
    /// Thread pool, bypassing the system's page cache if possible.
    Pread,
    /// Thread pool, through the system's page cache.
    Buffered,
    /// Memory map.
    Mmap,
}

impl IoChoice {
    /// Every choice, in display order.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Uring, Self::Pread, Self::Buffered, Self::Mmap];

    /// Returns the name in options.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Uring => Backend::Uring.name(),
            Self::Pread => Backend::Pread.name(),
            Self::Buffered => Backend::Buffered.name(),
            Self::Mmap => Backend::Mmap.name(),
        }
    }
}

impl fmt::Display for IoChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for IoChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == text).ok_or_else(|| {
            Error::Usage(format!("unknown I/O backend {text:?}; expected auto, uring, pread, buffered or mmap"))
        })
    }
}

/// Read operation for a [`Port`].
pub(super) struct Transfer {
    pub(super) slot: u32,
    pub(super) offset: u64,
    pub(super) target: *mut u8,
    pub(super) length: u32,
}

// SAFETY: the queue keeps the target alive, and accesses it only after the completion was returned.
unsafe impl Send for Transfer {}

/// Backend that performs several reads concurrently.
pub(super) trait Port: Send {
    /// Accepts a read, which may start at the next [`Port::submit`] or [`Port::wait`]. If it returns an error, the read
    /// was not accepted.
    ///
    /// # Safety
    ///
    /// The target must stay valid for writes, and no other code may access it, until the slot's completion is returned.
    unsafe fn start(&mut self, transfer: Transfer) -> io::Result<()>;

    /// Submits the accepted reads if more than `most` are not submitted yet.
    fn submit(&mut self, most: usize) -> io::Result<()>;

    /// Waits until a read is complete; returns the time spent. After an error, the port is unusable.
    fn wait(&mut self) -> io::Result<Duration>;

    /// Returns a slot whose read is complete, if there is one, with the number of bytes read.
    fn completion(&mut self) -> Option<(u32, io::Result<usize>)>;

    /// Returns true if this thread may use the port.
    fn serves(&self, thread: ThreadId) -> bool;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_parsed_by_name() {
        for choice in IoChoice::ALL {
            assert_eq!(choice.name().parse::<IoChoice>().unwrap(), choice);
        }
        assert!(matches!("aio".parse::<IoChoice>(), Err(Error::Usage(_))));
    }
}
