//! Lines that were left out because they could not be understood.

use super::fields::LineError;
use super::syntax::TextFile;
use crate::edges::options::OnError;
use outcrop_types::{Error, Location, Result};

/// Lines that were left out, and what is wrong with the first.
#[derive(Debug, Default)]
pub(crate) struct Skipped {
    pub(crate) lines: u64,
    first: Option<(Location, String)>,
}

impl Skipped {
    /// Counts a line that cannot be understood, or fails for it.
    pub(crate) fn note(&mut self, file: &TextFile, line: u64, wrong: LineError) -> Result<()> {
        let location = Location::at(&file.name, line, wrong.column);
        if file.syntax.on_error == OnError::Stop {
            return Err(Error::bad_input(location, wrong.message));
        }
        self.lines += 1;
        self.first.get_or_insert((location, wrong.message));
        Ok(())
    }

    /// Counts the lines of the next block, and fails where there are too many by now.
    pub(crate) fn add(&mut self, next: Self, on_error: OnError) -> Result<()> {
        self.lines += next.lines;
        self.first = self.first.take().or(next.first);
        match (on_error, &self.first) {
            (OnError::Skip { max_errors }, Some((location, message))) if self.lines > max_errors => {
                let message = format!("{message}; it is the first of more than {max_errors} bad lines");
                Err(Error::bad_input(location.clone(), message))
            }
            _ => Ok(()),
        }
    }
}
