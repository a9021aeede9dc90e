//! A text that is being read, and the account of its lines.

use super::fields::LineError;
use super::preface::Preface;
use super::syntax::Syntax;
use super::tally::Tally;
use crate::edges::options::OnError;
use outcrop_types::{Error, FileSummary, Location, Result};

/// A file that is being read, and how.
#[derive(Debug)]
pub(crate) struct TextFile {
    pub(crate) name: String,
    pub(crate) syntax: Syntax,
    /// The lines before the first block.
    pub(crate) before: Tally,
    /// Part of its account that is known beforehand.
    pub(crate) account: FileSummary,
    pub(crate) preface: Option<Preface>,
}

impl TextFile {
    /// The account of the file with all its lines but those before its first block.
    pub(crate) fn account_of(&self, tally: Tally) -> FileSummary {
        let mut whole = self.before.clone();
        whole.add(tally);
        let place = |(location, message): &(Location, String)| format!("{location}: {message}");
        FileSummary {
            edges: whole.edges,
            lines: Some(whole.lines),
            comments: whole.comments,
            blank_lines: whole.blank,
            skipped: whole.skipped,
            first_skipped: whole.first_skipped.iter().map(place).collect(),
            notes: [self.account.notes.clone(), whole.notes()].concat(),
            rounding: whole.rounding,
            ..self.account.clone()
        }
    }

    /// Counts a line that cannot be understood, or fails for it.
    pub(crate) fn bad_line(&self, line: u64, wrong: LineError, tally: &mut Tally) -> Result<()> {
        let location = Location::at(&self.name, line, wrong.column);
        match self.syntax.on_error {
            OnError::Stop => Err(Error::bad_input(location, wrong.message)),
            OnError::Skip { .. } => {
                tally.bad_line(location, wrong.message);
                Ok(())
            }
        }
    }
}
