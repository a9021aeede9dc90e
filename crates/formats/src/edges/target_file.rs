//! File of edges that appears under its name once it is complete.

use crate::pending::PendingFile;
use outcrop_types::{Error, Result};
use std::fs::File;
use std::io::{BufWriter, IsTerminal, Seek, SeekFrom, Write, stdout};
use std::os::fd::AsFd;
use std::path::Path;

/// Path that stands for standard output.
pub const STANDARD_OUTPUT: &str = "-";

/// Buffered writer of an unpublished file, or to standard output.
pub(crate) struct TargetFile {
    writer: BufWriter<File>,
    pending: Option<PendingFile>,
}

impl TargetFile {
    /// # Errors
    ///
    /// Returns an error if the file exists and `overwrite` is false, or if the folder is not writable.
    pub(crate) fn create(path: &Path, overwrite: bool) -> Result<Self> {
        let pending = PendingFile::create(path, overwrite)?;
        Ok(Self { writer: BufWriter::with_capacity(1 << 18, pending.writer()?), pending: Some(pending) })
    }

    /// # Errors
    ///
    /// Returns an error if standard output is a terminal or closed.
    pub(crate) fn standard_output() -> Result<Self> {
        if stdout().is_terminal() {
            return Err(Error::Usage(
                "a terminal does not show binary edges; pipe them into `outcrop build - STORE`, or use --output FILE"
                    .to_owned(),
            ));
        }
        let file =
            stdout().as_fd().try_clone_to_owned().map_err(|source| Error::io("open", STANDARD_OUTPUT, source))?;
        Ok(Self { writer: BufWriter::with_capacity(1 << 18, file.into()), pending: None })
    }

    /// Replaces the first bytes.
    pub(crate) fn rewrite_start(&mut self, bytes: &[u8]) -> Result<()> {
        let outcome = self.writer.seek(SeekFrom::Start(0)).and_then(|_| self.writer.write_all(bytes));
        outcome.map_err(|source| Error::io("write", self.path(), source))
    }

    pub(crate) fn path(&self) -> &Path {
        self.pending.as_ref().map_or(Path::new(STANDARD_OUTPUT), PendingFile::target)
    }

    /// Makes the content durable and publishes the file.
    pub(crate) fn publish(mut self) -> Result<()> {
        self.writer.flush().map_err(|source| Error::io("write", self.path(), source))?;
        self.pending.map_or(Ok(()), PendingFile::publish)
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
