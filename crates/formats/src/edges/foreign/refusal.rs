//! Refusals of files that are not read.

use crate::edges::format::EdgeFormat;
use outcrop_types::{Error, Location};

/// A format that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// Its name, with an article.
    pub(crate) name: &'static str,
    /// Advice to the user.
    pub(crate) advice: &'static str,
}

impl Foreign {
    /// The error for the file called `file`.
    pub(crate) fn refusal(self, file: &str) -> Error {
        Error::bad_input(Location::file(file), format!("found {}, expected edges; {}", self.name, self.advice))
    }

    /// The error for a text, which may be a list of edges all the same.
    pub(crate) fn text_refusal(self, location: Location) -> Error {
        let Self { name, advice } = self;
        let message = format!(
            "found {name}, expected one edge per line; {advice}; if each line is an edge, use --format edge-list"
        );
        Error::bad_input(location, message)
    }
}

/// Content of the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recognized {
    /// A format that is read.
    Format(EdgeFormat),
    Foreign(Foreign),
    /// Lines of another shape, which may be edges all the same.
    Doubtful(Foreign),
}
