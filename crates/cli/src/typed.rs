//! The command as it was typed.

use std::ffi::OsString;
use std::sync::OnceLock;

static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Stores the words of the command, beginning with the name of the program, and returns them.
pub(crate) fn store(words: Vec<OsString>) -> &'static [OsString] {
    WORDS.get_or_init(|| words)
}

/// True if `word` is a word of the command, or if the command is not known, as in tests.
pub(crate) fn is_possibly_typed(word: &str) -> bool {
    WORDS.get().is_none_or(|_| typed().any(|typed| typed == word))
}

/// Words of the command, without the name of the program.
pub(crate) fn typed() -> impl Iterator<Item = &'static OsString> {
    WORDS.get().into_iter().flatten().skip(1)
}
