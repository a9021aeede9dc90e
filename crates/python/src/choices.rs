//! The words that options take.

use outcrop::{Error, Result};

/// What `given` means among `choices`.
///
/// # Errors
/// It is none of them.
pub(crate) fn choose<T: Copy>(option: &str, given: &str, choices: &[(&str, T)]) -> Result<T> {
    let found = choices.iter().find(|(name, _)| *name == given);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|(name, _)| format!("{name:?}")).collect();
        Error::Usage(format!("{option} is one of {}, not {given:?}", names.join(", ")))
    })
}
