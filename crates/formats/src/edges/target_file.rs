//! File of edges that appears under its name once it is complete.

use crate::pending::PendingFile;
use outcrop_types::{Error, Result};
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

/// Buffered writer of an unpublished file.
pub(crate) struct TargetFile {
    writer: BufWriter<File>,
    pending: PendingFile,
}

impl TargetFile {
    /// # Errors
    ///
    /// Returns an error if the file exists and `overwrite` is false, or if the folder is not writable.
    pub(crate) fn create(path: &Path, overwrite: bool) -> Result<Self> {
        let pending = PendingFile::create(path, overwrite)?;
        Ok(Self { writer: BufWriter::with_capacity(1 << 18, pending.writer()?), pending })
    }

    /// Replaces the first bytes.
    pub(crate) fn rewrite_start(&mut self, bytes: &[u8]) -> Result<()> {
        let outcome = self.writer.seek(SeekFrom::Start(0)).and_then(|_| self.writer.write_all(bytes));
        outcome.map_err(|source| Error::io("write", self.path(), source))
    }

    pub(crate) fn path(&self) -> &Path {
        self.pending.target()
    }

    /// Makes the content durable and publishes the file.
    pub(crate) fn publish(self) -> Result<()> {
        let Self { mut writer, pending } = self;
        writer.flush().map_err(|source| Error::io("write", pending.target(), source))?;
        pending.publish()
    }
}

impl Write for TargetFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}
