//! Errors for unsupported files.

use crate::edges::format::EdgeFormat;
use outcrop_types::{Error, Location};

/// Unsupported format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// Name, with an article.
    pub(crate) name: &'static str,
    /// Advice to the user.
    pub(crate) advice: &'static str,
}

impl Foreign {
    /// Returns the error for the file `file`.
    pub(crate) fn refusal(self, file: &str) -> Error {
        Error::bad_input(Location::file(file), format!("found {}, expected edges; {}", self.name, self.advice))
    }

    /// Returns the error for a text, which may nevertheless be a list of edges.
    pub(crate) fn text_refusal(self, location: Location) -> Error {
        let Self { name, advice } = self;
        let message = format!(
            "found {name}, expected one edge per line; {advice}; if each line is an edge, use --format edge-list"
        );
        Error::bad_input(location, message)
    }
}

/// Format of a text, detected at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recognized {
    /// Supported format.
    Format(EdgeFormat),
    Foreign(Foreign),
    /// Lines of an unusual shape, which may nevertheless be edges.
    Doubtful(Foreign),
}
