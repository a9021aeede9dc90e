//! Byte and text streams of inputs.

use outcrop_types::{Error, Location, Result, length_from};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Bytes read ahead of decompression.
pub(crate) const READ_AHEAD: usize = 128 << 10;

/// Compression of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Plain,
    Gzip,
    Zstd,
}

impl Content {
    /// Returns the name; `None` if there is no compression.
    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
        }
    }
}

/// Opens a file for reading.
pub(crate) fn open_file(path: &Path) -> Result<File> {
    File::open(path).map_err(|source| match source.kind() {
        ErrorKind::NotFound => Error::NotFound { path: path.to_owned(), hint: "" },
        _ => Error::io("open", path, source),
    })
}

/// Progress of reading all inputs, shared with its observer.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    done: AtomicU64,
    failed: AtomicBool,
}

impl Progress {
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Relaxed)
    }

    pub(crate) fn add(&self, bytes: usize) {
        self.done.fetch_add(length_from(bytes), Relaxed);
    }

    fn note<T>(&self, outcome: io::Result<T>) -> io::Result<T> {
        if outcome.as_ref().is_err_and(|error| error.kind() != ErrorKind::Interrupted) {
            self.failed.store(true, Relaxed);
        }
        outcome
    }
}

/// Raw bytes whose consumption is counted; distinguishes read failures from decompression failures.
pub(crate) struct Tap {
    pub(super) inner: BufReader<Box<dyn Read + Send>>,
    pub(super) progress: Arc<Progress>,
}

impl Read for Tap {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.progress.note(self.inner.read(buffer))?;
        self.progress.add(count);
        Ok(count)
    }
}

impl BufRead for Tap {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.progress.note(self.inner.fill_buf())
    }

    fn consume(&mut self, amount: usize) {
        self.progress.add(amount);
        self.inner.consume(amount);
    }
}

/// Byte order mark of UTF-8.
const MARK: [u8; 3] = *b"\xef\xbb\xbf";

/// Decompressed text.
pub(crate) struct TextStream {
    pub(super) reader: Box<dyn Read + Send>,
    pub(super) content: Content,
    pub(crate) name: String,
    pub(super) progress: Arc<Progress>,
}

impl TextStream {
    /// Reads up to the length of `buffer`; returns 0 at the end of the text.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            match self.reader.read(buffer) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failure(error)),
            }
        }
    }

    /// Skips a byte order mark at the start of the text.
    pub(super) fn without_mark(mut self) -> Result<Self> {
        let (mut first, mut filled) = ([0; MARK.len()], 0);
        while filled < first.len() {
            match self.read(&mut first[filled..])? {
                0 => break,
                count => filled += count,
            }
        }
        if first != MARK {
            let read = io::Cursor::new(first).take(length_from(filled));
            self.reader = Box::new(read.chain(self.reader));
        }
        Ok(self)
    }

    fn failure(&self, error: io::Error) -> Error {
        if self.progress.failed.load(Relaxed) {
            return Error::io("read", &self.name, error);
        }
        let method = self.content.name().unwrap_or("text");
        let message = match error.kind() {
            _ if error.to_string().contains("too much memory") => {
                "a later zstd frame needs a larger window than the first one, which is not supported for streams; read it from a file"
                    .to_owned()
            }
            ErrorKind::UnexpectedEof => format!("the {method} data is incomplete; the file is truncated"),
            _ => format!("the {method} data is damaged: {error}"),
        };
        Error::bad_input(Location::file(&self.name), message)
    }
}
