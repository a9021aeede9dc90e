//! Writing to stdout and stderr.

use outcrop::{Error, PendingFile, Result};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Writes a text and a line end to stdout. A reader that has gone away (`| head`) is no error.
pub(crate) fn say(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::io("write", "standard output", error)),
        _ => Ok(()),
    }
}

/// Tells the user what went wrong.
pub(crate) fn complain(error: &Error) {
    // Where stderr is closed there is nobody to tell.
    _ = writeln!(std::io::stderr().lock(), "outcrop: {error}");
}

/// A line for the user on stderr.
pub(crate) fn remark(text: &str) {
    _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Bytes as a person reads them.
pub(crate) fn bytes(bytes: u64) -> String {
    indicatif::BinaryBytes(bytes).to_string()
}

/// A count with its thousands set apart.
pub(crate) fn count(count: u64) -> String {
    indicatif::HumanCount(count).to_string()
}

/// A value as JSON text.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::io("write", "JSON", error.into()))
}

/// Creates the file of an option, before the work of which it will hold the result.
pub(crate) fn create(path: Option<&Path>, overwrite: bool) -> Result<Option<PendingFile>> {
    path.map(|path| outcrop::create_output(path, overwrite)).transpose()
}
