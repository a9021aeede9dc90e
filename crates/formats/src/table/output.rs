//! Output of the bytes of a table.

use crate::packed::Packed;
use outcrop_types::{Error, Result};
use std::io::{self, Write};
use std::path::PathBuf;

/// Bytes collected before each write.
const BUFFER: usize = 256 << 10;

/// Buffered writer with a name.
pub(super) struct Output {
    writer: Packed<Box<dyn Write + Send>>,
    path: PathBuf,
    /// Unwritten bytes; append to them and call [`Output::spill`] regularly.
    pub(super) buffer: Vec<u8>,
}

impl Output {
    /// Creates an output to `writer`, compressed according to the extension of `path`.
    pub(super) fn new(writer: Box<dyn Write + Send>, path: PathBuf) -> Result<Self> {
        let writer = Packed::new(writer, &path).map_err(|source| Error::io("write", &path, source))?;
        Ok(Self { writer, path, buffer: Vec::new() })
    }

    /// Writes the buffer if it is large.
    #[inline]
    pub(super) fn spill(&mut self) -> Result<()> {
        if self.buffer.len() < BUFFER { Ok(()) } else { self.empty() }
    }

    /// Writes all buffered data and the end.
    pub(super) fn complete(&mut self) -> Result<()> {
        self.empty()?;
        self.writer.finish().map_err(|source| self.failed(source))
    }

    /// Returns the error for a failed write.
    pub(super) fn failed(&self, source: io::Error) -> Error {
        Error::io("write", &self.path, source)
    }

    fn empty(&mut self) -> Result<()> {
        self.writer.write_all(&self.buffer).map_err(|source| self.failed(source))?;
        self.buffer.clear();
        Ok(())
    }
}

/// Bypasses the buffer, for writers with their own.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
