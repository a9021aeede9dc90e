//! Writing to stdout and stderr.

mod printable;

use crate::typed::typed;
pub(crate) use outcrop::thousands as count;
use outcrop::{Error, PendingFile, Result, redacted};
use printable::{Printable, printable, printable_json};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The standard output. On a terminal, which would interpret them, control characters are escaped. A reader that exits
/// early (`| head`) is no error.
pub(crate) fn stdout() -> Box<dyn Write + Send> {
    let stdout = std::io::stdout();
    if stdout.is_terminal() { Box::new(Printable::over(stdout)) } else { Box::new(WhileRead(stdout)) }
}

/// A stream that accepts everything once its reader has exited.
struct WhileRead<W>(W);

impl<W: Write> Write for WhileRead<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_closed(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_closed(self.0.flush(), ())
    }
}

fn unless_closed<T>(done: io::Result<T>, otherwise: T) -> io::Result<T> {
    match done {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(otherwise),
        done => done,
    }
}

/// Writes a text and a line end to stdout.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut stdout = stdout();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    written.map_err(|error| Error::io("write", "standard output", error))
}

/// Tells the user what went wrong.
pub(crate) fn warn(error: &Error) {
    // Where stderr is closed there is nobody to tell.
    info(&format!("outcrop: {error}"));
}

/// Returns the name of the output `path` for messages.
pub(crate) fn named(path: &Path) -> String {
    if path == Path::new("-") { "standard output".to_owned() } else { path.display().to_string() }
}

/// Lines for the user on stderr.
pub(crate) fn info(text: &str) {
    _ = writeln!(std::io::stderr().lock(), "{}", shown(text));
}

/// A line of JSON on stderr.
pub(crate) fn info_json(text: &str) {
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

/// A value as JSON text.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::io("write", "JSON", error.into()))
}

/// Creates the file of an option, before the work of which it will hold the result.
///
/// # Errors
/// [`Error::Usage`] where another path of the command leads to the same file, which would be replaced; those of
/// [`outcrop::create_output`].
pub(crate) fn create(path: Option<&Path>, overwrite: bool) -> Result<Option<PendingFile>> {
    let Some(path) = path else { return Ok(None) };
    let named = typed().filter(|word| paths_in(word).any(|named| is_same_file(&named, path)));
    if overwrite && named.count() > 1 {
        let path = path.display();
        return Err(Error::Usage(format!("{path} is both input and output; choose another output path")));
    }
    outcrop::create_output(path, overwrite).map(Some)
}

/// Paths that a word of the command may mean: all of it, what follows `=`, and what follows a short option.
fn paths_in(word: &OsStr) -> impl Iterator<Item = PathBuf> {
    let bytes = word.as_bytes();
    let value = bytes.iter().position(|byte| *byte == b'=').map(|place| &bytes[place + 1..]);
    let short = bytes.strip_prefix(b"-o");
    [Some(bytes), value, short].into_iter().flatten().map(|bytes| PathBuf::from(OsStr::from_bytes(bytes)))
}

/// True if both paths lead to one file.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let file = |path: &Path| path.metadata().ok().filter(Metadata::is_file).map(|found| (found.dev(), found.ino()));
    file(one).is_some_and(|one| file(other) == Some(one))
}
