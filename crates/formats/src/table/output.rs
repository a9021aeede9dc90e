//! Output of the bytes of a table.

use crate::packed::Packed;
use outcrop_types::{Error, Result};
use std::io::{self, Write};
use std::path::PathBuf;

/// Bytes that are collected before they are written.
const BUFFER: usize = 256 << 10;

/// A writer that knows its name and collects small pieces.
pub(super) struct Output {
    writer: Packed<Box<dyn Write + Send>>,
    path: PathBuf,
    /// Bytes not written yet; append to them and call [`Output::spill`] now and then.
    pub(super) buffer: Vec<u8>,
}

impl Output {
    /// Writes to `writer`, compressed where `path` says so.
    pub(super) fn new(writer: Box<dyn Write + Send>, path: PathBuf) -> Result<Self> {
        let writer = Packed::new(writer, &path).map_err(|source| Error::io("write", &path, source))?;
        Ok(Self { writer, path, buffer: Vec::new() })
    }

    /// Writes the buffer if it has become large.
    #[inline]
    pub(super) fn spill(&mut self) -> Result<()> {
        if self.buffer.len() < BUFFER { Ok(()) } else { self.empty() }
    }

    /// Writes all there is, and the end.
    pub(super) fn complete(&mut self) -> Result<()> {
        self.empty()?;
        self.writer.finish().map_err(|source| self.failed(source))
    }

    /// A failure to write here.
    pub(super) fn failed(&self, source: io::Error) -> Error {
        Error::io("write", &self.path, source)
    }

    fn empty(&mut self) -> Result<()> {
        self.writer.write_all(&self.buffer).map_err(|source| self.failed(source))?;
        self.buffer.clear();
        Ok(())
    }
}

/// Past the buffer, for writers with one of their own.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
