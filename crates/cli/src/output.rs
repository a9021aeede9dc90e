//! Writing to stdout and stderr.

mod printable;

use outcrop::{Error, PendingFile, Result, redacted};
use printable::{Printable, printable, printable_json};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

/// The standard output: as it is where it is a file or pipe, and with escaped control characters where it is a terminal, which would obey them.
pub(crate) fn stdout() -> Box<dyn Write + Send> {
    let stdout = std::io::stdout();
    if stdout.is_terminal() { Box::new(Printable::over(stdout)) } else { Box::new(stdout) }
}

/// Writes a text and a line end to stdout. A reader that has gone away (`| head`) is no error.
pub(crate) fn say(text: &str) -> Result<()> {
    let mut stdout = stdout();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::io("write", "standard output", error)),
        _ => Ok(()),
    }
}

/// Tells the user what went wrong.
pub(crate) fn complain(error: &Error) {
    // Where stderr is closed there is nobody to tell.
    remark(&format!("outcrop: {error}"));
}

/// Lines for the user on stderr.
pub(crate) fn remark(text: &str) {
    _ = writeln!(std::io::stderr().lock(), "{}", shown(text));
}

/// A line of JSON on stderr.
pub(crate) fn remark_json(text: &str) {
    _ = writeln!(std::io::stderr().lock(), "{}", printable_json(text));
}

/// A text for people: without the secrets of addresses, and with escaped control characters.
pub(crate) fn shown(text: &str) -> String {
    printable(&redacted(text)).into_owned()
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
