//! Contract of a device, between those who read graph files and the ways to read them.

use outcrop_types::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// A stretch of a file to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadRequest {
    /// First byte; a multiple of [`Device::alignment`].
    pub offset: u64,
    /// Bytes to read; a multiple of [`Device::alignment`]. The file must hold all of them.
    pub length: usize,
    /// Handed back with the bytes; means nothing to the device.
    pub token: u64,
}

/// Source of a reader's requests: called for them while there is room in the queue, and given the bytes in completion
/// order.
pub trait ReadSource {
    /// The next stretch to read; `None` if there is nothing to submit now. It is called again after every completion;
    /// the read ends when nothing is in flight and this returns `None`.
    ///
    /// # Errors
    /// Any error ends the read.
    fn next(&mut self) -> Result<Option<ReadRequest>>;

    /// Takes the bytes of a request: exactly as many as requested, valid during the call. Other requests stay in flight
    /// meanwhile.
    ///
    /// # Errors
    /// Any error ends the read.
    fn ready(&mut self, token: u64, bytes: &[u8]) -> Result<()>;
}

/// Reader of a file for one worker, with its own buffers. One thread uses it at a time, preferably always the same one.
pub trait Reader: Send {
    /// Reads all that `source` asks for, at most `depth` requests in flight and never more than the buffers hold.
    /// Returns the time that it spent waiting for the device.
    ///
    /// # Errors
    /// Those of `source`; [`Error::Corrupt`] where the file ends before a request does; [`Error::Io`] where the device
    /// fails or a request is misaligned or larger than the reader's buffers. All requests in flight have been drained
    /// by then, and the reader can be used again.
    fn read_many(&mut self, depth: usize, source: &mut dyn ReadSource) -> Result<Duration>;
}

/// A file that can be read, from any number of threads, each with a [`Reader`] of its own.
pub trait Device: Send + Sync {
    /// The file's name, for messages.
    fn path(&self) -> &Path;

    /// Length of the file in bytes when it was opened.
    fn len(&self) -> u64;

    /// True if the file was empty when it was opened.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Unit that offsets and lengths of requests are multiples of, in bytes: a power of two from 512 to 4096. Direct
    /// reads may ask for single sectors of the disk; where the system reads whole pages, these are asked for.
    fn alignment(&self) -> u64;

    /// Way that the file is read.
    fn backend(&self) -> Backend;

    /// A reader whose requests in flight take at most `buffer_bytes`. Cheap: threads and rings are made by the first
    /// read.
    ///
    /// # Errors
    /// [`Error::Io`] where the system refuses the memory.
    fn reader(&self, buffer_bytes: usize) -> Result<Box<dyn Reader>>;
}

/// A way to read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// `io_uring`, bypassing the system's page cache if the file system permits.
    Uring,
    /// A pool of threads that read past the system's page cache.
    Pread,
    /// A pool of threads that read through the system's page cache.
    Buffered,
    /// A memory map: a baseline for measurements.
    Mmap,
    /// Bytes in memory.
    Memory,
}

impl Backend {
    /// The name in options, records and messages.
    pub const fn name(self) -> &'static str {
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
    /// The best that works here: io_uring, else pread, else buffered.
    #[default]
    Auto,
    /// io_uring or an error.
    Uring,
    /// A pool of threads, past the system's page cache where possible.
    Pread,
    /// A pool of threads, through the system's page cache.
    Buffered,
    /// A memory map.
    Mmap,
}

impl IoChoice {
    /// Every choice, in display order.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Uring, Self::Pread, Self::Buffered, Self::Mmap];

    /// The name in options.
    pub const fn name(self) -> &'static str {
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
