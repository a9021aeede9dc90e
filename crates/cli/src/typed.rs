//! The command as it was typed.

use std::ffi::OsString;
use std::sync::OnceLock;

static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Stores the words of the command, beginning with the name of the program, and returns them.
pub(crate) fn store(words: Vec<OsString>) -> &'static [OsString] {
    WORDS.get_or_init(|| words)
}

/// Words of the command, without the name of the program.
pub(crate) fn typed() -> impl Iterator<Item = &'static OsString> {
    WORDS.get().into_iter().flatten().skip(1)
}
