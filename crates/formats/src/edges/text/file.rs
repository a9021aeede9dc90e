//! Text that is being read, with the summary of its lines.

use super::fields::{LineError, is_blank_line, shown};
use super::preface::Preface;
use super::syntax::Syntax;
use super::tally::{Oddity, Tally};
use crate::edges::options::OnError;
use outcrop_types::{Error, FileSummary, Location, Result, counted};

/// File that is being read, with its syntax.
#[derive(Debug)]
pub(crate) struct TextFile {
    pub(crate) name: String,
    pub(crate) syntax: Syntax,
    /// Counts of the lines before the first block.
    pub(crate) before: Tally,
    /// Part of its summary that is known in advance.
    pub(crate) account: FileSummary,
    pub(crate) preface: Option<Preface>,
    /// Number of the first line that is neither blank nor a comment.
    pub(crate) first_line: u64,
    /// Number of edges stated in a comment, with the comment.
    pub(crate) stated_edges: Option<(u64, String)>,
}

impl TextFile {
    /// Returns the summary of the file, given the counts of all lines from the first block on.
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

    /// Returns the location of a line for messages.
    pub(crate) fn place(&self, line: u64) -> String {
        format!("{}:{line}", self.name)
    }

    /// Counts a doubtful line, with its text.
    pub(crate) fn odd_line(&self, oddity: Oddity, number: u64, text: &[u8], tally: &mut Tally) {
        tally.odd_line(oddity, || format!("{} ({})", self.place(number), shown(text)));
    }

    /// Counts a line with a doubtful string ID.
    pub(crate) fn odd_names(&self, number: u64, names: &[&[u8]], tally: &mut Tally) {
        if let Some((oddity, name)) = names.iter().find_map(|name| Some((Oddity::of_name(name)?, name))) {
            self.odd_line(oddity, number, name, tally);
        }
    }

    /// Counts a line without an edge; `doubtful` if a comment after the first line may be an edge.
    pub(crate) fn quiet_line(&self, number: u64, line: &[u8], doubtful: bool, tally: &mut Tally) {
        if self.syntax.repeats_header(line) {
            tally.odd_line(Oddity::Header, || self.place(number));
            return;
        }
        let blank = is_blank_line(line);
        if doubtful && !blank && number > self.first_line {
            self.odd_line(Oddity::LateComment, number, line, tally);
        }
        tally.quiet_line(blank);
    }

    /// Returns a note if the number of edges differs from the one stated in a comment, counted in one direction or in
    /// both.
    pub(crate) fn miscount(&self, tally: &Tally) -> Option<String> {
        let found = tally.edges + tally.skipped;
        let (stated, comment) = self.stated_edges.as_ref()?;
        let fits = found == *stated || found == stated.saturating_mul(2);
        let stated = counted(*stated, "edge");
        (!fits).then(|| format!("{comment} states {stated}, but the file has {found}; is the file truncated?"))
    }

    /// Counts a malformed line, or returns an error for it.
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
