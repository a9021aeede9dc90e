//! File of edges that appears under its name once it is complete.

use crate::pending::PendingFile;
use outcrop_types::{Error, Result};
use std::fs::File;
use std::io::{BufWriter, IsTerminal, Seek, SeekFrom, Write, stdout};
use std::os::fd::AsFd;
use std::path::Path;

/// Path that stands for standard output.
const STANDARD_OUTPUT: &str = "-";

/// Returns true if `path` stands for standard output.
pub fn is_standard_output(path: &Path) -> bool {
    path == Path::new(STANDARD_OUTPUT)
}

/// Buffered writer of an unpublished file, or to standard output.
pub(crate) struct TargetFile {
    writer: BufWriter<File>,
    pending: Option<PendingFile>,
}

impl TargetFile {
    /// # Errors
    ///
    /// Returns an error if the file exists and `overwrite` is false, if the folder is not writable, or if standard
    /// output is a terminal or closed.
    pub(crate) fn create(path: &Path, overwrite: bool) -> Result<Self> {
        let pending = (!is_standard_output(path)).then(|| PendingFile::create(path, overwrite)).transpose()?;
        let writer = pending.as_ref().map_or_else(standard_output, PendingFile::writer)?;
        Ok(Self { writer: BufWriter::with_capacity(1 << 18, writer), pending })
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

/// # Errors
///
/// Returns an error if standard output is a terminal or closed.
pub(crate) fn standard_output() -> Result<File> {
    if stdout().is_terminal() {
        let message =
            "a terminal does not show edges; pipe them, for example into `outcrop build - STORE`, or name a file";
        return Err(Error::Usage(message.to_owned()));
    }
    let output = stdout().as_fd().try_clone_to_owned();
    output.map(File::from).map_err(|source| Error::io("open", STANDARD_OUTPUT, source))
}

impl Write for TargetFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}
